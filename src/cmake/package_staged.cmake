# Run by cpack between installing into a scratch folder, one per component, and packing: what Debian asks of a package beyond its files.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # that of SOURCE_DATE_EPOCH where it is set
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  configure_file(${CPACK_DBANDIT_LICENSE} ${usr}/share/doc/${package}/copyright COPYONLY)
  file(WRITE ${usr}/share/doc/${package}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * What changed is in CHANGELOG.md of the project.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${now}
")
  file(GLOB_RECURSE pages ${usr}/share/man/*)
  run(gzip -9nf ${usr}/share/doc/${package}/changelog ${pages})
  # Its libraries are where the system looks; only the tarball brings its own.
  file(GLOB programs ${usr}/bin/* ${usr}/lib/dbandit/*)
  foreach(program IN LISTS programs)
    if(NOT IS_DIRECTORY ${program})
      file(RPATH_REMOVE FILE ${program})
    endif()
  endforeach()
  file(GLOB_RECURSE archives ${usr}/lib/*.a)
  file(GLOB_RECURSE modules ${usr}/lib/*.so)
  foreach(file IN LISTS programs archives modules)
    if(NOT IS_DIRECTORY ${file})
      run(${CPACK_DBANDIT_STRIP} --strip-unneeded --remove-section=.comment --remove-section=.note --enable-deterministic-archives ${file})
    endif()
  endforeach()
  # Where pkg-config of that architecture looks, of whichever machine; a folder deeper than below any other prefix.
  if(EXISTS ${usr}/lib/pkgconfig AND CPACK_DBANDIT_TRIPLET)
    file(READ ${usr}/lib/pkgconfig/dbandit.pc pc)
    string(REPLACE "\${pcfiledir}/../.." "\${pcfiledir}/../../.." pc "${pc}")
    file(WRITE ${usr}/lib/${CPACK_DBANDIT_TRIPLET}/pkgconfig/dbandit.pc "${pc}")
    file(REMOVE_RECURSE ${usr}/lib/pkgconfig)
  endif()
  file(REMOVE_RECURSE ${usr}/share/zsh/site-functions)  # Debian's zsh looks in vendor-completions
  run(chmod -R u=rwX,go=rX ${usr})
  if(modules)
    run(chmod a-x ${modules})
  endif()
endforeach()
