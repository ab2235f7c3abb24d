# SPDX-License-Identifier: Apache-2.0
# What a user may include lies in include/, and all of it is installed; headers in dalembert/ are internal.
# tools/check_public_headers.py holds the two apart.

# dalembert_public_headers(<variable>): their paths below include/.
function(dalembert_public_headers variable)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/include/*.h")
  list(SORT found)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()
