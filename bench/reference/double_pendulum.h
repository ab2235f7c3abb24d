// SPDX-License-Identifier: Apache-2.0
// Two rods of length 1 m and mass 1 kg, hanging one from the other, by their angles from the horizontal; by hand.
#pragma once

namespace dalembert::bench::reference {

/// q, v = (θ₁, θ₂) and their rates → q̈.
template <class SinCos, class Number>
[[gnu::always_inline]] inline void double_pendulum(const Number* q, const Number* v, Number* qdd) {
  constexpr double g = 9.81, M11 = 4.0 / 3, M22 = 1.0 / 3;
  Number s1, c1, s2, c2;
  SinCos::sin_cos(q[0], s1, c1);
  SinCos::sin_cos(q[1], s2, c2);
  const Number cd = c1 * c2 + s1 * s2, sd = s1 * c2 - c1 * s2;  // of θ₁ − θ₂
  const Number M12 = 0.5 * cd;
  const Number f1 = -0.5 * sd * v[1] * v[1] - 1.5 * g * c1, f2 = 0.5 * sd * v[0] * v[0] - 0.5 * g * c2;
  const Number determinant = 1.0 / (M11 * M22 - M12 * M12);
  qdd[0] = (M22 * f1 - M12 * f2) * determinant;
  qdd[1] = (M11 * f2 - M12 * f1) * determinant;
}

}  // namespace dalembert::bench::reference
