# Run at every build, so that a result never names a commit it was not built from; the header is rewritten only when
# its text changes. Needs neither git nor a checkout.
set(DBANDIT_COMMIT "")
if(EXISTS ${SOURCE}/.git)  # an unpacked archive inside somebody else's checkout has no commit of its own
  execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE DBANDIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT DBANDIT_COMMIT)
  set(DBANDIT_COMMIT unknown)
endif()
set(DBANDIT_VERSION ${VERSION})
configure_file(${SOURCE}/src/report/dbandit_build.hpp.in ${HEADER} @ONLY)
