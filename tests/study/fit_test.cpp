// SPDX-License-Identifier: Apache-2.0
// Fits: values and errors against closed forms of linear least squares, what data cannot tell apart against what the equations say, errors against how often
// they are exceeded, and data and requests that make no sense.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/built_model.h"
#include "dalembert/study/fit.h"
#include "dalembert/study/fit/column_svd.h"
#include "dalembert/study/fit/least_squares.h"
#include "folder.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A point mass with a constant force: x(t) = x + x' t + (a + b) t²/(2 m). Everything but m is linear.
constexpr const char* kThrown = R"toml(
name = "thrown"
coordinates = [{name = "x", unit = "m"}]
[parameters]
mass = "2 kg"
a = "3 N"
b = "1 N"
idle = 7
[energy]
kinetic = "mass*x'^2/2"
[[force]]
coordinate = "x"
value = "a + b"
[initial]
position = {x = "0.5 m"}
velocity = {x = "1 m/s"}
[outputs]
twice = "2*x"
push = "a + b"
)toml";

constexpr const char* kSwing = R"toml(
name = "swing"
coordinates = [{name = "theta", unit = "rad"}]
[parameters]
g = "9.81 m/s^2"
L = "0.5 m"
c = "0.1 1/s"
m = "1 kg"
[energy]
kinetic = "m*L^2*theta'^2/2"
potential = "-m*g*L*cos(theta)"
[[force]]
coordinate = "theta"
value = "-c*m*L^2*theta'"
[initial]
position = {theta = "40 deg"}
velocity = {theta = "0 rad/s"}
)toml";

Model model_from(const std::string& text) { return value_of(load_model(make_source("model", text), {})); }
Model swing() { return model_from(kSwing); }

FitRequest::Named named_text(const std::string& name, const std::string& text) {
  return {name, MappedText::of(text, "option"), {}};
}

FitRequest fit_request(const std::vector<std::string>& free, const std::string& column, const std::string& expression) {
  FitRequest request;
  request.measure = {named_text(column, expression)};
  request.free = free;
  request.compile.machine_code = false;
  return request;
}

FitData data_of(const std::string& column, const std::vector<double>& time,
                const std::function<double(double)>& value) {
  FitData data{.name = "data.csv", .time = time, .columns = {}};
  data.columns.push_back({.name = column, .values = {}});
  for (const double t : time) data.columns[0].values.push_back(value(t));
  return data;
}

std::vector<double> times_up_to(double end, int count, double from = 0) {
  std::vector<double> times;
  for (int k = 0; k < count; ++k) times.push_back(from + (end - from) * k / (count - 1));
  return times;
}

// The angle of the swing at a time: a run of its own, at tight tolerances.
std::vector<double> angles(const Model& model, const std::vector<double>& times) {
  const BuiltModel built = value_of(build_model(std::make_shared<const Model>(model), {}, {.machine_code = false}));
  IntegrateOptions options;
  options.rtol = 1e-12;
  options.until = times.back();
  options.output_times = times;
  return integrate(built.dynamics, initial_state(model), options).q[0];
}

class FitTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto solver = fitting::find_least_squares(); !solver) GTEST_SKIP() << render(solver.diagnostics());
  }
};

TEST(ColumnSvd, FindsValuesThatDifferByManyOrders) {
  // A = Q diag(1, 1e-9) Rᵀ with a rotation R and orthonormal columns Q of length 3.
  const double c = std::cos(0.3), s = std::sin(0.3), q = 1 / std::sqrt(2.0);
  const double Q[3][2] = {{q, 0}, {q, 0}, {0, 1}};
  std::vector<double> A;
  for (const auto& row : Q)
    for (const auto& [r0, r1] : {std::pair(c, -s), std::pair(s, c)}) A.push_back(row[0] * r0 + row[1] * 1e-9 * r1);
  const fitting::ColumnSvd svd = fitting::column_svd(A, 3, 2);
  EXPECT_NEAR(svd.singular[0], 1, 1e-15);
  EXPECT_NEAR(svd.singular[1], 1e-9, 1e-16);  // as well as the entries of A say it
  EXPECT_NEAR(std::abs(svd.V[0]), c, 1e-15);
  EXPECT_NEAR(std::abs(svd.V[2]), s, 1e-15);
}

