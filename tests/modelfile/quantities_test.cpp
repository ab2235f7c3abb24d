// SPDX-License-Identifier: Apache-2.0
// Numbers with units in expressions, functions of time, and what is said where a unit or its quotes are refused. Oracles:
// the SI brochure's factors (exact decimals; a degree is pi/180), and dimensions by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Result<Model> read(const std::string& text) { return load_model(make_source("test.toml", text)); }

Model accepted(const std::string& text) {
  auto model = read(text);
  EXPECT_TRUE(model.ok()) << text << render(model.diagnostics());
  return model.ok() ? *model : Model();
}

// The first problem of a file that is wrong.
Diagnostic refused(const std::string& text) {
  const auto model = read(text);
  EXPECT_FALSE(model.ok()) << text;
  return model.diagnostics().empty() ? Diagnostic() : model.diagnostics().front();
}

std::string unit_text(const std::optional<Dimension>& dimension) { return dimension ? unit_name(*dimension) : "?"; }

// A mass m and a length L have the names of units on purpose.
const std::string kNamedAsUnits = R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
m = "2 kg"
L = "1 m"
[energy]
kinetic = "m/2*x'^2 + m*L^2/2*theta'^2"
)toml";

TEST(Quantities, StandWhereAnExpressionMay) {
  const Model model = accepted(R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "theta", unit = "rad"}]
gravity = ["0", "-981 cm/s^2"]
[parameters]
m = "2 kg"
L = "1 m"
[define]
gap = "2*L + 5 mm"
turn = "theta - 30 deg"
[[frame]]
name = "A"
origin = ["60 mm", "-5 cm"]
rotate = "turn"
[[point]]
name = "P"
frame = "A"
at = ["x", "L/2 - 2.5e1 mm"]
[[body]]
name = "b"
frame = "A"
com = ["x", "0"]
mass = "1500 g"
inertia = "0.4 kg*m^2"
[[spring]]
coordinate = "x"
stiffness = "20 kN/m"
rest = "60mm"
[[damper]]
coordinate = "theta"
damping = "3 mN*m*s"
[[constraint]]
name = "c"
distance = {between = ["P", "Q"], value = "100 cm"}
[[point]]
name = "Q"
at = ["0 mm", "100 cm"]
[inputs]
push = "500 N"
twist = "300 N*cm*sin(2*t)"
[[force]]
coordinate = "x"
value = "push - 2 N/cm*x"
[[force]]
coordinate = "theta"
value = "twist + (5 N)*gap"
)toml");
  EXPECT_EQ(to_text(model.bodies[0].mass), "3/2");
  EXPECT_EQ(to_text(model.bodies[0].inertia), "2/5");
  EXPECT_EQ(to_text(model.inputs[0].value), "500");
  EXPECT_EQ(to_text(model.inputs[1].value), "3*sin(2*t)");
  EXPECT_EQ(unit_text(model.inputs[0].dimension), "N");
  EXPECT_EQ(unit_name(*model.inputs[1].dimension, Measure::kForce), "N*m");
  // 20 kN/m from 60 mm on: the potential of the spring alone at x = 1 m, theta such that nothing else matters.
  EXPECT_THAT(to_text(model.V), HasSubstr("10000*(x - 0.06)^2"));
  // A degree is exact.
  EXPECT_TRUE(model.bodies[0].angle.same(model.coordinates[1].q - model.graph->pi() / 6));
}

// A direction in numbers has no unit: the row is a speed, its multiplier a force, as with a direction in sines and cosines. A length as
// direction has one: the row is an area per time.
TEST(Quantities, DirectionsInNumbersHaveNone) {
  for (const auto& [direction, unit] :
       {std::pair("[1, 0]", "m/s"), std::pair("[\"1/2\", \"sqrt(3)/2\"]", "m/s"),
        std::pair("[\"cos(th)\", \"sin(th)\"]", "m/s"), std::pair("[\"2 m\", \"0 m\"]", "m^2/s")}) {
    const Model model = accepted(fmt::format(R"toml(
name = "m"
coordinates = [{{name = "x", unit = "m"}}, {{name = "y", unit = "m"}}, {{name = "th", unit = "rad"}}]
[energy]
kinetic = "(2 kg)/2*(x'^2 + y'^2) + (1 kg*m^2)/2*th'^2"
[[point]]
name = "P"
at = ["x", "y"]
[[constraint]]
name = "edge"
no_skid = {{point = "P", direction = {}}}
)toml",
                                             direction));
    EXPECT_EQ(unit_text(model.rows()[0]->dimension), unit) << direction;
  }
}

