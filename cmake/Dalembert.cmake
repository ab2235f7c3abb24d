# SPDX-License-Identifier: Apache-2.0
# The four kinds of target this project has, and the flags they share.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(DALEMBERT_CCACHE ccache)
if(DALEMBERT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${DALEMBERT_CCACHE}")
endif()

add_library(dalembert_flags INTERFACE)
target_compile_features(dalembert_flags INTERFACE cxx_std_20)
# GCC 12 warns of std::string assignments and sums that are right (GCC bugs 105329 and 105651), in precompiled headers more often;
# clang warns of what std::stable_sort uses itself.
target_compile_options(dalembert_flags INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>;$<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>;$<$<BOOL:${DALEMBERT_WERROR}>:-Werror>>")
# Eigen, where it may not throw, asks for more memory than there is, so that `operator new` throws; g++ would leave out a call whose result
# nobody reads, and the program would go on with a null pointer.
target_compile_options(dalembert_flags INTERFACE "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-fno-allocation-dce>>")
# A header is included as "dalembert/…" wherever it lies: what users may include in include/, the rest beside its sources.
target_include_directories(dalembert_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(DALEMBERT_SANITIZE)
  target_compile_options(dalembert_flags INTERFACE -fsanitize=${DALEMBERT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(dalembert_flags INTERFACE -fsanitize=${DALEMBERT_SANITIZE})
  if(DALEMBERT_SANITIZE_NOT)
    target_compile_options(dalembert_flags INTERFACE -fno-sanitize=${DALEMBERT_SANITIZE_NOT})
  endif()
endif()
# Fifty programs are linked with the whole library: lld takes a fifth of what GNU's linker takes.
find_program(DALEMBERT_LLD NAMES ld.lld-19 ld.lld)
if(DALEMBERT_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT DALEMBERT_WASM)
  target_link_options(dalembert_flags INTERFACE "$<BUILD_INTERFACE:-fuse-ld=lld>")
endif()
install(TARGETS dalembert_flags EXPORT dalembertTargets)

# What makes a mistake in memory end the program instead of being used, where the compiler knows it: overwritten return addresses and
# copies beyond their array are noticed, the stack does not grow into other memory, code is at another address each time, and what the
# linker filled in is read only. Of CET the shadow stack alone: to mark where jumps may lead would cost the interpreter at each of its
# operations, kernels made at run time have no such marks, and Linux does not ask programs for them.
option(DALEMBERT_HARDEN "Stack protector, checked copies, position-independent executables, read-only relocations" ON)
set(hardening "")
set(hardening_links "")
if(DALEMBERT_HARDEN AND NOT DALEMBERT_SANITIZE AND NOT DALEMBERT_WASM)
  include(CheckCXXCompilerFlag)
  include(CheckCXXSourceCompiles)
  include(CheckLinkerFlag)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=return)
    string(MAKE_C_IDENTIFIER "DALEMBERT_HAS${flag}" has)
    check_cxx_compiler_flag(${flag} ${has})
    if(${has})
      list(APPEND hardening ${flag})
    endif()
  endforeach()
  # Level 3 knows sizes that are only known when the program runs; older compilers and C libraries have level 2.
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_cxx_source_compiles("#include <cstring>
    #if !defined(__USE_FORTIFY_LEVEL) || __USE_FORTIFY_LEVEL < 3
    #error level 3 is not there
    #endif
    int main() {}" DALEMBERT_HAS_FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  list(APPEND hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$<IF:$<BOOL:${DALEMBERT_HAS_FORTIFY_3}>,3,2>)
  foreach(flag relro now noexecstack)
    check_linker_flag(CXX "-Wl,-z,${flag}" DALEMBERT_HAS_LINK_${flag})
    if(DALEMBERT_HAS_LINK_${flag})
      list(APPEND hardening_links "-Wl,-z,${flag}")
    endif()
  endforeach()
endif()
# dalembert_harden(<target> [HOT]): with optimization only; without it there are no checked copies, and a debugger is what finds mistakes.
# HOT: what runs in every step goes without the stack protector, which costs it 1 % (docs/decisions/0045).
function(dalembert_harden target)
  set(options ${hardening})
  if("HOT" IN_LIST ARGN)
    list(REMOVE_ITEM options -fstack-protector-strong)
  endif()
  target_compile_options(${target} PRIVATE "$<$<NOT:$<CONFIG:Debug>>:${options}>")
  target_link_options(${target} PRIVATE "$<$<NOT:$<CONFIG:Debug>>:${hardening_links}>")
endfunction()

# What most files include is compiled once for the layers and once for the tests, which spares a build a quarter of its
# time. A file with options of its own does without (SKIP_PRECOMPILE_HEADERS), and so does the preset wasm: there an #include that is
# missing is found.
#
# ccache knows what is compiled with them by their bytes, which hold the paths and times of one copy of the tree. A file .sum
# stands for them where CCACHE_PCH_EXTSUM says so (./dev does): clang lists the headers within as dependencies, by which ccache
# knows them all the same. And it takes the paths of other copies for its own in -include, not in what CMake says to clang.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include <PCH_HEADER>)
endif()
function(dalembert_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum"
      CONTENT "The headers are among the dependencies of what is compiled with them.\n")
  endif()
endfunction()
if(DALEMBERT_PRECOMPILE)
  set(common_headers <algorithm> <array> <cmath> <cstddef> <cstdint> <functional> <limits> <map> <memory> <numbers> <optional>
    <span> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled.cpp" CONTENT "// What precompiled headers belong to.\n")
  function(dalembert_precompile_layers target)
    add_library(${target} OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/precompiled.cpp")
    target_compile_options(${target} PRIVATE -fno-exceptions)
    dalembert_harden(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE dalembert_flags fmt::fmt)
    dalembert_precompile(${target} ${common_headers})
  endfunction()
  dalembert_precompile_layers(dalembert_precompiled)
  # Clang takes a precompiled header with the same stack protector alone.
  if("-fstack-protector-strong" IN_LIST hardening)
    dalembert_precompile_layers(dalembert_precompiled_hot HOT)
  endif()
endif()

# dalembert_unite(<target>): with DALEMBERT_UNITY the target's sources are compiled in groups of so many, as one file that
# includes them. Hence names in anonymous namespaces are unique within a folder. A file with properties of its own stays
# alone (SKIP_UNITY_BUILD_INCLUSION for one that has the names of its siblings). CMake's own UNITY_BUILD writes absolute
# paths, by which ccache would know no other copy of the tree.
function(dalembert_unite target)
  if(DALEMBERT_UNITY)
    # After the folder's own CMakeLists.txt, which gives files their properties.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL dalembert_unite_now [[${target}]])")
  endif()
endfunction()
function(dalembert_unite_now target)
  get_target_property(sources ${target} SOURCES)
  set(alone "")
  set(group "")
  set(number 0)
  # In one place for all presets, so that what is the same in two of them is compiled once (ccache).
  set(united "${PROJECT_BINARY_DIR}/united")
  cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${PROJECT_BINARY_DIR}" inside)
  if(inside)
    set(united "${PROJECT_SOURCE_DIR}/build/united")
  endif()
  list(SORT sources)
  foreach(source IN LISTS sources ITEMS end)
    set(own FALSE)
    foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS SKIP_PRECOMPILE_HEADERS HEADER_FILE_ONLY GENERATED SKIP_UNITY_BUILD_INCLUSION)
      get_source_file_property(value "${source}" ${property})
      if(value)
        set(own TRUE)
      endif()
    endforeach()
    if(own)
      list(APPEND alone "${source}")
    elseif(NOT source STREQUAL "end")
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
      string(APPEND group "#include \"${path}\"\n")
      list(APPEND grouped "${source}")
      list(LENGTH grouped length)
    endif()
    if(group AND (source STREQUAL "end" OR length EQUAL DALEMBERT_UNITY))
      string(SHA256 hash "${group}")
      string(SUBSTRING "${hash}" 0 8 hash)
      set(file "${united}/${target}_${number}_${hash}.cpp")
      file(CONFIGURE OUTPUT "${file}" CONTENT "${group}" @ONLY)
      # Names of one file may shadow those of another, and GCC expects what uses an anonymous namespace in the main file.
      set_source_files_properties("${file}" PROPERTIES
        COMPILE_OPTIONS "-Wno-shadow;$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
      list(APPEND alone "${file}")
      math(EXPR number "${number} + 1")
      set(group "")
      set(grouped "")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${alone}")
endfunction()

# dalembert_cold(<target>): what reads, writes and draws takes longer to be compiled than to run. Clang inlines little there, in two
# thirds of the time.
function(dalembert_cold target)
  target_compile_options(${target} PRIVATE "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:Clang>>:-O1;SHELL:-mllvm -inline-threshold=20>")
endfunction()

# dalembert_library(<folder> [COLD|HOT] [FOLDERS <folder>...] [DEPENDS <folder>...] [USES <third party target>...])
# One static library per folder of dalembert/, of its files and of those in FOLDERS inside it. The core reports failures as values, so it compiles without exceptions.
function(dalembert_library name)
  cmake_parse_arguments(ARG "COLD;HOT" "" "FOLDERS;DEPENDS;USES" ${ARGN})
  list(TRANSFORM ARG_FOLDERS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" ${ARG_FOLDERS})
  set(target dalembert_${name})
  set(heat "")
  set(precompiled dalembert_precompiled)
  if(ARG_HOT)
    set(heat HOT)
    if(TARGET dalembert_precompiled_hot)
      set(precompiled dalembert_precompiled_hot)
    endif()
  endif()
  list(TRANSFORM ARG_DEPENDS PREPEND dalembert_)
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
    target_compile_options(${target} PRIVATE -fno-exceptions)
    dalembert_harden(${target} ${heat})
    if(ARG_COLD)
      dalembert_cold(${target})
    endif()
    # Third parties stay out of the headers. Those that are headers only leave no trace in the installed package;
    # only what must be linked (fmt) is asked of a user's machine.
    foreach(third_party IN LISTS ARG_USES)
      get_target_property(kind ${third_party} TYPE)
      if(kind STREQUAL "INTERFACE_LIBRARY")
        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${third_party}>)
      else()
        target_link_libraries(${target} PRIVATE ${third_party})
      endif()
    endforeach()
    if(DALEMBERT_PRECOMPILE)
      target_precompile_headers(${target} REUSE_FROM ${precompiled})
    endif()
    dalembert_unite(${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(${target} ${scope} dalembert_flags ${ARG_DEPENDS})
  add_library(dalembert::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT dalembertTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# What repeats a property over every shipped model, and takes long, has the ctest label `slow` for all but these: holonomic,
# rolling, a quaternion, friction, redundant rows, prescribed motion, many bodies.
set(DALEMBERT_QUICK_MODELS slider_crank rolling_disk heavy_top block_on_belt cartesian_pendulum twistcar n_link_chain)

# dalembert_tests(<folder> [DEPENDS <folder>...] [USES <target>...] [SLOW <test suite>...] [LONG <test>...]): tests/<folder>/*_test.cpp
# become one executable, linked with the layer of the same name if there is one. SLOW names suites with parameters (TEST_P) that take long, over every shipped model
# most of them. LONG are patterns of tests of large amounts of work: with sanitizers only `verify` makes them.
function(dalembert_tests name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;USES;SLOW;LONG" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*_test.cpp")
  if(NOT sources)
    return()
  endif()
  list(TRANSFORM ARG_DEPENDS PREPEND dalembert_)
  add_executable(${name}_test ${sources})
  set(labels ${name})
  if(TARGET dalembert_${name})
    target_link_libraries(${name}_test PRIVATE dalembert_${name})
  endif()
  if(name IN_LIST DALEMBERT_CORE)
    add_dependencies(core_tests ${name}_test)
    list(APPEND labels core)
  endif()
  target_link_libraries(${name}_test PRIVATE ${ARG_DEPENDS} ${ARG_USES} source_tree fmt::fmt Eigen3::Eigen GTest::gmock GTest::gtest_main)
  target_include_directories(${name}_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  # What is tested is as users have it; the tests themselves take longer to be compiled than to run. Without optimization GCC
  # inlines functions that are always inlined even so, and gains nothing.
  target_compile_options(${name}_test PRIVATE $<IF:$<CXX_COMPILER_ID:GNU>,$<$<CONFIG:Release>:-O1>,-O0>)
  # fmt optimizes itself by a pragma, and what is precompiled without optimization says from there on that there is some: GCC
  # 12 then refuses Eigen.
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" eigen REGEX "^#include <(eigen3/)?Eigen/")
    if(eigen AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  if(DALEMBERT_PRECOMPILE AND name STREQUAL "base")
    dalembert_precompile(base_test ${common_headers} <gtest/gtest.h> <gmock/gmock.h>)
  elseif(DALEMBERT_PRECOMPILE)
    target_precompile_headers(${name}_test REUSE_FROM base_test)
  endif()
  dalembert_unite(${name}_test)
  set(environment "DALEMBERT_CACHE_DIR=${PROJECT_BINARY_DIR}/kernels")
  if(DALEMBERT_SANITIZE)
    # A process under sanitizers takes half a second to begin: there one runs a quarter of the tests, and another the slow suites,
    # of the quick models only: the others' would take hours.
    list(TRANSFORM ARG_SLOW REPLACE "(.+)" "*/\\1.*" OUTPUT_VARIABLE suites)
    list(APPEND suites ${ARG_LONG})
    list(JOIN suites ":" suites)
    set(slow ${ARG_LONG})
    foreach(model IN LISTS DALEMBERT_QUICK_MODELS)
      list(TRANSFORM ARG_SLOW REPLACE "(.+)" "*/\\1.*/${model}" OUTPUT_VARIABLE those)
      list(APPEND slow ${those})
    endforeach()
    list(JOIN slow ":" slow)
    foreach(shard RANGE 3)
      add_test(NAME ${name}.${shard} COMMAND ${name}_test --gtest_brief=1 "--gtest_filter=-${suites}")
      set_tests_properties(${name}.${shard} PROPERTIES TIMEOUT 1800 LABELS "${labels}"
        ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}")
    endforeach()
    if(slow)
      add_test(NAME ${name}.slow COMMAND ${name}_test --gtest_brief=1 "--gtest_filter=${slow}")
      set_tests_properties(${name}.slow PROPERTIES TIMEOUT 2700 LABELS "${name};slow" ENVIRONMENT "${environment}")
    endif()
  else()
    gtest_discover_tests(${name}_test NO_PRETTY_VALUES TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_found
      PROPERTIES TIMEOUT 240 LABELS ${name} ENVIRONMENT "${environment}")
    if(ARG_SLOW)
      # When ctest has read what was found.
      list(JOIN ARG_SLOW "|" slow)
      list(JOIN DALEMBERT_QUICK_MODELS "|" quick)
      set(labels "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
      file(CONFIGURE OUTPUT "${labels}" CONTENT [[
foreach(test IN LISTS @name@_found)
  if(test MATCHES "/(@slow@)[.]" AND NOT test MATCHES "/(@quick@)$")
    set_tests_properties("${test}" PROPERTIES LABELS "@name@;slow")
  endif()
endforeach()
]] @ONLY)
      set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels}")
    endif()
  endif()
endfunction()
