// SPDX-License-Identifier: Apache-2.0
// Runs a program (program.h) here: as it is, or as other machines might. In the second case every operation that rounds
// is moved at random by some units in the last place (Monte Carlo arithmetic). The spread of the results then tells how
// many of their digits are certain, whatever costs the other digits: the condition, terms that cancel, a formula, an
// iteration that ends at round-off, a decision.
// Source: Parker, Pierce & Eggert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/codegen/program.h"

namespace dalembert {

/// Largest relative change of the result of an operation: 4 units in the last place, which is the error of the least
/// exact library functions in use. This is for double precision; in single precision it is 2²⁹ times as much.
inline constexpr double kMovedBy = 4 * 2.220446049250313e-16;

class ProgramRun {
 public:
  /// For each array: name of the parameter and values; a scalar has one value.
  using Arrays = std::vector<std::pair<std::string, std::vector<double>>>;
  static constexpr int kTooLong = -1;  ///< status of a call that was given up after kMostWork operations
  static constexpr std::size_t kMostWork = 20'000'000;
  struct Result {
    int status = 0;
    std::size_t work = 0;  ///< approximate number of operations
    /// Values of the written parameters; a returned real number has the name "".
    Arrays arrays;
    const std::vector<double>& array(const std::string& name) const;
  };

  /// `prepared`: the size of the state's array of that name. The program must outlive this.
  ProgramRun(const Program& program, std::size_t prepared);
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  /// Calls `prepare` and then the routine, with these values of the model's parameters. `seed` 0: the
  /// operations give their own results; otherwise these are moved at random, in the same way on every machine for a
  /// given seed. A program of single precision runs with the results of `float`; what it is given is rounded to it and,
  /// with a seed, moved as well.
  Result call(const std::string& routine, std::span<const double> parameters, const Arrays& given, std::uint64_t seed);

 private:
  class Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace dalembert
