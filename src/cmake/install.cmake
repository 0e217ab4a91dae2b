# What `find_package(dbandit)` gives: dbandit::dbandit, the whole library, and dbandit::<folder> for a part of it.
# Of what the archives were built with only the shared libraries are needed again; headers of dependencies are not,
# because no public header includes one.
include(CMakePackageConfigHelpers)

set(folders core rng stats model fit kernel reference policy sim report study)
add_library(dbandit_library INTERFACE)
add_library(dbandit::dbandit ALIAS dbandit_library)  # for projects that add_subdirectory() this one
set_target_properties(dbandit_library PROPERTIES EXPORT_NAME dbandit)
# The public headers; each compiles alone.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp)
target_sources(dbandit_library INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
set_target_properties(dbandit_library PROPERTIES VERIFY_INTERFACE_HEADER_SETS ${DBANDIT_BUILD_TESTS})
set(targets dbandit_library)
foreach(folder IN LISTS folders)
  target_link_libraries(dbandit_library INTERFACE dbandit_${folder})
  set_target_properties(dbandit_${folder} PROPERTIES EXPORT_NAME ${folder})
  list(APPEND targets dbandit_${folder})
endforeach()

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # installing installs what was built; it does not build
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dbandit)
# The program looks for what it loads and starts from its own place: ../lib/dbandit.
set_target_properties(dbandit PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/dbandit")
install(TARGETS dbandit COMPONENT program)
if(DBANDIT_MPI)
  install(TARGETS dbandit_mpi LIBRARY DESTINATION lib/dbandit/modules COMPONENT mpi)
endif()
install(TARGETS ${targets} EXPORT dbanditTargets ARCHIVE COMPONENT dev FILE_SET HEADERS COMPONENT dev)
install(EXPORT dbanditTargets NAMESPACE dbandit:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dbanditConfig.cmake.in ${PROJECT_BINARY_DIR}/dbanditConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Below 1.0 a minor version may change an interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dbanditConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dbanditConfig.cmake ${PROJECT_BINARY_DIR}/dbanditConfigVersion.cmake DESTINATION ${package_dir} COMPONENT dev)

# The same for those who build without CMake. Archives that need each other's symbols come before those that have them.
set(pc_libraries "")
foreach(folder IN LISTS folders)
  get_target_property(type dbandit_${folder} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    string(PREPEND pc_libraries "-ldbandit_${folder} ")
  endif()
endforeach()
string(STRIP "${pc_libraries}" pc_libraries)
set(pc_requires "tbb, fmt, nlopt")
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/dbandit.pc.in ${PROJECT_BINARY_DIR}/dbandit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dbandit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# Manual pages and completions are what the program says of its own command tree.
set(words ${PROJECT_BINARY_DIR}/words)
add_custom_command(OUTPUT ${words}/made COMMENT "Manual pages and completions" DEPENDS dbandit
                   COMMAND ${CMAKE_COMMAND} -E rm -rf ${words}
                   COMMAND dbandit generate man ${words}/man1
                   COMMAND dbandit generate bash ${words}/dbandit
                   COMMAND dbandit generate zsh ${words}/_dbandit
                   COMMAND dbandit generate fish ${words}/dbandit.fish
                   COMMAND ${CMAKE_COMMAND} -E touch ${words}/made)
add_custom_target(dbandit_words ALL DEPENDS ${words}/made)
install(DIRECTORY ${words}/man1 TYPE MAN COMPONENT program)
install(FILES ${words}/dbandit DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${words}/dbandit.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
# Where zsh itself looks, and where Debian's zsh looks below /usr.
foreach(folder site-functions vendor-completions)
  install(FILES ${words}/_dbandit DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder} COMPONENT program)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)
