// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/schedule.h"
#include "dalembert/base/bounds.h"
#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/switching.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace dalembert {
namespace {

// Smallest interval, relative to the length of the run. Two changes within such an interval are not told apart.
constexpr double kNarrowest = 1e-11;
// Largest number of intervals that are examined for one function. A guard that changes its sign more often costs
// a step for each change anyway.
constexpr int kMostIntervals = 400'000;
// Largest number of changes of one function that are listed.
constexpr std::size_t kMostChanges = 1'000'000;
// A drive is constant where it changes by less than this fraction of its range.
constexpr double kFlat = 1e-6;
// Samples predict a drive on an interval if their error is below this fraction of its range there.
constexpr double kForetold = 0.1;

// The median of the doubles between two values. From 0 to 1 there are 10^18 doubles, most of them close to 0.
double between(double low, double high) {
  const auto place = [](double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
  };
  const std::int64_t middle = std::midpoint(place(low), place(high));
  return std::bit_cast<double>(middle < 0 ? std::numeric_limits<std::int64_t>::min() - middle : middle);
}

// A function of time of a system: its value and bounds.
class Function {
 public:
  Function(const Dynamics& system, const Bounds* p, std::size_t i, std::vector<double>& work, std::vector<double>& u)
      : system_(system), switching_(*system.switching()), p_(p), i_(i), work_(work), u_(u), u_bounds_(u.size()) {}

  const TimeFunction& info() const { return switching_.functions[i_]; }
  double value(double t) {
    if (info().reads_inputs) system_.table_inputs(t, u_.data());
    return switching_.value(i_, t, system_.parameters().data(), u_.data(), work_.data());
  }
  Bounds bounds(Bounds t) {
    if (info().reads_inputs) system_.table_bounds(t, u_bounds_.data());
    return switching_.bounds(i_, t, p_, u_bounds_.data());
  }
  // The largest change of the function by the bounds on its rate: of a function that goes through an extreme it falls with the square of the interval, where
  // bounds(t) of a product such as t exp(-t) are as wide as its factors move apart.
  double change_by_rate(Bounds t) {
    if (!info().has_rate) return std::numeric_limits<double>::infinity();
    const Bounds rate = switching_.rate_bounds(i_, t, p_, u_bounds_.data());
    return (t.high - t.low) * std::max(rate.high, -rate.low);
  }
  // Whether the function rises or falls throughout.
  bool is_monotone(Bounds t) {
    if (!info().has_rate) return false;
    const Bounds rate = switching_.rate_bounds(i_, t, p_, u_bounds_.data());
    return rate.low > 0 || rate.high < 0;
  }

 private:
  const Dynamics& system_;
  const Switching& switching_;
  const Bounds* p_;
  std::size_t i_;
  std::vector<double>&work_, &u_;
  std::vector<Bounds> u_bounds_;
};

// A stretch of time on which a guard has one level.
struct Stretch {
  double begin = 0, level = 0;
};

// Finds the stretches of a guard, from left to right.
class Stretches {
 public:
  Stretches(Function& f, const Switching& switching, std::size_t guard, std::vector<Stretch>& stretches)
      : f_(f), switching_(switching), guard_(guard), floor_(switching.guards[guard].floor), stretches_(stretches) {}

  // False when the search exceeded kMostIntervals or kMostChanges.
  bool find(Bounds run) {
    const double narrowest =
        std::max(kNarrowest * (run.high - run.low), 4 * kEps * std::max(std::abs(run.low), std::abs(run.high)));
    std::vector<Bounds> open{run};
    for (int count = 0; !open.empty(); ++count) {
      const Bounds t = open.back();
      open.pop_back();
      const Bounds value = f_.bounds(t);
      const double low = switching_.level_of(guard_, value.low);
      if (low == switching_.level_of(guard_, value.high)) {
        add(t.low, low);
      } else if (t.high - t.low <= narrowest || count >= kMostIntervals || f_.is_monotone(t)) {
        add_changes(t);
      } else {
        const double middle = t.low + (t.high - t.low) / 2;
        open.push_back({middle, t.high});
        open.push_back({t.low, middle});
      }
      if ((count > kMostIntervals && !open.empty()) || has_too_many()) return false;
    }
    return true;
  }
  bool has_too_many() const { return stretches_.size() > kMostChanges; }

