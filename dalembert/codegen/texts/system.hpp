// SPDX-License-Identifier: Apache-2.0
// The class System of exported C++. GUARD is the model's name in capitals.

//: kCppHead
// $.h as C++20: fixed sizes, nothing allocated. A System belongs to one thread.
#ifndef GUARD_HPP
#define GUARD_HPP

#include <algorithm>
#include <array>
#include <span>

#include "$.h"

namespace $ {

//: end
inline constexpr int NQ = 1, NV = 1;

//: kCppClass

class System {
 public:
  System() { $_init(&system_); }
  double parameter(int index) const { return system_.p[index]; }
  void set_parameter(int index, double value) {
    system_.p[index] = value;
    $_prepare(&system_);
  }
  $_system* get() { return &system_; }

  //: kCppStart
  struct start_result {
    double t;
    std::array<double, NQ> q;
    std::array<double, NV> v;
  };
  // The model's start, consistent with its own parameters.
  static start_result start() {
    start_result result{};
    $_start(&result.t, result.q.data(), result.v.data());
    return result;
  }

  //: kCppEnd
 private:
  $_system system_;
};

}  // namespace $

#endif
