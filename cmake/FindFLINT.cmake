# SPDX-License-Identifier: Apache-2.0
# FLINT::FLINT, the number theory library (flintlib.org), with the GMP it builds on. Version 2.8 or later: multivariate polynomials over Q.
find_path(FLINT_INCLUDE_DIR flint/fmpq_mpoly_factor.h)
find_library(FLINT_LIBRARY flint)
find_library(FLINT_GMP_LIBRARY gmp)
mark_as_advanced(FLINT_INCLUDE_DIR FLINT_LIBRARY FLINT_GMP_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FLINT REQUIRED_VARS FLINT_LIBRARY FLINT_GMP_LIBRARY FLINT_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "On Debian it is the package libflint-dev.")

if(FLINT_FOUND AND NOT TARGET FLINT::FLINT)
  add_library(FLINT::FLINT UNKNOWN IMPORTED)
  set_target_properties(FLINT::FLINT PROPERTIES
    IMPORTED_LOCATION "${FLINT_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${FLINT_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${FLINT_GMP_LIBRARY}")
endif()
