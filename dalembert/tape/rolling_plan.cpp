// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/rolling_plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

namespace dalembert::rolling {
namespace {

constexpr int kAttempts = 16;  // attempts to shorten a loop until everything fits

std::int64_t floor_divide(std::int64_t x, std::int64_t y) {  // y > 0
  return x >= 0 ? x / y : -((-x + y - 1) / y);
}

}  // namespace

Plan::Plan(const Stream& stream, const Tape& tape, std::span<const Repetition> repetitions, const RollOptions& options)
    : stream_(stream), tape_(tape), options_(options) {
  for (Repetition loop : repetitions) {
    if (!fit(loop)) continue;
    refer(loop);
    loops_.push_back(loop);
    const std::vector<std::uint32_t> none(2 * std::size_t{loop.period}, kNone);
    records_.push_back({none, none, 0, loop.rounds, 0, 0});
  }
  if (loops_.empty()) return;
  mark_all();
  lay_out();
  settle_all();
}

// The rounds j of [0, rounds) in which first + j · step lies in [begin, end). step ≠ 0.
Plan::Rounds Plan::rounds_within(std::int64_t first, std::int64_t step, std::int64_t begin, std::int64_t end,
                                 std::int64_t rounds) {
  const std::int64_t low = step > 0 ? -floor_divide(first - begin, step) : floor_divide(first - end, -step) + 1,
                     high = step > 0 ? -floor_divide(first - end, step) : floor_divide(first - begin, -step) + 1;
  const std::int64_t from = std::clamp<std::int64_t>(low, 0, rounds);
  return {from, std::clamp<std::int64_t>(high, from, rounds)};
}

bool Plan::is_second(std::uint32_t position, std::size_t f) const {
  const Instruction& at = tape_.instructions[stream_.instruction[position]];
  return stream_.value[std::array{at.a, at.b, at.c}[f]].source == Source::kSecond;
}

std::uint32_t Plan::value_at(std::uint32_t position, bool second) const {
  const Instruction& at = tape_.instructions[stream_.instruction[position]];
  return second ? at.b : at.dst;
}

// The loop that contains this position of the stream, or kNone.
std::uint32_t Plan::loop_at(std::int64_t position) const {
  const auto behind =
      std::ranges::upper_bound(loops_, position, {}, [](const Repetition& l) { return std::int64_t{l.begin}; });
  if (behind == loops_.begin() || !std::prev(behind)->contains(position)) return kNone;
  return static_cast<std::uint32_t>(behind - loops_.begin() - 1);
}

// The loop that computes most of the elements first + j · step; loops_.size() for `loop` itself, which is not an
// element of loops_ yet, kMade for none.
std::uint32_t Plan::choose_provider(const Repetition& loop, std::int64_t first, std::int64_t step) const {
  const std::int64_t last = first + (loop.rounds - 1) * step, low = std::min(first, last), high = std::max(first, last);
  std::uint32_t best = kMade;
  std::int64_t most = 0;
  const auto candidate = [&](const Repetition& provider, std::uint32_t number) {
    const Rounds inside = rounds_within(first, step, provider.begin, provider.end(), loop.rounds);
    if (inside.size() <= most) return;
    most = inside.size();
    best = number;
  };
  auto at = std::ranges::lower_bound(loops_, low, std::ranges::less_equal{},
                                     [](const Repetition& l) { return std::int64_t{l.end()}; });
  for (; at != loops_.end() && at->begin <= high && at->begin < loop.begin; ++at)
    candidate(*at, static_cast<std::uint32_t>(at - loops_.begin()));
  if (step == loop.period) candidate(loop, static_cast<std::uint32_t>(loops_.size()));
  return best;
}

// Restricts the rounds to those in which operand f of instruction p has an affine address; returns the factor by which
// the loop must be unrolled: a round that advances by half a round of the provider finds its operand in every second
// round only.
std::int64_t Plan::restrict_rounds(const Repetition& loop, std::uint32_t p, std::size_t f, Rounds& allowed) const {
  const std::int64_t first = stream_.place[loop.begin + p][f],
                     step = stream_.place[loop.begin + loop.period + p][f] - first;
  const auto keep = [&](std::int64_t begin, std::int64_t end) {
    allowed.begin = std::max(allowed.begin, begin);
    allowed.end = std::min(allowed.end, end);
  };
  if (step == 0) {
    if (first >= loop.begin) keep(1, loop.rounds);  // the first round computes the value that the others read
    return 1;
  }
  if (step == loop.period && first >= loop.begin) return 1;
  const std::uint32_t provider = choose_provider(loop, first, step);
  if (provider == loops_.size()) return 1;
  const Rounds before = rounds_within(first, step, 0, loop.begin, loop.rounds);
  keep(before.begin, before.end);
  if (provider == kMade) return 1;
  const Repetition& other = loops_[provider];
  const Rounds inside = rounds_within(first, step, other.begin, other.end(), loop.rounds);
  const std::int64_t margin = loop.rounds / 4 + 2;
  keep(inside.begin - margin, inside.end + margin);
  return other.period / std::gcd(step, std::int64_t{other.period});
}

bool Plan::fit(Repetition& loop) const {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (loop.rounds < std::max<std::size_t>(options_.rounds, 2)) return false;
    Rounds allowed{0, loop.rounds};
    std::int64_t joined = 1;
    for (std::uint32_t p = 0; p < loop.period; ++p) {
      for (std::size_t f = 0; f < 3; ++f)
        if (stream_.reads_computed(loop.begin + p, f)) joined = std::lcm(joined, restrict_rounds(loop, p, f, allowed));
      if (allowed.size() <= 0 || joined * loop.period > static_cast<std::int64_t>(options_.period)) return false;
    }
    if (joined > 1) {
      loop.period *= static_cast<std::uint32_t>(joined);
      loop.rounds /= static_cast<std::uint32_t>(joined);
      continue;
    }
    if (allowed.size() == loop.rounds) return true;
    loop.begin += static_cast<std::uint32_t>(allowed.begin) * loop.period;
    loop.rounds = static_cast<std::uint32_t>(allowed.size());
  }
  return false;
}

