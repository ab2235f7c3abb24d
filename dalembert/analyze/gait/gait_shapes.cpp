// SPDX-License-Identifier: Apache-2.0
// Shapes along a cycle: their period, their Fourier series, and the search for the best series.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "dalembert/analyze/gait.h"
#include "dalembert/base/text.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

using Numbers = std::vector<double>;

constexpr int kSamples = 1024;     // samples of a period for Fourier coefficients
constexpr int kMostMultiple = 64;  // largest multiple of the common frequency that is recognised
constexpr double kSameRatio = 1e-9;
constexpr double kNegligible = 1e-12;  // a coefficient below this fraction of the largest is round-off

double value_at(const Expr& e, const Model& model, double t) {
  return evaluate(e, [&](SymbolId s) {
    const Symbol& symbol = e.graph().symbol_info(s);
    if (symbol.kind == SymbolKind::kTime) return t;
    const auto index = static_cast<std::size_t>(symbol.index);
    return symbol.kind == SymbolKind::kParameter && index < model.parameters.size() ? model.parameters[index].value
                                                                                    : std::nan("");
  });
}

// The denominator of x as a fraction with a small denominator; 0 where x is no such fraction.
int denominator_of(double x) {
  for (int q = 1; q <= kMostMultiple; ++q)
    if (std::abs(x * q - std::round(x * q)) <= kSameRatio * q && std::round(x * q) > 0) return q;
  return 0;
}

Expr series_term(const Expr& t, double period, int k, bool cosine) {
  const Expr angle = t * (2 * std::numbers::pi * k / period);
  return cosine ? cos(angle) : sin(angle);
}

}  // namespace

void turn_to_body(double theta0, std::vector<double>& d) {
  const double x = d[0], y = d[1];
  d[0] = std::cos(theta0) * x + std::sin(theta0) * y;
  d[1] = std::cos(theta0) * y - std::sin(theta0) * x;
}

double find_period(const std::vector<Expr>& shape, const Model& model) {
  Numbers frequencies;
  for (const Expr& e : shape) {
    Graph& graph = e.graph();
    const Expr t = graph.adopt(model.t);
    for (const NodeId id : reachable(std::array{e})) {
      if (graph.op(id) != Op::kSin && graph.op(id) != Op::kCos) continue;
      const Expr rate = gradient(Expr(&graph, graph.items(id)[0].node), std::array{t}).front();
      if (depends_on(rate, std::array{t})) return 0;
      const double w = std::abs(value_at(rate, model, 0));
      if (w > 0) frequencies.push_back(w);
    }
  }
  if (frequencies.empty()) return 0;
  int multiple = 1;  // all frequencies are multiples of the first one divided by this
  for (const double w : frequencies) {
    const int q = denominator_of(w / frequencies.front());
    if (q == 0) return 0;
    multiple = std::lcm(multiple, q);
    if (multiple > kMostMultiple * kMostMultiple) return 0;
  }
  // The frequencies may all be multiples of a larger frequency: that given by the greatest common divisor.
  long common = 0;
  for (const double w : frequencies) common = std::gcd(common, std::lround(w / frequencies.front() * multiple));
  return 2 * std::numbers::pi / (frequencies.front() / multiple * static_cast<double>(std::max(common, 1L)));
}

Gait perturbed_gait(const Gait& gait, const Model& model, int harmonics) {
  Gait made = gait;
  for (std::size_t j = 0; j < gait.actuated.size(); ++j) {
    Graph& graph = gait.shape[j].graph();
    const Expr t = graph.adopt(model.t);
    const std::string& name = model.coordinates[static_cast<std::size_t>(gait.actuated[j])].name;
    std::vector<Graph::Term> terms{{gait.shape[j], 1}};
    const auto add = [&](const std::string& what, const Expr& basis) {
      const int index = static_cast<int>(model.parameters.size() + made.parameters.size());
      const Expr symbol = graph.add_symbol({name + "." + what, SymbolKind::kParameter, index, {}});
      made.parameters.push_back({name + "." + what, symbol, 0});
      terms.push_back({symbol * basis, 1});
    };
    add("mean", graph.constant(1));
    for (int k = 1; k <= harmonics; ++k)
      for (const bool cosine : {true, false})
        add(fmt::format("{}{}", cosine ? "cos" : "sin", k), series_term(t, gait.period, k, cosine));
    made.shape[j] = graph.sum(terms);
  }
  return made;
}

