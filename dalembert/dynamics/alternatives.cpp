// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/alternatives.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/assembly_angles.h"
#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

using Vector = std::vector<double>;

// Number of random starts for kGuesses, in addition to two fixed ones for each free coordinate: its mirror image, and
// the position half a turn away.
constexpr int kScattered = 12;
// Smallest and largest number of random starts for kCovered, and how often each assembly must be met.
constexpr int kFewest = 200, kMost = 6000, kOften = 20;
// The search ends at this amount of work, about a second. Work is counted in iterations times (coordinates + rows +
// kOverhead)².
constexpr double kMostSearch = 4e7, kOverhead = 10;
// Largest system that is searched, in coordinates plus rows: a single start is cheap up to here.
constexpr int kLargest = 60;
// Two assemblies are the same if no coordinate differs by more than this, relative to its size.
// Round-off blurs singular positions, so they get a looser limit: the square root, since the residual
// grows with the square of the distance.
constexpr double kSame = 1e-6, kSameSingular = 1e-3;
// Rank tolerance for the constraint rows on the free coordinates, each row scaled to norm 1.
constexpr double kIndependent = 1e-6;
// Number of singular positions that are remembered, to recognise one that is met a second time.
constexpr std::size_t kMostSingular = 64;
// Probability in (1) of missing an assembly.
constexpr double kChance = 0.01;

// Pseudorandom numbers, uniform in [0, 1). Source: Steele, Lea & Flood, Fast splittable pseudorandom number
// generators, OOPSLA 2014 (SplitMix64).
class UnitNumbers {
 public:
  double next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 1;
};

// Whether the position constraints leave the free coordinates no freedom at q.
bool is_isolated(const Dynamics& dynamics, double t, const Vector& q, const std::vector<int>& free,
                 Workspace& workspace) {
  evaluate_velocity(dynamics, t, q.data(), workspace);
  std::vector<int> place(index(dynamics.nq()), -1);
  for (std::size_t k = 0; k < free.size(); ++k) place[index(free[k])] = static_cast<int>(k);
  const std::vector<int>& rows = dynamics.layout().holonomic;
  HouseholderQr qr;
  qr.resize(static_cast<int>(free.size()), static_cast<int>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double* column = qr.column(static_cast<int>(k));
    std::fill(column, column + free.size(), 0.0);
    const double norm = workspace.W_rows.norm(rows[k], workspace.W);
    workspace.W_rows.for_each(rows[k], workspace.W, [&](int j, double w) {
      if (place[index(j)] >= 0) column[place[index(j)]] = norm > 0 ? w / norm : 0;
    });
  }
  return qr.factor_pivoted(kIndependent, static_cast<int>(rows.size())) == static_cast<int>(free.size());
}

class Search {
 public:
  Search(const Dynamics& dynamics, const State& guess, const AssembleOptions& options, const Assembly& found,
         std::vector<int> free, Alternatives& result)
      : dynamics_(dynamics),
        guess_(guess),
        options_(options),
        found_(found.state.q),
        free_(std::move(free)),
        workspace_(dynamics),
        angles_(dynamics, workspace_, guess.t, found.state.q),
        result_(result) {
    options_.restarts = 0;
    for (const int i : free_) result_.angle[index(i)] = angles_.is_angle(i);
    result_.met.assign(1, 0);
    measure();
  }

  // Starts from mirror images of the given assembly, from positions half a turn away, and from the user's guess.
  void try_images() {
    for (const int i : free_) {
      Vector q = found_;
      q[index(i)] = -q[index(i)];
      try_from(q, false);
      if (!result_.angle[index(i)]) continue;
      q[index(i)] = found_[index(i)] + M_PI;
      try_from(q, false);
    }
    Vector mirrored = found_;
    for (const int i : free_) mirrored[index(i)] = -mirrored[index(i)];
    try_from(mirrored, false);
    try_from(guess_.q, false);
  }

  // Starts from a random position: angles anywhere on the circle, other coordinates within the mechanism's reach.
  void try_anywhere() {
    Vector q = found_;
    const bool near = numbers_.next() < 0.5;
    for (const int i : free_) {
      const double u = 2 * numbers_.next() - 1;
      const Range& range = range_[index(i)];
      q[index(i)] = result_.angle[index(i)]          ? u * M_PI
                    : near && range.high > range.low ? (range.low + range.high) / 2 + u * (range.high - range.low)
                                                     : found_[index(i)] + 2 * u * range.reach;
    }
    ++result_.starts;
    try_from(q, true);
  }

  bool covered() const {
    return std::ranges::all_of(result_.met, [](int met) { return met >= kOften; });
  }
  double work() const { return work_; }
  void list_singular();

 private:
  struct Range {
    double low = 0, high = 0;  // smallest and largest value in the assemblies found so far
    double reach = 0;          // largest magnitude among the coordinates with the same unit
  };

  void try_from(const Vector& q, bool counts);
  bool same(const Vector& a, const Vector& b, double tolerance) const {
    return std::ranges::all_of(free_, [&](int i) {
      const double away = a[index(i)] - b[index(i)];
      return result_.angle[index(i)] ? std::abs(std::remainder(away, 2 * M_PI)) <= tolerance
                                     : std::abs(away) <= tolerance * range_[index(i)].reach;
    });
  }
  void measure();

