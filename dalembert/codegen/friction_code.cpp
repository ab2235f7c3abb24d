// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/friction_code.h"

#include <fmt/format.h>

#include <string_view>

#include "dalembert/codegen/spread.h"

namespace dalembert {
namespace {

std::string copy(std::string_view array, std::string_view count, std::string_view from, std::size_t first) {
  return fmt::format("for i = 0 to {1} {{\n{0}[i] = {2}[{3} + i]\n}}\n", array, count, from, first);
}

constexpr std::string_view kSystem =
    "real M[nv*nv] = 0, W[nr*nv] = 0, Phi[nv*nr] = 0, C[nf*nv] = 0, dN[nf*nr] = 0, f[nv] = 0, gamma[nr] = 0, "
    "law[8*nf] = 0\nreal found[5*nf + nr] = 0, mode[2*nf] = 0\nint status\n"
    "call friction_system(t, q, v, u, M, W, Phi, C, dN, f, gamma, law)\n";

constexpr std::string_view kDecide =
    "call find_rest(law, rest)\nleft[0] = -1.0\nfor j = 0 to nf {\nmode[j] = 0.0\nmode[nf + j] = 1.0\n}\n"
    "status = decide(M, W, Phi, C, dN, f, gamma, law, rest, left, mode, ";

}  // namespace

std::string load_terms_text(const Layout& layout) {
  const FrictionPlaces at(layout);
  const bool frictions = layout.frictions > 0;
  const std::string given = fmt::format("(real t, in q[nq], in v[nv], in u[nu], out Phi[nv*nr]{}) {{\n",
                                        frictions ? ", out C[nf*nv], out dN[nf*nr], out c0[nf], out gamma_c[nf], out "
                                                    "N0[nf], out mu[nf], out mu_s[nf], out c_v[nf]"
                                                  : "");
  const std::string call =
      fmt::format("call load_parts(t, q, v, u, Phi{})\n", frictions ? ", C, dN, c0, gamma_c, N0, mu, mu_s, c_v" : "");
  // A routine of its own: languages that have matrices make such of what public ones return.
  std::string text =
      fmt::format("routine load_parts{}real out[{}]\ncall kernel_friction(t, q, v, u, out)\n", given, at.end);
  text += spread_text(layout.Phi, "Phi", "out", 0, "nr");
  if (frictions) {
    text += spread_text(layout.C, "C", "out", at.C, "nv") + spread_text(layout.load, "dN", "out", at.load, "nr");
    for (const auto& [array, first] :
         {std::pair("c0", at.c0), std::pair("gamma_c", at.gamma), std::pair("N0", at.N0), std::pair("mu", at.mu),
          std::pair("mu_s", at.mu_s), std::pair("c_v", at.viscous)})
      text += copy(array, "nf", "out", first);
  }
  text += "}\n# What the forces are besides F: (W' + Phi) lambda" + std::string(frictions ? " - C'f" : "") +
          " instead of W' lambda in M v' + B + G = F + W' lambda; row by row.\n";
  if (frictions)
    text +=
        "# f are forces of friction against the speeds C v + c0, whose rates are C v' + gamma_c, with normal forces\n"
        "# dN lambda + N0: sliding they are direction mu |N| + c_v speed, sticking at most mu_s |N|.\n";
  text += "public routine load_terms" + given + call;
  const RatesPlaces rates(layout);
  text += fmt::format(
      "}}\n# M, W, the forces without multipliers and what depends on them.\n"
      "routine friction_system(real t, in q[nq], in v[nv], in u[nu], out M[nv*nv], out W[nr*nv], out Phi[nv*nr], "
      "out C[nf*nv], out dN[nf*nr], out f[nv], out gamma[nr], out law[8*nf]) {{\nreal rates[{}]\n",
      rates.end);
  if (frictions) text += "real c0[nf], gamma_c[nf], N0[nf], mu[nf], mu_s[nf], c_v[nf], speed, size\n";
  text += "call kernel_rates(t, q, v, u, rates)\n" + spread_text(layout.M, "M", "rates", rates.M, "nv") +
          spread_text(layout.W, "W", "rates", rates.W, "nv") + copy("f", "nv", "rates", rates.f) +
          copy("gamma", "nr", "rates", rates.gamma);
  if (!frictions) return text + call + "}\n";
  text +=
      call +
      "for j = 0 to nf {\nspeed = c0[j]\n"
      "size = abs(c0[j])\nfor i = 0 to nv {\nspeed = speed + C[j * nv + i] * v[i]\n"
      "size = size + abs(C[j * nv + i] * v[i])\n}\nlaw[j] = speed\nlaw[nf + j] = size\nlaw[2 * nf + j] = gamma_c[j]\n"
      "law[3 * nf + j] = N0[j]\nlaw[4 * nf + j] = mu[j]\nlaw[5 * nf + j] = mu_s[j]\nlaw[6 * nf + j] = c_v[j]\n"
      "law[7 * nf + j] = 0.0\n}\n";
  std::string loaded;
  for (int j = 0; j < layout.frictions; ++j)
    for (const int row : layout.load.row)
      if (row == j) {
        loaded += fmt::format("law[7 * nf + {}] = 1.0\n", j);
        break;
      }
  return text + loaded + "}\n";
}

std::string load_accelerations_text(const Layout& layout) {
  if (layout.frictions == 0)
    return "# Accelerations and multipliers at a state, consistent or not. 0: they are unique, or the multipliers "
           "those of "
           "least norm;\n# 1: the matrix of the system is singular, 2: rows contradict each other, 3: not finite.\n"
           "public routine accelerations(real t, in q[nq], in v[nv], in u[nu], out vdot[nv], out lambda[nr]) -> status "
           "{\n" +
           std::string(kSystem) +
           "status = solve_mode(M, W, Phi, C, dN, f, gamma, law, mode, vdot, lambda, found)\nreturn status\n}\n";
  const std::string decide = std::string(kSystem) + "real rest[nf], left[5] = 0, y[nl] = 0";
  return "# Accelerations, multipliers and forces of friction at a state, consistent or not. What moves no faster than "
         "1e-12 "
         "in SI may\n# stick. 0: they are unique, or the multipliers those of least norm that leave friction the most; "
         "3: not "
         "finite; 6: no\n# state of the friction is consistent with its own result, or the system is singular in each, "
         "7: "
         "several are.\n"
         "public routine accelerations(real t, in q[nq], in v[nv], in u[nu], out vdot[nv], out lambda[nr], out "
         "friction[nf]) -> status {\n" +
         decide + "\n" + std::string(kDecide) +
         "vdot, y, found)\nfor i = 0 to nr {\nlambda[i] = y[i]\n}\nfor i = 0 to nf {\nfriction[i] = y[nr + i]\n}\n"
         "return status\n}\n"
         "# What each friction does at a state: 0 where it sticks, else the sign of its speed, or of that which it is "
         "about "
         "to take;\n# its speed, and its normal force. The status is that of accelerations.\n"
         "public routine friction_states(real t, in q[nq], in v[nv], in u[nu], out slides[nf], out speed[nf], out "
         "normal[nf]) -> status {\n" +
         decide + ", x[nv] = 0\n" + std::string(kDecide) +
         "x, y, found)\nfor j = 0 to nf {\nslides[j] = mode[j]\nspeed[j] = law[j]\nnormal[j] = found[j]\n}\n"
         "return status\n}\n";
}

}  // namespace dalembert