TEST(Quantities, AreExactAndSI) {
  const std::pair<const char*, double> table[] = {
      {"60 mm", 0.06},  {"-60 mm", -0.06},    {"2 + 3 rad", 5},      {"1e3 g", 1},       {"36 km/h", 10},
      {"1 kN*mm", 1},   {"4 cm^2", 4e-4},     {"2^3 rad", 8},        {"10 1/s", 10},     {"5 kg m^2", 5},
      {"50 %", 0.5},    {"2 N/(m)", 2},       {"120 rpm", 4 * M_PI}, {"180 deg", M_PI},  {"1/2 s", 0.5},
      {"3*2 mm", 6e-3}, {"cos(60 deg)", 0.5}, {"4 m^-1", 4},         {"sqrt(4 m^2)", 2}, {"max(1 m, 20 cm)", 1},
  };
  for (const auto& [text, expected] : table) {
    const Model model = accepted("coordinates = [\"q\"]\n[outputs]\nvalue = \"" + std::string(text) + "\"\n");
    const double value = evaluate(model.outputs[0].expression, [](SymbolId) { return 0.0; });
    EXPECT_NEAR(value, expected, 4e-16 * std::abs(expected)) << text;
  }
  const Model model = accepted("coordinates = [\"q\"]\n[outputs]\nvalue = \"30 deg + 0.1 mm\"\n");
  EXPECT_EQ(to_text(model.outputs[0].expression), "1/6*pi + 0.0001");
}

TEST(Quantities, AreComparedLikeParameters) {
  const std::pair<const char*, const char*> table[] = {
      {"[[spring]]\ncoordinate = \"x\"\nstiffness = \"20 kN\"\n", "a stiffness must be in `kg/s^2`, not in `N`"},
      {"[[force]]\ncoordinate = \"x\"\nvalue = \"5 N*m\"\n", "a force on `x` must be in `N`, not in `N*m`"},
      {"[[point]]\nname = \"P\"\nat = [\"x\", \"60 kg\"]\n", "a component must be in `m`, not in `kg`"},
      {"[define]\na = \"2*L + 5 kg\"\n", "cannot add `kg` to `m`"},
      {"[inputs]\nu = \"500 N\"\n[[force]]\ncoordinate = \"theta\"\nvalue = \"u\"\n",
       "a force on `theta` must be in `N*m`, not in `N`"},
  };
  for (const auto& [text, message] : table) {
    const Diagnostic problem = refused(kNamedAsUnits + text);
    EXPECT_EQ(problem.code, "E0203") << text;
    if (problem.message.find("stiffness") == std::string::npos) {
      EXPECT_EQ(problem.message, message) << text;
    }
  }
}

// A number with a unit is one also where the model has the unit's name, where the unit of what the model means is another one, and where
// nothing else is in the text or in parentheses.
TEST(Quantities, AreReadWhereTheModelHasTheName) {
  const std::pair<const char*, double> table[] = {{"2 m", 2},          {"0 m - 0.1 m", -0.1}, {"1 m*(2 L)", 0.002},
                                                  {"20 kN/m", 2e4},    {"(5 N/m)*1", 5},      {"3*(2 N*m)", 6},
                                                  {"x*0 + 0.5 m", 0.5}};
  for (const auto& [text, expected] : table) {
    const Model model = accepted(kNamedAsUnits + "[outputs]\nvalue = \"" + text + "\"\n");
    if (model.outputs.empty()) continue;
    EXPECT_NEAR(evaluate(model.outputs[0].expression, [](SymbolId) { return 1.0; }), expected, 1e-15) << text;
  }
  accepted(kNamedAsUnits + "[[spring]]\ncoordinate = \"x\"\nstiffness = \"20 kN/m\"\nrest = \"0.1 m\"\n");
  // A definition of that name is read first, wherever it is used.
  accepted(kNamedAsUnits + "[define]\na = \"x + 0.1 h*(1 m/s)\"\nh = \"2*s\"\ns = \"m*L\"\n");
  // A product whose sign was forgotten does not fit then, and the message says why.
  const Diagnostic problem = refused(kNamedAsUnits + "[[force]]\ncoordinate = \"x\"\nvalue = \"-2 m*9.81 m/s^2\"\n");
  EXPECT_EQ(problem.code, "E0203");
  EXPECT_THAT(problem.help, Contains("`2 m` is a quantity; the product with the model's `m` is `2*m`"));
}