  const Dynamics& dynamics_;
  const State& guess_;
  AssembleOptions options_;
  const Vector& found_;
  const std::vector<int> free_;
  Workspace workspace_;
  assembly::Angles angles_;
  UnitNumbers numbers_;
  Alternatives& result_;
  std::vector<Range> range_;
  struct SingularPosition {
    Vector q;
    int met = 0;
  };
  std::vector<SingularPosition> singular_;
  double work_ = 0;
};

// Estimates the range of each coordinate from the assemblies found so far. Coordinates of the same unit belong to one
// mechanism, so they share their reach.
void Search::measure() {
  const std::vector<std::string>& units = dynamics_.names().coordinate_units;
  const auto n = found_.size();
  const auto largest = [&](std::size_t i) {
    double size = std::max(std::abs(found_[i]), std::abs(guess_.q[i]));
    for (const Vector& q : result_.q) size = std::max(size, std::abs(q[i]));
    return size;
  };
  range_.assign(n, {});
  for (std::size_t i = 0; i < n; ++i) {
    range_[i].low = range_[i].high = found_[i];
    for (const Vector& q : result_.q) {
      range_[i].low = std::min(range_[i].low, q[i]);
      range_[i].high = std::max(range_[i].high, q[i]);
    }
    const bool unit = i < units.size();
    range_[i].reach = std::max(largest(i), unit && units[i] == "rad" ? M_PI : 1e-3);
    for (std::size_t j = 0; j < n && unit; ++j)
      if (units[j] == units[i] && !result_.angle[j]) range_[i].reach = std::max(range_[i].reach, largest(j));
  }
}

void Search::try_from(const Vector& q, bool counts) {
  State start = guess_;
  start.q = q;
  Assembly other = assemble(dynamics_, start, options_);
  const double size = dynamics_.nv() + dynamics_.m() + kOverhead;
  work_ += (other.iterations + 5) * size * size;
  Vector& at = other.state.q;
  if (other.status == AssemblyStatus::kNoPosition || other.status == AssemblyStatus::kNotFinite) {
    if (counts) ++result_.led_nowhere;
    return;
  }
  angles_.unwind(at, found_, free_);
  if (same(at, found_, kSame)) {
    if (counts) ++result_.met[0];
    return;
  }
  for (std::size_t k = 0; k < result_.q.size(); ++k)
    if (same(at, result_.q[k], kSame)) {
      if (counts) ++result_.met[k + 1];
      return;
    }
  if (!is_isolated(dynamics_, guess_.t, at, free_, workspace_)) {
    for (SingularPosition& known : singular_)
      if (same(at, known.q, kSameSingular)) {
        ++known.met;
        return;
      }
    if (singular_.size() < kMostSingular)
      singular_.push_back({std::move(at), 1});
    else
      ++result_.singular;
    return;
  }
  result_.q.push_back(std::move(at));
  result_.met.push_back(counts ? 1 : 0);
  measure();
}

// Lists a singular position only if several starts led to it. On a continuous motion each start would lead to a
// different position.
void Search::list_singular() {
  for (SingularPosition& one : singular_)
    if (one.met > 1) {
      result_.q.push_back(std::move(one.q));
      result_.met.push_back(one.met);
    } else {
      ++result_.singular;
    }
}

}  // namespace

double Alternatives::missing_below() const { return starts > 0 ? 1 - std::pow(kChance, 1.0 / starts) : 1; }

std::string_view to_text(Alternatives::Search search) {
  switch (search) {
    case Alternatives::Search::kDone:
      return "";
    case Alternatives::Search::kNone:
      return "no free coordinate occurs in a position constraint";
    case Alternatives::Search::kFree:
      return "the held coordinates leave a freedom of position, or the position is singular";
    case Alternatives::Search::kTooLarge:
      return "more than 60 coordinates and rows";
    case Alternatives::Search::kAttitudes:
      return "attitudes are quaternions";
  }
  return "";
}

Alternatives find_alternatives(const Dynamics& dynamics, const State& guess, const AssembleOptions& options,
                               const Assembly& found, AlternativesEffort effort) {
  Alternatives result;
  const auto n = index(dynamics.nq());
  result.angle.assign(n, false);
  std::vector<int> free;
  for (std::size_t i = 0; i < n; ++i)
    if (options.hold_position.empty() || !options.hold_position[i]) free.push_back(static_cast<int>(i));
  if (free.empty() || dynamics.layout().holonomic.empty()) return result;
  const auto not_searched = [&](Alternatives::Search why) {
    result.search = why;
    return result;
  };
  if (!dynamics.layout().v_is_qdot) return not_searched(Alternatives::Search::kAttitudes);
  if (dynamics.nv() + dynamics.m() > kLargest) return not_searched(Alternatives::Search::kTooLarge);
  Workspace workspace(dynamics);
  if (!is_isolated(dynamics, found.state.t, found.state.q, free, workspace))
    return not_searched(Alternatives::Search::kFree);

  result.search = Alternatives::Search::kDone;
  Search search(dynamics, guess, options, found, std::move(free), result);
  search.try_images();
  if (effort == AlternativesEffort::kGuesses) {
    for (int k = 0; k < kScattered; ++k) search.try_anywhere();
  } else {
    while (result.starts < kMost && search.work() < kMostSearch && (result.starts < kFewest || !search.covered()))
      search.try_anywhere();
  }
  search.list_singular();
  result.covered = result.starts >= kFewest && search.covered();
  return result;
}

}  // namespace dalembert