// Of matrices of any shape and rank: orthonormal directions, along which A changes by its singular values, each orthogonal to the others; Σ σ² = Σ a².
TEST(ColumnSvd, OfWideTallAndDeficientMatrices) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const auto& [rows, columns, rank] :
       {std::tuple(3, 7, 3), std::tuple(9, 4, 4), std::tuple(6, 6, 2), std::tuple(5, 8, 0)}) {
    const auto m = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(columns);
    std::vector<double> A(m * n, 0.0);
    for (int part = 0; part < rank; ++part) {
      std::vector<double> left(m), right(n);
      for (std::vector<double>* side : {&left, &right}) std::ranges::generate(*side, [&] { return number(random); });
      for (std::size_t i = 0; i < m * n; ++i) A[i] += left[i / n] * right[i % n];
    }
    const fitting::ColumnSvd svd = fitting::column_svd(A, m, n);
    ASSERT_EQ(svd.singular.size(), n);
    std::vector<std::vector<double>> images(n, std::vector<double>(m, 0.0));
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < m * n; ++i) images[j][i / n] += A[i] * svd.V[i % n * n + j];
    double squares = 0, of_A = 0;
    for (const double sigma : svd.singular) squares += sigma * sigma;
    for (const double entry : A) of_A += entry * entry;
    EXPECT_NEAR(squares, of_A, 1e-13);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) {
        double of_directions = 0, of_images = 0;
        for (std::size_t i = 0; i < n; ++i) of_directions += svd.V[i * n + j] * svd.V[i * n + k];
        for (std::size_t i = 0; i < m; ++i) of_images += images[j][i] * images[k][i];
        EXPECT_NEAR(of_directions, j == k ? 1 : 0, 1e-14) << rows << " by " << columns;
        EXPECT_NEAR(of_images, j == k ? svd.singular[j] * svd.singular[j] : 0, 1e-14) << rows << " by " << columns;
      }
    EXPECT_EQ(std::ranges::count_if(svd.singular, [](double sigma) { return sigma > 1e-14; }), rank);
  }
}

// Closed form: x = (JᵀJ)⁻¹Jᵀy, covariance s²(JᵀJ)⁻¹ with s² = Σ r²/(n − p). Source: Bates & Watts, Nonlinear Regression Analysis (1988), §1.2.
TEST_F(FitTest, IsLinearRegressionWhereTheModelIsLinear) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.02);
  const FitData data =
      data_of("where", times_up_to(2, 21), [&](double t) { return 0.3 + 1.4 * t + t * t + noise(random); });
  const Fit found = value_of(fit(model_from(kThrown), {data}, fit_request({"x", "x'"}, "where", "x")));
  ASSERT_EQ(found.end, Fit::End::kConverged) << found.message;
  double s0 = 0, s1 = 0, s2 = 0, y0 = 0, y1 = 0;
  for (std::size_t k = 0; k < data.time.size(); ++k) {
    const double t = data.time[k], y = data.columns[0].values[k] - t * t;
    s0 += 1, s1 += t, s2 += t * t, y0 += y, y1 += y * t;
  }
  const double det = s0 * s2 - s1 * s1, x = (s2 * y0 - s1 * y1) / det, v = (s0 * y1 - s1 * y0) / det;
  double squares = 0;
  for (std::size_t k = 0; k < data.time.size(); ++k) {
    const double t = data.time[k], r = data.columns[0].values[k] - x - v * t - t * t;
    squares += r * r;
  }
  const double s = std::sqrt(squares / (s0 - 2));
  EXPECT_NEAR(found.parameters[0].value, x, 1e-9);
  EXPECT_NEAR(found.parameters[1].value, v, 1e-9);
  EXPECT_NEAR(found.parameters[0].sigma, s * std::sqrt(s2 / det), 1e-8);
  EXPECT_NEAR(found.parameters[1].sigma, s * std::sqrt(s0 / det), 1e-8);
  EXPECT_NEAR(found.correlation[0][1], -s1 / std::sqrt(s0 * s2), 1e-7);
  EXPECT_NEAR(found.columns[0].rms, std::sqrt(squares / s0), 1e-9);
  EXPECT_NEAR(found.columns[0].sigma, s, 1e-9);
  EXPECT_EQ(found.freedoms, 19);
  EXPECT_THAT(found.unidentifiable, IsEmpty());
  EXPECT_TRUE(found.verdict.holds);
}

