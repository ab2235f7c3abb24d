# SPDX-License-Identifier: Apache-2.0
# cmake -DFOLDER=... "-DFILES=A;B" -DOUTPUT=FILE -P HashSources.cmake
# Writes a source file that defines dalembert::back_end_sources(): the SHA-256 of the names and contents of FILES in FOLDER,
# the same in whichever folder they lie. The output is left alone where it would not change.
list(SORT FILES)
set(sums "")
foreach(file IN LISTS FILES)
  file(SHA256 "${FOLDER}/${file}" sum)
  string(APPEND sums "${file} ${sum}\n")
endforeach()
string(SHA256 hash "${sums}")
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[// Made by cmake/HashSources.cmake.
#include "dalembert/machine/code_request.h"

namespace dalembert {
std::string_view back_end_sources() { return "@hash@"; }
}  // namespace dalembert
]] @ONLY)
