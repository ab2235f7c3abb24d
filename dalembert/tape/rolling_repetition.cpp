// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/rolling_repetition.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

namespace dalembert::rolling {
namespace {

constexpr std::array<std::uint32_t, 4> kWindows{512, 64, 8, 2};
constexpr std::size_t kSuggestions = 12;  // largest number of periods tried for each length of the window
constexpr std::size_t kMultiplied = 4;    // the first of these periods are also tried 2, 3 and 4 times as long
constexpr std::uint32_t kNear = 256;      // largest distance to an operand that the hash of a window contains

constexpr std::size_t kLoops = 1024;  // each loop saves at least 1/kLoops of the stream

struct Stretch {
  std::uint32_t begin, end, period = 0;
  std::uint32_t length() const { return end - begin; }
};

std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ h >> 31) * 0x9E3779B97F4A7C15u;
  return h ^ h >> 29;
}

class Search {
 public:
  Search(const Stream& stream, const RollOptions& options);
  std::vector<Repetition> run();

 private:
  std::vector<std::uint32_t> suggest(std::uint32_t window);
  void count_distances(const Stretch& gap, std::uint32_t window);
  bool is_affine(std::uint32_t position, std::uint32_t period) const;
  void find_stretches(const Stretch& gap, std::uint32_t period, std::vector<Stretch>& found) const;
  bool is_worthwhile(const Stretch& stretch) const;
  std::uint32_t shortest_period(const Stretch& stretch) const;
  void accept(const Stretch& stretch);
  void try_periods(std::span<const std::uint32_t> periods);
  std::uint32_t best_phase(const Stretch& stretch) const;

  const Stream& stream_;
  const RollOptions& options_;
  // By position: hash of the instruction's form and of the distances to its near operands.
  std::vector<std::uint64_t> key_;
  std::vector<Stretch> gaps_;          // stretches that are not part of a repetition yet
  std::vector<std::uint32_t> counts_;  // by distance: number of windows that equal the window this distance before
  std::vector<Repetition> found_;
  std::size_t least_saved_;
};

Search::Search(const Stream& stream, const RollOptions& options)
    : stream_(stream),
      options_(options),
      gaps_{{0, stream.size()}},
      least_saved_(std::max<std::size_t>(options.saved, stream.size() / kLoops)) {
  const std::size_t longest =
      std::min<std::size_t>(options.period, stream.size() / std::max<std::size_t>(options.rounds, 3));
  counts_.resize(longest + 1);
  key_.reserve(stream.size());
  for (std::uint32_t i = 0; i < stream.size(); ++i) {
    std::uint64_t key = stream.form[i];
    for (std::size_t f = 0; f < 3; ++f) {
      if (!stream.reads_computed(i, f)) continue;
      const std::uint32_t distance = i - static_cast<std::uint32_t>(stream.place[i][f]);
      key = mixed(key + (distance <= kNear ? distance : 0));
    }
    key_.push_back(key);
  }
}

// Counts at which distance each window of the gap occurred before. The table is small and forgets some windows, which
// only loses a few votes.
void Search::count_distances(const Stretch& gap, std::uint32_t window) {
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t position = 0;
  };
  constexpr std::size_t kTable = 1u << 14;
  constexpr std::uint64_t kBase = 0x9FB21C651E98DF25u;
  std::vector<Entry> last(std::min<std::size_t>(kTable, std::max<std::size_t>(2, 4 * std::size_t{gap.length()})));
  std::uint64_t highest = 1, hash = 0;  // highest: kBase^window; hash: polynomial hash of the last `window` keys
  for (std::uint32_t k = 0; k < window; ++k) highest *= kBase;
  for (std::uint32_t i = gap.begin; i < gap.end; ++i) {
    hash = hash * kBase + key_[i];
    if (i - gap.begin >= window) hash -= highest * key_[i - window];
    if (i - gap.begin + 1 < window) continue;
    Entry& entry = last[mixed(hash) % last.size()];
    const std::uint32_t distance = i - entry.position;
    if (entry.hash == hash && distance < counts_.size()) ++counts_[distance];
    entry = {hash, i};
  }
}

// The periods that windows of this length suggest, the most frequent first.
std::vector<std::uint32_t> Search::suggest(std::uint32_t window) {
  std::ranges::fill(counts_, 0);
  for (const Stretch& gap : gaps_)
    if (gap.length() >= 2 * window) count_distances(gap, window);
  std::vector<std::uint32_t> periods;
  for (std::uint32_t distance = 1; distance < counts_.size(); ++distance)
    if (8 * std::size_t{counts_[distance]} >= least_saved_) periods.push_back(distance);
  const std::size_t kept = std::min(kSuggestions, periods.size());
  std::ranges::partial_sort(
      periods, periods.begin() + static_cast<std::ptrdiff_t>(kept),
      [&](std::uint32_t x, std::uint32_t y) { return std::pair(counts_[y], x) < std::pair(counts_[x], y); });
  periods.resize(kept);
  return periods;
}

// Whether the instruction a period before, this one and the one a period later have one form and affine places.
bool Search::is_affine(std::uint32_t position, std::uint32_t period) const {
  const std::uint32_t before = position - period, after = position + period;
  if (stream_.form[before] != stream_.form[position] || stream_.form[position] != stream_.form[after]) return false;
  for (std::size_t f = 0; f < 3; ++f)
    if (stream_.place[after][f] - stream_.place[position][f] != stream_.place[position][f] - stream_.place[before][f])
      return false;
  return true;
}