// A prior is one more measurement: for x(t) = x + known, the mean of samples and prior, weighted by their precisions.
TEST_F(FitTest, PriorsAreMeasurements) {
  const FitData data = data_of("where", times_up_to(1, 4), [](double t) { return 0.7 + t + t * t; });
  FitRequest request = fit_request({"x"}, "where", "x");
  request.prior = {named_text("x", "normal(0.4 m, 0.05 m)")};
  request.sigma = {named_text("where", "10 cm")};
  const Fit found = value_of(fit(model_from(kThrown), {data}, request));
  const double samples = 4 / (0.1 * 0.1), prior = 1 / (0.05 * 0.05);
  EXPECT_NEAR(found.parameters[0].value, (0.7 * samples + 0.4 * prior) / (samples + prior), 1e-9);
  EXPECT_NEAR(found.parameters[0].sigma, 1 / std::sqrt(samples + prior), 1e-9);
  EXPECT_EQ(found.residuals.size(), 5U);
}

TEST_F(FitTest, SaysWhichBoundsAreActive) {
  const FitData data = data_of("where", times_up_to(1, 8), [](double t) { return 0.7 + 2 * t + t * t; });
  FitRequest request = fit_request({"x", "x'"}, "where", "x");
  request.bounds = {named_text("x'", "0 m/s : 150 cm/s"), named_text("x", ":10 m")};
  const Fit found = value_of(fit(model_from(kThrown), {data}, request));
  EXPECT_EQ(found.parameters[1].at_bound, 1);
  EXPECT_NEAR(found.parameters[1].value, 1.5, 1e-9);
  EXPECT_TRUE(std::isnan(found.parameters[1].sigma));
  EXPECT_EQ(found.parameters[0].at_bound, 0);
  EXPECT_NEAR(found.parameters[0].value, 0.7 + 0.5 * 0.5, 1e-8);  // the mean of what is left
  EXPECT_GT(found.parameters[0].sigma, 0);
}

TEST_F(FitTest, SaysWhatTheDataCannotTellApart) {
  const FitData data = data_of("where", times_up_to(2, 11), [](double t) { return 0.5 + t + 1.1 * t * t; });
  const auto said = [&](const std::vector<std::string>& free) {
    std::vector<std::string> texts;
    for (const Fit::Combination& one :
         value_of(fit(model_from(kThrown), {data}, fit_request(free, "where", "x"))).unidentifiable)
      texts.push_back(one.text);
    return texts;
  };
  EXPECT_THAT(said({"a", "b"}), ElementsAre("a and b: only a + b is determined"));
  EXPECT_THAT(said({"idle", "x"}),
              ElementsAre("idle: nothing that was measured depends on it (4.69 and 10.4 give the same)"));
  EXPECT_THAT(said({"x", "x'", "mass"}), IsEmpty());
  // (a + b)/mass is neither a product of powers nor a sum: what is said is said of the solution alone.
  EXPECT_THAT(said({"a", "b", "mass"}), ElementsAre(HasSubstr("near the solution"), HasSubstr("near the solution")));
  const Model swinging = swing();
  const std::vector<double> times = times_up_to(4, 41);
  const std::vector<double> theta = angles(swinging, times);
  FitData angle = data_of("angle", times, [](double) { return 0; });
  angle.columns[0].values = theta;
  const Fit found = value_of(fit(swinging, {angle}, fit_request({"g", "L", "c"}, "angle", "q/theta")));
  ASSERT_EQ(found.unidentifiable.size(), 1U);
  EXPECT_EQ(found.unidentifiable[0].text, "g and L: only g/L is determined");
  EXPECT_NEAR(found.unidentifiable[0].parts[0].second, std::numbers::sqrt2 / 2, 1e-6);
  EXPECT_NEAR(found.parameters[0].value / found.parameters[1].value, 9.81 / 0.5, 1e-6);
  EXPECT_FALSE(found.parameters[0].determined);
  EXPECT_TRUE(std::isnan(found.parameters[0].sigma));
  EXPECT_TRUE(found.parameters[2].determined);
  EXPECT_THAT(render(found.warnings), HasSubstr("W0308"));
}

