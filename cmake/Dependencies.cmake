# SPDX-License-Identifier: Apache-2.0
# Every third party, found here and nowhere else. `./dev setup` installs them on Debian 12.
# A layer names what it uses (dalembert_library(... USES fmt::fmt)); docs/architecture.md says which layer may use what.

if(DALEMBERT_WASM)
  include(wasm/Dependencies)
  return()
endif()

find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # headers only: multiprecision

if(DALEMBERT_FLINT)
  find_package(FLINT REQUIRED)
endif()
if(DALEMBERT_ARB)
  find_package(FLINT REQUIRED)
  find_package(Arb REQUIRED)
endif()

# The C interface's headers alone: the library is loaded at run time, when code is generated (docs/decisions/0007).
if(DALEMBERT_LLVM)
  find_path(DALEMBERT_LLVM_INCLUDE_DIR llvm-c/Core.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH
    DOC "Folder that holds LLVM 19's llvm-c/Core.h and llvm/Config/llvm-config.h")
  mark_as_advanced(DALEMBERT_LLVM_INCLUDE_DIR)
  if(NOT DALEMBERT_LLVM_INCLUDE_DIR)
    message(FATAL_ERROR "LLVM 19's headers not found: install llvm-19-dev (./dev setup does), "
                        "set DALEMBERT_LLVM_INCLUDE_DIR, or do without (-DDALEMBERT_LLVM=OFF)")
  endif()
  add_library(dalembert_llvm_headers INTERFACE IMPORTED)
  set_target_properties(dalembert_llvm_headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${DALEMBERT_LLVM_INCLUDE_DIR}")
endif()

# The header of libnetcdf alone: the library is loaded at run time, when a NetCDF file is written or read.
if(DALEMBERT_NETCDF)
  find_path(DALEMBERT_NETCDF_INCLUDE_DIR netcdf.h DOC "Folder that holds netcdf.h")
  mark_as_advanced(DALEMBERT_NETCDF_INCLUDE_DIR)
  if(NOT DALEMBERT_NETCDF_INCLUDE_DIR)
    message(FATAL_ERROR "netcdf.h not found: install libnetcdf-dev (./dev setup does), set DALEMBERT_NETCDF_INCLUDE_DIR, "
                        "or do without (-DDALEMBERT_NETCDF=OFF)")
  endif()
  add_library(dalembert_netcdf_headers INTERFACE IMPORTED)
  set_target_properties(dalembert_netcdf_headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${DALEMBERT_NETCDF_INCLUDE_DIR}")
endif()

# The header of NLopt alone: the library is loaded at run time, when something is optimised.
if(DALEMBERT_NLOPT)
  find_path(DALEMBERT_NLOPT_INCLUDE_DIR nlopt.h DOC "Folder that holds nlopt.h")
  mark_as_advanced(DALEMBERT_NLOPT_INCLUDE_DIR)
  if(NOT DALEMBERT_NLOPT_INCLUDE_DIR)
    message(FATAL_ERROR "nlopt.h not found: install libnlopt-dev (./dev setup does), set DALEMBERT_NLOPT_INCLUDE_DIR, "
                        "or do without (-DDALEMBERT_NLOPT=OFF)")
  endif()
  add_library(dalembert_nlopt_headers INTERFACE IMPORTED)
  set_target_properties(dalembert_nlopt_headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${DALEMBERT_NLOPT_INCLUDE_DIR}")
endif()

# Open MPI or MPICH, linked by dalembert-mpi alone.
if(DALEMBERT_COMMAND AND NOT DALEMBERT_MPI STREQUAL "OFF" AND NOT DALEMBERT_SANITIZE)
  set(MPI_CXX_SKIP_MPICXX TRUE)
  find_package(MPI QUIET COMPONENTS CXX)
  if(DALEMBERT_MPI STREQUAL "ON" AND NOT MPI_CXX_FOUND)
    message(FATAL_ERROR "no MPI found: install openmpi-bin and libopenmpi-dev (./dev setup does), or do without (-DDALEMBERT_MPI=OFF)")
  endif()
endif()

find_package(Eigen3 3.4 REQUIRED NO_MODULE)

# Linked by a module of its own alone (docs/decisions/0054). Debian's package file of Ceres names the static library; the shared one keeps the
# licences of what it brings where they belong.
if(DALEMBERT_CERES)
  find_path(DALEMBERT_CERES_INCLUDE_DIR ceres/ceres.h DOC "Folder that holds ceres/ceres.h")
  find_library(DALEMBERT_CERES_LIBRARY NAMES libceres.so DOC "Ceres Solver, shared")
  find_library(DALEMBERT_GLOG_LIBRARY NAMES libglog.so DOC "glog, to which Ceres Solver writes")
  mark_as_advanced(DALEMBERT_CERES_INCLUDE_DIR DALEMBERT_CERES_LIBRARY DALEMBERT_GLOG_LIBRARY)
  if(NOT DALEMBERT_CERES_INCLUDE_DIR OR NOT DALEMBERT_CERES_LIBRARY OR NOT DALEMBERT_GLOG_LIBRARY)
    message(FATAL_ERROR "Ceres Solver not found: install libceres-dev (./dev setup does), or do without (-DDALEMBERT_CERES=OFF)")
  endif()
  add_library(dalembert_ceres INTERFACE IMPORTED)
  set_target_properties(dalembert_ceres PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${DALEMBERT_CERES_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${DALEMBERT_CERES_LIBRARY};${DALEMBERT_GLOG_LIBRARY};Eigen3::Eigen")
endif()

# toml++ is one header; distributions disagree about its CMake package, so look for the header itself.
find_path(DALEMBERT_TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h DOC "Folder that holds toml++/toml.h")
mark_as_advanced(DALEMBERT_TOMLPLUSPLUS_INCLUDE_DIR)
if(NOT DALEMBERT_TOMLPLUSPLUS_INCLUDE_DIR)
  message(FATAL_ERROR "toml++/toml.h not found: install libtomlplusplus-dev (./dev setup does), "
                      "or set DALEMBERT_TOMLPLUSPLUS_INCLUDE_DIR")
endif()
if(NOT TARGET tomlplusplus::tomlplusplus)
  add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED)
  set_target_properties(tomlplusplus::tomlplusplus PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${DALEMBERT_TOMLPLUSPLUS_INCLUDE_DIR}")
endif()

# fast_float reads numbers where the C++ library does not (libc++ has no std::from_chars of double); headers only.
find_path(DALEMBERT_FAST_FLOAT_INCLUDE_DIR fast_float/fast_float.h DOC "Folder that holds fast_float/fast_float.h")
mark_as_advanced(DALEMBERT_FAST_FLOAT_INCLUDE_DIR)
if(NOT DALEMBERT_FAST_FLOAT_INCLUDE_DIR)
  message(FATAL_ERROR "fast_float/fast_float.h not found: install libfast-float-dev (./dev setup does), "
                      "or set DALEMBERT_FAST_FLOAT_INCLUDE_DIR")
endif()
add_library(dalembert_fast_float INTERFACE IMPORTED)
set_target_properties(dalembert_fast_float PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${DALEMBERT_FAST_FLOAT_INCLUDE_DIR}")

# xxHash is used as one header; nothing is linked.
find_path(DALEMBERT_XXHASH_INCLUDE_DIR xxhash.h DOC "Folder that holds xxhash.h (0.8 or newer)")
mark_as_advanced(DALEMBERT_XXHASH_INCLUDE_DIR)
if(NOT DALEMBERT_XXHASH_INCLUDE_DIR)
  message(FATAL_ERROR "xxhash.h not found: install libxxhash-dev (./dev setup does), or set DALEMBERT_XXHASH_INCLUDE_DIR")
endif()
add_library(dalembert_xxhash INTERFACE IMPORTED)
set_target_properties(dalembert_xxhash PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${DALEMBERT_XXHASH_INCLUDE_DIR}")

if(DALEMBERT_TESTS OR DALEMBERT_PYTHON)
  # Some tests are Python scripts that need SymPy: take the interpreter that the system's packages belong to.
  if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)
endif()
if(DALEMBERT_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()
if(DALEMBERT_PYTHON)
  if(NOT TARGET Python3::Module)
    message(FATAL_ERROR "Python's headers not found: install python3-dev (./dev setup does), or do without "
                        "(-DDALEMBERT_PYTHON=OFF)")
  endif()
  set(PYTHON_EXECUTABLE "${Python3_EXECUTABLE}")
  set(PYBIND11_FINDPYTHON OFF)
  find_package(pybind11 2.10 REQUIRED)
endif()
if(DALEMBERT_BENCH)
  find_package(benchmark 1.7 REQUIRED)
endif()
