// SPDX-License-Identifier: Apache-2.0
// Private to integrate: observers of a run, which may also change it. Each has one subject: branches, singular
// positions, stiffness, the rows of the output, the verdict.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "dalembert/integrate/names.h"
#include "dalembert/integrate/step_maker.h"

namespace dalembert::integration {

/// Times closer than this are one instant, in units of the round-off of t.
inline constexpr double kOneInstant = 64;

/// How a try of a step ended.
enum class Tried {
  kRejected,
  kMade,
  kCut,    ///< made, but shortened to end where a branch changes
  kAgain,  ///< a branch changed where the step begins: try the same step again
  kOver    ///< the motion ends where the step begins; Trajectory::reason says why
};

/// The calls in a step, in this order. Functions that return bool return false, after fail(), where the motion ends.
class Observer {
 public:
  /// Both arguments must outlive this object.
  Observer(StepMaker& maker, Trajectory& path)
      : maker_(maker),
        step_(maker.step),
        motion_(maker.motion),
        manifold_(maker.manifold),
        dynamics_(maker.dynamics),
        options_(maker.options),
        path_(path),
        nq_(maker.dynamics.nq()),
        nv_(maker.dynamics.nv()),
        ny_(nq_ + nv_),
        m_(maker.dynamics.m()) {}
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;

  /// Called after a try; may replace the step by another one.
  virtual Tried after_try(Tried tried) { return tried; }
  /// Called when the step is kept. The workspace holds the end of the step.
  virtual void note_end() {}
  /// Called when points within the step may be evaluated.
  virtual bool look_within() { return true; }
  /// Changes the state or the equations at the end of the step. If it sets Step::changed,
  /// it has evaluated the end anew.
  virtual bool change() { return true; }
  /// Called when the end of the step is final, while its data are still available.
  virtual bool arrive() { return true; }
  /// Called when the run has moved to the end of the step.
  virtual bool move_on() { return true; }

 protected:
  /// Times closer to t than this, in s, are one instant: also at t = 0 a part of the run's length.
  double instant(double t) const { return kOneInstant * kEps * std::max(std::abs(t), std::abs(options_.until) * 1e-6); }
  bool fail(std::string reason) {
    path_.status = RunStatus::kFailed;
    path_.reason = std::move(reason);
    return false;
  }
  OneStepMethod& method() const { return maker_.method(); }
  /// Accelerations where the step begins, and where it ends.
  const double* qdd() const { return maker_.qdd(); }
  const double* qdd1() const { return method().last_slope() + nq_; }

  StepMaker& maker_;
  Step& step_;
  Motion& motion_;
  Manifold& manifold_;
  const Dynamics& dynamics_;  // the system with held branches
  const IntegrateOptions& options_;
  Trajectory& path_;
  const int nq_, nv_, ny_, m_;
};

/// Calls the observers in the order in which they were added, each only for the functions that it overrides.
class Observers {
 public:
  template <class T>
  void add(T& observer) {
    if constexpr (!std::is_same_v<decltype(&T::after_try), decltype(&Observer::after_try)>) tries_.push_back(&observer);
    if constexpr (!std::is_same_v<decltype(&T::note_end), decltype(&Observer::note_end)>) ends_.push_back(&observer);
    if constexpr (!std::is_same_v<decltype(&T::look_within), decltype(&Observer::look_within)>)
      insides_.push_back(&observer);
    if constexpr (!std::is_same_v<decltype(&T::change), decltype(&Observer::change)>) changes_.push_back(&observer);
    if constexpr (!std::is_same_v<decltype(&T::arrive), decltype(&Observer::arrive)>) arrivals_.push_back(&observer);
    if constexpr (!std::is_same_v<decltype(&T::move_on), decltype(&Observer::move_on)>) starts_.push_back(&observer);
  }

  Tried after_try(Tried tried) {
    for (Observer* observer : tries_) tried = observer->after_try(tried);
    return tried;
  }
  void note_end() {
    for (Observer* observer : ends_) observer->note_end();
  }
  bool look_within() {
    for (Observer* observer : insides_)
      if (!observer->look_within()) return false;
    return true;
  }
  bool change() {
    for (Observer* observer : changes_)
      if (!observer->change()) return false;
    return true;
  }
  /// Calls all observers, even if one returns false.
  bool arrive() {
    bool ok = true;
    for (Observer* observer : arrivals_) ok = observer->arrive() && ok;
    return ok;
  }
  bool move_on() {
    for (Observer* observer : starts_)
      if (!observer->move_on()) return false;
    return true;
  }

 private:
  // Every run makes these lists, so they allocate nothing.
  class List {
   public:
    void push_back(Observer* observer) { all_.at(count_++) = observer; }
    Observer* const* begin() const { return all_.data(); }
    Observer* const* end() const { return all_.data() + count_; }

   private:
    std::array<Observer*, 10> all_{};
    std::size_t count_ = 0;
  };
  List tries_, ends_, insides_, changes_, arrivals_, starts_;
};

}  // namespace dalembert::integration
