// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/quadrature.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/base/sine_cosine.h"

namespace dalembert::integration {
namespace {

// A coefficient below this many units of the round-off of the values is round-off.
constexpr double kRoundoffOfValues = 16;
// Noise: coefficients below kNoiseOfValues of the largest value that halving leaves larger than kNoiseLeft of themselves in both halves. A smooth function
// that is resolved so well would leave 1/256.
constexpr double kNoiseOfValues = 1e-6, kNoiseLeft = 0.25;
// The ratio at which coefficients fall from one quarter of the degrees to the next is at most this.
constexpr double kSlowest = 0.9;
// Factor on the estimated sum of the coefficients that are left out.
constexpr double kSafe = 2;
// A function that is not finite at a point is evaluated this fraction of the way to the middle of the panel: v/|v| has no value at rest.
constexpr double kBeside = 1e-9;
// A panel shorter than this many units of round-off of t is not halved.
constexpr double kShortestPanel = 64;

constexpr std::size_t kHighDegree = Quadrature::kHighDegree;

// The Chebyshev points x_j = −cos(πj/n) of a degree n; the matrix from values there to Chebyshev coefficients; weights of the quadrature.
struct Rule {
  std::array<double, kHighDegree + 1> x{}, weight{};
  std::array<std::array<double, kHighDegree + 1>, kHighDegree + 1> transform{};

  explicit Rule(std::size_t n) {
    const auto cosine = [n](std::size_t k) {
      return sine_cosine(std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)).cosine;
    };
    const auto is_end = [n](std::size_t k) { return k == 0 || k == n; };
    for (std::size_t j = 0; j <= n; ++j) {
      x[j] = j == n / 2 ? 0 : -cosine(j);
      for (std::size_t k = 0; k <= n; ++k)
        transform[k][j] =
            (is_end(k) ? 1.0 : 2.0) * (is_end(j) ? 0.5 : 1.0) / static_cast<double>(n) * cosine((n - j) * k);
      for (std::size_t k = 0; k <= n; k += 2) weight[j] += transform[k][j] * 2 / (1 - static_cast<double>(k * k));
    }
  }
};

const Rule& rule(std::size_t degree) {
  static const Rule few(Quadrature::kLowDegree), many(kHighDegree);
  return degree == kHighDegree ? many : few;
}

// How Chebyshev coefficients fall: the largest one in each quarter of the degrees, and the slowest ratio between the last three quarters.
struct Fall {
  double last = 0, ratio = 0;

  Fall(const std::array<double, kHighDegree + 1>& c, std::size_t n) {
    std::array<double, 4> most{};
    for (std::size_t k = 1; k <= n; ++k) {
      double& quarter = most[(k - 1) * 4 / n];
      quarter = std::max(quarter, std::abs(c[k]));
    }
    last = most[3];
    for (std::size_t q = 2; q < 4; ++q)
      if (most[q] > 0) ratio = std::max(ratio, most[q - 1] > 0 ? std::min(most[q] / most[q - 1], kSlowest) : kSlowest);
  }
  // An estimate of the sum of the coefficients beyond degree n.
  double rest(std::size_t n) const { return kSafe * static_cast<double>(n) / 4 * last * ratio / (1 - ratio); }
};

}  // namespace

Quadrature::Panel& Quadrature::next_panel(double from, double to) {
  if (used_ == panels_.size()) {
    Panel& made = panels_.emplace_back();
    made.values.resize(count_);
    made.antiderivative.resize(count_);
    for (auto* x : {&made.total, &made.size, &made.error, &made.tail, &made.ratio, &made.largest, &made.before})
      x->resize(count_);
    made.noisy.resize(count_);
  }
  Panel& panel = panels_[used_++];
  panel.from = from;
  panel.to = to;
  return panel;
}

// Computes values_ at a time; a function without a value there gets the one of a time towards `middle`.
bool Quadrature::evaluate(double t, double middle, const Functions& functions) {
  if (!functions(t, values_.data())) return false;
  const auto is_missing = [&](std::size_t i) { return lost_[i] == 0 && !std::isfinite(values_[i]); };
  bool missing = false;
  for (std::size_t i = 0; i < count_; ++i) missing = missing || is_missing(i);
  if (!missing) return true;
  std::vector<double> beside(count_);
  if (!functions(t + kBeside * (middle - t), beside.data())) return false;
  for (std::size_t i = 0; i < count_; ++i) {
    if (is_missing(i)) values_[i] = beside[i];
    if (is_missing(i)) lost_[i] = 1;
  }
  return true;
}

