// SPDX-License-Identifier: Apache-2.0
// Licences of the parts of generated code that come from elsewhere or from this library.
#pragma once

#include <string_view>

namespace dalembert {

/// The text of LICENSE (made by CMakeLists.txt).
std::string_view apache_licence();

/// The notice for the coefficients of sine and cosine in C and C++.
inline constexpr std::string_view kFdlibmNotice =
    "Coefficients of the sine and cosine are those of fdlibm:\n"
    "Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunPro, a Sun Microsystems, Inc. "
    "business.\nPermission to use, copy, modify, and distribute this software is freely granted, provided that this "
    "notice is preserved.\n";

}  // namespace dalembert