// Where both may be meant, nothing is guessed.
TEST(Quantities, AreRefusedWhereTheyMayMeanTwoThings) {
  // A parameter in the unit that it is named after, one whose unit is not known, and a name behind another unit.
  const std::string more = "[parameters]\ns = \"2 s\"\nA = 3\nm = \"1 kg\"\n";
  const std::tuple<const char*, const char*, const char*> table[] = {
      {"t + 2 s", "write `2*s` for the product", "write `(2 s)` for the quantity"},
      {"2*(t + 5 A)", "write `5*A` for the product", "write `(5 A)` for the quantity"},
      {"t*5 N/m", "write `(5 N/m)` for the quantity", "write `(5 N)/m` where `m` is that of the model"},
  };
  for (const auto& [text, product, quantity] : table) {
    const Diagnostic problem =
        refused("coordinates = [{name = \"q\", unit = \"m\"}]\n" + more + "[outputs]\na = \"" + text + "\"\n");
    EXPECT_EQ(problem.code, "E0101") << text;
    EXPECT_THAT(problem.help, Contains(product)) << text;
    EXPECT_THAT(problem.help, Contains(quantity)) << text;
  }
  // A model that compares no units would not find a wrong meaning.
  for (const char* text : {"2 N*m", "2 m"})
    EXPECT_EQ(
        refused("coordinates = [\"q\"]\n[parameters]\nm = 1\n[outputs]\na = \"" + std::string(text) + "\"\n").code,
        "E0101");
  // Calls and rates are no units.
  EXPECT_EQ(refused(kNamedAsUnits + "[outputs]\na = \"2 min(x, L)\"\n").help[0], "write `2*min`");
}

// t is the time wherever it occurs, behind a unit too.
TEST(Quantities, NeverContainTheTime) {
  for (const char* text : {"300 rpm * t", "30 deg + 300 rpm*t", "2 rad/s*t", "0.5 rad/s^2*t^2", "1 rad/s * (t - 2 s)"})
    accepted(kNamedAsUnits + "[prescribed]\ntheta = \"" + text + "\"\n");
  accepted(kNamedAsUnits + "[inputs]\nu = \"2 N/s*t\"\n[[force]]\ncoordinate = \"x\"\nvalue = \"u\"\n");
  const Model model = accepted(kNamedAsUnits + "[prescribed]\ntheta = \"30 deg + 300 rpm * t\"\n");
  ASSERT_EQ(model.prescribed.size(), 1U);
  EXPECT_EQ(to_text(model.prescribed[0].value), "1/6*pi + 10*pi*t");
  EXPECT_EQ(refused(kNamedAsUnits + "[outputs]\na = \"2 t\"\n").help[0], "write `2*t`");
  EXPECT_THAT(refused("coordinates = [\"q\"]\n[parameters]\nM = \"2 t\"\n").help,
              Contains("`t` is the time; a tonne is `1000 kg`"));
}

// A start may be a sum of numbers and parameters, whatever their names.
TEST(Quantities, ParametersOfStartsAreNoUnits) {
  const std::string model = "coordinates = [{name = \"y\", unit = \"m\"}]\n[parameters]\nh = \"2 m\"\n";
  EXPECT_EQ(accepted(model + "[initial]\nposition = {y = \"1000 + h\"}\n").initial.position[0].value, 1002);
  EXPECT_EQ(accepted(model + "[initial]\nposition = {y = \"-1e-3 - h\"}\n").initial.position[0].value, -2.001);
  EXPECT_THAT(refused(model + "[initial]\nposition = {y = \"1000 meters\"}\n").help, Contains("write `1000 m`"));
}

