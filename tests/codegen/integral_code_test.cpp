// SPDX-License-Identifier: Apache-2.0
// Exported code of models whose outputs and events read integrals over the run: entries of q, after the coordinates, that steps integrate.
#include <gmock/gmock.h>

#include <cmath>

#include "codegen/steps_and_runs.h"
#include "dalembert/codegen/code_model.h"
#include "dalembert/dynamics/contacts.h"

namespace dalembert::testing {
namespace {

using Numbers = std::vector<double>;
using OutputsOf = void(void*, double, const double*, const double*, const double*, const double*, const double*,
                       double*);

constexpr const char* kDamped = R"toml(name = "damped"
coordinates = ["theta"]
[parameters]
c = 0.05
[energy]
kinetic = "theta'^2/8"
potential = "-5*cos(theta)"
[[force]]
coordinate = "theta"
value = "-c*theta'"
[outputs]
heat = "integral(c*theta'^2)"
balance = "integral(c*theta'^2) + energy(total) + 2*integral(theta'')"
[initial]
position = {theta = 1}
velocity = {theta = 0}
)toml";

constexpr const char* kDriven = R"toml(name = "driven"
coordinates = ["x", "s"]
[inputs]
f = "sin(3*t)"
[parameters]
k = 30
[energy]
kinetic = "(s' + x')^2"
potential = "k/2*x^2"
[[force]]
coordinate = "x"
value = "f - x'/2"
[prescribed]
s = "0.1*sin(2*t)"
[initial]
position = {x = 0.1}
velocity = {x = 0}
[outputs]
work = "integral(actuation(s)*s')"
given = "integral(f*x')/k"
)toml";

// A kick where the area below the path is 0.5, which reads the integral and is harder the longer it took.
constexpr const char* kKicked = R"toml(name = "kicked"
coordinates = ["y"]
[parameters]
e = 0.8
[energy]
kinetic = "y'^2/2"
potential = "9.81*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = "e"
[[event]]
name = "kick"
when = "integral(y) - 0.5"
set = {"y'" = "y' + 2*integral(y)"}
[outputs]
area = "integral(y)"
open = "integral(1 - closed(ground))"
blows = "integral(impulse(ground)) + impulse(ground)"
[initial]
position = {y = 1}
velocity = {y = 0}
)toml";

std::string crank_with_integrals() {
  return shipped_text("slider-crank") +
         "\n[outputs]\npull = \"integral(lambda(pin[1])*x')\"\nturned = \"integral(theta'')\"\n";
}

std::string belt_with_heat() {
  return shipped_text("block-on-belt") + "\n[outputs]\nheat = \"integral(abs(friction(belt_friction)*(x' - belt)))\"\n";
}

std::string top_with_action() {
  std::string text = shipped_text("heavy-top");
  return text.insert(text.find("[outputs]\n") + 10, "action = \"integral(energy(kinetic) - energy(potential))\"\n");
}

// `errors`: with 500 steps a few times (ω h)⁴ of what is integrated, ω the fastest rate of the motion.
struct Case {
  const char* name;
  std::string text;
  double until;
  StepErrors errors;
};

std::vector<Case> cases_with_integrals() {
  return {{"plain", kDamped, 2, {1e-7, 12, 1e-11}},
          {"constrained", crank_with_integrals(), 0.5, {1e-7, 12, 1e-10}},
          {"friction", belt_with_heat(), 4, {1e-6, 8, 1e-10}},
          {"prescribed", kDriven, 2, {1e-8, 12, 1e-11}},
          {"contact", kKicked, 1.5, {1e-9, 0.1, 1e-9}},
          {"quaternion", top_with_action(), 0.2, {1e-6, 12, 1e-9}}};
}

class IntegralCode : public ::testing::TestWithParam<Case> {};
class IntegralSelfTests : public ::testing::TestWithParam<Case> {};

// What the languages compute, with the interpreter and the solvers of the library.
void expect_self_test_passes(const std::string& text, CodeLanguage language) {
  if (!Exported::can_run(language)) return;
  const Exported exported(equations_of_text(text), language);
  const Ran ran = exported.self_test();
  EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
  for (const char* routine : {"integrands", "outputs"})
    EXPECT_THAT(exported.files().back().text, ::testing::HasSubstr(routine));
}

