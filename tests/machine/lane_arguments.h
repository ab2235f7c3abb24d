// SPDX-License-Identifier: Apache-2.0
// Random arguments for tapes of several lanes, and the interpreter's results for them, one lane after the other.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/machine/machine_code.h"
#include "dalembert/tape/interpreter.h"
#include "tape/random_graph.h"

namespace dalembert::testing {

/// Arguments of `lanes` systems, as a tape's code reads them.
class LaneArguments {
 public:
  /// Lane l has the values of each[l]; parameters and prepared are those of each[0].
  explicit LaneArguments(const std::vector<Arguments>& each) : lanes_(each.size()), values_(kTapeArrays) {
    for (std::size_t array = 0; array + 1 < kTapeArrays; ++array) {
      const std::size_t count = array == 0 ? 1 : Arguments::kEach;
      const bool shared = shared_by_lanes(static_cast<TapeArray>(array));
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t lane = 0; lane < (shared ? 1 : lanes_); ++lane)
          values_[array].push_back(array == 0 ? each[lane].t : each[lane].of_kind[array][i]);
    }
    for (const std::vector<double>& array : values_) pointers_.push_back(array.data());
  }
  LaneArguments(const LaneArguments&) = delete;
  LaneArguments& operator=(const LaneArguments&) = delete;

  const double* const* view() const { return pointers_.data(); }

  /// The interpreter's outputs for one lane.
  std::vector<double> interpreted(const Tape& tape, std::size_t lane) const {
    std::vector<std::vector<double>> own(kTapeArrays);
    std::vector<const double*> pointers;
    for (std::size_t array = 0; array < kTapeArrays; ++array) {
      const bool shared = shared_by_lanes(static_cast<TapeArray>(array));
      for (std::size_t i = shared ? 0 : lane; i < values_[array].size(); i += shared ? 1 : lanes_)
        own[array].push_back(values_[array][i]);
      pointers.push_back(own[array].data());
    }
    std::vector<double> work(tape.registers, std::nan("")), out(tape.outputs, std::nan(""));
    run(tape, pointers.data(), work.data(), out.data(), 1);
    return out;
  }

 private:
  std::size_t lanes_;
  std::vector<std::vector<double>> values_;  // by TapeArray
  std::vector<const double*> pointers_;
};

/// One tape's code; `options.cache_folder` is empty unless the test says otherwise.
inline std::shared_ptr<const MachineCode> code_of(const Tape& tape, int lanes, const CodeOptions& options,
                                                  std::string* why_not = nullptr) {
  CodeFunction function;
  function.tape = &tape;
  function.lanes = lanes;
  return generate_code({&function, 1}, options, why_not);
}

/// Whether code can be generated here at all; tests skip where it cannot.
inline std::string why_no_code() {
  Tape empty;
  std::string why;
  return code_of(empty, 1, {}, &why) != nullptr ? std::string() : why;
}

struct CodeRun {
  std::vector<double> out;
  std::uint64_t failed = 0;
};
inline CodeRun run_code(const MachineCode& code, const Tape& tape, const double* const* arguments, int lanes) {
  std::vector<double> work(tape.registers * static_cast<std::size_t>(lanes), std::nan(""));
  CodeRun result{std::vector<double>(tape.outputs * static_cast<std::size_t>(lanes), std::nan("")), 0};
  result.failed = code.run(0, arguments, work.data(), result.out.data());
  return result;
}

#define DALEMBERT_SKIP_WITHOUT_CODE() \
  if (const std::string why = ::dalembert::testing::why_no_code(); !why.empty()) GTEST_SKIP() << why

}  // namespace dalembert::testing