// Collects the operands of the loop that come from outside their round. The caller then appends the loop to loops_.
void Plan::refer(const Repetition& loop) {
  for (std::uint32_t p = 0; p < loop.period; ++p) {
    for (std::uint32_t f = 0; f < 3; ++f) {
      if (!stream_.reads_computed(loop.begin + p, f)) continue;
      const std::int64_t first = stream_.place[loop.begin + p][f],
                         step = stream_.place[loop.begin + loop.period + p][f] - first;
      if (step == loop.period && first >= loop.begin) continue;
      Reference found{static_cast<std::uint32_t>(loops_.size()), p, f, first, step, kFixed, false, {}, 0};
      found.second = is_second(loop.begin + p, f);
      if (step != 0) found.provider = choose_provider(loop, first, step);
      if (found.provider < kFixed) {
        const Repetition& provider = found.provider == loops_.size() ? loop : loops_[found.provider];
        found.inside = rounds_within(first, step, provider.begin, provider.end(), loop.rounds);
      }
      references_.push_back(found);
    }
  }
}

// The index 2p + second (p: number of the instruction in its round) of a result of the loop, from its position in the
// stream, which may lie outside the loop's rounds.
std::size_t Plan::result_index(std::uint32_t loop, std::int64_t position, bool second) const {
  const Repetition& l = loops_[loop];
  const std::int64_t p = position - l.begin - floor_divide(position - l.begin, l.period) * l.period;
  return 2 * static_cast<std::size_t>(p) + second;
}

