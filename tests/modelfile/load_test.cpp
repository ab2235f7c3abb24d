// SPDX-License-Identifier: Apache-2.0
// Model files that are right: what they become. Oracles: closed forms of theory §10, values by hand.
#include "dalembert/modelfile/load.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/model/constraint_kind.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "source_tree.h"

namespace dalembert {
namespace {

Result<Model> load(const std::string& text, const LoadOptions& options = {}) {
  return load_model(make_source("test.toml", text), options);
}

// Loads or fails the test with the messages.
Model good(const std::string& text, const LoadOptions& options = {}) {
  auto model = load(text, options);
  EXPECT_TRUE(model.ok()) << text << render(model.diagnostics());
  return model.ok() ? *model : Model();
}

Model shipped(const std::string& name, const LoadOptions& options = {}) {
  auto model = load_model_file(source_tree() + "/models/" + name + ".toml", options);
  EXPECT_TRUE(model.ok()) << render(model.diagnostics());
  return model.ok() ? *model : Model();
}

LoadOptions set(std::initializer_list<const char*> assignments) {
  LoadOptions options;
  for (const char* assignment : assignments) options.overrides.push_back(*parse_override(assignment));
  return options;
}

// Value of an expression with parameters as in the model and the rest by printed name.
double value(const Model& model, const Expr& e, const std::map<std::string, double>& at) {
  return evaluate(e, [&](SymbolId id) {
    for (const Parameter& p : model.parameters)
      if (p.symbol.symbol() == id) return p.value;
    const auto found = at.find(print_symbol(model.graph->symbol_info(id), Notation::kText));
    return found == at.end() ? std::nan("") : found->second;
  });
}

std::string unit(const std::optional<Dimension>& dimension) { return dimension ? unit_name(*dimension) : "?"; }

const std::string kPlane = "coordinates = [{name = \"x\", unit = \"m\"}, {name = \"theta\", unit = \"rad\"}]\n";

TEST(Load, SliderCrankHasItsClosedForm) {
  const Model model = shipped("slider-crank");
  const double L1 = 0.15, L2 = 0.35, m1 = 0.36, m2 = 0.84, m3 = 1.2, I1 = 0.0027, I2 = 0.0343, g = 9.81;
  const double th = 0.7, ph = 2.9, x = 0.8, w = 4, u = -1.3, v = 0.6;
  const std::map<std::string, double> at{{"theta", th}, {"phi", ph}, {"x", x}, {"theta'", w}, {"phi'", u}, {"x'", v}};
  // theory §10: M and G of the slider-crank
  const double T = 0.5 * ((I1 + (m1 + 4 * m2) * L1 * L1) * w * w + (I2 + m2 * L2 * L2) * u * u + m3 * v * v) -
                   2 * m2 * L1 * L2 * std::cos(th - ph) * w * u;
  const double V = (m1 + 2 * m2) * g * L1 * std::sin(th) - m2 * g * L2 * std::sin(ph);
  EXPECT_NEAR(value(model, model.T, at), T, 1e-13);
  EXPECT_NEAR(value(model, model.V, at), V, 1e-13);
  ASSERT_EQ(model.rows().size(), 2u);
  EXPECT_EQ(model.rows()[0]->name, "pin[1]");
  EXPECT_EQ(model.rows()[1]->name, "pin[2]");
  EXPECT_NEAR(value(model, model.rows()[0]->expression, at), 2 * L1 * std::cos(th) - 2 * L2 * std::cos(ph) - x, 1e-15);
  EXPECT_EQ(unit(model.rows()[0]->dimension), "m");
  // tau*dot(theta) and f*dot(x) are powers: the inputs' units follow.
  EXPECT_EQ(unit(model.inputs[0].dimension), "J");
  EXPECT_EQ(unit(model.inputs[1].dimension), "N");
  ASSERT_EQ(model.initial.position.size(), 1u);
  EXPECT_NEAR(model.initial.position[0].value, std::numbers::pi / 3, 1e-15);
  EXPECT_EQ(model.initial.position_guess.size(), 2u);
  EXPECT_EQ(model.simulation.until, 10.0);
  EXPECT_EQ(model.name, "slider-crank");
}

TEST(Load, LatexOfParametersAndConstraints) {
  const std::string text = R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
mass = {value = "2 kg", latex = "m_\\mathrm{b}", meaning = "mass of the bob"}
L = "1 m"
[[constraint]]
name = "rod"
latex = "A"
holonomic = "x^2 + y^2 - L^2"
[[constraint]]
name = "two"
latex = "B"
pfaffian = ["dot(x)", "dot(y)"]
)toml";
  const Model model = good(text);
  ASSERT_EQ(model.parameters.size(), 2U);
  EXPECT_EQ(model.parameters[0].value, 2);
  EXPECT_TRUE(*model.parameters[0].dimension == Dimension::mass());
  EXPECT_EQ(model.parameters[0].meaning, "mass of the bob");
  EXPECT_EQ(to_latex(model.parameters[0].symbol), "m_\\mathrm{b}");
  EXPECT_EQ(to_latex(model.lambda("rod")), "\\lambda_{A}");
  EXPECT_EQ(to_latex(model.lambda("two[2]")), "\\lambda_{B,2}");
  EXPECT_EQ(to_text(model.lambda("rod")), "lambda(rod)");
  EXPECT_EQ(good(text, set({"mass=3 kg"})).parameters[0].value, 3);
  // The same from C++.
  Model built("b");
  const Coordinate x = built.coordinate("x");
  EXPECT_EQ(to_latex(built.parameter("k", 1, "", "\\kappa")), "\\kappa");
  built.holonomic("stop", {x.q}, "S");
  EXPECT_EQ(to_latex(built.lambda("stop")), "\\lambda_{S}");
  // A table without a value is one mistake.
  const auto bad =
      load("coordinates = [\"x\"]\n[parameters]\nm = {latex = \"M\"}\n[energy]\nkinetic = \"m*dot(x)^2\"\n");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.diagnostics().size(), 1U) << render(bad.diagnostics());
}

