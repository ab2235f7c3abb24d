# SPDX-License-Identifier: Apache-2.0
# Arb::Arb, real numbers as balls of any precision (arblib.org), which builds on FLINT. Debian's library has another
# name than Arb's own; FLINT 3 holds it itself.
find_path(ARB_INCLUDE_DIR arb.h PATH_SUFFIXES flint)
find_library(ARB_LIBRARY NAMES flint-arb arb flint)
mark_as_advanced(ARB_INCLUDE_DIR ARB_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arb REQUIRED_VARS ARB_LIBRARY ARB_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "On Debian it is the package libflint-arb-dev.")

if(Arb_FOUND AND NOT TARGET Arb::Arb)
  add_library(Arb::Arb UNKNOWN IMPORTED)
  set_target_properties(Arb::Arb PROPERTIES
    IMPORTED_LOCATION "${ARB_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${ARB_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES FLINT::FLINT)
endif()
