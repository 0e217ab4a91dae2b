# The targets `deb` (Debian packages) and `tarball` (for machines without root), made in packages/ of the build tree. package.sh makes them from
# nothing, the report page included.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ${PROJECT_NAME})
set(CPACK_PACKAGE_VENDOR "delayed-bandits founders")
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package_generator.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_staged.cmake)
set(CPACK_DBANDIT_PROCESSOR ${CMAKE_SYSTEM_PROCESSOR})

# In the tarball: the libraries that a Debian has not by itself. Those of the C and C++ runtime are the machine's, as is MPI.
set(bundled_programs $<TARGET_FILE:dbandit>)
if(TARGET bench_all)
  foreach(program IN LISTS DBANDIT_BENCH_PROGRAMS)
    list(APPEND bundled_programs $<TARGET_FILE:${program}>)
  endforeach()
endif()
install(CODE "set(programs \"${bundled_programs}\")" COMPONENT bundle EXCLUDE_FROM_ALL)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/package_bundle.cmake COMPONENT bundle EXCLUDE_FROM_ALL)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(DBANDIT_MAINTAINER "delayed-bandits founders <founders@delayed-bandits.example>" CACHE STRING "Whom the Debian packages name")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${DBANDIT_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)  # of what was built, which need not be the machine that builds
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
endif()

set(CPACK_DBANDIT_DEB_COMPONENTS program dev)
set(CPACK_DBANDIT_TGZ_COMPONENTS program bundle)
set(about "Simulates policies that learn from conversions disclosed late or never
(Vernade, Cappé and Perchet, UAI 2017), by the million.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME dbandit)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "gnuplot-nox, dbandit-mpi, python3-dbandit, libdbandit-dev")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "bandits with delayed conversions, simulated
${about}
.
The program, its benchmarks, manual pages and completions.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libdbandit-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libtbb-dev, libfmt-dev, libnlopt-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION "bandits with delayed conversions, simulated - C++ library
${about}
.
The C++20 library: headers, archives, and what CMake and pkg-config need.")
if(DBANDIT_MPI)
  list(APPEND CPACK_DBANDIT_DEB_COMPONENTS mpi)
  list(APPEND CPACK_DBANDIT_TGZ_COMPONENTS mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME dbandit-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "dbandit (= ${PROJECT_VERSION}), openmpi-bin")
  set(CPACK_DEBIAN_MPI_DESCRIPTION "bandits with delayed conversions, simulated - for mpirun
${about}
.
What the program loads when it is started by mpirun.")
endif()
if(TARGET dbandit_python)
  list(APPEND CPACK_DBANDIT_DEB_COMPONENTS python)
  math(EXPR next_minor "${DBANDIT_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-dbandit)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${DBANDIT_PYTHON_MINOR}~), python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/debian/postinst;${CMAKE_CURRENT_LIST_DIR}/debian/prerm")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "bandits with delayed conversions, simulated - Python module
${about}
.
The Python module: runs as NumPy arrays, policies of your own.")
endif()
set(CPACK_DBANDIT_TRIPLET ${CMAKE_LIBRARY_ARCHITECTURE})
set(CPACK_DBANDIT_STRIP ${CMAKE_STRIP})
set(CPACK_DBANDIT_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)

foreach(target dbandit_words dbandit_mpi dbandit_benchmarks dbandit_python)
  if(TARGET ${target})
    list(APPEND packaged ${target})
  endif()
endforeach()
foreach(kind deb=DEB tarball=TGZ)
  string(REGEX MATCH "(.*)=(.*)" matched ${kind})
  add_custom_target(${CMAKE_MATCH_1} COMMAND ${CMAKE_CPACK_COMMAND} --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake -G ${CMAKE_MATCH_2}
                                             -B ${PROJECT_BINARY_DIR}/packages
                    DEPENDS ${packaged} VERBATIM USES_TERMINAL COMMENT "Packing")
  list(REMOVE_ITEM packaged dbandit_python)  # not in the tarball
endforeach()