TEST(Load, EveryShippedModel) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(source_tree() + "/models")) {
    if (file.path().extension() != ".toml") continue;
    ++count;
    const auto model = load_model_file(file.path().string());
    EXPECT_TRUE(model.ok()) << render(model.diagnostics());
    EXPECT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  }
  EXPECT_GE(count, 10);
}

// The kinetic energy of a chain of N equal rods, all at angle 0 and all turning at rate 1: rod i's centre moves at (i −
// 1/2) l.
TEST(Load, ChainRepeatsItsEntries) {
  for (const int n : {1, 2, 7}) {
    const Model model = shipped("n-link-chain", set({("N=" + std::to_string(n)).c_str()}));
    ASSERT_EQ(static_cast<int>(model.coordinates.size()), n);
    std::map<std::string, double> at;
    double T = 0;
    const double m = 0.1, l = 0.2;
    for (int i = 1; i <= n; ++i) {
      at["theta" + std::to_string(i)] = 0;
      at["theta" + std::to_string(i) + "'"] = 1;
      T += 0.5 * m * std::pow((i - 0.5) * l, 2) + 0.5 * m * l * l / 12;
    }
    EXPECT_NEAR(value(model, model.T, at), T, 1e-13 * T);
  }
}

TEST(Load, ChainOfAThousandIsFast) {
  const Model model = shipped("n-link-chain-maximal", set({"N=1000"}));
  EXPECT_EQ(model.coordinates.size(), 3000u);
  EXPECT_EQ(model.rows().size(), 2000u);
  EXPECT_LT(model.graph->size(), 100000u);
}

TEST(Load, OverridesReplaceWhatTheFileSays) {
  const Model model = shipped("slider-crank", set({"L1=20 cm", "m3=2", "tau=0.3*sin(2*t)", "f=5 N", "theta=30 deg",
                                                   "phi = 1.5", "dot(theta)=2 rad/s", "x'=0.1"}));
  EXPECT_DOUBLE_EQ(model.parameters[1].value, 0.2);
  EXPECT_DOUBLE_EQ(model.parameters[5].value, 2);
  EXPECT_EQ(to_text(model.inputs[0].value), "0.3*sin(2*t)");
  EXPECT_EQ(to_text(model.inputs[1].value), "5");
  std::map<int, double> q, v;
  for (const InitialValue& i : model.initial.position) q[i.coordinate] = i.value;
  for (const InitialValue& i : model.initial.velocity) v[i.coordinate] = i.value;
  EXPECT_NEAR(q.at(0), std::numbers::pi / 6, 1e-15);
  EXPECT_EQ(q.at(1), 1.5);
  EXPECT_EQ(v.at(0), 2);
  EXPECT_EQ(v.at(2), 0.1);
  // What is set is held, so the guess is gone.
  for (const InitialValue& guess : model.initial.position_guess) EXPECT_NE(guess.coordinate, 1);
}