// Interpolates function i and estimates the error of its integral over the panel.
void Quadrature::approximate(Panel& panel, std::size_t i) const {
  const std::size_t n = panel.degree;
  const Rule& use = rule(n);
  const std::array<double, kHighDegree + 1>& f = panel.values[i];
  std::array<double, kHighDegree + 1> c{};
  double largest = 0, sum = 0;
  for (std::size_t j = 0; j <= n; ++j) {
    for (std::size_t k = 0; k <= n; ++k) c[k] += use.transform[k][j] * f[j];
    largest = std::max(largest, std::abs(f[j]));
    sum += use.weight[j] * std::abs(f[j]);
  }
  const double half = (panel.to - panel.from) / 2;
  panel.size[i] = std::abs(half) * sum;
  panel.largest[i] = largest;
  // The antiderivative Σ b_k T_k has b_k = (c_{k−1} − c_{k+1})/(2k), with c₀ doubled.
  std::array<double, kHighDegree + 2>& b = panel.antiderivative[i];
  double at_start = 0;
  panel.total[i] = 0;
  for (std::size_t k = 1; k <= n + 1; ++k) {
    const double below = k == 1 ? 2 * c[0] : c[k - 1], above = k + 1 <= n ? c[k + 1] : 0;
    b[k] = half * (below - above) / (2 * static_cast<double>(k));
    at_start += k % 2 == 0 ? b[k] : -b[k];
    panel.total[i] += b[k];
  }
  b[0] = -at_start;
  panel.total[i] += b[0];
  // The coefficients that are left out continue those that are there.
  const Fall fall(c, n);
  panel.tail[i] = fall.last;
  panel.ratio[i] = fall.ratio;
  const double noise = std::max(kEps * largest, tolerance_.noise != nullptr ? tolerance_.noise[i] : 0.0);
  const bool roundoff = fall.last <= kRoundoffOfValues * noise;
  panel.noisy[i] = roundoff ? 1 : 0;
  panel.error[i] = std::abs(half) * (roundoff ? fall.last / static_cast<double>(n) : fall.rest(n));
}

// Evaluates the functions in a panel. `parent`: the panel of which this one is the left or right half; null: none.
bool Quadrature::fill(Panel& panel, const Functions& functions, const Panel* parent, bool left) {
  const double middle = panel.from + (panel.to - panel.from) / 2, half = (panel.to - panel.from) / 2;
  const auto take = [&](std::size_t j) {
    for (std::size_t i = 0; i < count_; ++i) panel.values[i][j] = lost_[i] != 0 ? 0 : values_[i];
  };
  const auto share = [&](std::size_t j, std::size_t theirs) {
    for (std::size_t i = 0; i < count_; ++i) panel.values[i][j] = parent->values[i][theirs];
  };
  const auto time = [&](const Rule& use, std::size_t j, std::size_t degree) {
    return j == 0 ? panel.from : j == degree ? panel.to : middle + half * use.x[j];
  };
  panel.degree = kLowDegree;
  for (std::size_t j = 0; j <= kLowDegree; ++j) {
    if (parent != nullptr && j == 0) {
      share(j, left ? 0 : parent->degree / 2);
      continue;
    }
    if (parent != nullptr && j == kLowDegree) {
      share(j, left ? parent->degree / 2 : parent->degree);
      continue;
    }
    if (!evaluate(time(rule(kLowDegree), j, kLowDegree), middle, functions)) return false;
    take(j);
  }
  // The panel gets more points if these are likely to be enough.
  bool wanted = false, worth = true;
  const double part = to_ == from_ ? 1 : (panel.to - panel.from) / (to_ - from_);
  for (std::size_t i = 0; i < count_; ++i) {
    approximate(panel, i);
    const double may_be = part * std::max(allowed(i), tolerance_.relative * panel.size[i]);
    if (lost_[i] != 0 || panel.noisy[i] != 0 || panel.error[i] <= may_be) continue;
    wanted = true;
    // The higher degree has four more quarters of the lower one.
    const double ratio = panel.ratio[i] * panel.ratio[i];
    worth = worth && panel.error[i] * ratio * ratio <= may_be;
  }
  if (!wanted || !worth) return true;
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t j = kLowDegree; j > 0; --j) panel.values[i][2 * j] = panel.values[i][j];
  panel.degree = kHighDegree;
  for (std::size_t j = 1; j < kHighDegree; j += 2) {
    if (!evaluate(time(rule(kHighDegree), j, kHighDegree), middle, functions)) return false;
    take(j);
  }
  for (std::size_t i = 0; i < count_; ++i) approximate(panel, i);
  return true;
}

