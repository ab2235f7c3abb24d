// SPDX-License-Identifier: Apache-2.0
// What is said where a model cannot start: a constraint too many, a coordinate without inertia.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/massless.h"
#include "dalembert/study/system_at.h"

namespace dalembert {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

BuiltModel built_of(const std::string& text) {
  Result<Model> model = load_model(make_source("<test>", text));
  EXPECT_TRUE(model) << render(model.diagnostics());
  return build_model(std::make_shared<const Model>(std::move(model).value()), {}, {.machine_code = false}).value();
}

Diagnostic refusal_of(const std::string& text) {
  const BuiltModel built = built_of(text);
  const ModelStart start = assemble_model_start(built);
  EXPECT_FALSE(start.assembly.ok());
  return explain_start(built, start);
}

// A rod at a pin, whose angle is held: two rows determine x and y, a third one contradicts one of them.
const std::string kRod = R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
L = "1 m"
[energy]
kinetic = "(1 kg)*(x'^2 + y'^2)/2 + (1 kg*m^2)*theta'^2"
[[constraint]]
name = "pin"
holonomic = ["x - L*sin(theta)", "y + L*cos(theta)"]
[initial]
position = {theta = "30 deg"}
)toml";

// Truth: sin 30° = 0.5, so x = 0.3 and only `pin[1]` contradict each other, and the later one is too many.
TEST(StartHelp, TheConstraintTooManyIsBlamed) {
  for (const auto& [extra, row] : {std::pair("x - 0.3", "pin[1]"), std::pair("y + 0.2*L", "pin[2]")}) {
    const Diagnostic problem = refusal_of(kRod + "[[constraint]]\nname = \"extra\"\nholonomic = \"" + extra + "\"\n");
    EXPECT_EQ(problem.code, "E0302");
    EXPECT_THAT(problem.message, HasSubstr("`extra` contradicts `" + std::string(row) + "` with `theta` held"));
    EXPECT_THAT(problem.help,
                ElementsAre("leave out `extra` or another of these constraints, or hold fewer coordinates"));
  }
  // A link that is too short contradicts nothing: another angle would do.
  const Diagnostic far = refusal_of(kRod + "[[constraint]]\nname = \"link\"\nholonomic = \"hypot(x - 3, y) - 1\"\n" +
                                    "[[constraint]]\nname = \"other\"\nholonomic = \"theta - 1\"\n");
  EXPECT_EQ(far.code, "E0302");
}

const std::string kNode = R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
m = "2 kg"
k = "100 N/m"
[energy]
kinetic = "m*x'^2/2"
potential = "k*(x - y)^2/2 + k*y^2/2"
[initial]
position = {x = "0.3 m"}
)toml";

// Truth: a massless node between two equal springs halves the stiffness: x = 0.3 cos(√(k/2m) t). Its balance as a constraint has no force.
TEST(StartHelp, AMasslessNodeIsAConstraint) {
  const std::vector<std::string> help = help_for_massless(built_of(kNode).equations);
  ASSERT_EQ(help.size(), 1U);
  EXPECT_THAT(help[0], HasSubstr("`name = \"y_balance\"` and `holonomic = \"k*(2*y - x)\"`, whose multiplier is 0"));
  const BuiltModel mended = built_of(kNode + "[[constraint]]\nname = \"y_balance\"\nholonomic = \"k*(2*y - x)\"\n");
  EXPECT_THAT(help_for_massless(mended.equations), IsEmpty());
  const ModelStart start = assemble_model_start(mended);
  ASSERT_TRUE(start.assembly.ok());
  const Trajectory path = integrate(mended.dynamics, start.assembly.state, {.until = 2, .rtol = 1e-11});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  for (std::size_t row = 0; row < path.size(); ++row) {
    EXPECT_NEAR(path.q[0][row], 0.3 * std::cos(std::sqrt(25.0) * path.time[row]), 1e-9);
    EXPECT_NEAR(path.lambda[0][row], 0, 1e-12);
  }
}

// A damper at the node makes its equation one of first order, a multiplier of a Lagrangian a constraint.
TEST(StartHelp, OtherMasslessCoordinates) {
  std::string damped = kNode;
  damped.replace(damped.find("potential"), 9, "dissipation = \"(3 N*s/m)*y'^2/2\"\npotential");
  EXPECT_THAT(help_for_massless(built_of(damped).equations),
              ElementsAre(HasSubstr("`pfaffian = \"3*y' - k*x + 2*k*y\"`")));
  EXPECT_THAT(help_for_massless(built_of(R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "z", unit = "N"}]
[parameters]
m = "2 kg"
L = "1 m"
[energy]
lagrangian = "m*(x'^2 + y'^2)/2 - z*(sqrt(x^2 + y^2) - L)"
)toml")
                                    .equations),
              ElementsAre(HasSubstr("`z` is a multiplier")));
  std::string loose = kNode;
  loose.replace(loose.find("{name = \"y\""), 0, "{name = \"w\", unit = \"m\"}, ");
  EXPECT_THAT(help_for_massless(built_of(loose).equations),
              ElementsAre("nothing depends on `w`: leave it out", HasSubstr("y_balance")));
}

}  // namespace
}  // namespace dalembert