TEST(Load, OverridesAreChecked) {
  const std::string path = source_tree() + "/models/slider-crank.toml";
  const std::pair<const char*, const char*> table[] = {{"L3=1", "E0102"},   {"L1=2 kg", "E0203"},
                                                       {"L1=abc", "E0202"}, {"theta=1 m", "E0203"},
                                                       {"tau=x", "E0215"},  {"tau=2*", "E0101"}};
  for (const auto& [assignment, code] : table) {
    const auto model = load_model_file(path, set({assignment}));
    ASSERT_FALSE(model.ok()) << assignment;
    EXPECT_EQ(model.diagnostics()[0].code, code) << render(model.diagnostics());
    EXPECT_EQ(model.diagnostics()[0].primary.span.source->name(), "--set");
  }
  EXPECT_EQ(load_model_file(path, set({"L3=1"})).diagnostics()[0].help[0], "did you mean `L1`?");
  EXPECT_FALSE(parse_override("L1").ok());
  EXPECT_FALSE(parse_override("=1").ok());
}

TEST(Load, UnitsThatAreNotWrittenAreWorkedOut) {
  const Model model = good(kPlane + R"toml(
gravity = ["0", "-g"]
[parameters]
m = "2 kg"
g = 9.81
l = 3
c = 1
k = 4
[[body]]
name = "bob"
mass = "m"
position = ["x + l*sin(theta)", "-l*cos(theta)"]
[energy]
potential = "k*(x - 0.5)^2/2"
dissipation = "c/2*theta'^2"
[inputs]
tau = "0.1*sin(2*t)"
[[force]]
coordinate = "theta"
value = "tau"
[[constraint]]
name = "rod"
holonomic = "x^2 - l^2 = 0"
[outputs]
tension = "-lambda(rod)"
)toml");
  EXPECT_EQ(unit(model.parameters[1].dimension), "m/s^2");
  EXPECT_EQ(unit(model.parameters[2].dimension), "m");
  EXPECT_EQ(unit(model.parameters[3].dimension), "N*m*s");
  EXPECT_EQ(unit(model.parameters[4].dimension), "N/m");
  EXPECT_EQ(unit(model.inputs[0].dimension), "J");
  EXPECT_EQ(unit(model.rows()[0]->dimension), "m^2");
  EXPECT_EQ(unit(model.outputs[0].dimension), "N/m");  // J / m²
}

TEST(Load, FilesWithoutUnitsAreNotChecked) {
  const Model model = good(
      "coordinates = [\"x\", \"theta\"]\n[parameters]\nm = 1\n[energy]\nkinetic = \"m*x' + theta'^2\"\npotential = "
      "\"sin(m) + x + theta\"\n");
  EXPECT_FALSE(model.has_units);
  EXPECT_FALSE(model.coordinates[0].dimension.has_value());
}

