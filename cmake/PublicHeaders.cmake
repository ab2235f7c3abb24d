# SPDX-License-Identifier: Apache-2.0
# What a user may include: the headers of dalembert/ itself and everything that they include. Only these are installed; all
# others are internal. tools/check_public_headers.py finds the same by its own means.

# dalembert_public_headers(<variable>): their paths from the root of the tree.
function(dalembert_public_headers variable)
  file(GLOB todo CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/dalembert/*.h")
  set(found "")
  while(todo)
    list(POP_FRONT todo header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found "${header}")
    # A header that begins to include another changes what is installed.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${header}")
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" includes REGEX "^#include \"dalembert/")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      list(APPEND todo "${included}")
    endforeach()
  endwhile()
  list(SORT found)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()
