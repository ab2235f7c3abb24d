// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/independent_rounds.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace dalembert {
namespace {

// The registers first, first + stride, …, one for each round, that a field of an instruction names.
struct Places {
  std::int64_t first, stride;
  bool operator==(const Places&) const = default;
};

bool may_meet(const Places& x, const Places& y, std::int64_t rounds) {
  const auto low = [&](const Places& p) { return p.first + std::min<std::int64_t>(0, (rounds - 1) * p.stride); };
  const auto high = [&](const Places& p) { return p.first + std::max<std::int64_t>(0, (rounds - 1) * p.stride); };
  if (high(x) < low(y) || high(y) < low(x)) return false;
  const std::int64_t step = std::gcd(x.stride, y.stride);
  return step == 0 ? x.first == y.first : (x.first - y.first) % step == 0;
}

}  // namespace

bool has_independent_rounds(const Tape& tape, const Loop& loop) {
  std::vector<Places> written, read;  // accesses to memory; `read` omits what the same round wrote before
  for (std::size_t i = loop.begin; i < loop.end; ++i) {
    const Instruction& at = tape.instructions[i];
    const Stride& stride = tape.strides[i];
    const RegisterUse use = register_use(at);
    const auto reads = [&](bool used, std::uint32_t field, std::int32_t by) {
      const Places places{field, by};
      if (used && field >= tape.temporaries && std::ranges::find(written, places) == written.end())
        read.push_back(places);
    };
    reads(use.reads_a, at.a, stride.a);
    reads(use.reads_b, at.b, stride.b);
    reads(use.reads_c, at.c, stride.c);
    const auto writes = [&](bool used, std::uint32_t field, std::int32_t by) {
      if (used && field >= tape.temporaries) written.push_back({field, by});
    };
    writes(use.writes_dst, at.dst, stride.dst);
    writes(use.writes_b, at.b, stride.b);
    if (at.op == TapeOp::kOutput && stride.dst == 0) return false;
  }
  return std::ranges::all_of(written, [&](const Places& to) {
    return to.stride != 0 &&
           std::ranges::none_of(read, [&](const Places& from) { return may_meet(from, to, loop.rounds); });
  });
}

}  // namespace dalembert