// R = [c −s; s c]; a frame in a frame adds the angles.
TEST(Load, FramesPlacePointsAndBodies) {
  const Model model = good(kPlane + R"toml(
[parameters]
L = "2 m"
m = "1 kg"
[[point]]
name = "tip"
frame = "B"
at = ["L", 0.5]
[[frame]]
name = "B"
parent = "A"
origin = ["L", 0]
rotate = "theta"
[[frame]]
name = "A"
origin = ["x", 1]
rotate = "2*theta"
[[body]]
name = "b"
mass = "m"
inertia = "m*L^2"
frame = "A"
com = ["L/2", 0]
[define]
entry = "B.R[1,2]"
[[force]]
body = "b"
torque = "3*entry*m*L^2/t^2"
)toml");
  const double th = 0.3, x = 1.1;
  const std::map<std::string, double> at{{"theta", th}, {"x", x}, {"t", 1}, {"theta'", 0.7}, {"x'", -0.2}};
  const Vector& tip = model.points[0].position;
  EXPECT_NEAR(value(model, tip[0], at), x + 2 * std::cos(2 * th) + 2 * std::cos(3 * th) - 0.5 * std::sin(3 * th),
              1e-14);
  EXPECT_NEAR(value(model, tip[1], at), 1 + 2 * std::sin(2 * th) + 2 * std::sin(3 * th) + 0.5 * std::cos(3 * th),
              1e-14);
  EXPECT_NEAR(value(model, model.forces[0].parts[0].factor, at), -12 * std::sin(3 * th), 1e-13);
  // ω = 2θ', centre at (x + cos 2θ, 1 + sin 2θ).
  const double w = 1.4, vx = -0.2 - std::sin(2 * th) * w, vy = std::cos(2 * th) * w;
  EXPECT_NEAR(value(model, model.T, at), 0.5 * (vx * vx + vy * vy) + 0.5 * 4 * w * w, 1e-13);
}

// Truth: the same system in C++ (tests/model/geometry_test.cpp checks it against closed forms): one graph of each, one text.
TEST(Load, FramesInSpaceAreThoseOfCpp) {
  const Model file = good(R"toml(coordinates = ["x", "psi", "theta"]
[parameters]
m = 1.7
A = 2
[[frame]]
name = "base"
origin = ["x", 0, 0]
rotate = [["z", "psi"]]
[[frame]]
name = "arm"
parent = "base"
origin = [0, 0, 1]
rotate = [["x", "theta"]]
[[point]]
name = "tip"
frame = "arm"
at = [0, 3, 0]
[[point]]
name = "O"
at = [0, 0, 2]
[[body]]
name = "arm"
mass = "m"
inertia = ["A", "A/2", 1]
frame = "arm"
com = [0, 1, 0]
[[constraint]]
name = "rope"
distance = {between = ["tip", "O"], value = 4}
[[force]]
body = "arm"
torque = [0, "x", 5]
)toml");
  Model code("m");
  const Coordinate x = code.coordinate("x"), psi = code.coordinate("psi"), theta = code.coordinate("theta");
  const Expr m = code.parameter("m", 1.7), A = code.parameter("A", 2);
  const Frame base = code.frame("base", {.origin = {x, 0, 0}, .rotate = {{'z', psi}}});
  const Frame arm = code.frame("arm", {.parent = base, .origin = {0, 0, 1}, .rotate = {{'x', theta}}});
  const Point tip = code.point("tip", arm, {0, 3, 0}), O = code.point("O", {0, 0, 2});
  const Body body = code.body("arm", {.mass = m, .inertia = {A, A / 2, 1}, .frame = arm, .com = {0, 1, 0}});
  code.distance("rope", tip, O, 4);
  code.torque(body, {0, x, 5});
  ASSERT_TRUE(code.diagnostics().empty()) << render(code.diagnostics());
  EXPECT_EQ(to_text(file.T), to_text(code.T));
  EXPECT_EQ(to_text(file.rows()[0]->expression), to_text(code.rows()[0]->expression));
  EXPECT_EQ(file.constraints[0].points, code.constraints[0].points);
  ASSERT_EQ(file.forces[0].parts.size(), code.forces[0].parts.size());
  for (std::size_t k = 0; k < code.forces[0].parts.size(); ++k) {
    EXPECT_EQ(to_text(file.forces[0].parts[k].along), to_text(code.forces[0].parts[k].along));
    EXPECT_EQ(to_text(file.forces[0].parts[k].factor), to_text(code.forces[0].parts[k].factor));
  }
}

