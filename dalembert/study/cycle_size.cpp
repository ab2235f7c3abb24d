// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/cycle_size.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {
namespace {

// Some 900 bytes go along for each number of a direction: its stages in each rule of collocation.
constexpr double kMostNumbers = 5e5;
// Numbers of directions at changes in one turn, of which a search makes about ten.
constexpr double kMostChanged = 1e7;

double numbers_of_state(const Dynamics& system) { return system.nq() + system.nv(); }

// The directions that the constraints leave; those of contacts that are open leave more, and all of them count as open.
double directions(const Dynamics& system) {
  const Layout& layout = system.layout();
  double kept =
      static_cast<double>(layout.holonomic.size()) + layout.m + static_cast<double>(layout.quaternions.size());
  if (const Contacts* contacts = system.contacts()) kept -= 2 * static_cast<double>(contacts->count());
  return std::max(1.0, numbers_of_state(system) - kept);
}

Diagnostic too_large(const std::string& name, std::string note) {
  Diagnostic large = error("E0904", fmt::format("the return map of `{}` is too large to be differentiated", name));
  large.notes.push_back(std::move(note));
  large.help.emplace_back(
      "`simulate` follows the motion, and `simulate --sensitivity` its derivative by a few quantities");
  return large;
}

}  // namespace

std::optional<Diagnostic> refuse_to_displace(const Dynamics& system, const std::string& name) {
  const double n = numbers_of_state(system), d = directions(system);
  if (n * d <= kMostNumbers) return std::nullopt;
  return too_large(name, fmt::format("it has {} coordinates and velocities, and {} directions in which they can be "
                                     "displaced: {:.0f} numbers; the limit is {:.0f}",
                                     n, d, n * d, kMostNumbers));
}

std::optional<Diagnostic> refuse_to_displace_changes(const Dynamics& system, const std::string& name, double changes) {
  const double n = numbers_of_state(system), d = directions(system);
  if (changes * n * d <= kMostChanged) return std::nullopt;
  return too_large(
      name,
      fmt::format("a turn has about {:.0f} impacts and changes of conditions, at each of which {} "
                  "coordinates and velocities are displaced in {} directions: {:.0f} numbers; the limit is {:.0f}",
                  changes, n, d, changes * n * d, kMostChanged));
}

}  // namespace dalembert
