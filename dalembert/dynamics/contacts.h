// SPDX-License-Identifier: Apache-2.0
// Contacts of a system: its one-sided rows h(q, t) >= 0, λ >= 0, h λ = 0 (theory §8). A row acts only while its contact is closed; else
// its W, a, γ and h are 0, and so is its λ.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// Immutable and safe to call from many threads, each with its own `work` of work_size() numbers.
class Contacts {
 public:
  virtual ~Contacts() = default;

  struct Contact {
    int row = 0;            ///< its constraint row
    std::size_t level = 0;  ///< the place of that row in Layout::holonomic
  };
  std::vector<Contact> contacts;
  std::vector<int> of_row;  ///< for each row the number of its contact; -1: it has none
  /// The parameters of the kernel from this index on are 1 while contact k is closed, 0 while it is open.
  std::size_t first_parameter = 0;
  /// How many parameters the model states. If outputs or events read impulses, those of the last impact of each contact follow, 0 before the
  /// first.
  std::size_t stated_parameters = 0;

  std::size_t count() const { return contacts.size(); }
  bool keeps_impulses() const { return stated_parameters < first_parameter; }
  /// Computes Newton's coefficient of restitution of each contact from the parameters p.
  virtual void restitution(const double* p, double* work, double* e) const = 0;
  virtual std::size_t work_size() const = 0;
};

}  // namespace dalembert
