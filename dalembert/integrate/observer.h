// SPDX-License-Identifier: Apache-2.0
// Private to integrate: what looks on at a run, and may change it. Each has one subject: branches, singular positions,
// stiffness, the rows of the output, the verdict.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dalembert/integrate/names.h"
#include "dalembert/integrate/step_maker.h"

namespace dalembert::integration {

/// How a try of a step ended.
enum class Tried {
  kRejected,
  kMade,
  kCut,    ///< made up to where something changes, which it does at the end of the step
  kAgain,  ///< something changed where the step begins: the same step once more
  kOver    ///< the motion ends where the step begins; the reason is in the path
};

/// What is called in a step, in this order. Those that return bool return false where the motion ends, with fail().
class Observer {
 public:
  /// Both must outlive this.
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

  /// After a try: may make the step again, otherwise.
  virtual Tried after_try(Tried tried) { return tried; }
  /// The step is kept. The workspace holds its end.
  virtual void note_end() {}
  /// Points within the step may be looked at.
  virtual bool look_within() { return true; }
  /// What happens at the end, to the state or to the equations; with Step::changed the end has been evaluated anew.
  virtual bool change() { return true; }
  /// The end is final; the step is still at hand.
  virtual bool arrive() { return true; }
  /// The run is at the end of the step.
  virtual bool move_on() { return true; }

 protected:
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
  const Dynamics& dynamics_;  // with the branches held
  const IntegrateOptions& options_;
  Trajectory& path_;
  const int nq_, nv_, ny_, m_;
};

/// Who is called when: those alone that have something to do there, in the order in which they were added.
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
  /// All of them, whatever one says.
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
  std::vector<Observer*> tries_, ends_, insides_, changes_, arrivals_, starts_;
};

}  // namespace dalembert::integration