// Exact data of what is 0: the search ends at some 1e-16, which is no size to judge its effect by.
TEST_F(FitTest, WhatIsZeroIsDetermined) {
  const FitData data = data_of("where", times_up_to(2, 21), [](double t) { return t + t * t; });
  const Fit found = value_of(fit(model_from(kThrown), {data}, fit_request({"x", "x'"}, "where", "x")));
  ASSERT_EQ(found.end, Fit::End::kConverged) << found.message;
  EXPECT_NEAR(found.parameters[0].value, 0, 1e-9);
  EXPECT_TRUE(found.parameters[0].determined);
  EXPECT_THAT(found.unidentifiable, IsEmpty());
}

// A quantity without effect to first order is said to have none near the solution if another value, to either side, has one.
TEST_F(FitTest, EffectsAreSoughtToBothSides) {
  for (const char* condition : {"idle > 5", "idle < 9"}) {
    std::string text = kThrown;
    const std::string force = "value = \"a + b\"";
    text.replace(text.find(force), force.size(), fmt::format("value = \"if({}, 1, 0.9)*(a + b)\"", condition));
    const FitData data = data_of("where", times_up_to(2, 11), [](double t) { return 0.5 + t + 1.1 * t * t; });
    const Fit found = value_of(fit(model_from(text), {data}, fit_request({"idle", "x"}, "where", "x")));
    ASSERT_EQ(found.unidentifiable.size(), 1U) << condition;
    EXPECT_EQ(found.unidentifiable[0].text, "idle: nothing that was measured depends on it near the solution");
  }
}

// Of 300 experiments, the number in which |x − x̂| < 1.96 σ is binomial with p = 0.95 (Student's distribution is near the normal one with 58 freedoms):
// 285 ± 3.8. Five standard deviations are allowed.
TEST_F(FitTest, ErrorsAreAsLargeAsTheySay) {
  const Model model = model_from(kThrown);
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0, 0.05);
  int within = 0;
  for (int k = 0; k < 300; ++k) {
    const FitData data =
        data_of("where", times_up_to(2, 60), [&](double t) { return 0.5 + t + t * t + noise(random); });
    const Fit found = value_of(fit(model, {data}, fit_request({"mass", "x'"}, "where", "x")));
    ASSERT_EQ(found.end, Fit::End::kConverged) << found.message;
    within += std::abs(found.parameters[0].value - 2) < 1.96 * found.parameters[0].sigma ? 1 : 0;
  }
  EXPECT_NEAR(within, 285, 19);
}

