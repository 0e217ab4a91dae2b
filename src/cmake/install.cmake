# What `find_package(dbandit)` gives: dbandit::dbandit, the whole library, and dbandit::<folder> for a part of it.
# Of what the archives were built with only the shared libraries are needed again; headers of dependencies are not,
# because no public header includes one.
include(CMakePackageConfigHelpers)

set(folders core rng stats model kernel reference policy sim report study)
add_library(dbandit_library INTERFACE)
add_library(dbandit::dbandit ALIAS dbandit_library)  # for projects that add_subdirectory() this one
set_target_properties(dbandit_library PROPERTIES EXPORT_NAME dbandit)
set(targets dbandit_library)
foreach(folder IN LISTS folders)
  target_link_libraries(dbandit_library INTERFACE dbandit_${folder})
  set_target_properties(dbandit_${folder} PROPERTIES EXPORT_NAME ${folder})
  list(APPEND targets dbandit_${folder})
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dbandit)
install(TARGETS dbandit)
install(TARGETS ${targets} EXPORT dbanditTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/dbandit TYPE INCLUDE FILES_MATCHING PATTERN *.hpp)
install(EXPORT dbanditTargets NAMESPACE dbandit:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dbanditConfig.cmake.in ${PROJECT_BINARY_DIR}/dbanditConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Below 1.0 a minor version may change an interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dbanditConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dbanditConfig.cmake ${PROJECT_BINARY_DIR}/dbanditConfigVersion.cmake DESTINATION ${package_dir})