Gait fourier_gait(const Gait& gait, const Model& model, int harmonics) {
  Gait bare = gait;
  bare.parameters.clear();
  for (Expr& e : bare.shape) e = e.graph().constant(0);
  Gait made = perturbed_gait(bare, model, harmonics);
  const auto each = static_cast<std::size_t>(2 * harmonics + 1);
  for (std::size_t j = 0; j < gait.actuated.size(); ++j) {
    double largest = 0;
    for (int s = 0; s < kSamples; ++s) {
      const double t = gait.start + gait.period * s / kSamples, value = value_at(gait.shape[j], model, t) / kSamples;
      for (std::size_t k = 0; k < each; ++k) {
        const auto order = static_cast<double>((k + 1) / 2);
        const double angle = 2 * std::numbers::pi * order * t / gait.period;
        made.parameters[j * each + k].value += k == 0       ? value
                                               : k % 2 != 0 ? 2 * value * std::cos(angle)
                                                            : 2 * value * std::sin(angle);
      }
    }
    for (std::size_t k = 0; k < each; ++k) largest = std::max(largest, std::abs(made.parameters[j * each + k].value));
    for (std::size_t k = 0; k < each; ++k)
      if (double& c = made.parameters[j * each + k].value; std::abs(c) <= kNegligible * largest) c = 0;
  }
  return made;
}

std::vector<std::string> fourier_text(const Gait& gait, const std::vector<double>& values, int harmonics) {
  const auto each = static_cast<std::size_t>(2 * harmonics + 1);
  const double w = 2 * std::numbers::pi / gait.period;
  std::vector<std::string> texts;
  for (std::size_t j = 0; j < gait.actuated.size(); ++j) {
    std::string text;
    for (std::size_t k = 0; k < each; ++k) {
      const double c = values[j * each + k];
      if (c == 0) continue;
      text += text.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
      text += to_text(std::abs(c));
      const double rate = w * static_cast<double>((k + 1) / 2);
      const std::string angle = std::abs(rate - 1) < 1e-15 ? "t" : to_text(rate) + "*t";
      if (k > 0) text += fmt::format("*{}({})", k % 2 != 0 ? "cos" : "sin", angle);
    }
    texts.push_back(text.empty() ? "0" : text);
  }
  return texts;
}