// Truth: the dimension of each row's own formula, which is found another way (Model::dimension_of).
TEST(Load, KindsKnowTheUnitsOfTheirRows) {
  const Model model = good(R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
L = "2 m"
[[frame]]
name = "wheel"
origin = ["x", "y"]
rotate = "theta"
[[point]]
name = "P"
frame = "wheel"
at = ["L", 0]
[[point]]
name = "O"
at = ["L", 0]
[[constraint]]
name = "h"
holonomic = ["x*y - L^2", "theta"]
[[constraint]]
name = "eta"
pfaffian = "x*y' - L*x'"
[[constraint]]
name = "pin"
coincide = ["P", "O"]
[[constraint]]
name = "rod"
distance = {between = ["P", "O"], value = "L"}
[[constraint]]
name = "rope"
distance = {between = ["P", "O"], at_most = "L"}
[[constraint]]
name = "balls"
distance = {between = ["P", "O"], at_least = "L"}
[[constraint]]
name = "floor"
contact = {point = "P", above = "O", normal = ["-sin(theta)", "2"], radius = "L"}
restitution = 0.5
[[constraint]]
name = "roll"
no_slip = {point = "O"}
frame = "wheel"
[[constraint]]
name = "blade"
no_skid = {point = "P", direction = ["-sin(theta)", "cos(theta)"]}
)toml");
  std::set<const ConstraintKind*> kinds;
  for (const Constraint& constraint : model.constraints) {
    kinds.insert(constraint.kind);
    EXPECT_EQ(constraint.unilateral, constraint.kind->unilateral) << constraint.name;
    for (const ConstraintRow& row : constraint.rows) {
      ASSERT_TRUE(row.dimension) << row.name;
      EXPECT_EQ(row.dimension, model.dimension_of(row.expression)) << row.name;
    }
  }
  EXPECT_EQ(kinds.size(), constraint_kinds().size()) << "a kind without its row here";
}

TEST(Load, SectionsStandInAnyOrder) {
  const Model model = good(
      "coordinates = [\"x\"]\n[outputs]\no = \"b\"\n[define]\nb = \"2*a\"\na = \"x + c\"\nc = 3\n[energy]\nkinetic = "
      "\"x'^2/2\"\n");
  EXPECT_EQ(value(model, model.outputs[0].expression, {{"x", 4}}), 14);
}

TEST(Load, ConstraintRowsHaveTheirNames) {
  const Model model = good(R"toml(coordinates = ["x", "y", "z"]
[[point]]
name = "P"
at = ["x", "y", "z"]
[[point]]
name = "O"
at = [0, 0, 0]
[[constraint]]
name = "meet"
coincide = ["P", "O"]
[[constraint]]
name = "rod"
distance = {between = ["P", "O"], value = 2}
[[constraint]]
name = "roll"
pfaffian = ["x' - y'", "z' = 3"]
)toml");
  std::vector<std::string> names;
  for (const ConstraintRow* row : model.rows()) names.push_back(row->name);
  EXPECT_EQ(names, (std::vector<std::string>{"meet.x", "meet.y", "meet.z", "rod", "roll[1]", "roll[2]"}));
  EXPECT_NEAR(value(model, model.rows()[3]->expression, {{"x", 2}, {"y", 3}, {"z", 6}}), 5,
              1e-15);  // 2² + 3² + 6² = 7²
  EXPECT_EQ(value(model, model.rows()[5]->expression, {{"z'", 5}}), 2);
  EXPECT_EQ(model.constraints[0].points, (std::vector<std::string>{"P", "O"}));
}

TEST(Load, SpringsAndDampers) {
  const Model model = good(R"toml(coordinates = ["x", "y"]
[[point]]
name = "P"
at = ["x", "y"]
[[point]]
name = "O"
at = [0, 0]
[[spring]]
between = ["P", "O"]
stiffness = 8
rest = 1
[[spring]]
coordinate = "x"
stiffness = 2
[[damper]]
between = ["O", "P"]
damping = 6
[[damper]]
coordinate = "y"
damping = 4
)toml");
  // |P| = 5; d|P|/dt = (3·1 + 4·2)/5 = 2.2
  const std::map<std::string, double> at{{"x", 3}, {"y", 4}, {"x'", 1}, {"y'", 2}};
  EXPECT_NEAR(value(model, model.V, at), 4 * 16 + 9, 1e-12);
  EXPECT_NEAR(value(model, model.R, at), 3 * 2.2 * 2.2 + 2 * 4, 1e-12);
}

