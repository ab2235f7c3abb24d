# SPDX-License-Identifier: Apache-2.0
# The third parties of a WebAssembly build: headers of this machine's packages, through links in the build folder, so that
# the headers of its C library beside them are not found. Only fmt has something to compile.
set(headers "${PROJECT_BINARY_DIR}/third-party")
file(MAKE_DIRECTORY "${headers}")
foreach(name fmt boost toml++ nlohmann fast_float eigen3)
  find_path(DALEMBERT_${name}_PARENT ${name} PATHS /usr/local/include /usr/include NO_DEFAULT_PATH
    DOC "Folder that holds the folder ${name} of headers")
  mark_as_advanced(DALEMBERT_${name}_PARENT)
  if(NOT DALEMBERT_${name}_PARENT)
    message(FATAL_ERROR "The headers of ${name} were not found: ./dev setup installs them, or set DALEMBERT_${name}_PARENT")
  endif()
  file(CREATE_LINK "${DALEMBERT_${name}_PARENT}/${name}" "${headers}/${name}" SYMBOLIC)
endforeach()

add_library(dalembert_third_party INTERFACE)
target_include_directories(dalembert_third_party SYSTEM INTERFACE "${headers}" "${headers}/eigen3")
foreach(target Boost::headers Eigen3::Eigen nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus dalembert_fast_float)
  add_library(${target} INTERFACE IMPORTED)
  target_link_libraries(${target} INTERFACE dalembert_third_party)
endforeach()

add_library(dalembert_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt.cpp" "${CMAKE_CURRENT_LIST_DIR}/stack_protector.cpp")
target_compile_features(dalembert_fmt PUBLIC cxx_std_20)
target_link_libraries(dalembert_fmt PUBLIC dalembert_third_party)
add_library(fmt::fmt INTERFACE IMPORTED)
target_link_libraries(fmt::fmt INTERFACE dalembert_fmt)
