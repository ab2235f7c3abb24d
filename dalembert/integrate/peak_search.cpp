// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/peak_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "dalembert/base/numeric.h"

namespace dalembert::integration {
namespace {

constexpr double kPeakPart = 1e-10;  // allowed error of an extremum, relative to the range of the series
// A multiplier below this part of the largest one has no sign. It changes its sign if both are this part of its own largest value.
constexpr double kNoSign = 1e-9, kTurned = 1e-3;
constexpr double kOwnRoundoff = 64 * kEps;  // relative round-off of a value
// In a smooth series three halvings leave an eighth of the spread of the values. If they leave more than kLeft of it,
// the series jumps or has a corner with a steep side. If they leave more than kLeft of the tail of the Chebyshev
// coefficients, and the tail is below kNoisePart of the range, the tail may be noise from round-off.
constexpr std::size_t kHalvingsToTell = 3;
// So it may below kNoiseOfSize of the values: beside a start at rest their range is small, and the equations multiply round-off by up to 1e6.
constexpr double kLeft = 0.5, kNoisePart = 1e-6, kNoiseOfSize = 1e-9;
constexpr std::size_t kMostHalvings = 6;
constexpr int kMostLooks = 2000;       // evaluations in a step; a corner takes 150
constexpr std::size_t kPeakGrid = 32;  // parts of an interval, for the first search of an extremum
constexpr double kSection = 0.6180339887498949;
// Golden sections, which find an extremum to 1e-6 of a step; that changes its value by about 1e-12 only. They end in the middle of an interval that is
// 2·kPeakGrid⁻¹·kSection^kSections wide, or twice that: kLastSection is less than half of it.
constexpr int kSections = 26;
constexpr double kLastSection = 1e-7;  // the points of the last comparison are 0.8 of it apart

// Evaluates the polynomial through the values at N knots, at the `kParts` − 1 points that divide the stretch from knot
// N − 3 to the last knot evenly.
template <std::size_t N, std::size_t kParts>
struct Interpolation {
  std::array<std::array<double, N>, kParts> weights{};
  std::array<double, N> highest{};  // weights of the values in the highest coefficient
  double without_first = 0;         // the highest coefficient times this: largest effect of leaving out the first knot

  explicit Interpolation(const std::array<double, N>& t) {
    for (std::size_t j = 0; j < N; ++j) {
      highest[j] = 1;
      for (std::size_t k = 0; k < N; ++k)
        if (k != j) highest[j] *= t[j] - t[k];
      highest[j] = 1 / highest[j];
    }
    for (std::size_t s = 1; s < kParts; ++s) {
      const double at = t[N - 3] + static_cast<double>(s) / kParts * (t[N - 1] - t[N - 3]);
      double before = 1, behind = 1;  // products of (at − knot) over the knots before, and after
      for (std::size_t j = 0; j < N; before *= at - t[j++]) weights[s][j] = highest[j] * before;
      for (std::size_t j = N; j-- > 0; behind *= at - t[j]) {
        weights[s][j] *= behind;
        if (j == 0) without_first = std::max(without_first, std::abs(behind));
      }
    }
  }
};

// The matrix that turns values at the Chebyshev points −cos(πj/n) into Chebyshev coefficients.
constexpr std::size_t kOrder = 8;
using Transform = std::array<std::array<double, kOrder + 1>, kOrder + 1>;
const Transform& to_coefficients() {
  static const Transform kTransform = [] {
    Transform all{};
    for (std::size_t k = 0; k <= kOrder; ++k)
      for (std::size_t j = 0; j <= kOrder; ++j) {
        const double once = (k == 0 || k == kOrder ? 1.0 : 2.0) * (j == 0 || j == kOrder ? 0.5 : 1.0) / kOrder;
        all[k][j] = once * std::cos(std::numbers::pi * static_cast<double>((kOrder - j) * k) / kOrder);
      }
    return all;
  }();
  return kTransform;
}

// The value of a Chebyshev sum at x in [−1, 1], by Clenshaw's recurrence.
template <std::size_t N>
double chebyshev_sum(const std::array<double, N>& c, double x) {
  double b1 = 0, b2 = 0;
  for (std::size_t k = N - 1; k > 0; --k) b2 = std::exchange(b1, 2 * x * b1 - b2 + c[k]);
  return x * b1 - b2 + c[0];
}

// The points of an even grid on [−1, 1].
constexpr std::array<double, kPeakGrid + 1> kGrid = [] {
  std::array<double, kPeakGrid + 1> points{};
  for (std::size_t k = 0; k < points.size(); ++k) points[k] = 2.0 * static_cast<double>(k) / kPeakGrid - 1;
  return points;
}();

// A sum of Chebyshev polynomials, and bounds of what it is between the points of the grid.
class Chebyshev {
 public:
  using Coefficients = std::array<double, kOrder + 1>;
  explicit Chebyshev(const Coefficients& c) : c_(c) {
    // |T_k| ≤ 1, |T_k''| ≤ k²(k² − 1)/3. Clenshaw's recurrence has an error below (n + 1)² eps Σ|c_k|.
    double sum = 0;
    for (std::size_t k = 0; k <= kOrder; ++k) {
      const double size = std::abs(c[k]), k2 = static_cast<double>(k * k);
      sum += size;
      curvature_ += k2 * (k2 - 1) / 3 * size;
      slope_at_end_ += k2 * c[k];
      slope_at_begin_ += (k % 2 == 0 ? -k2 : k2) * c[k];
    }
    roundoff_ = 1e-13 * sum;
  }