TEST_F(FitTest, FilesHaveClocksAndStartsOfTheirOwn) {
  Model model = swing();
  std::vector<FitData> data;
  for (const double begin : {0.5, 0.8}) {
    for (InitialValue& one : model.initial.position) one.value = begin;
    const double late = begin == 0.5 ? 0.037 : 0.2;
    std::vector<double> times = times_up_to(3, 31, 0.3), there = times;
    for (double& t : there) t += late;
    FitData file = data_of("angle", times, [](double) { return 0; });
    file.columns[0].values = angles(model, there);
    file.columns[0].values[4] = std::nan("");  // no sample
    data.push_back(std::move(file));
  }
  FitRequest request = fit_request({"theta", "c", "g"}, "angle", "theta");
  request.per_file = {"theta"};
  request.offset = true;
  const Fit found = value_of(fit(swing(), data, request));
  std::vector<std::string> names;
  for (const Fit::Parameter& one : found.parameters) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("theta[1]", "theta[2]", "c", "g", "offset[1]", "offset[2]"));
  const double truth[] = {0.5, 0.8, 0.1, 9.81, 0.037, 0.2};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(found.parameters[k].value, truth[k], 1e-6) << names[k];
  EXPECT_EQ(found.columns[0].samples, 60);
}

// An oscillation of known frequency: from the model's value the search ends at another frequency, which has a minimum of its own (sums of squares of sinusoids
// have one for each lobe of the spectrum of their window). From ten starts the least one is found; the numbers are those of any number of threads.
TEST_F(FitTest, FindsTheLeastOfSeveralMinima) {
  const Model model = model_from(R"toml(
name = "spring"
coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "1 kg"
k = "5 N/m"
[energy]
kinetic = "m*x'^2/2"
potential = "k*x^2/2"
[initial]
position = {x = "1 m"}
)toml");
  const FitData data = data_of("x", times_up_to(10, 60),
                               [](double t) { return std::cos(std::sqrt(40.0) * t) + 0.02 * std::sin(97 * t); });
  FitRequest request = fit_request({"k"}, "x", "x");
  const Fit alone = value_of(fit(model, {data}, request));
  EXPECT_GT(std::abs(alone.parameters[0].value - 40), 5);
  request.bounds = {named_text("k", "1 N/m : 100 N/m")};
  request.starts = 10;
  request.seed = 2;
  std::vector<std::string> documents;
  for (const int threads : {1, 3}) {
    request.threads = threads;
    const Fit found = value_of(fit(model, {data}, request));
    EXPECT_NEAR(found.parameters[0].value, 40, 0.05);
    ASSERT_EQ(found.starts.size(), 10u);
    EXPECT_EQ(found.starts[found.best].minimum, 0);
    EXPECT_EQ(found.starts[found.best].worse_by, 0);
    EXPECT_GT(found.starts[0].minimum, 0);
    EXPECT_NEAR(found.starts[0].to[0], alone.parameters[0].value, 1e-6);
    std::int64_t runs = 0;
    for (const Fit::Start& one : found.starts) {
      runs += one.runs;
      EXPECT_TRUE(one.minimum == 0 || one.worse_by > 1 || one.end != Fit::End::kConverged);
    }
    EXPECT_EQ(found.runs, runs);
    documents.push_back(fit_json(found).text());
  }
  EXPECT_EQ(documents[0], documents[1]);
  request.progress = [](std::int64_t, double) { return false; };
  EXPECT_EQ(value_of(fit(model, {data}, request)).end, Fit::End::kInterrupted);
}

TEST_F(FitTest, HasTheSameNumbersByAnyNumberOfThreads) {
  std::vector<FitData> data;
  for (int k = 0; k < 7; ++k)
    data.push_back(
        data_of("where", times_up_to(1, 9), [k](double t) { return 0.5 + (1 + 0.1 * k) * t + std::sin(9 * t + k); }));
  FitRequest request = fit_request({"x", "x'", "a"}, "where", "x");
  request.per_file = {"x'"};
  std::vector<std::string> documents;
  for (const int threads : {1, 2, 5}) {
    request.threads = threads;
    documents.push_back(fit_json(value_of(fit(model_from(kThrown), data, request))).text());
  }
  EXPECT_EQ(documents[0], documents[1]);
  EXPECT_EQ(documents[0], documents[2]);
}

