# SPDX-License-Identifier: Apache-2.0
# cmake -DFROM=FILE -DHEADER=FILE -DTO=FILE -P EmbedText.cmake
# Writes a source file that defines each section of the text FROM as a constant std::string_view; HEADER declares them.
#
# FROM is code of any language that stands as it is. A comment that begins with the comment sign and a colon is about the file:
#
#   //: kName     from the next line on a section, until the empty line before the next such comment, or the end of the file
#   //: end       what follows belongs to no section
#
# and does not go into the text, and neither do the switches of clang-format. What stands before the first section (licence,
# what compilers need to take the file alone) is in none.
cmake_minimum_required(VERSION 3.25)
file(READ "${FROM}" rest)
string(REGEX REPLACE "\n *// clang-format (on|off)[^\n]*" "" rest "\n${rest}")
set(marker "\n *(//|#|%): ([a-zA-Z0-9]+)\n")
set(name "end")
set(texts "")
while(TRUE)
  string(REGEX MATCH "${marker}" found "${rest}")
  set(next "${CMAKE_MATCH_2}")
  set(section "${rest}")
  if(found)
    string(FIND "${rest}" "${found}" at)
    string(SUBSTRING "${rest}" 0 ${at} section)
    string(LENGTH "${found}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${rest}" ${at} -1 rest)
  endif()
  if(NOT name STREQUAL "end")
    string(APPEND texts "const std::string_view ${name} = R\"text(${section})text\";\n")
  endif()
  if(NOT found)
    break()
  endif()
  set(name "${next}")
endwhile()
if(texts STREQUAL "")
  message(FATAL_ERROR "${FROM}: no line begins a section")
endif()
# The name alone, so that copies of the tree make the same file (ccache).
cmake_path(GET FROM FILENAME file)
file(WRITE "${TO}" "// Made by cmake/EmbedText.cmake of ${file}.\n#include \"${HEADER}\"\n\nnamespace dalembert {\n${texts}}  // namespace dalembert\n")