  double operator()(double x) const { return chebyshev_sum(c_, x); }
  const std::array<double, kPeakGrid + 1>& on_grid();

  // The place of the largest value of sign·sum, searched by golden sections about the best point of the grid, and bounds of the value there that
  // need no search.
  struct Peak {
    std::size_t best = 0;
    double lowest = 0, highest = 0;
  };
  Peak bound(double sign);
  double refine(const Peak& peak, double sign) const;

 private:
  const Coefficients& c_;
  double curvature_ = 0, slope_at_end_ = 0, slope_at_begin_ = 0, roundoff_ = 0;
  bool on_grid_ = false;
  std::array<double, kPeakGrid + 1> values_;
};

// The values at the points of the grid, all by the same operations as chebyshev_sum().
const std::array<double, kPeakGrid + 1>& Chebyshev::on_grid() {
  if (std::exchange(on_grid_, true)) return values_;
  std::array<double, kPeakGrid + 1> b1{}, b2{};
  for (std::size_t k = kOrder; k > 0; --k)
    for (std::size_t j = 0; j <= kPeakGrid; ++j) {
      const double next = 2 * kGrid[j] * b1[j] - b2[j] + c_[k];
      b2[j] = b1[j];
      b1[j] = next;
    }
  for (std::size_t j = 0; j <= kPeakGrid; ++j) values_[j] = kGrid[j] * b1[j] - b2[j] + c_[0];
  return values_;
}

Chebyshev::Peak Chebyshev::bound(double sign) {
  const auto& values = on_grid();
  std::size_t best = 0;
  for (std::size_t k = 1; k < values.size(); ++k)
    if (sign * values[k] > sign * values[best]) best = k;
  // Between two points at the distance h a sum exceeds the chord, and their larger value, by h²/8·|p''| at most.
  constexpr double kApart = 2.0 / kPeakGrid, kBulge = kApart * kApart / 8;
  const double top = sign * values[best], bulge = kBulge * curvature_ + roundoff_;
  Peak peak{best, 0, top + bulge};
  peak.lowest =
      std::min(sign * values[best - std::min<std::size_t>(best, 1)], sign * values[std::min(best + 1, kPeakGrid)]) -
      bulge;
  if (best != 0 && best != kPeakGrid) return peak;
  // Where the sum falls all the way from the end of the interval, and differences show it, refine() ends beside the end, at half its last section.
  const double slope = best == 0 ? -sign * slope_at_begin_ : sign * slope_at_end_, least = slope - kApart * curvature_;
  if (least > 0) peak.highest = top - kLastSection * least + roundoff_;
  if (least * kLastSection > 4 * roundoff_)
    peak.lowest = top - 2 * kLastSection * (slope + kApart * curvature_) - roundoff_;
  return peak;
}

double Chebyshev::refine(const Peak& peak, double sign) const {
  double left = kGrid[peak.best - std::min<std::size_t>(peak.best, 1)],
         right = kGrid[std::min(peak.best + 1, kPeakGrid)];
  for (int k = 0; k < kSections; ++k) {
    const double width = right - left, x1 = right - kSection * width, x2 = left + kSection * width;
    const double at_x1 = sign * (*this)(x1), at_x2 = sign * (*this)(x2);
    if (at_x1 < at_x2)
      left = x1;
    else
      right = x2;
  }
  return (left + right) / 2;
}

}  // namespace

void PeakSearch::offer(std::size_t series, double t, double value) {
  if (!std::isfinite(value)) return;
  Extremes& extremes = found_[series];
  // If the series is constant, or returns to its extremum, the first time counts.
  const double few = std::max(kOwnRoundoff * std::abs(value), kPeakPart * (extremes.max - extremes.min));
  if (!extremes.any || value < extremes.min - few) extremes.min = value, extremes.t_min = t;
  if (!extremes.any || value > extremes.max + few) extremes.max = value, extremes.t_max = t;
  extremes.any = true;
  if (series < sharing_) largest_shared_ = std::max(largest_shared_, std::abs(value));
}

void PeakSearch::note(double t, const Values& values) {
  for (std::size_t i = 0; i < found_.size(); ++i) offer(i, t, values[i]);
}

void PeakSearch::note_signs(double t, const Values& values) {
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    Sign& sign = signs_[i];
    const double value = values[i];
    if (!std::isnan(sign.t_turn) || !(std::abs(value) > kNoSign * largest_shared_)) continue;
    if (sign.value * value < 0) sign.t_turn = sign.t + (t - sign.t) * sign.value / (sign.value - value);
    sign.t = t;
    sign.value = value;
  }
}