TEST_P(IntegralCode, PassesItsSelfTestInC) { expect_self_test_passes(GetParam().text, CodeLanguage::kC); }
TEST_P(IntegralSelfTests, PassInEveryLanguage) {
  for (const CodeLanguage language :
       {CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs})
    expect_self_test_passes(GetParam().text, language);
}

// The integrals of a run of the library at 1e-12, whose quadrature is another method (Verdict::integrals). Halving the step divides the error by 2⁴,
// where no corner of an integrand is passed within a step.
TEST_P(IntegralCode, StepsIntegrateAsRunsDo) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(GetParam().text);
  const Dynamics dynamics = compile(equations);
  const Assembly start = assemble_start(equations, dynamics);
  ASSERT_TRUE(start.ok());
  const double until = GetParam().until;
  const Trajectory path = integrate(dynamics, start.state, {.until = until, .rtol = 1e-12, .cross_check = true});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const std::vector<IntegralAtEnd>& expected = path.verdict.integrals;
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(dynamics.layout().integrals));
  Loaded loaded(equations);
  const bool keeps = dynamics.contacts() != nullptr && dynamics.contacts()->keeps_impulses();
  const auto error = [&](int steps) {
    Numbers q = start.state.q, v = start.state.v, impulse(1);
    q.resize(q.size() + expected.size());
    for (int k = 0; k < steps; ++k) {
      const double t = k * until / steps, h = until / steps;
      const int status = keeps ? loaded.call<int(void*, double, double, double*, double*, double*)>("step")(
                                     loaded.state(), t, h, q.data(), v.data(), impulse.data())
                               : loaded.call<Loaded::Step>("step")(loaded.state(), t, h, q.data(), v.data());
      EXPECT_EQ(status, 0) << k;
    }
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      largest = std::max(largest, std::abs(q[start.state.q.size() + i] - expected[i].value));
    return largest;
  };
  const StepErrors& allowed = GetParam().errors;
  const double coarse = error(500), fine = error(1000);
  EXPECT_LT(coarse, allowed.coarse);
  EXPECT_LT(fine, std::max(coarse / allowed.gain, allowed.of_the_run));
}

std::string case_name(const ::testing::TestParamInfo<Case>& chosen) { return chosen.param.name; }
INSTANTIATE_TEST_SUITE_P(Models, IntegralCode, ::testing::ValuesIn(cases_with_integrals()), case_name);
INSTANTIATE_TEST_SUITE_P(Models, IntegralSelfTests, ::testing::ValuesIn(cases_with_integrals()), case_name);

// Every shipped model with integrals of all rates, of the kinetic energy and of all multipliers.
class IntegralsOfEveryModel : public ::testing::TestWithParam<std::string> {};

Equations with_many_integrals(const std::string& name) {
  Model model = std::move(load_model(make_source("model.toml", shipped_text(name)))).value();
  model.outputs.clear();
  for (const Coordinate& one : model.coordinates) model.output("way" + one.name, model.integral(one.qd));
  model.output("action", model.integral(model.energy("kinetic")));
  for (const ConstraintRow* row : model.rows()) model.output("push" + row->name, model.integral(row->lambda));
  EXPECT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  Result<Equations> derived = derive(std::make_shared<const Model>(std::move(model)));
  EXPECT_TRUE(derived) << render(derived.diagnostics());
  return std::move(derived).value();
}