// Notes that other code reads the result at this position, if a loop computes it. A carried result keeps the value of
// the last round only, so a result that is read from an earlier round is not carried.
void Plan::mark(std::int64_t position, bool second) {
  const std::uint32_t loop = loop_at(position);
  if (loop == kNone) return;
  const std::size_t result = result_index(loop, position, second);
  Records& records = records_[loop];
  if (records.offset[result] == kNone && position + loops_[loop].period >= loops_[loop].end())
    records.carried[result] = 0;
  if (position + loops_[loop].period < loops_[loop].end()) records.carried[result] = kNone;
  records.offset[result] = 0;
}

// Whether the reference reads the result of the previous round before it is computed again, so that the result may be
// carried.
bool Plan::is_carried(const Reference& r) const {
  const Repetition& loop = loops_[r.loop];
  return r.provider == r.loop && r.step == loop.period && r.first + loop.period >= loop.begin &&
         2 * std::size_t{r.p} <= result_index(r.loop, r.first, false);
}

void Plan::mark_elements(const Reference& r) {
  // Elements that another loop than the provider computes are copied from the records of that loop.
  const std::int64_t rounds = loops_[r.loop].rounds;
  for (std::int64_t j = 0; j < r.inside.begin; ++j) mark(r.first + j * r.step, r.second);
  for (std::int64_t j = r.inside.end; j < rounds; ++j) mark(r.first + j * r.step, r.second);
  if (r.provider == kMade) return;
  const Repetition& provider = loops_[r.provider];
  Records& records = records_[r.provider];
  const std::size_t result = result_index(r.provider, r.first, r.second);
  if (records.offset[result] == kNone) records.carried[result] = 0;
  if (!is_carried(r)) records.carried[result] = kNone;
  records.offset[result] = 0;
  for (const std::int64_t j : {std::int64_t{0}, rounds - 1}) {
    const std::int64_t round = floor_divide(r.first + j * r.step - provider.begin, provider.period);
    const std::int64_t last = std::max(records.first_round + records.rounds - 1, round);
    records.first_round = std::min(records.first_round, round);
    records.rounds = last - records.first_round + 1;
  }
}

void Plan::mark_all() {
  for (const Reference& r : references_) {
    if (r.provider == kFixed)
      mark(r.first, r.second);
    else
      mark_elements(r);
  }
  // The results that straight-line code reads.
  std::size_t loop = 0;
  for (std::uint32_t i = 0; i < stream_.size(); ++i) {
    if (loop < loops_.size() && i == loops_[loop].begin) {
      i = loops_[loop++].end() - 1;
      continue;
    }
    for (std::size_t f = 0; f < 3; ++f)
      if (stream_.reads_computed(i, f)) mark(stream_.place[i][f], is_second(i, f));
  }
}

// Sets the addresses of the loops' records and of the arrays that are made for operands; operands with the same
// elements share an array.
void Plan::lay_out() {
  for (Records& records : records_) {
    for (std::uint32_t& carried : records.carried)
      if (carried != kNone) carried = memory_++;
    records.base = memory_;
    for (std::size_t i = 0; i < records.offset.size(); ++i)
      if (records.offset[i] != kNone && records.carried[i] == kNone) records.offset[i] = records.size++;
    memory_ += records.size * static_cast<std::uint32_t>(records.rounds);
  }
  std::map<std::tuple<std::uint32_t, std::int64_t, std::int64_t, bool>, std::uint32_t> made;
  for (Reference& r : references_) {
    if (r.provider != kMade) continue;
    const auto [at, is_new] = made.try_emplace({r.loop, r.first, r.step, r.second}, memory_);
    if (is_new) memory_ += loops_[r.loop].rounds;
    r.address = at->second;
  }
}