void PeakSearch::begin(double t, const Values& values) {
  if (first_.values.empty()) first_ = {t, values};
  note(t, values);
  note_signs(t, values);
  knots_.assign(1, {t, values});
}

// An extremum that equals the initial value is reported at the start, although round-off may exceed it later.
std::vector<Extremes> PeakSearch::found() const {
  std::vector<Extremes> all = found_;
  for (std::size_t i = 0; i < signs_.size(); ++i)
    if (std::min(-all[i].min, all[i].max) > kTurned * std::max(-all[i].min, all[i].max))
      all[i].t_turn = signs_[i].t_turn;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].any = all[i].any && (seek_[i].min || seek_[i].max);
    if (!all[i].any || !std::isfinite(first_.values[i])) continue;
    const double few = kPeakPart * (all[i].max - all[i].min);
    if (first_.values[i] <= all[i].min + few) all[i].t_min = first_.t;
    if (first_.values[i] >= all[i].max - few) all[i].t_max = first_.t;
  }
  return all;
}

void PeakSearch::bend() {
  if (knots_.size() > 1) knots_.erase(knots_.begin(), knots_.end() - 1);
}

double PeakSearch::nothing(std::size_t series) const {
  const Extremes& known = found_[series];
  return kPeakPart * (known.max - known.min) + kOwnRoundoff * size_of(series) + noise_[series];
}

double PeakSearch::size_of(std::size_t series) const {
  const Extremes& known = found_[series];
  return series < sharing_ ? largest_shared_ : std::max(std::abs(known.min), std::abs(known.max));
}

bool PeakSearch::exceeds(std::size_t series, double value) const {
  return value > found_[series].max || value < found_[series].min;
}

bool PeakSearch::may_exceed(std::size_t series, double low, double high) const {
  const double few = nothing(series);
  const auto& [min, max, smooth] = seek_[series];
  return !((!max || high <= found_[series].max + few) && (!min || low >= found_[series].min - few));
}

// Whether the last step may contain an extremum of some series.
bool PeakSearch::worth_a_look() const {
  if (knots_.size() == kKnots) return worth_a_look_through<kKnots>();
  return knots_.size() == kKnots - 2 ? worth_a_look_through<kKnots - 2>() : true;
}

