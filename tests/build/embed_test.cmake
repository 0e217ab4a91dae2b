# The page without npm: the build says so and goes on, and the program has no page.
#   -DPAGE=… -DSCRATCH=…
file(REMOVE_RECURSE ${SCRATCH})
set(ENV{PATH} ${SCRATCH})
execute_process(COMMAND ${CMAKE_COMMAND} -DPAGE=${PAGE} -DWORK=${SCRATCH} -DSOURCE=${SCRATCH}/assets.cpp -P ${PAGE}/embed.cmake
                RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_VARIABLE said)
file(READ ${SCRATCH}/assets.cpp source)
if(failed OR NOT said MATCHES "npm is not installed.*apt-get install npm" OR NOT source MATCHES "return nullptr")
  message(FATAL_ERROR "${failed}: ${said}\n${source}")
endif()
file(READ ${PAGE}/package-lock.json lock)
if(lock MATCHES "resolved|://")
  message(FATAL_ERROR "package-lock.json names a host")
endif()
