# Installs the build, moves what was installed elsewhere, and lets a project that knows only find_package(dbandit)
# configure, build and run against it.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(prefix ${SCRATCH}/prefix)
file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/first)
file(RENAME ${SCRATCH}/first ${prefix})

file(GLOB_RECURSE package ${prefix}/*.cmake)
foreach(file IN LISTS package)
  file(READ ${file} text)
  foreach(origin ${SOURCE} ${BUILD} ${SCRATCH})
    string(FIND "${text}" "${origin}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names the folder it was built in: ${origin}")
    endif()
  endforeach()
endforeach()

set(flags "")
if(SANITIZE)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/build/consumer -B ${SCRATCH}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} ${flags})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer)
if(NOT output MATCHES "^uniform loses [0-9.]+ conversions")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
run(${prefix}/bin/dbandit --version)

# The example of README is such a project too.
run(${CMAKE_COMMAND} -S ${SOURCE}/src/examples/library -B ${SCRATCH}/example -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} ${flags})
run(${CMAKE_COMMAND} --build ${SCRATCH}/example)

# And without CMake: pkg-config alone knows what to compile and link with.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG AND NOT SANITIZE)
  file(GLOB_RECURSE pc ${prefix}/*/dbandit.pc)
  cmake_path(GET pc PARENT_PATH pc_folder)
  set(ENV{PKG_CONFIG_PATH} ${pc_folder})
  run(${PKG_CONFIG} --cflags --libs dbandit)
  separate_arguments(arguments UNIX_COMMAND "${output}")
  run(${COMPILER} -std=c++20 ${SOURCE}/tests/build/consumer/main.cpp -o ${SCRATCH}/by_pkg_config ${arguments})
  run(${SCRATCH}/by_pkg_config)
  if(NOT output MATCHES "^uniform loses [0-9.]+ conversions")
    message(FATAL_ERROR "the consumer built by pkg-config printed: ${output}")
  endif()
endif()

foreach(file share/man/man1/dbandit.1 share/man/man1/dbandit-run.1 share/bash-completion/completions/dbandit
        share/zsh/site-functions/_dbandit share/fish/vendor_completions.d/dbandit.fish)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