// Two columns with errors of different sizes, neither given: each is estimated, and the better one decides.
TEST_F(FitTest, ColumnsAreWeighedByTheirOwnErrors) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 1);
  FitData data = data_of("good", times_up_to(1, 200), [&](double t) { return 0.5 + t + t * t + 1e-3 * noise(random); });
  data.columns.push_back({.name = "bad", .values = {}});
  for (const double t : data.time) data.columns[1].values.push_back(2 * (0.9 + t + t * t) + 0.3 * noise(random));
  FitRequest request = fit_request({"x"}, "good", "x");
  request.measure.push_back(named_text("bad", "twice"));
  const Fit found = value_of(fit(model_from(kThrown), {data}, request));
  EXPECT_NEAR(found.parameters[0].value, 0.5, 1e-3);
  EXPECT_NEAR(found.columns[0].sigma, 1e-3, 2e-4);
  EXPECT_GT(found.columns[1].sigma, 0.3);
}

TEST_F(FitTest, SkipsTrialsWithoutARunAndCountsThem) {
  const std::string text = R"toml(
name = "rod"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
gravity = ["0", "-9.81"]
[parameters]
L = "0.5 m"
[[body]]
name = "bob"
mass = 1
position = ["x", "y"]
[[constraint]]
name = "rod"
holonomic = "x^2 + y^2 - L^2"
[initial]
position = {x = "0.3 m"}
guess = {y = -0.4}
)toml";
  const FitData data = data_of("speed", times_up_to(1, 30), [](double t) { return -0.301 * std::sin(30 * t); });
  FitRequest request = fit_request({"L"}, "speed", "x");
  request.bounds = {named_text("L", "0.1 m : 5 m")};
  const Fit found = value_of(fit(model_from(text), {data}, request));
  EXPECT_GE(found.parameters[0].value, 0.3);
  for (const auto& [reason, count] : found.failures) EXPECT_THAT(reason, HasSubstr("rod"));
  request.bounds.clear();
  std::string short_rod = text;
  short_rod.replace(short_rod.find("0.5 m"), 5, "0.2 m");
  EXPECT_THAT(render(fit(model_from(short_rod), {data}, request).diagnostics()), HasSubstr("E0432"));
}

// At rest on the belt the block has no first instant of sliding that could be displaced.
TEST_F(FitTest, SaysThatThereAreNoDerivatives) {
  const Model belt = value_of(load_model_file(source_tree() + "/models/block-on-belt.toml", {}));
  const FitData data = data_of("where", times_up_to(1, 5), [](double t) { return t; });
  const std::string refused = render(fit(belt, {data}, fit_request({"k"}, "where", "x")).diagnostics());
  EXPECT_THAT(refused, HasSubstr("E0432"));
  EXPECT_THAT(refused, HasSubstr("the derivatives by `k` are unknown"));
}

TEST_F(FitTest, GivesTheBestSoFarWhenItIsStopped) {
  const FitData data = data_of("where", times_up_to(1, 8), [](double t) { return 0.7 + 2 * t + t * t; });
  FitRequest request = fit_request({"x", "mass"}, "where", "x");
  request.progress = [](std::int64_t runs, double) { return runs < 4; };
  const Fit found = value_of(fit(model_from(kThrown), {data}, request));
  EXPECT_EQ(found.end, Fit::End::kInterrupted);
  EXPECT_EQ(found.parameters.size(), 2U);
  EXPECT_THAT(found.columns, IsEmpty());
}