// Truth: docs/model-format.md, `[inputs]`: where s, s', s'' may be used; the unit of s follows from x - s.
TEST(Load, ReadsSplines) {
  const auto folder = std::filesystem::temp_directory_path() / "dalembert_load_spline_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "u.csv") << "time,s\n0,1\n1,2\n3,0\n";
  std::ofstream(folder / "one.csv") << "time,s\n0,1\n";
  LoadOptions options;
  options.directory = folder.string();
  const auto file = [](const std::string& rest, const std::string& input) {
    return "coordinates = [{name = \"x\", unit = \"m\"}]\n[inputs]\ns = {file = " + input + "}\n" + rest;
  };
  const std::string kinetic = "[energy]\nkinetic = \"0.5*x'^2\"\n",
                    follows = kinetic + "[[constraint]]\nname = \"c\"\nholonomic = \"x - ", end = "\"\n",
                    rolls = kinetic + "[[constraint]]\nname = \"c\"\npfaffian = \"x' - ",
                    pushed = kinetic + "[[force]]\ncoordinate = \"x\"\nvalue = \"",
                    spline = "\"u.csv\", column = \"s\", interpolation = \"spline\"",
                    linear = "\"u.csv\", column = \"s\", interpolation = \"linear\"";
  const Model model = good(file(follows + "s" + end, spline), options);
  ASSERT_EQ(model.inputs.size(), 3u);
  EXPECT_EQ(model.inputs[0].interpolation, Interpolation::kSpline);
  EXPECT_EQ(model.inputs[0].sample, (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(model.inputs[1].name, "s'");
  EXPECT_EQ(unit(model.inputs[0].dimension), "m");
  EXPECT_EQ(unit(model.inputs[2].dimension), "m/s^2");
  EXPECT_EQ(print_symbol(model.graph->symbol_info(model.inputs[2].symbol.symbol()), Notation::kLatex), "\\ddot{s}");
  good(file(rolls + "dot(s)" + end, spline), options);
  good(file(pushed + "s''" + end, spline), options);
  good(file(pushed + "s'" + end, spline), options);
  good(file("[parameters]\nm = \"1 kg\"\nk = \"3 N/m\"\n[energy]\nkinetic = \"m/2*(x' + s')^2\"\n"
            "potential = \"k*(x - s)^2\"\n",
            spline),
       options);
  EXPECT_EQ(good(file(pushed + "s" + end, linear), options).inputs.size(), 1u);

  struct Bad {
    std::string rest, input, code, help;
  };
  for (const Bad& bad : {
           Bad{follows + "s" + end, linear, "E0211", "interpolation = \"spline\""},
           Bad{"[define]\ny = \"2*s\"\n" + follows + "y" + end, linear, "E0211", "interpolation = \"spline\""},
           Bad{follows + "s'" + end, spline, "E0211", "only two"},
           Bad{follows + "dot(s)" + end, spline, "E0211", "only two"},
           Bad{rolls + "s''" + end, spline, "E0211", "only two"},
           Bad{"[energy]\nkinetic = \"s''*x'^2/2\"\n", spline, "E0211", "only two"},
           Bad{pushed + "dot(s'')" + end, spline, "E0110", ""},
           Bad{"[energy]\nkinetic = \"x'^2/2\"\n", "\"u.csv\", column = \"s\", interpolation = \"cubic\"", "E0006",
               "spline"},
           Bad{pushed + "s" + end, "\"one.csv\", column = \"s\", interpolation = \"spline\"", "E0504", ""},
       }) {
    const auto result = load(file(bad.rest, bad.input), options);
    ASSERT_FALSE(result.ok()) << bad.rest;
    const Diagnostic& problem = result.diagnostics().front();
    EXPECT_EQ(problem.code, bad.code) << render(result.diagnostics());
    EXPECT_TRUE(problem.primary.span) << bad.rest;
    if (!bad.help.empty()) {
      EXPECT_NE(render(result.diagnostics()).find(bad.help), std::string::npos) << render(result.diagnostics());
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(Load, ReadsSamplesOfInputs) {
  const auto folder = std::filesystem::temp_directory_path() / "dalembert_load_test";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& text) { std::ofstream(folder / "u.csv", std::ios::binary) << text; };
  const std::string file =
      "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[inputs]\nu = {file = \"u.csv\", column = "
      "\"force\"}\n[[force]]\ncoordinate = \"x\"\nvalue = \"u\"\n";
  LoadOptions options;
  options.directory = folder.string();
  write("step,time, \"force\" \r\n0,0,1.5\r\n1,0.5,-2e1\r\n\r\n2,2,0\r\n");
  const Model model = good(file, options);
  EXPECT_EQ(model.inputs[0].time, (std::vector<double>{0, 0.5, 2}));
  EXPECT_EQ(model.inputs[0].sample, (std::vector<double>{1.5, -20, 0}));
  EXPECT_FALSE(model.inputs[0].value);

  struct Bad {
    const char *text, *code;
    int line, column;
  };
  const Bad table[] = {{"time,force\n0,1\n1,x\n", "E0505", 3, 3}, {"time,force\n0,1\n0,2\n", "E0504", 3, 1},
                       {"time,force\n0\n", "E0505", 2, 1},        {"time,force\n0,1\n1,2,5\n", "E0505", 3, 5},
                       {"time,forces\n0,1\n", "E0503", 5, 32},    {"time,force\n", "E0504", 5, 14}};
  for (const Bad& bad : table) {
    write(bad.text);
    const auto result = load(file, options);
    ASSERT_FALSE(result.ok()) << bad.text;
    const Diagnostic& d = result.diagnostics()[0];
    EXPECT_EQ(d.code, bad.code) << render(d);
    const auto place = d.primary.span.source->position(d.primary.span.begin);
    EXPECT_EQ(place.line, bad.line) << render(d);
    EXPECT_EQ(place.column, bad.column) << render(d);
    EXPECT_EQ(d.help.empty(), place.line > 4 && d.code == std::string("E0504")) << render(d);
  }
  std::filesystem::remove_all(folder);
}

// What is wrong is named as it is: a frame of space has nine entries, `ground` is a frame, nothing is prescribed by a force.
TEST(Load, HelpIsAboutWhatIsWrong) {
  const std::string top = "coordinates = [{name = \"x\", unit = \"m\"}, {name = \"a\", unit = \"rad\"}]\n";
  const std::string planar = "[[frame]]\nname = \"F\"\norigin = [\"x\", \"0\"]\nrotate = \"a\"\n";
  const std::string spatial = "[[frame]]\nname = \"F\"\norigin = [\"x\", \"0\", \"0\"]\nrotate = [[\"z\", \"a\"]]\n";
  const std::string energy = "[energy]\nkinetic = \"x'^2/2 + a'^2/2\"\n";
  const std::string entry = "[outputs]\nr = \"F.R[4,1]\"\n";
  struct Bad {
    std::string text, code, says;
  };
  for (const Bad& bad : {
           Bad{top + energy + spatial + entry, "E0102", "rows and columns go from 1 to 3"},
           Bad{top + energy + planar + entry, "E0102", "the planar frame `F` has no entry R[4,1]"},
           Bad{top + energy + "[[frame]]\nname = \"F\"\nparent = \"grond\"\norigin = [\"x\", \"0\"]\n", "E0102",
               "did you mean `ground`?"},
           Bad{top + energy + planar + "[[body]]\nname = \"B\"\nmass = 1\ninertia = 1\nframe = \"other\"\n", "E0102",
               "the frames are `F` and `ground`"},
           Bad{top + energy + "[prescribed]\nx = \"sin(a)\"\n", "E0215", "`[[constraint]]` with `holonomic"},
           Bad{top + energy + "[define]\nb = \"c\"\nc = \"b\"\n", "E0105",
               "define one of them by coordinates and parameters only"},
           Bad{top + energy + planar +
                   "[[point]]\nname = \"P\"\nframe = \"F\"\nat = [0, 0]\n[[constraint]]\nname = \"c\"\n" +
                   "no_skid = {point = \"P\", direction = [0, 0]}\n",
               "E0223", "a direction of length 0"},
       }) {
    const auto model = load(bad.text);
    ASSERT_FALSE(model.ok()) << bad.text;
    const std::string said = render(model.diagnostics());
    EXPECT_EQ(model.diagnostics()[0].code, bad.code) << said;
    EXPECT_NE(said.find(bad.says), std::string::npos) << said;
    EXPECT_EQ(said.find("[inputs]"), std::string::npos) << said;
  }
}

TEST(Load, OneCauseIsOneMessage) {
  const auto model = load(kPlane + "[energy]\nkinetic = \"m*x'^2/2 + m*theta'^2\"\npotential = \"m*9.81*x\"\n");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.diagnostics().size(), 1u) << render(model.diagnostics());
}

// Integrals have units; what they are of counts as used, once however often it is written.
TEST(Load, ReadsIntegralsOverTheRun) {
  const auto loaded = load(kPlane + R"toml([parameters]
m = "1 kg"
c = 2
[energy]
kinetic = "m*x'^2/2"
[outputs]
heat = "integral(c*x'^2)"
part = "integral(c*x'^2)/3"
action = "integral(energy(total))"
[[event]]
name = "spent"
when = "integral(c*x'^2) - 5 J"
stop = true
)toml");
  ASSERT_TRUE(loaded.ok() && loaded.diagnostics().empty()) << render(loaded.diagnostics());
  const Model& model = *loaded;
  ASSERT_EQ(model.integrals.size(), 2u);
  EXPECT_EQ(unit(model.integrals[0].dimension), "J");
  EXPECT_EQ(unit(model.parameters[1].dimension), "N*s/m");
  EXPECT_EQ(unit(model.outputs[1].dimension) + unit(model.outputs[2].dimension), "JN*m*s");
  EXPECT_TRUE(model.events[0].when.same(model.integrals[0].symbol - 5));
}

TEST(Load, ClaimsAreKeptAsWritten) {
  const Model model = good(kPlane + R"toml([parameters]
m = "1 kg"
[define]
s = "sin(theta)"
[structure]
N = 2
[energy]
kinetic = "m*x'^2/2"
[[claim]]
source = "page 12"
entry = "eom[x]"
equals = "m*x'' = s"
given = ["theta = 0", "x'"]
[[claim]]
for = "k in 1..N"
entry = "B[{k}]"
equals = "{k}*s"
given = "x = {k}"
)toml");
  ASSERT_EQ(model.claims.size(), 3u);
  const Claim& first = model.claims[0];
  EXPECT_EQ(first.source, "page 12");
  EXPECT_EQ(first.entry.text, "eom[x]");
  EXPECT_TRUE(first.equation);
  EXPECT_EQ(first.text, "m*x'' = s");
  EXPECT_EQ(to_text(first.value), "-sin(theta) + m*x''");
  ASSERT_EQ(first.given.size(), 2u);
  EXPECT_EQ(to_text(first.given[0].left), "theta");
  EXPECT_TRUE(first.given[0].right.is_zero());
  EXPECT_EQ(first.given[1].text, "x'");
  EXPECT_TRUE(first.given[1].right.is_zero());
  EXPECT_EQ(model.claims[2].entry.text, "B[2]");
  EXPECT_EQ(model.claims[2].text, "2*s");
  EXPECT_EQ(model.claims[2].given[0].text, "x = 2");
}

// A claim may be wrong in its units too; that is for the audit to say. Nor do other units follow from it.
TEST(Load, ClaimsAreNotHeldAgainstUnits) {
  const Model model = good(kPlane + R"([parameters]
m = "1 kg"
r = 2
[energy]
kinetic = "m*x'^2/2"
[[claim]]
entry = "T"
equals = "m*x + theta + r*x"
)");
  ASSERT_EQ(model.claims.size(), 1u);
  EXPECT_EQ(unit(model.parameters[1].dimension), "?");
}

// Misspelled names are compared with all names, so that n of each would take n² comparisons; the first ones get a
// guess.
TEST(Load, GuessesForMisspelledNamesAreBounded) {
  std::string text = "coordinates = [\"x\"]\n[define]\n";
  for (int i = 0; i < 20000; ++i) text += "alpha" + std::to_string(i) + " = \"alphs" + std::to_string(i) + "\"\n";
  const Result<Model> model = load_model(make_source("m.toml", text));
  ASSERT_FALSE(model);
  EXPECT_EQ(model.diagnostics().front().code, "E0102");
  EXPECT_FALSE(model.diagnostics().front().help.empty());
}

TEST(Load, FilesThatCannotBeRead) {
  EXPECT_EQ(load_model_file("/no/such/file.toml").diagnostics()[0].code, "E0001");
  EXPECT_EQ(load_model_file("/").diagnostics()[0].code, "E0001");
}

}  // namespace
}  // namespace dalembert
