// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/friction_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "dalembert/codegen/contact_friction_code.h"
#include "dalembert/codegen/spread.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {

std::string load_terms_text(const Layout& layout) {
  const FrictionPlaces at(layout);
  const RatesPlaces rates(layout);
  const bool frictions = layout.frictions > 0;
  std::string parts, laws;
  if (frictions) {
    parts = spread_text(layout.C, "C", "out", at.C, "nv") + spread_text(layout.load, "dN", "out", at.load, "nr");
    for (const auto& [array, first] :
         {std::pair("c0", at.c0), std::pair("gamma_c", at.gamma), std::pair("N0", at.N0), std::pair("mu", at.mu),
          std::pair("mu_s", at.mu_s), std::pair("c_v", at.viscous)})
      parts += fmt::format("for i = 0 to nf {{\n{}[i] = out[{} + i]\n}}\n", array, first);
    laws = kLaws;
    for (int j = 0; j < layout.frictions; ++j)
      if (std::ranges::find(layout.load.row, j) != layout.load.row.end())
        laws += fmt::format("law[7 * nf + {}] = 1.0\n", j);
  }
  return filled(
      kLoadTerms,
      {{"SIZE", at.end},
       {"call SPREAD_PHI()", spread_text(layout.Phi, "Phi", "out", 0, "nr")},
       {"call SPREAD_FRICTION()", parts},
       {"# OF_FRICTION\n", frictions ? kOfFriction : ""},
       {"RATES", rates.end},
       {"call SPREAD_M()", spread_text(layout.M, "M", "rates", rates.M, "nv")},
       {"call SPREAD_W()", spread_text(layout.W, "W", "rates", rates.W, "nv")},
       {"AT_F", rates.f},
       {"AT_GAMMA", rates.gamma},
       {"call LAWS()", laws},
       Filling::only_if(frictions, " - C'f"),
       Filling::only_if(frictions, "real c0[nf], gamma_c[nf], N0[nf], mu[nf], mu_s[nf], c_v[nf], speed, size"),
       Filling::only_if(frictions, ", C, dN, c0, gamma_c, N0, mu, mu_s, c_v"),
       Filling::only_if(frictions,
                        ", out C[nf*nv], out dN[nf*nr], out c0[nf], out gamma_c[nf], out N0[nf], out mu[nf], "
                        "out mu_s[nf], out c_v[nf]")});
}

std::string load_accelerations_text(const Layout& layout) {
  if (layout.frictions == 0) return filled(kLoadAccelerations, {{"call SYSTEM()", kSystem}});
  const FrictionShape shape{.planes = !layout.planes.empty()};
  return filled(friction_text(kFrictionAccelerations, shape), {{"call SYSTEM()", kSystem}, {"call MODE()", kMode}});
}

}  // namespace dalembert