TEST_F(FitTest, RefusesRequestsThatMakeNoSense) {
  const FitData data = data_of("where", times_up_to(1, 8), [](double t) { return t; });
  const auto refusal = [&](const std::function<void(FitRequest&)>& change) {
    FitRequest request = fit_request({"x"}, "where", "x");
    change(request);
    return render(fit(model_from(kThrown), {data}, request).diagnostics());
  };
  EXPECT_THAT(refusal([](auto& r) { r.free = {"xx"}; }), HasSubstr("neither a parameter nor an initial value"));
  EXPECT_THAT(refusal([](auto& r) { r.free = {"x", "x"}; }), HasSubstr("free twice"));
  EXPECT_THAT(refusal([](auto& r) { r.per_file = {"mass"}; }), HasSubstr("is not free"));
  EXPECT_THAT(refusal([](auto& r) { r.measure = {named_text("where", "x + mass")}; }), HasSubstr("E0203"));
  EXPECT_THAT(refusal([](auto& r) { r.measure = {named_text("there", "x")}; }),
              HasSubstr("no file has a column `there`"));
  EXPECT_THAT(refusal([](auto& r) { r.measure = {named_text("where", "max(x)")}; }), HasSubstr("max"));
  EXPECT_THAT(refusal([](auto& r) { r.bounds = {named_text("x", "1 kg : 2 kg")}; }), HasSubstr("must be in `m`"));
  EXPECT_THAT(refusal([](auto& r) { r.bounds = {named_text("x", "2 : 1")}; }), HasSubstr("no value is between"));
  EXPECT_THAT(refusal([](auto& r) { r.bounds = {named_text("x", "1 m : 2 m")}; }), HasSubstr("outside of its bounds"));
  EXPECT_THAT(refusal([](auto& r) { r.bounds = {named_text("mass", "1 : 2")}; }), HasSubstr("not among the free"));
  EXPECT_THAT(refusal([](auto& r) { r.prior = {named_text("x", "uniform(0, 1)")}; }), HasSubstr("no prior"));
  EXPECT_THAT(refusal([](auto& r) { r.sigma = {named_text("where", "-1 m")}; }), HasSubstr("no standard deviation"));
  EXPECT_THAT(refusal([](auto& r) { r.starts = 0; }), HasSubstr("cannot be 0 starts"));
  EXPECT_THAT(refusal([](auto& r) { r.starts = 2; }), HasSubstr("nothing says where other starts may have `x`"));
  EXPECT_THAT(refusal([](auto& r) { r.sigma = {named_text("where", "1 kg")}; }), HasSubstr("cannot be in `kg`"));
}

// The message for a file with this content, and where in it: "line:column".
std::string problem_with(const std::string& content) {
  const Folder folder;
  const std::string path = folder.path() + "/data.csv";
  std::ofstream(path) << content;
  const Result<FitData> data = read_fit_data(path, fit_request({"x"}, "where", "x"));
  if (!data) return render(data.diagnostics());
  const Result<Fit> found = fit(model_from(kThrown), {*data}, fit_request({"x"}, "where", "x"));
  return found ? "" : render(found.diagnostics());
}

TEST(FitData, HasUnitsAndGaps) {
  const Folder folder;
  const std::string path = folder.path() + "/data.csv";
  std::ofstream(path)
      << "\xEF\xBB\xBFtime [ms],note,where [cm]\r\n0,good,50\r\n\r\n500,,\r\n1000,\"a, b\",NaN\r\n1500,x,2e2\r\n";
  const FitData data = value_of(read_fit_data(path, fit_request({"x"}, "where", "x")));
  EXPECT_THAT(data.time, ElementsAre(0, 0.5, 1, 1.5));
  EXPECT_DOUBLE_EQ(data.columns[0].values[0], 0.5);
  EXPECT_TRUE(std::isnan(data.columns[0].values[1]));
  EXPECT_TRUE(std::isnan(data.columns[0].values[2]));
  EXPECT_DOUBLE_EQ(data.columns[0].values[3], 2);
}

