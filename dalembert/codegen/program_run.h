// SPDX-License-Identifier: Apache-2.0
// A program (program.h) run here, as it stands or as other machines may: then every operation that rounds is moved at random
// by some units in the last place (Monte Carlo arithmetic), so that how far results spread says what their last digits are
// worth, whatever costs them: the condition, terms that cancel, a formula, an iteration that ends at round-off, a decision.
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

/// Operations are moved by no more than this part of their results: 4 units in the last place, as much as the functions of
/// any library in use are off.
inline constexpr double kMovedBy = 4 * 2.220446049250313e-16;

class ProgramRun {
 public:
  using Arrays = std::vector<std::pair<std::string, std::vector<double>>>;  ///< by parameter; scalars have one number
  static constexpr int kTooLong = -1;  ///< a status: it was given up after kMostWork operations
  static constexpr std::size_t kMostWork = 20'000'000;
  struct Result {
    int status = 0;
    std::size_t work = 0;  ///< operations, about
    /// What was written, by parameter; a real number that is returned is called "".
    Arrays arrays;
    const std::vector<double>& array(const std::string& name) const;
  };

  /// `prepared`: the size of the state's array of that name. The program must live as long.
  ProgramRun(const Program& program, std::size_t prepared);
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  /// With these parameters, which are prepared first. `seed` 0: as it stands; others: operations are moved, alike everywhere
  /// for a seed.
  Result call(const std::string& routine, std::span<const double> parameters, const Arrays& given, std::uint64_t seed);

 private:
  class Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace dalembert
