# The page without its chart library: the build says so and goes on, and the program has no page. No step of the build touches the network.
#   -DPAGE=… -DSCRATCH=… -DPROJECT=…
file(REMOVE_RECURSE ${SCRATCH})
# Whoever is asked for a library leaves a mark.
file(WRITE ${SCRATCH}/npm "#!/bin/sh\n: >'${SCRATCH}/asked'\n")
file(CHMOD ${SCRATCH}/npm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{PATH} ${SCRATCH})
execute_process(COMMAND ${CMAKE_COMMAND} -DPAGE=${PAGE} -DCHART=${SCRATCH}/chart -DSOURCE=${SCRATCH}/assets.cpp -P ${PAGE}/embed.cmake
                RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_VARIABLE said)
file(READ ${SCRATCH}/assets.cpp source)
if(failed OR EXISTS ${SCRATCH}/asked OR NOT said MATCHES "no chart library.*fetch\\.sh" OR NOT source MATCHES "return nullptr")
  message(FATAL_ERROR "${failed}: ${said}\n${source}")
endif()
file(READ ${PAGE}/package-lock.json lock)
if(lock MATCHES "resolved|://")
  message(FATAL_ERROR "package-lock.json names a host")
endif()

# With what fetch.sh leaves, the page is there; with that of another lock file it is not.
file(SHA256 ${PAGE}/package-lock.json hash)
foreach(file LICENSE dist/uPlot.iife.min.js dist/uPlot.min.css)
  file(WRITE ${SCRATCH}/chart/node_modules/uplot/${file} "// ${file}")
endforeach()
foreach(fetched ${hash} another)
  file(WRITE ${SCRATCH}/chart/fetched ${fetched}\n)
  execute_process(COMMAND ${CMAKE_COMMAND} -DPAGE=${PAGE} -DCHART=${SCRATCH}/chart -DSOURCE=${SCRATCH}/assets.cpp -P ${PAGE}/embed.cmake
                  RESULT_VARIABLE failed ERROR_QUIET OUTPUT_QUIET)
  file(READ ${SCRATCH}/assets.cpp source)
  string(FIND "${source}" "// dist/uPlot.min.css" at)
  if(failed OR (at EQUAL -1 AND fetched STREQUAL hash) OR (NOT at EQUAL -1 AND fetched STREQUAL another))
    message(FATAL_ERROR "fetched '${fetched}', found at ${at}")
  endif()
endforeach()

file(GLOB_RECURSE build_files ${PROJECT}/src/*.cmake ${PROJECT}/src/CMakeLists.txt ${PROJECT}/bench/CMakeLists.txt ${PROJECT}/tests/CMakeLists.txt)
list(APPEND build_files ${PROJECT}/CMakeLists.txt)
foreach(file IN LISTS build_files)
  file(READ ${file} text)
  if(text MATCHES "FetchContent|ExternalProject|DOWNLOAD|npm|curl|wget|pip install")
    message(FATAL_ERROR "${file} may touch the network: ${CMAKE_MATCH_0}")
  endif()
endforeach()