namespace {

// −log(distance/effort) and its derivatives by the parameters.
struct Cost {
  GaitRun run;
  double value = 0;
  Numbers slope;
  bool good = false;
};

Cost evaluate_cost(const GaitSystem& system, const Numbers& q0, const Numbers& values, int x, int y,
                   const GaitOptions& options) {
  Cost cost;
  cost.run = system.run(q0, values, options);
  if (!cost.run.ok()) return cost;
  const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
  const double dx = cost.run.displacement[i], dy = cost.run.displacement[j], squared = dx * dx + dy * dy;
  if (!(squared > 0) || !(cost.run.effort > 0)) return cost;
  cost.value = std::log(cost.run.effort) - std::log(squared) / 2;
  for (std::size_t k = 0; k < values.size(); ++k)
    cost.slope.push_back(cost.run.effort_by[k] / cost.run.effort -
                         (dx * cost.run.displacement_by[i][k] + dy * cost.run.displacement_by[j][k]) / squared);
  cost.good = std::isfinite(cost.value);
  return cost;
}

double inner(const Numbers& a, const Numbers& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Numbers difference_of(Numbers a, const Numbers& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

// The BFGS update of the inverse Hessian by a step s that changes the gradient by y:
// H ← (1 − ρ s yᵀ) H (1 − ρ y sᵀ) + ρ s sᵀ, ρ = 1/(s·y)
void update_inverse(std::vector<Numbers>& H, const Numbers& s, const Numbers& y) {
  const double sy = inner(s, y);
  if (!(sy > 1e-14 * std::sqrt(inner(s, s) * inner(y, y)))) return;
  Numbers Hy;
  for (const Numbers& row : H) Hy.push_back(inner(row, y));
  const double yHy = inner(y, Hy);
  for (std::size_t i = 0; i < s.size(); ++i)
    for (std::size_t j = 0; j < s.size(); ++j)
      H[i][j] += (1 + yHy / sy) * s[i] * s[j] / sy - (Hy[i] * s[j] + s[i] * Hy[j]) / sy;
}

std::vector<Numbers> unit_matrix(std::size_t n) {
  std::vector<Numbers> H(n, Numbers(n));
  for (std::size_t i = 0; i < n; ++i) H[i][i] = 1;
  return H;
}

// The step −H g with the inverse Hessian H and the gradient g (`slope`), shortened to `longest`. Where it does not lead
// down, H is set back to the unit matrix and the step is −g.
Numbers descent_step(std::vector<Numbers>& H, const Numbers& slope, double longest) {
  Numbers step;
  for (const Numbers& row : H) step.push_back(-inner(row, slope));
  if (!(inner(step, slope) < 0)) {
    H = unit_matrix(slope.size());
    for (std::size_t i = 0; i < slope.size(); ++i) step[i] = -slope[i];
  }
  const double length = std::sqrt(inner(step, step)), factor = std::min(1.0, longest / length);
  for (double& s : step) s *= factor;
  return step;
}

// Explains why the search found no optimum. `near`: where it ended near singular shapes, its margin from them as a
// fraction of the given cycle's margin; otherwise no value.
std::string why_no_optimum(bool at_limit, std::optional<double> near, bool blocked) {
  if (at_limit) return "the search reached its work limit while still improving; use fewer harmonics";
  if (near)
    return fmt::format(
        "no optimum: the distance per effort grows towards singular shapes, and the search ended at {} of the given "
        "cycle's distance from them",
        to_text(*near, 2));
  return blocked ? "no optimum: better cycles cannot be followed" : "the search ended while still improving";
}

}  // namespace

// BFGS with steps halved until the cost falls enough (Nocedal & Wright, Numerical Optimization, 2nd ed., ch. 6).
GaitOptimum optimize_gait(const GaitSystem& system, const std::vector<double>& q0, std::vector<double> values, int x,
                          int y, const GaitOptions& options, int max_iterations) {
  constexpr double kFlat = 1e-7, kLongest = 0.1, kEnough = 1e-4, kBarrier = 0.01, kAccurate = 1e-3;
  GaitOptimum best;
  best.values = values;
  const std::size_t n = values.size();
  GaitOptions within = options;
  double work = 0;
  const auto cost_of = [&](const Numbers& at) {
    Cost cost = evaluate_cost(system, q0, at, x, y, within);
    work += static_cast<double>(cost.run.steps) * static_cast<double>((n + 1) * (system.passive().size() + 1));
    return cost;
  };
  Cost here = cost_of(values);
  best.run = here.run;
  if (!here.good) {
    best.remark = here.run.ok() ? "the cycle has no displacement, so no better direction is known" : here.run.failure;
    return best;
  }
  const double given = here.run.margin;
  within.least_margin = std::max({options.least_margin, kBarrier * given, std::min(kAccurate, given)});
  best.start = std::exp(-here.value);
  std::vector<Numbers> H = unit_matrix(n);
  // Whether the last search along a line met singular shapes, or any cycles that cannot be followed.
  bool singular = false, blocked = false;
  for (; best.iterations < max_iterations && work < options.most_work; ++best.iterations) {
    const double scale = std::max(1.0, std::sqrt(inner(values, values)));
    if (std::sqrt(inner(here.slope, here.slope)) * scale <= kFlat) {
      best.converged = true;
      break;
    }
    Numbers step = descent_step(H, here.slope, kLongest * scale);
    bool found = false;
    singular = blocked = false;
    for (int half = 0; half < 30 && !found && work < options.most_work; ++half) {
      Numbers next = values;
      for (std::size_t i = 0; i < n; ++i) next[i] += step[i];
      Cost there = cost_of(next);
      singular = singular || there.run.singular;
      blocked = blocked || !there.good;
      found = there.good && there.value <= here.value + kEnough * inner(step, here.slope);
      if (found) {
        update_inverse(H, step, difference_of(there.slope, here.slope));
        values = std::move(next);
        here = std::move(there);
      } else {
        for (double& s : step) s /= 2;
      }
    }
    if (!found) break;
  }
  best.values = values;
  best.best = std::exp(-here.value);
  best.run = std::move(here.run);
  if (best.converged) return best;
  std::optional<double> near;
  if (singular || best.run.margin < 2 * within.least_margin) near = best.run.margin / given;
  best.remark = why_no_optimum(work >= options.most_work, near, blocked);
  return best;
}

}  // namespace dalembert