// The address in the loop's records of the result at this position, which may lie outside the loop's rounds.
std::uint32_t Plan::address_in(std::uint32_t loop, std::int64_t position, bool second) const {
  const Repetition& l = loops_[loop];
  const Records& records = records_[loop];
  const std::size_t result = result_index(loop, position, second);
  if (records.carried[result] != kNone) return records.carried[result];
  const std::int64_t round = floor_divide(position - l.begin, l.period);
  return records.base + static_cast<std::uint32_t>(round - records.first_round) * records.size + records.offset[result];
}

// Makes sure that each element is where the reference looks for it. The provider writes the elements that it computes.
// Straight-line code writes a result directly to the first place that wants it; further places get copies. A carried
// place is overwritten in each round, so it always gets a copy.
void Plan::settle(const Reference& r) {
  const bool carried =
      r.provider != kMade && records_[r.provider].carried[result_index(r.provider, r.first, r.second)] != kNone;
  for (std::int64_t j = 0; j < loops_[r.loop].rounds; ++j) {
    if (j == r.inside.begin) j = r.inside.end;
    if (j >= loops_[r.loop].rounds) break;
    const auto position = static_cast<std::uint32_t>(r.first + j * r.step);
    const std::uint32_t value = value_at(position, r.second), loop = loop_at(position);
    const std::uint32_t to =
        r.provider == kMade ? r.address + static_cast<std::uint32_t>(j) : address_in(r.provider, position, r.second);
    if (loop == kNone && !carried && home_[value] == kNone) home_[value] = to;
    if (loop == kNone && home_[value] == to) continue;
    copies_.push_back({loop == kNone ? position : loops_[loop].end() - 1, value, to});
  }
}

void Plan::settle_all() {
  home_.assign(tape_.registers, kNone);
  for (const Reference& r : references_)
    if (r.provider != kFixed) settle(r);
  const auto key = [](const Copy& copy) { return std::tuple(copy.after, copy.value, copy.to); };
  std::ranges::sort(copies_, {}, key);
  const auto twins = std::ranges::unique(copies_, {}, key);
  copies_.erase(twins.begin(), twins.end());
}

std::optional<std::uint32_t> Plan::home(std::uint32_t value) const {
  const Value& made = stream_.value[value];
  const std::uint32_t loop = loop_at(made.place);
  if (loop != kNone) return address_in(loop, made.place, made.source == Source::kSecond);
  if (home_[value] == kNone) return std::nullopt;
  return home_[value];
}

std::optional<Slot> Plan::result(std::size_t loop, std::uint32_t p, bool second) const {
  const Records& records = records_[loop];
  if (records.offset[2 * std::size_t{p} + second] == kNone) return std::nullopt;
  return Slot{address_in(static_cast<std::uint32_t>(loop), loops_[loop].begin + p, second),
              records.carried[2 * std::size_t{p} + second] == kNone ? static_cast<std::int32_t>(records.size) : 0};
}

const Plan::Reference* Plan::reference(std::size_t loop, std::uint32_t p, std::size_t f) const {
  const std::tuple wanted(static_cast<std::uint32_t>(loop), p, static_cast<std::uint32_t>(f));
  const auto at = std::ranges::lower_bound(references_, wanted, {},
                                           [](const Reference& r) { return std::tuple(r.loop, r.p, r.f); });
  return at != references_.end() && std::tuple(at->loop, at->p, at->f) == wanted ? &*at : nullptr;
}

std::optional<Slot> Plan::element(std::size_t loop, std::uint32_t p, std::size_t f) const {
  const Reference* r = reference(loop, p, f);
  if (r == nullptr || r->provider == kFixed) return std::nullopt;
  if (r->provider == kMade) return Slot{r->address, 1};
  const Records& records = records_[r->provider];
  const bool carried = records.carried[result_index(r->provider, r->first, r->second)] != kNone;
  const std::int64_t rounds = r->step / loops_[r->provider].period;
  return Slot{address_in(r->provider, r->first, r->second),
              carried ? 0 : static_cast<std::int32_t>(rounds * records.size)};
}

}  // namespace dalembert::rolling