void Quadrature::add_up() {
  for (auto* x : {&total_, &size_, &error_}) x->assign(count_, 0.0);
  for (std::size_t k = 0; k < used_; ++k)
    for (std::size_t i = 0; i < count_; ++i) {
      size_[i] += panels_[k].size[i];
      error_[i] += panels_[k].error[i];
    }
}

bool Quadrature::halve(std::size_t which, const Functions& functions) {
  const Panel parent = panels_[which];
  const double middle = parent.from + (parent.to - parent.from) / 2;
  std::swap(panels_[which], panels_[--used_]);
  for (const bool left : {true, false}) {
    Panel& half = next_panel(left ? parent.from : middle, left ? middle : parent.to);
    if (!fill(half, functions, &parent, left)) return false;
  }
  Panel &one = panels_[used_ - 2], &two = panels_[used_ - 1];
  for (std::size_t i = 0; i < count_; ++i) {
    if (!(parent.tail[i] <= kNoiseOfValues * parent.largest[i]) ||
        !(std::min(one.tail[i], two.tail[i]) > kNoiseLeft * parent.tail[i]))
      continue;
    // The integral averages the noise of the values.
    for (Panel* half : {&one, &two}) {
      half->noisy[i] = 1;
      half->error[i] = std::abs(half->to - half->from) / 2 * half->tail[i] / static_cast<double>(half->degree);
    }
  }
  return true;
}

bool Quadrature::integrate(double from, double to, const Functions& functions, const Tolerance& tolerance) {
  tolerance_ = tolerance;
  from_ = from;
  to_ = to;
  used_ = 0;
  values_.resize(count_);
  lost_.assign(count_, 0);
  add_up();
  if (!fill(next_panel(from, to), functions, nullptr, false)) return false;
  for (;;) {
    add_up();
    // The panel that has the largest error of a function whose errors are too large.
    std::size_t worst = used_;
    double most = 0;
    for (std::size_t k = 0; k < used_; ++k) {
      const Panel& panel = panels_[k];
      const double round = kEps * std::max(std::abs(panel.from), std::abs(panel.to));
      if (std::abs(panel.to - panel.from) <= kShortestPanel * round) continue;
      for (std::size_t i = 0; i < count_; ++i) {
        const double may_be = allowed(i);
        if (lost_[i] != 0 || panel.noisy[i] != 0 || !(error_[i] > may_be)) continue;
        const double share = may_be > 0 ? panel.error[i] / may_be : panel.error[i];
        if (share > most) most = share, worst = k;
      }
    }
    if (worst == used_ || used_ >= tolerance.most_panels) break;
    if (!halve(worst, functions)) return false;
  }
  put_in_order();
  return true;
}

// Sorts the panels and adds up their integrals from the start on.
void Quadrature::put_in_order() {
  const auto begin = panels_.begin(), end = begin + static_cast<std::ptrdiff_t>(used_);
  const bool forwards = to_ >= from_;
  std::sort(begin, end, [&](const Panel& a, const Panel& b) { return forwards ? a.from < b.from : a.from > b.from; });
  for (std::size_t k = 0; k < used_; ++k)
    for (std::size_t i = 0; i < count_; ++i) {
      panels_[k].before[i] = total_[i];
      total_[i] += panels_[k].total[i];
    }
  for (std::size_t i = 0; i < count_; ++i)
    if (lost_[i] != 0) total_[i] = std::numeric_limits<double>::quiet_NaN();
}

double Quadrature::at(std::size_t i, double t) const {
  const bool forwards = to_ >= from_;
  const auto is_past = [&](double a, double b) { return forwards ? a > b : a < b; };
  if (lost_[i] != 0) return total_[i];
  if (!is_past(t, from_)) return t == from_ ? 0 : (t - from_) * panels_[0].values[i][0];
  const Panel& last = panels_[used_ - 1];
  if (!is_past(to_, t)) return t == to_ ? total_[i] : total_[i] + (t - to_) * last.values[i][last.degree];
  const auto begin = panels_.begin(), end = begin + static_cast<std::ptrdiff_t>(used_);
  const Panel& panel = *(std::partition_point(begin, end, [&](const Panel& one) { return !is_past(one.from, t); }) - 1);
  // Clenshaw's recurrence for Σ b_k T_k.
  const double x = std::clamp(2 * (t - panel.from) / (panel.to - panel.from) - 1, -1.0, 1.0);
  const std::array<double, kHighDegree + 2>& b = panel.antiderivative[i];
  double b1 = 0, b2 = 0;
  for (std::size_t k = panel.degree + 1; k > 0; --k) b2 = std::exchange(b1, 2 * x * b1 - b2 + b[k]);
  return panel.before[i] + (x * b1 - b2 + b[0]);
}

}  // namespace dalembert::integration
