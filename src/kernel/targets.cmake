# The instruction sets, best first; the last row of a processor is its baseline, which everything else in the program is compiled for.
# A row is all that one needs beside its primitives in kernel/lanes/: docs/adding.md.
#   dbandit_target(<name> ARCH <of xsimd> PROCESSOR <as CMake calls it, a regular expression> REQUIREMENT <what the CPU must have, in words>
#                  [NEEDS <what __builtin_cpu_supports must find>…] [FLAGS <of the compiler>…])
# A file that includes this one has dbandit_target_names and dbandit_target_sources.
set(dbandit_target_names "")
set(dbandit_target_rows "")
function(dbandit_target name)
  cmake_parse_arguments(PARSE_ARGV 1 row "" "ARCH;PROCESSOR;REQUIREMENT" "NEEDS;FLAGS")
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(${row_PROCESSOR})$")
    return()
  endif()
  list(TRANSFORM row_NEEDS REPLACE "(.+)" "__builtin_cpu_supports(\"\\1\")")
  list(JOIN row_NEEDS " && " needs)
  if(NOT needs)
    set(needs true)
  endif()
  set(dbandit_target_names ${dbandit_target_names} ${name} PARENT_SCOPE)
  set(dbandit_target_rows "${dbandit_target_rows} \\\n  ROW(${name}, ${row_ARCH}, \"${row_REQUIREMENT}\", ${needs})" PARENT_SCOPE)
  set(dbandit_arch_of_${name} ${row_ARCH} PARENT_SCOPE)
  set(dbandit_flags_of_${name} ${row_FLAGS} PARENT_SCOPE)
endfunction()

# g++ 12 warns falsely in its own AVX-512 header.
dbandit_target(avx512 ARCH avx512bw PROCESSOR x86_64|AMD64 REQUIREMENT "AVX-512 F, BW, CD, DQ and VL"
               NEEDS avx512f avx512bw avx512cd avx512dq avx512vl bmi2 FLAGS -march=x86-64-v4 -Wno-maybe-uninitialized -Wno-uninitialized)
dbandit_target(avx2 ARCH avx2 PROCESSOR x86_64|AMD64 REQUIREMENT "AVX2, BMI2 and FMA (x86-64-v3)" NEEDS avx2 bmi2 fma FLAGS -march=x86-64-v3)
dbandit_target(sse2 ARCH sse2 PROCESSOR x86_64|AMD64 REQUIREMENT "any 64-bit x86" FLAGS -msse2)
# g++ 12 does not see that a vector stored by an intrinsic of NEON is written.
dbandit_target(neon ARCH neon64 PROCESSOR aarch64|arm64 REQUIREMENT "any 64-bit Arm" FLAGS -Wno-maybe-uninitialized)

if(NOT dbandit_target_names)
  message(FATAL_ERROR "No row of src/kernel/targets.cmake is for ${CMAKE_SYSTEM_PROCESSOR}")
endif()

# Adds to a library what `template` is for every instruction set, compiled for it, and kernel/target_list.hpp, the rows as a macro.
function(dbandit_target_sources library template)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/targets)
  foreach(name IN LISTS dbandit_target_names)
    set(arch ${dbandit_arch_of_${name}})
    set(file ${generated}/target_${name}.cpp)
    configure_file(${template} ${file} @ONLY)
    set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${dbandit_flags_of_${name}}" SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${library} PRIVATE ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${generated}/kernel/target_list.hpp @ONLY CONTENT
       "// Made by src/kernel/targets.cmake: name, architecture of xsimd, what the CPU must have in words, whether it does.
#pragma once
#define DBANDIT_TARGETS(ROW)@dbandit_target_rows@\n")
  target_include_directories(${library} PRIVATE ${generated})
endfunction()