 private:
  double level(double t) { return switching_.level_of(guard_, f_.value(t)); }
  void add(double begin, double level) {
    if (stretches_.empty() || stretches_.back().level != level) stretches_.push_back({begin, level});
  }
  // Adds the changes within an interval as if the guard were monotone. A sign that is 0 at a single instant is ignored.
  void add_changes(Bounds t) {
    double at = t.low, now = level(t.low);
    const double last = level(t.high);
    if (!floor_ && now == 0) {
      if (last != 0) add(t.low, last);
      return;
    }
    add(t.low, now);
    while (now != last && !has_too_many()) {
      // Bisection for the first double with another level.
      double before = at, after = t.high;
      for (double middle = between(before, after); middle > before && middle < after; middle = between(before, after))
        (level(middle) == now ? before : after) = middle;
      if (!floor_) {
        if (last != 0) add(after, last);
        return;
      }
      at = after;
      now = level(after);
      add(after, now);
    }
  }

  Function& f_;
  const Switching& switching_;
  std::size_t guard_;
  bool floor_;
  std::vector<Stretch>& stretches_;
};

// Intervals in the search for the pieces of a drive. A pulse takes some hundred. What is only looked at along the motion is no reason for the steps of a wave, nor
// for a search that takes longer than a short run: of more intervals than kMostOfFollowed none count, as if there had been no search.
constexpr int kMostIntervalsOfDrive = 20'000, kMostOfFollowed = 500;

// Finds where a drive changes, as pieces on which samples predict it. find() is false when
// there were more than `most` intervals.
class Pieces {
 public:
  Pieces(Function& f, Bounds run, int most) : f_(f), run_(run), most_(most) {
    const Bounds all = f.bounds(run);
    // If the bounds show that the drive is constant, the search is done. Else its range is unknown so far.
    range_ = 0;
    const double change = all.high - all.low;
    done_ = std::isfinite(change) && change <= 16 * kEps * std::max(std::abs(all.low), std::abs(all.high));
  }

  struct Piece {
    double begin, end;
  };
  bool find(std::vector<Piece>& pieces) {
    if (done_) return true;
    const double narrowest = kNarrowest * (run_.high - run_.low);
    std::vector<Bounds> open{run_};
    std::vector<std::pair<Bounds, double>> found;  // interval, and change of the drive there
    for (int count = 0; !open.empty(); ++count) {
      if (count >= most_) return false;
      const Bounds t = open.back();
      open.pop_back();
      const Bounds value = f_.bounds(t);
      const double change = value.high - value.low;
      if (change <= kFlat * range_) continue;
      if (t.high - t.low <= narrowest || is_foretold(t, change)) {
        found.push_back({t, change});
        continue;
      }
      const double by_rate = f_.change_by_rate(t);
      if (by_rate <= kFlat * range_) continue;
      if (by_rate < change && is_foretold(t, by_rate)) {
        found.push_back({t, by_rate});
        continue;
      }
      const double middle = t.low + (t.high - t.low) / 2;
      open.push_back({middle, t.high});
      open.push_back({t.low, middle});
    }
    // The range is known only now, and changes that were found earlier may be negligible compared with it.
    for (const auto& [t, change] : found)
      if (change > kFlat * range_) pieces.push_back({t.low, t.high});
    return true;
  }

 private:
  // Whether the polynomial through five samples predicts four more samples between them.
  bool is_foretold(Bounds t, double change) {
    constexpr int kSamples = 5;
    constexpr std::array<double, 4> kBetween{0.117, 0.391, 0.618, 0.871};
    std::array<double, kSamples> at{}, value{};
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const auto sample = [&](double s) {
      const double y = f_.value(t.low + s * (t.high - t.low));
      low = std::min(low, y);
      high = std::max(high, y);
      return y;
    };
    for (std::size_t i = 0; i < kSamples; ++i) {
      at[i] = static_cast<double>(i) / (kSamples - 1);
      value[i] = sample(at[i]);
    }
    bool good = true;
    for (const double s : kBetween) {
      double predicted = 0;
      for (std::size_t i = 0; i < kSamples; ++i) {
        double weight = 1;
        for (std::size_t j = 0; j < kSamples; ++j)
          if (j != i) weight *= (s - at[j]) / (at[i] - at[j]);
        predicted += weight * value[i];
      }
      const double y = sample(s);
      good = good && std::abs(y - predicted) <= kForetold * change;
    }
    if (std::isfinite(high - low)) range_ = std::max(range_, high - low);
    // If the bounds are much wider than the range of the samples, the samples may have missed something.
    return good && high - low >= 0.25 * change;
  }