bool Search::is_worthwhile(const Stretch& stretch) const {
  const std::size_t rounds = stretch.length() / stretch.period;
  return rounds >= std::max<std::size_t>(options_.rounds, 3) && (rounds - 1) * stretch.period >= least_saved_;
}

void Search::find_stretches(const Stretch& gap, std::uint32_t period, std::vector<Stretch>& found) const {
  if (gap.length() < 3 * period) return;
  std::uint32_t begin = gap.begin + period;
  const std::uint32_t end = gap.end - period;
  for (std::uint32_t i = begin; i <= end; ++i) {
    if (i < end && is_affine(i, period)) continue;
    const Stretch stretch{begin - period, i + period, period};
    if (begin < i && is_worthwhile(stretch)) found.push_back(stretch);
    begin = i + 1;
  }
}

// Where to begin rounds so that the fewest values are needed across their boundaries.
std::uint32_t Search::best_phase(const Stretch& stretch) const {
  const std::uint32_t period = stretch.period;
  const std::uint32_t middle = stretch.begin + (stretch.length() / period / 2 - 1) * period;
  // By value of the middle round: distance in instructions to its last read; 0: never read.
  std::vector<std::uint32_t> last_read(period);
  for (std::uint32_t i = middle; i < std::min(middle + 2 * period, stretch.end); ++i) {
    for (std::size_t f = 0; f < 3; ++f) {
      const auto at = static_cast<std::uint32_t>(stream_.place[i][f]);
      if (stream_.reads_computed(i, f) && at >= middle && at < middle + period) last_read[at - middle] = i - at;
    }
  }
  // A value computed at k and read last at k + d is needed across the boundaries k + 1, …, k + d.
  std::vector<std::int32_t> crossing(2 * std::size_t{period} + 2);
  for (std::uint32_t k = 0; k < period; ++k) {
    if (last_read[k] == 0 || last_read[k] >= period) continue;
    ++crossing[k + 1];
    --crossing[k + last_read[k] + 1];
  }
  for (std::size_t k = 1; k < crossing.size(); ++k) crossing[k] += crossing[k - 1];
  std::uint32_t best = 0;
  for (std::uint32_t k = 0; k < period; ++k) {
    crossing[k] += crossing[k + period];
    if (crossing[k] < crossing[best]) best = k;
  }
  return best;
}

// A stretch that repeats with a period also repeats with its multiples, and the suggested period may be such a
// multiple.
std::uint32_t Search::shortest_period(const Stretch& stretch) const {
  const auto repeats = [&](std::uint32_t period) {
    for (std::uint32_t i = stretch.begin + period; i + period < stretch.end; ++i)
      if (!is_affine(i, period)) return false;
    return true;
  };
  std::uint32_t period = stretch.period, rest = period;
  for (std::uint32_t factor = 2; factor <= rest; ++factor) {
    for (; rest % factor == 0; rest /= factor)
      if (repeats(period / factor)) period /= factor;
  }
  return period;
}

// Takes the longest part of the stretch that is still free.
void Search::accept(const Stretch& stretch) {
  std::size_t chosen = gaps_.size();
  Stretch part{0, 0, stretch.period};
  for (std::size_t g = 0; g < gaps_.size(); ++g) {
    const Stretch common{std::max(gaps_[g].begin, stretch.begin), std::min(gaps_[g].end, stretch.end), stretch.period};
    if (common.begin >= common.end || common.length() <= part.length()) continue;
    chosen = g;
    part = common;
  }
  if (chosen == gaps_.size() || !is_worthwhile(part)) return;
  part.period = shortest_period(part);
  Stretch shifted = part;
  shifted.begin += best_phase(part);
  if (is_worthwhile(shifted)) part = shifted;
  const Repetition repetition{part.begin, part.period, part.length() / part.period};
  found_.push_back(repetition);
  const Stretch gap = gaps_[chosen];
  gaps_[chosen].end = repetition.begin;
  gaps_.push_back({repetition.end(), gap.end});
}

void Search::try_periods(std::span<const std::uint32_t> periods) {
  std::vector<Stretch> stretches;
  for (const std::uint32_t period : periods)
    for (const Stretch& gap : gaps_) find_stretches(gap, period, stretches);
  std::ranges::stable_sort(stretches, std::ranges::greater{}, [](const Stretch& s) { return s.length() - s.period; });
  for (const Stretch& stretch : stretches) accept(stretch);
}

std::vector<Repetition> Search::run() {
  for (const std::uint32_t window : kWindows) {
    const std::vector<std::uint32_t> periods = suggest(window);
    try_periods(periods);
    // Windows do not tell everything (which parameter an instruction reads, for example), so the true period may be a
    // multiple of the suggested one.
    std::vector<std::uint32_t> multiples;
    for (const std::uint32_t period : std::span(periods).first(std::min(kMultiplied, periods.size())))
      for (const std::uint32_t times : {2u, 3u, 4u})
        if (times * period < counts_.size()) multiples.push_back(times * period);
    try_periods(multiples);
  }
  std::ranges::sort(found_, {}, &Repetition::begin);
  return std::move(found_);
}

}  // namespace

std::vector<Repetition> find_repetitions(const Stream& stream, const RollOptions& options) {
  return Search(stream, options).run();
}

}  // namespace dalembert::rolling