TEST_F(FitTest, SaysWhereDataAreBad) {
  EXPECT_THAT(problem_with(""), HasSubstr("is empty"));
  EXPECT_THAT(problem_with("time,where\n"), HasSubstr("has no samples"));
  EXPECT_THAT(problem_with("time,there\n0,1\n"), HasSubstr("did you mean `there`?"));
  EXPECT_THAT(problem_with("time,where\n0,1\n1,2;5\n"), HasSubstr("data.csv:3:3"));
  EXPECT_THAT(problem_with("time,where\n0,1\n1,inf\n"), HasSubstr("`inf` is not a number"));
  EXPECT_THAT(problem_with("time,where\n0,1\n1\n"), HasSubstr("this line has 1 cells, the header has 2"));
  EXPECT_THAT(problem_with("time,where\n1,1\n0.5,2\n"), HasSubstr("the times go back"));
  EXPECT_THAT(problem_with("time,where\n1,1\n,2\n"), HasSubstr("data.csv:3:1"));
  EXPECT_THAT(problem_with("time,where [quux]\n1,1\n"), HasSubstr("data.csv:1:6"));
  EXPECT_THAT(problem_with("time [kg],where\n1,1\n"), HasSubstr("are not in a unit of time"));
  EXPECT_THAT(problem_with("time,where [kg]\n1,1\n"), HasSubstr("is in kg, and what it measures in m"));
  EXPECT_THAT(problem_with("time,where,where\n1,1,1\n"), HasSubstr("two columns `where`"));
  EXPECT_THAT(problem_with("time,where\n-1,1\n1,2\n"), HasSubstr("before the start of the model"));
  EXPECT_THAT(problem_with("time,where\n0,\n1,\n"), HasSubstr("has no sample in any file"));
  EXPECT_THAT(render(read_fit_data("/nowhere.csv", fit_request({"x"}, "where", "x")).diagnostics()),
              HasSubstr("E0502"));
}

// What read_fit_data() takes, and is doubtful.
std::string doubts_with(const std::string& content) {
  const Folder folder;
  const std::string path = folder.path() + "/data.csv";
  std::ofstream(path) << content;
  return render(doubts_of_data({value_of(read_fit_data(path, fit_request({"x"}, "where", "x")))}));
}

// A run goes on to the last sample: one at 10⁶ s among 3 s makes it 3·10⁵ times as long.
TEST(FitData, DoubtsSamplesFarBeyondTheOthers) {
  EXPECT_THAT(doubts_with("time,where\n0,1\n1,1\n3,1\n1e6,1\n"),
              AllOf(HasSubstr("W0431"), HasSubstr("a sample of"), HasSubstr("from 1000000 s on"),
                    HasSubstr("those before it end at 3 s"), HasSubstr("data.csv:5:1")));
  EXPECT_THAT(doubts_with("where,time\n1,0\n1,1\n1,200\n1,201\n"),
              AllOf(HasSubstr("2 samples of"), HasSubstr("data.csv:4:3")));
  for (const char* const usual : {"0,1\n1,1\n99,1\n", "0,1\n1e6,1\n", "5,1\n", "1000,1\n1001,1\n1002,1\n"})
    EXPECT_EQ(doubts_with(std::string("time,where\n") + usual), "") << usual;
}

TEST(FitData, DoubtsRepeatedTimes) {
  EXPECT_THAT(doubts_with("time,where\n0,1\n1,1\n1,2\n1,2\n2,1\n"),
              AllOf(HasSubstr("W0432"), HasSubstr("has a time more than once, first 1 s"), HasSubstr("data.csv:4:1")));
  EXPECT_THAT(doubts_with("time,where\n0,1\n0,1\n1,2\n2,2\n2,1\n"), HasSubstr("has 2 times more than once"));
}

// Both are said of the fit as well, which counts each sample: of 1 m and 2 m at one time the mean is the best.
TEST_F(FitTest, TakesRepeatedSamplesAndSaysSo) {
  const Folder folder;
  const std::string path = folder.path() + "/data.csv";
  std::ofstream(path) << "time,where\n0,1\n0,2\n";
  const FitData data = value_of(read_fit_data(path, fit_request({"x"}, "where", "x")));
  const Fit found = value_of(fit(model_from(kThrown), {data}, fit_request({"x"}, "where", "x")));
  EXPECT_NEAR(found.parameters[0].value, 1.5, 1e-7);
  EXPECT_THAT(render(found.warnings), HasSubstr("W0432"));
}

}  // namespace
}  // namespace dalembert