// The integral of a rate is the way: by the same rule, so they differ by what projections have moved q. Oracle of the rest: the self-test.
TEST_P(IntegralsOfEveryModel, AreIntegrated) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = with_many_integrals(GetParam());
  if (const std::string why = refusal(equations, CodeLanguage::kC); !why.empty()) GTEST_SKIP() << why;
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  const std::size_t nq = as_size(dynamics.nq()), nz = as_size(dynamics.layout().integrals);
  Loaded loaded(equations);
  const Ran ran = loaded.exported().self_test("-O0");
  EXPECT_EQ(ran.status, 0) << ran.out;
  const auto start = loaded.call<void(double*, double*, double*)>("start");
  const bool sets = std::ranges::any_of(equations.model->events, [](const Event& one) { return !one.set.empty(); });
  if (start == nullptr || sets) return;
  double t = 0;
  Numbers q(nq + nz), v(as_size(dynamics.nv()));
  start(&t, q.data(), v.data());
  const Numbers from = q;
  const double h = 1e-4;
  for (int k = 0; k < 20; ++k)
    if (loaded.call<Loaded::Step>("step")(loaded.state(), t + k * h, h, q.data(), v.data()) != 0) return;
  for (std::size_t i = 0; i < nq; ++i) {
    const double way = q[i] - from[i];
    EXPECT_NEAR(q[nq + i], way, 1e-9 * (1 + std::abs(way))) << equations.model->coordinates[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, IntegralsOfEveryModel, ::testing::ValuesIn(shipped_names()), test_name);

// They begin at 0 and have a place in q, a name and a unit; accelerations do not depend on them, outputs do, and `project` leaves them.
TEST(IntegralsInCode, AreEntriesOfTheState) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(crank_with_integrals());
  const Result<CodeModel> code = make_code_model(equations);
  ASSERT_TRUE(code);
  ASSERT_EQ(code->coordinates.size(), 5u);
  EXPECT_EQ(code->coordinates[3].name, "integral(lambda(pin[1])*x')");
  EXPECT_EQ(code->coordinates[3].unit, "J");
  EXPECT_EQ(code->velocities.size(), 3u);
  Loaded loaded(equations);
  double t = 1;
  Numbers q(5, 7.0), v(3);
  loaded.call<void(double*, double*, double*)>("start")(&t, q.data(), v.data());
  EXPECT_EQ(Numbers(q.begin() + 3, q.end()), Numbers(2));
  q[3] = 1000;
  q[4] = -2;
  q[0] += 1e-4;
  const Numbers u(2);
  using Project = int(void*, double, double*, double*, const double*);
  ASSERT_EQ(loaded.call<Project>("project")(loaded.state(), t, q.data(), v.data(), u.data()), 0);
  EXPECT_EQ(Numbers(q.begin() + 3, q.end()), (Numbers{1000, -2}));
  Numbers J(5 * 10, std::nan("")), vdot(3), lambda(2), y(2);
  ASSERT_EQ(loaded.call<Loaded::Jacobian>("jacobian")(loaded.state(), t, q.data(), v.data(), u.data(), J.data()), 0);
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_NE(J[row * 10 + 0], 0);
    EXPECT_EQ(J[row * 10 + 3], 0);
    EXPECT_EQ(J[row * 10 + 4], 0);
  }
  loaded.call<OutputsOf>("outputs")(loaded.state(), t, q.data(), v.data(), vdot.data(), lambda.data(), u.data(),
                                    y.data());
  EXPECT_EQ(y, (Numbers{1000, -2}));
}

// Long tapes of FMUs are tables, those of integrands, too.
TEST(IntegralsInCode, AreTables) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const CodeShape shape{.most_statements = 0, .shortest_table = 1};
  const Exported exported(equations_of_text(crank_with_integrals()), CodeLanguage::kC, shape);
  const Ran ran = exported.self_test();
  EXPECT_EQ(ran.status, 0) << ran.out;
}

// Integrals that nothing reads are left out, and a model without any is exported as if there were none such.
TEST(IntegralsInCode, AreThoseThatAreRead) {
  const std::string text = kDamped;
  const std::string without = text.substr(0, text.find("[outputs]")) + text.substr(text.find("[initial]"));
  const Result<CodeModel> code = make_code_model(equations_of_text(without));
  ASSERT_TRUE(code);
  EXPECT_EQ(code->coordinates.size(), 1u);
  EXPECT_EQ(code->program.constant("nz"), nullptr);
  EXPECT_EQ(code->program.find("integrands"), nullptr);
}

}  // namespace
}  // namespace dalembert::testing
