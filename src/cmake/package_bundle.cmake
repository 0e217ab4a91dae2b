# Installs what the tarball's programs link and not every Debian has, beside what they load and start themselves, with the licences.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} RESOLVED_DEPENDENCIES_VAR libraries
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so")
foreach(library IN LISTS libraries)
  file(INSTALL ${library} DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/dbandit FOLLOW_SYMLINK_CHAIN)
  file(REAL_PATH ${library} real)
  execute_process(COMMAND dpkg-query -S ${real} OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX REPLACE "[:,].*" "" owner "${owner}")
  if(owner AND EXISTS /usr/share/doc/${owner}/copyright)
    file(INSTALL /usr/share/doc/${owner}/copyright DESTINATION ${CMAKE_INSTALL_PREFIX}/share/doc/dbandit RENAME copyright.${owner})
  endif()
endforeach()