TEST(Quantities, SlipsGetTheRightUnit) {
  const std::pair<const char*, const char*> table[] = {
      {"1 Nm", "write `1 N*m`"},
      {"3 mNm", "write `3 mN*m`"},
      {"2 kgm^2", "write `2 kg*m^2`"},
      {"2 kg*m2", "write `2 kg*m^2`"},
      {"5 Nms", "write `5 N*m*s`"},
      {"4 kNm/rad", "write `4 kN*m/rad`"},
      {"9,81 m/s^2", "write `9.81 m/s^2`"},
      {"3 Kg", "write `3 kg`"},
      {"3 KN/M", "write `3 kN/M`"},
      {"60 degrees", "write `60 deg`"},
      {"2 rad/sec", "write `2 rad/s`"},
      {"5 Newton", "write `5 N`"},
      {"5 newtons/meter", "write `5 N/meter`"},
      {"7 RPM", "write `7 rpm`"},
      {"60 grad", "write `deg` if degrees are meant; a gon, 1/400 of a turn, is `0.9 deg`"},
      {"25 °C", "differences of temperature are in `K`; 0 °C is `273.15 K`"},
      {"2 tons", "a tonne is `1000 kg`"},
  };
  for (const auto& [text, help] : table) {
    const Diagnostic problem = refused("coordinates = [\"q\"]\n[parameters]\na = \"" + std::string(text) + "\"\n");
    EXPECT_THAT(problem.help, Contains(help)) << text;
  }
  EXPECT_THAT(refused(kNamedAsUnits + "[outputs]\na = \"1 Nm\"\n").help, Contains("write `1 N*m` for the unit"));
  EXPECT_THAT(refused(kNamedAsUnits + "[outputs]\na = \"2 degrees\"\n").help, Contains("write `2 deg` for the unit"));
  EXPECT_THAT(refused(kNamedAsUnits + "[outputs]\na = \"2 sec(x)\"\n").help, Contains("write `2*sec`"));
  EXPECT_THAT(refused(kNamedAsUnits + "[outputs]\na = \"9,81*x\"\n").help, Contains("write `9.81`"));
}

// Quotes are what a first model lacks most often: the help is the line as it should be.
TEST(Quantities, WithoutQuotesAreShownWithThem) {
  const std::pair<const char*, const char*> table[] = {
      {"[parameters]\ng = 9.81 m/s^2\n", "write g = \"9.81 m/s^2\""},
      {"[parameters]\ng = 9.81 m/s² # Earth\n", "write g = \"9.81 m/s²\""},
      {"[parameters]\ng = 9,81\n", "write g = 9.81"},
      {"[parameters]\ng = 9,81 m/s^2\n", "write g = \"9.81 m/s^2\""},
      {"[energy]\nkinetic = m/2*x'^2\n", ""},
      {"[energy]\nkinetic = m/2*v^2   # J\n", "write kinetic = \"m/2*v^2\""},
      {"[[point]]\nname = \"P\"\nat = [60 mm, 0]\n", "write \"60 mm\""},
      {"[initial]\nposition = {x = 1, q = 30 deg}\n", "write q = \"30 deg\""},
      {"[simulation]\nuntil = 10 s\n", "write until = \"10 s\""},
      {"a = True\n", "write a = true"},
      {"[parameters]\nm = “2 kg”\n", "write m = \"2 kg\", with straight quotes"},
      {"[initial]\nposition = {q = “30 deg”}\n", "write q = \"30 deg\", with straight quotes"},
      {"a = x, y\n", "write a = [\"x\", \"y\"]"},
  };
  for (const auto& [text, help] : table) {
    const Diagnostic problem = refused("coordinates = [\"q\"]\n" + std::string(text));
    EXPECT_EQ(problem.code, "E0002") << text;
    if (*help != '\0') {
      EXPECT_THAT(problem.help, Contains(help)) << text;
    }
  }
  // Where quotes are there and something else is wrong, quotes are not offered.
  for (const char* text : {"name = \"a\" \"b\"\n", "name = \n", "[parameters\n"})
    EXPECT_THAT(refused(text).help, Not(Contains(HasSubstr("write ")))) << text;
}

