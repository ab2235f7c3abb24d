// SPDX-License-Identifier: Apache-2.0
// Claims about bodies whose attitude is a quaternion hold at attitudes: where its norm is 1.
#include <gtest/gtest.h>

#include <string>

#include "dalembert/analyze/audit.h"
#include "dalembert/modelfile/load.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// A body at (x, y, z) whose centre of mass is a ahead of that along its own x.
const std::string kBody = R"toml(
coordinates = [{name="x", unit="m"}, {name="y", unit="m"}, {name="z", unit="m"}, "e0", "e1", "e2", "e3"]
gravity = ["0", "0", "-g"]
[parameters]
g = "9.81 m/s^2"
m = "2 kg"
a = "0.3 m"
I1 = "0.1 kg*m^2"
I2 = "0.12 kg*m^2"
I3 = "0.2 kg*m^2"
[[frame]]
name = "B"
origin = ["x", "y", "z"]
quaternion = ["e0", "e1", "e2", "e3"]
[[body]]
name = "B"
mass = "m"
inertia = ["I1", "I2", "I3"]
frame = "B"
com = ["a", 0, 0]
)toml";

AuditedClaim verdict_of(const std::string& entry, const std::string& equals, const std::string& given = {}) {
  std::string text = kBody + "[[claim]]\nentry = \"" + entry + "\"\nequals = \"" + equals + "\"\n";
  if (!given.empty()) text += "given = [" + given + "]\n";
  const auto report = audit(derive_loaded(load_model(make_source("body", text))));
  EXPECT_TRUE(report.ok()) << render(report.diagnostics());
  return report.ok() && report->claims.size() == 1 ? report->claims[0] : AuditedClaim{};
}

// Newton and Euler about the frame's origin: the mass moves as one, I₂ + m a² is Steiner's, R the usual matrix in either of its forms.
TEST(AuditOfAttitudes, TrueWhereTheNormIsOne) {
  for (const auto& [entry, equals] :
       {std::pair("M[x,x]", "m"), std::pair("M[y,z]", "0"), std::pair("M[B.omega.y,B.omega.y]", "I2 + m*a^2"),
        std::pair("M[x,B.omega.z]", "2*m*a*(e1*e2 - e0*e3)"), std::pair("M[y,B.omega.z]", "m*a*(1 - 2*(e1^2 + e3^2))"),
        std::pair("M[y,B.omega.z]", "m*a*B.R[2,2]"), std::pair("G[B.omega.y]", "-m*g*a*(1 - 2*e1^2 - 2*e2^2)")})
    EXPECT_EQ(verdict_of(entry, equals).verdict, ClaimVerdict::kProved) << entry << " = " << equals;
}

// And what is wrong is shown wrong at an attitude.
TEST(AuditOfAttitudes, CounterexamplesAreAttitudes) {
  for (const auto& [entry, equals, given] :
       {std::tuple("M[x,x]", "2*m", ""), std::tuple("M[y,B.omega.z]", "m*a*(1 - 2*e1^2)", ""),
        std::tuple("M[x,B.omega.z]", "2*m*a*(e1*e2 + e0*e3)", ""),
        std::tuple("M[x,B.omega.z]", "2*m*a*e1*e2", "\"e1 = 0.5\"")}) {
    const AuditedClaim claim = verdict_of(entry, equals, given);
    ASSERT_EQ(claim.verdict, ClaimVerdict::kDisproved) << entry << " = " << equals;
    ASSERT_TRUE(claim.point.has_value());
    double sum = *given ? 0.25 : 0;
    int components = *given ? 1 : 0;
    for (const auto& [name, value] : claim.point->at)
      if (name.size() == 2 && name[0] == 'e') sum += value.to_double() * value.to_double(), ++components;
    if (components == 4) {
      EXPECT_NEAR(sum, 1, 1e-12) << entry;
    }
    EXPECT_LE(sum, 1 + 1e-12) << entry;
  }
}

// Truth: Newton's and Euler's equations of a body about its centre of mass, ω = 2 (e0 e' − e0' e + e × …) (Goldstein, ch. 4 and 5). Velocities of
// coordinates were symbols of their own beside those of the equations: m*z'' = −m*g was called wrong.
TEST(AuditOfAttitudes, VelocitiesOfCoordinatesAreThoseOfTheMotion) {
  const std::string centred = "a = 0";
  const auto claimed = [&](const std::string& entry, const std::string& equals) {
    return verdict_of(entry, equals, "\"" + centred + "\"").verdict;
  };
  EXPECT_EQ(claimed("eom[z]", "m*z'' = -m*g"), ClaimVerdict::kProved);
  EXPECT_EQ(claimed("eom[z]", "m*z'' = m*g"), ClaimVerdict::kDisproved);
  EXPECT_EQ(claimed("p[x]", "m*x'"), ClaimVerdict::kProved);
  EXPECT_EQ(claimed("p[x]", "m*y'"), ClaimVerdict::kDisproved);
  const std::string spin = "(I1*B.omega.x^2 + I2*B.omega.y^2 + I3*B.omega.z^2)/2";
  EXPECT_EQ(claimed("T", "m/2*(x'^2 + y'^2 + z'^2) + " + spin), ClaimVerdict::kProved);
  EXPECT_EQ(claimed("T", "m/2*(x'^2 + y'^2) + " + spin), ClaimVerdict::kDisproved);
  EXPECT_EQ(claimed("T",
                    "m/2*(x'^2 + y'^2 + z'^2) + 2*I1*(e0*e1' - e1*e0' + e3*e2' - e2*e3')^2 + 2*I2*(e0*e2' - e2*e0' - "
                    "e3*e1' + e1*e3')^2 + 2*I3*(e0*e3' - e3*e0' + e2*e1' - e1*e2')^2"),
            ClaimVerdict::kProved);
}

}  // namespace
}  // namespace dalembert