// The same, by the polynomial through N knots.
template <std::size_t N>
bool PeakSearch::worth_a_look_through() const {
  std::array<double, N> t{};
  for (std::size_t k = 0; k < N; ++k) t[k] = knots_[k].t;
  constexpr std::size_t kParts = 8, kStart = N - 3, kEnd = N - 1;
  const Interpolation<N, kParts> through(t);
  for (std::size_t i = 0; i < found_.size(); ++i) {
    // A series that stays well within its known extrema needs no closer look.
    double low = knots_[0].values[i], high = low;
    for (const Knot& knot : knots_) {
      low = std::min(low, knot.values[i]);
      high = std::max(high, knot.values[i]);
    }
    if (!may_exceed(i, low - (high - low), high + (high - low))) continue;
    std::array<double, kParts + 1> f{};
    f[0] = knots_[kStart].values[i];
    f[kParts] = knots_[kEnd].values[i];
    double highest = 0;
    for (std::size_t k = 0; k < N; ++k) highest += through.highest[k] * knots_[k].values[i];
    const double error = std::abs(highest) * through.without_first;
    for (std::size_t s = 1; s < kParts; ++s)
      for (std::size_t k = 0; k < N; ++k) f[s] += through.weights[s][k] * knots_[k].values[i];
    double bend = 0, least = f[1] - f[0], most = least;
    for (std::size_t k = 1; k <= kParts; ++k) {
      least = std::min(least, f[k] - f[k - 1]);
      most = std::max(most, f[k] - f[k - 1]);
      if (k < kParts) bend = std::max(bend, std::abs(f[k + 1] - 2 * f[k] + f[k - 1]));
    }
    if (!std::isfinite(error + bend)) continue;
    // If series without corners are monotone, also by the slopes at the ends of the step, the ends are their extrema.
    if (seek_[i].smooth && (least > 2 * error + bend || most < -2 * error - bend)) continue;
    const double margin = 3 * error + (seek_[i].smooth ? bend / 8 : std::max(most, -least));
    const auto [lowest, largest] = std::ranges::minmax(f);
    if (may_exceed(i, lowest - margin, largest + margin)) return true;
  }
  return false;
}

void PeakSearch::step(double t1, const Values& middle, const Values& end, const At& at) {
  note(t1, end);
  note_signs(t1, end);
  step_begin_ = knots_.back();
  if (middle.empty()) bend();
  const double t_middle = (step_begin_.t + t1) / 2;
  const Values& about_middle = middle.empty() ? end : middle;
  if (knots_.size() == kKnots) {
    // The knots of the oldest step become those of this one.
    std::rotate(knots_.begin(), knots_.begin() + 2, knots_.end());
    knots_[kKnots - 2].set(t_middle, about_middle);
    knots_[kKnots - 1].set(t1, end);
  } else {
    knots_.push_back({t_middle, about_middle});
    knots_.push_back({t1, end});
  }
  const bool worth = worth_a_look();
  if (middle.empty()) bend();
  if (!worth) return;
  at_ = &at;
  from_ = step_begin_.t;
  length_ = t1 - from_;
  evaluations_ = 0;
  levels_.resize(kMostHalvings + 1);
  for (Level& level : levels_) {
    level.tails.assign(found_.size(), 0.0);
    level.spreads.assign(found_.size(), 0.0);
  }
  look(step_begin_, knots_.back(), 0);
  at_ = nullptr;
}

bool PeakSearch::evaluate(double t, Knot& knot) {
  knot.t = t;
  if (++evaluations_ > kMostLooks || !(*at_)((t - from_) / length_, knot.values)) return false;
  note(t, knot.values);
  return true;
}

// Examines the part of a step between two evaluated points.
void PeakSearch::look(const Knot& from, const Knot& to, std::size_t halvings) {
  Nodes& nodes = levels_[halvings].nodes;
  nodes.front() = from;
  nodes.back() = to;
  for (std::size_t k = 1; k < kDegree; ++k) {
    const double theta = (1 - std::cos(std::numbers::pi * static_cast<double>(k) / kDegree)) / 2;
    if (!evaluate(from.t + theta * (to.t - from.t), nodes[k])) return;
  }
  bool enough = true;
  for (std::size_t i = 0; i < found_.size(); ++i) enough = search(nodes, i, halvings) == Told::kEnough && enough;
  if (enough) return;
  look(from, nodes[kDegree / 2], halvings + 1);
  look(nodes[kDegree / 2], to, halvings + 1);
}