  Function& f_;
  Bounds run_;
  int most_;
  double range_ = 0;
  bool done_ = false;
};

// Whether the run evaluates the drive where it could be missed.
bool matters(const TimeFunction& drive, const IntegrateOptions& options) {
  if (drive.outputs.empty()) return true;
  const auto is_sought = [&](int output) {
    return options.peaks_of.empty() ||
           std::ranges::find(options.peaks_of, output, &IntegrateOptions::PeakOf::output) != options.peaks_of.end();
  };
  return options.find_peaks && std::ranges::any_of(drive.outputs, is_sought);
}

}  // namespace

Schedule::Schedule(const Dynamics& system, double start, const IntegrateOptions& options)
    : direction_(options.until < start ? -1 : 1) {
  const double until = options.until;
  const Switching* switching = system.switching();
  if (switching == nullptr) return;
  first_levels_.resize(switching->guards.size());
  if (!std::isfinite(until) || !std::isfinite(start)) return;
  std::vector<double> work(switching->work_size()), u(static_cast<std::size_t>(system.layout().inputs));
  std::vector<Bounds> p;
  for (const double value : system.parameters()) p.push_back({value, value});
  const Bounds run{std::min(start, until), std::max(start, until)};

  for (std::size_t k = 0; k < switching->guards.size(); ++k) {
    if (switching->guards[k].timed < 0) continue;
    Function f(system, p.data(), static_cast<std::size_t>(switching->guards[k].timed), work, u);
    std::vector<Stretch> stretches;
    Stretches search(f, *switching, k, stretches);
    if (!search.find(run)) given_up_.push_back(switching->guards[k].text);
    if (search.has_too_many()) {
      too_many_ = fmt::format("`{}` jumps more than {} times, the last of these at t = {} s", switching->guards[k].text,
                              kMostChanges, to_text(stretches.back().begin, 6));
      return;
    }
    if (stretches.empty()) continue;
    if (direction_ > 0) {
      first_levels_[k] = stretches.front().level;
      for (std::size_t i = 1; i < stretches.size(); ++i)
        switches_.push_back({stretches[i].begin, k, stretches[i].level});
    } else {
      first_levels_[k] = stretches.back().level;
      for (std::size_t i = stretches.size(); i-- > 1;)
        switches_.push_back({stretches[i].begin, k, stretches[i - 1].level});
    }
  }
  std::stable_sort(switches_.begin(), switches_.end(),
                   [&](const Switch& a, const Switch& b) { return direction_ * (a.time - b.time) < 0; });

  std::vector<Pieces::Piece> found;
  for (std::size_t i = switching->drives_from; i < switching->functions.size(); ++i) {
    const TimeFunction& drive = switching->functions[i];
    if (!matters(drive, options)) continue;
    Function f(system, p.data(), i, work, u);
    if (!Pieces(f, run, drive.acts ? kMostIntervalsOfDrive : kMostOfFollowed).find(found) && drive.acts)
      given_up_.push_back(drive.text);
  }
  for (const Pieces::Piece& piece : found) pieces_.push_back({piece.begin, piece.end, piece.end - piece.begin});
  std::sort(pieces_.begin(), pieces_.end(),
            [&](const Piece& a, const Piece& b) { return direction_ > 0 ? a.begin < b.begin : a.end > b.end; });
}

double Schedule::longest_step(double t) {
  double longest = std::numeric_limits<double>::infinity();
  const auto near_end = [&](const Piece& piece) { return direction_ > 0 ? piece.begin : piece.end; };
  const auto far_end = [&](const Piece& piece) { return direction_ > 0 ? piece.end : piece.begin; };
  while (piece_ < pieces_.size() && direction_ * (far_end(pieces_[piece_]) - t) <= 0) ++piece_;
  for (std::size_t i = piece_; i < pieces_.size(); ++i) {
    const double before = direction_ * (near_end(pieces_[i]) - t);
    if (before >= longest) break;
    if (direction_ * (far_end(pieces_[i]) - t) <= 0) continue;  // this piece, of another drive, has been passed
    longest = std::min(longest, std::max(before, 0.0) + pieces_[i].width);
  }
  return longest;
}

}  // namespace dalembert
