// SPDX-License-Identifier: Apache-2.0
// The frictions of a system, in parts. M, W, Φ, C and ∂N/∂λ of (1) and (2) in friction.h couple velocities, rows and frictions; what they
// do not couple, directly or through others, has nothing in common. Each part has a dense solver of its own: blocks with springs between
// them are as many parts as blocks, and cost O(number of blocks).
//
// The modes of a system are all combinations of modes of its parts. So each part is decided alone: one without a consistent mode leaves the
// system none, and the consistent modes of the system are the combinations of those of its parts.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/dynamics/friction.h"
#include "dalembert/dynamics/friction_parts.h"

namespace dalembert {

class Dynamics;
struct Workspace;

/// Belongs to one thread. After construction only the functions that return a FrictionAnswer allocate.
class FrictionSystem {
 public:
  explicit FrictionSystem(const Layout& layout);

  FrictionMode mode;       ///< the mode that solve() assumes
  std::vector<char> acts;  ///< for each row whether it acts; evaluate() takes this from the system
  bool held = false;       ///< true: the run sets the mode; false: each solve_kkt() decides the mode from the state
  FrictionAnswer decided;  ///< result of the last decision in solve_kkt()

  /// Evaluates all terms of the frictions at a point, and W, M, f and γ of the workspace.
  void evaluate(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);
  // Each of these does what the function of FrictionSolver with the same name says, for the whole system.
  bool has_negative_inertia() const;
  KktStatus solve(const RowBasis& basis, double* qdd, double* multipliers);
  bool find_stop(const RowBasis& basis, double* change);
  bool differentiate(const FrictionChange& change, double* qdd, double* multipliers);
  FrictionSolver::Determines determines() const;
  bool prepare_step(const RowBasis& basis, bool stops);
  void find_step(const double* rows, const double* frictions, double* change);
  void measure(const double* qdd, const double* multipliers);
  void let_act(const std::vector<char>& rows);
  FrictionAnswer decide(const RowBasis& basis, const std::vector<char>& at_rest, const FrictionExit& exit = {});
  FrictionAnswer decide_with_contacts(const std::vector<int>& rest, int released, const std::vector<char>& at_rest,
                                      const FrictionExit& exit = {});
  FrictionAnswer strike(const std::vector<int>& hit, const std::vector<double>& rates,
                        const FrictionSolution* like = nullptr);
  FrictionAnswer find_loads(const RowBasis& basis);
  void find_at_rest(double speed, std::vector<char>& at_rest) const;
  bool sticks() const;
  bool slides_with_load() const;

  /// Takes over from the system of a run which modes it holds, and how frictions in a plane begin to slide.
  void follow(const FrictionSystem& of_run);
  /// Adds what a run holds of the frictions to a list of numbers, for hold().
  void add_hold(std::vector<double>& numbers) const;
  void hold(std::span<const double> numbers);
  /// Keeps the largest forces of the last solve() of each part, until meet_forces().
  void keep_forces();
  /// Notes the forces that were kept, of a point that the motion has reached. Those of stages and rejected steps, which may lie far off the
  /// motion, are not to be noted.
  void meet_forces();

  int rank() const;             ///< after solve(): number of independent rows at work, of W and of sticking frictions
  int active() const;           ///< after solve(): number of rows at work
  double independence() const;  ///< after solve(): how far the rows of a part are from being dependent, at least

  int count() const { return static_cast<int>(place_.size()); }
  std::size_t parts() const { return parts_.size(); }
  // What FrictionSolver says about a friction.
  bool is_idle(int j) const { return of(j).is_idle(own(j)); }
  double speed(int j) const { return of(j).speed(own(j)); }
  double coefficient(int j) const { return of(j).coefficient(own(j)); }
  double static_coefficient(int j) const { return of(j).static_coefficient(own(j)); }
  double normal(int j) const { return of(j).normal(own(j)); }
  double rate(int j) const { return of(j).rate(own(j)); }
  double load_size(int j) const { return of(j).load_size(own(j)); }
  bool has_load(int j) const { return of(j).has_load(own(j)); }
  bool is_plane(int j) const { return of(j).is_plane(own(j)); }
  bool is_second(int j) const { return of(j).is_second(own(j)); }
  double sliding_speed(int j) const { return of(j).sliding_speed(own(j)); }
  double sliding_rate(int j) const { return of(j).sliding_rate(own(j)); }
  double size_of_speeds(int j) const { return of(j).size_of_speeds(own(j)); }
  double row_size(int j) const { return of(j).row_size(own(j)); }
  double size_of(const double* values, int j) const {
    return is_plane(j) ? hypotenuse(values[j], values[j + 1]) : std::abs(values[j]);
  }
  /// Up to this speed friction j, in a plane, slides along the direction in its mode, not along its speed.
  void keep_along(int j, double speed);
  void begin_along(int j, double speed);
  bool keeps_along(int j) const { return of(j).keeps_along(own(j)); }
  /// Of a friction in a plane: the component of its sliding speed along the direction in its mode.
  double speed_along(int j) const { return mode[at(j)].along * speed(j) + mode[at(j + 1)].along * speed(j + 1); }
  /// Lets friction j, which slides in a plane, have the direction (x, y) in its mode.
  void turn_along(int j, double x, double y);

  /// Where the parts have several consistent modes each, at most this many of their combinations are listed.
  static constexpr std::size_t kMostSolutions = 64;

 private:
  struct Part {
    explicit Part(FrictionPart given);
    const FrictionPart where;
    FrictionSolver solver;
    RowBasis basis;                        // the rows of a basis of the system that belong to the part
    std::vector<double> qdd, multipliers;  // of the part alone
    FrictionChange change;
    double kept_force = 0;
  };
  struct Place {
    std::size_t part;  // the part of a friction, or of a row
    int own;           // its number there
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const FrictionSolver& of(int j) const { return parts_[place_[at(j)].part]->solver; }
  int own(int j) const { return place_[at(j)].own; }
  void pass_on(Part& part) const;
  const RowBasis& own_basis(const RowBasis& basis, Part& part) const;
  void take(const double* qdd, const double* multipliers, Part& part) const;
  void give(const double* part_qdd, const double* part_multipliers, const Part& part, double* qdd,
            double* multipliers) const;
  template <class Decide>
  FrictionAnswer decide_parts(Decide decide);
  FrictionAnswer combine(const std::vector<FrictionAnswer>& answers) const;
  FrictionSolution own_solution(const FrictionSolution& whole, const FrictionPart& where) const;
  FrictionSolution join(const std::vector<FrictionAnswer>& answers, const std::vector<std::size_t>& choice) const;

  const int n_, m_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Place> place_;         // of each friction
  std::vector<Place> place_of_row_;  // of each row
  std::vector<char> one_sided_;      // for each row whether it is a contact
};

}  // namespace dalembert