// Most terms of a sum agree: the one that does not is shown, wherever it is.
TEST(Quantities, TheTermThatDoesNotFitIsNamed) {
  for (const char* text : {"m*L + m*x^2/(1 s^2) + 3 J", "m*x^2/(1 s^2) + m*L + 3 J", "m*x^2/(1 s^2) + 3 J + m*L"}) {
    const Diagnostic problem = refused(kNamedAsUnits + "[define]\na = \"" + text + "\"\n");
    EXPECT_EQ(problem.message, "cannot add `kg*m` to `J`") << text;
    const std::string& source = problem.primary.span.source->text();
    EXPECT_EQ(source.substr(problem.primary.span.begin, problem.primary.span.end - problem.primary.span.begin), "m*L");
  }
}

// A function of t is a number of the unit that fits, with a factor or without.
TEST(Quantities, FunctionsOfTimeTakeTheUnitThatFits) {
  for (const char* text : {"sin(t)", "sin(2*t)", "2*sin(2*t)", "exp(-t)", "if(t > 1, 2, 0)", "if(t > 1, sin(t), t)",
                           "t", "t^2", "mod(t, 0.5)", "floor(t)", "sin(omega*t)", "sign(t - 1)", "sqrt(t)*exp(-t/tau)",
                           "min(t, 1)", "1 + t", "sin(t) + 0.5*t", "atan2(t, 1)", "tanh(t - 3)"}) {
    const Model model =
        accepted(kNamedAsUnits + "[inputs]\nu = \"" + text + "\"\n[[force]]\ncoordinate = \"theta\"\nvalue = \"u\"\n" +
                 "[define]\nomega = \"2*pi*nu\"\nnu = \"3 Hz\"\ntau = \"0.5 s\"\n");
    if (!model.inputs.empty()) {
      EXPECT_EQ(unit_name(*model.inputs[0].dimension, Measure::kForce), "N*m") << text;
    }
  }
  // In a force itself, beside a coordinate, and in a constraint that moves.
  accepted(kNamedAsUnits + "[[force]]\ncoordinate = \"x\"\nvalue = \"sin(t)*x - exp(-t)\"\n");
  accepted(kNamedAsUnits + "[[constraint]]\nname = \"c\"\nholonomic = \"x - sin(t)\"\n");
  accepted(kNamedAsUnits + "[[constraint]]\nname = \"c\"\nholonomic = \"theta = t\"\n");
  // A time beside a parameter is a time.
  EXPECT_EQ(refused(kNamedAsUnits + "[[force]]\ncoordinate = \"x\"\nvalue = \"m*t\"\n").code, "E0203");
  EXPECT_EQ(refused(kNamedAsUnits + "[define]\na = \"t + L\"\n").code, "E0203");
  EXPECT_EQ(refused(kNamedAsUnits + "[define]\na = \"sin(L*t)\"\n").code, "E0203");
}

TEST(Quantities, MessagesNameTorquesAndAngles) {
  const std::pair<const char*, const char*> table[] = {
      {"[[force]]\ncoordinate = \"theta\"\nvalue = \"L\"\n", "a force on `theta` must be in `N*m`, not in `m`"},
      {"[[body]]\nname = \"b\"\nmass = 1\ninertia = 1\nangle = \"L\"\nposition = [\"x\", 0]\n",
       "an angle must be dimensionless (rad), not in `m`"},
      {"[[frame]]\nname = \"A\"\nrotate = \"x\"\n", "an angle must be dimensionless (rad), not in `m`"},
      {"[initial]\nvelocity = {theta = \"1 m\"}\n", "`theta` must be in `rad/s`, not in `m`"},
      {"[[force]]\ncoordinate = \"x\"\nvalue = \"theta\"\n",
       "a force on `x` must be in `N`, not a dimensionless number (rad)"},
      {"[define]\na = \"sin(L)\"\n", "the argument of `sin` must be a pure number, not `m`"},
  };
  for (const auto& [text, message] : table) EXPECT_EQ(refused(kNamedAsUnits + text).message, message) << text;
}

}  // namespace
}  // namespace dalembert