PeakSearch::Told PeakSearch::search(const Nodes& nodes, std::size_t series, std::size_t halvings) {
  double low = nodes[0].values[series], high = low;
  for (const Knot& node : nodes) {
    low = std::min(low, node.values[series]);
    high = std::max(high, node.values[series]);
  }
  levels_[halvings].spreads[series] = high - low;
  // A polynomial of this degree exceeds its values at the nodes by less than the spread of these values.
  if (!std::isfinite(high - low) || !may_exceed(series, low - (high - low), high + (high - low))) return Told::kEnough;
  Polynomial c{};
  const Transform& transform = to_coefficients();
  for (std::size_t k = 0; k <= kDegree; ++k)
    for (std::size_t j = 0; j <= kDegree; ++j) c[k] += transform[k][j] * nodes[j].values[series];
  const double tail = levels_[halvings].tails[series] = std::abs(c[kDegree]) + std::abs(c[kDegree - 1]);
  const bool resolved = tail <= nothing(series);
  // At a corner the coefficients decay slowly; this bounds the sum of those that are left out.
  const double doubt = resolved ? 0 : 10 * (tail + std::abs(c[kDegree - 2]) + std::abs(c[kDegree - 3]));
  const auto stays = [&](Values Level::*of) {
    return !resolved && halvings >= kHalvingsToTell &&
           (levels_[halvings].*of)[series] > kLeft * (levels_[halvings - kHalvingsToTell].*of)[series];
  };
  const double a = nodes.front().t, b = nodes.back().t;
  const bool noisy =
      stays(&Level::tails) &&
      tail < std::max(kNoisePart * (found_[series].max - found_[series].min), kNoiseOfSize * size_of(series)) &&
      is_noise(a, b, series, tail);
  // Twice the tail: noise seldom exceeds it, and a step with more of it is halved again.
  if (noisy) noise_[series] = std::max(noise_[series], 2 * tail);
  const auto time = [&](double x) { return a + (x + 1) / 2 * (b - a); };
  Chebyshev sum(c);
  for (const double sign : {1.0, -1.0}) {
    if (!(sign > 0 ? seek_[series].max : seek_[series].min)) continue;
    const auto known = [&] { return sign > 0 ? found_[series].max : -found_[series].min; };
    if ((sign > 0 ? 2 * high - low : high - 2 * low) <= known()) continue;
    const double least = known() + (resolved ? 0 : nothing(series));
    const bool exact = tail <= nothing(series) - noise_[series],
               too_little = !exact && !resolved && !noisy && halvings < kMostHalvings && !stays(&Level::spreads);
    // Most stretches are decided by bounds.
    const Chebyshev::Peak peak = sum.bound(sign);
    if (peak.highest + doubt <= least) continue;
    if (too_little && peak.lowest + doubt > least) return Told::kTooLittle;
    const double x = sum.refine(peak, sign), value = sign * sum(x);
    if (value + doubt <= least) continue;
    Knot there;
    if (exact) {
      offer(series, time(x), sign * value);
    } else if (resolved || noisy) {
      // What exceeds the known extremum by no more than the noise is not worth an evaluation of all series.
      if (value + doubt - known() > nothing(series)) evaluate(time(x), there);
    } else if (too_little) {
      return Told::kTooLittle;
    } else {
      narrow(nodes, series, sign);  // a corner, or a jump
    }
  }
  return Told::kEnough;
}

// Whether the part of a series that no polynomial follows is noise. Noise shows in a third difference over a stretch so
// short that corners and smooth functions contribute nothing.
bool PeakSearch::is_noise(double from, double to, std::size_t series, double size) {
  constexpr double kWeights[] = {-1, 3, -3, 1}, kStretch = 1e-5, kSome = 0.1;
  // One evaluation has the values of all series.
  if (from != differences_from_ || to != differences_to_) {
    differences_.assign(found_.size(), 0.0);
    differences_from_ = from;
    differences_to_ = to;
    Knot there;
    for (std::size_t k = 0; k < std::size(kWeights); ++k) {
      const bool known = evaluate(from + (0.4 + kStretch * static_cast<double>(k)) * (to - from), there);
      for (std::size_t i = 0; i < differences_.size(); ++i)
        differences_[i] += known ? kWeights[k] * there.values[i] : std::numeric_limits<double>::quiet_NaN();
      if (!known) break;
    }
  }
  return std::abs(differences_[series]) > kSome * size;
}

// Refines the largest value at the nodes by golden sections of the function itself, which may have a corner nearby.
void PeakSearch::narrow(const Nodes& nodes, std::size_t series, double sign) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < nodes.size(); ++k)
    if (sign * nodes[k].values[series] > sign * nodes[best].values[series]) best = k;
  double a = nodes[best - std::min<std::size_t>(best, 1)].t, b = nodes[std::min(best + 1, nodes.size() - 1)].t;
  Knot left, right;
  bool known = evaluate(b - kSection * (b - a), left) && evaluate(a + kSection * (b - a), right);
  for (int k = 0; known && k < 60 && std::abs(b - a) > 4 * kEps * std::max(std::abs(a), std::abs(b)); ++k) {
    if (sign * left.values[series] < sign * right.values[series]) {
      a = left.t;
      std::swap(left, right);
      known = evaluate(a + kSection * (b - a), right);
    } else {
      b = right.t;
      std::swap(left, right);
      known = evaluate(b - kSection * (b - a), left);
    }
  }
}

}  // namespace dalembert::integration
