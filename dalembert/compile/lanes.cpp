// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/compile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/aligned.h"
#include "dalembert/base/numeric.h"
#include "dalembert/base/subnormals.h"
#include "dalembert/compile/machine_kernel.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/machine/machine_code.h"
#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/subnormals.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostLanes = 32;

}  // namespace

int fastest_lanes(const Dynamics& dynamics) {
  constexpr std::size_t kLong = 4000;  // instructions, those of loops counted once, up to which 8 lanes are fastest
  return tapes_of(dynamics)->tape(KernelFunction::kAccelerations).instructions.size() > kLong ? 4 : 8;
}

struct LaneKernel::Parts {
  Parts(Dynamics dynamics, int lanes, const LaneOptions& options);
  int accelerations(const LaneArguments& in, double* out);
  int call(KernelFunction function, const LaneArguments& in, double* out);
  int advance(double* state, double t, double h, std::uint64_t steps);
  const MachineCode* code_of(KernelFunction function);
  const MachineCode* code_of_steps();
  std::uint64_t all_lanes() const { return ~std::uint64_t{0} >> (64 - lanes_); }
  const double* inputs(const LaneArguments& in);
  const double* const* arguments(const LaneArguments& in, const double* u);
  std::uint64_t untrusted(const double* out) const;
  void solve_lane(int lane, const LaneArguments& in, double* out);
  void advance_lane(int lane, double* state, double t, double h, std::uint64_t steps);

  Dynamics dynamics_;
  std::shared_ptr<const TapeKernel> tapes_;
  int lanes_;
  std::shared_ptr<const MachineCode> code_;  // code of kAccelerations
  struct Slot {
    std::shared_ptr<const MachineCode> code;
    bool decided = false;
  };
  std::array<Slot, kKernelFunctions> functions_;  // code made by call()
  Slot steps_;                                    // code made by advance()
  CodeOptions code_options_;
  bool watched_ = false;  // whether the code of accelerations itself reports untrusted lanes
  std::string why_not_;
  Workspace workspace_;                                   // for lanes that are solved one by one
  LineNumbers work_, out_;                                // scratch memory and results of all lanes
  std::vector<double> u_, t_;                             // inputs and times of all lanes
  std::vector<double> q_, v_, qdd_, lambda_, k_, point_;  // numbers of one lane
  const double* arguments_[kTapeArrays] = {};
};

LaneKernel::Parts::Parts(Dynamics dynamics, int lanes, const LaneOptions& options)
    : dynamics_(std::move(dynamics)), tapes_(tapes_of(dynamics_)), lanes_(lanes), workspace_(dynamics_) {
  const Layout& layout = dynamics_.layout();
  arguments_[static_cast<std::size_t>(TapeArray::kParameter)] = dynamics_.parameters().data();
  arguments_[static_cast<std::size_t>(TapeArray::kPrepared)] = dynamics_.prepared();
  code_options_ = options.code != nullptr ? *options.code : default_code_options();
  std::size_t work = tapes_->layout().work * index(lanes);
  if (!tapes_->solves_kkt()) {
    why_not_ = "this system has no generated solver; it is solved numerically";
  } else if (!options.machine_code) {
    why_not_ = "machine code is switched off";
  } else if (lanes > 8) {
    why_not_ = "machine code has at most 8 lanes";
  } else {
    const Tape& tape = tapes_->tape(KernelFunction::kAccelerations);
    const CodeFunction solve{.kind = CodeKind::kSolve, .tape = &tape, .lanes = lanes};
    code_ = generate_code({&solve, 1}, code_options_, &why_not_);
    watched_ = code_ != nullptr && watches_outputs(tape, code_options_.part);
    work = std::max(work, code_work(solve));
  }
  work_.resize(work);
  u_.resize(index(layout.inputs) * index(lanes));
  t_.resize(index(lanes));
  q_.resize(index(layout.nq));
  for (std::vector<double>* x : {&v_, &qdd_}) x->resize(index(layout.nv));
  lambda_.resize(index(layout.multipliers()));
  for (std::vector<double>* x : {&k_, &point_}) x->resize(index(layout.state_size()));
}

const double* const* LaneKernel::Parts::arguments(const LaneArguments& in, const double* u) {
  const auto set = [&](TapeArray array, const double* values) { arguments_[static_cast<std::size_t>(array)] = values; };
  set(TapeArray::kTime, in.t);
  set(TapeArray::kInput, u);
  set(TapeArray::kCoordinate, in.q);
  set(TapeArray::kVelocity, in.v);
  set(TapeArray::kAcceleration, in.qdd);
  set(TapeArray::kMultiplier, in.lambda);
  return arguments_;
}

// Returns the given inputs, or computes them at the lanes' times.
const double* LaneKernel::Parts::inputs(const LaneArguments& in) {
  if (in.u != nullptr || in.t == nullptr || u_.empty()) return in.u;
  const std::size_t lanes = index(lanes_);
  for (std::size_t l = 0; l < lanes; ++l) {
    dynamics_.inputs(in.t[l], workspace_.work.data(), workspace_.u.data());
    for (std::size_t i = 0; i < workspace_.u.size(); ++i) u_[i * lanes + l] = workspace_.u[i];
  }
  return u_.data();
}

int LaneKernel::Parts::accelerations(const LaneArguments& in, double* out) {
  const double* u = inputs(in);
  std::uint64_t refused = 0;
  if (code_)
    refused = code_->run(0, arguments(in, u), work_.data(), out);
  else if (tapes_->solves_kkt())
    run(tapes_->tape(KernelFunction::kAccelerations), arguments(in, u), work_.data(), out, lanes_);
  else
    refused = all_lanes();

  if (!watched_ && refused != all_lanes()) refused |= untrusted(out);
  int one_by_one = 0;
  for (int lane = 0; refused != 0 && lane < lanes_; ++lane) {
    if ((refused >> lane & 1) == 0) continue;
    solve_lane(lane, in, out);
    ++one_by_one;
  }
  return one_by_one;
}

// Bits of the lanes that are not trusted() or have a result that is not finite. The sum of the results tells: it is
// finite where they are, unless they are so large that they should be solved one by one anyway.
std::uint64_t LaneKernel::Parts::untrusted(const double* out) const {
  const std::size_t results = AccelerationsPlaces(dynamics_.layout()).trust, lanes = index(lanes_);
  std::array<double, kMostLanes> sum{};
  for (std::size_t i = 0; i < results; ++i)
    for (std::size_t l = 0; l < lanes; ++l) sum[l] += out[i * lanes + l];
  const double* trust = out + results * lanes;
  std::uint64_t lost = 0;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double both[2] = {trust[l], trust[lanes + l]};
    if (!trusted(both) || !std::isfinite(sum[l])) lost |= std::uint64_t{1} << l;
  }
  return lost;
}

void LaneKernel::Parts::solve_lane(int lane, const LaneArguments& in, double* out) {
  const std::size_t lanes = index(lanes_), l = index(lane), n = v_.size();
  for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = in.q[i * lanes + l];
  for (std::size_t i = 0; i < n; ++i) v_[i] = in.v[i * lanes + l];
  const KktStatus status = solve_kkt(dynamics_, in.t[l], q_.data(), v_.data(), workspace_, qdd_.data(), lambda_.data());
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < n; ++i) out[i * lanes + l] = status == KktStatus::kOk ? qdd_[i] : nothing;
  for (std::size_t i = 0; i < index(dynamics_.m()); ++i)
    out[(n + i) * lanes + l] = status == KktStatus::kOk ? lambda_[i] : nothing;
}

const MachineCode* LaneKernel::Parts::code_of(KernelFunction function) {
  Slot& slot = functions_[static_cast<std::size_t>(function)];
  if (!slot.decided) {
    slot.decided = true;
    const CodeFunction wanted{.tape = &tapes_->tape(function), .lanes = lanes_};
    if (code_ != nullptr) slot.code = generate_code({&wanted, 1}, code_options_);
    if (slot.code != nullptr && work_.size() < code_work(wanted)) work_.resize(code_work(wanted));
  }
  return slot.code.get();
}

int LaneKernel::Parts::call(KernelFunction function, const LaneArguments& in, double* out) {
  const Tape& tape = tapes_->tape(function);
  const MachineCode* code = code_of(function);
  const double* u = inputs(in);
  const std::uint64_t refused = code ? code->run(0, arguments(in, u), work_.data(), out) : all_lanes();
  if (refused == 0) return 0;
  if (refused == all_lanes()) {
    run(tape, arguments(in, u), work_.data(), out, lanes_);
    return code ? lanes_ : 0;
  }
  const std::size_t lanes = index(lanes_);
  std::vector<double> again(tape.outputs * lanes);
  run(tape, arguments(in, u), work_.data(), again.data(), lanes_);
  int count = 0;
  for (std::size_t l = 0; l < lanes; ++l) {
    if ((refused >> l & 1) == 0) continue;
    for (std::size_t i = 0; i < tape.outputs; ++i) out[i * lanes + l] = again[i * lanes + l];
    ++count;
  }
  return count;
}

// The code of steps is made by the first advance(): most kernels are never asked for steps.
const MachineCode* LaneKernel::Parts::code_of_steps() {
  if (!steps_.decided) {
    steps_.decided = true;
    const bool constant = tapes_->layout().constant_inputs;
    const CodeFunction wanted{.kind = CodeKind::kRungeKutta4,
                              .tape = &tapes_->tape(KernelFunction::kAccelerations),
                              .lanes = lanes_,
                              .inputs = constant ? nullptr : &tapes_->tape(KernelFunction::kInputs),
                              .coordinates = dynamics_.nv()};
    const bool can = dynamics_.layout().v_is_qdot && !dynamics_.has_tables();
    if (code_ != nullptr && can) steps_.code = generate_code({&wanted, 1}, code_options_);
    if (steps_.code != nullptr && work_.size() < code_work(wanted)) work_.resize(code_work(wanted));
  }
  return steps_.code.get();
}

int LaneKernel::Parts::advance(double* state, double t, double h, std::uint64_t steps) {
  const std::size_t lanes = index(lanes_);
  std::uint64_t refused = all_lanes();
  if (const MachineCode* code = code_of_steps()) {
    dynamics_.inputs(t, workspace_.work.data(), workspace_.u.data());
    for (std::size_t i = 0; i < workspace_.u.size(); ++i)
      std::fill_n(u_.begin() + static_cast<std::ptrdiff_t>(i * lanes), lanes, workspace_.u[i]);
    refused = code->advance(0, state, arguments({.t = t_.data()}, u_.data()), work_.data(), t, h, steps);
  }
  // Subnormal numbers count as zeros, as in the code of steps.
  std::optional<SubnormalsAsZeros> switched;
  if (refused != 0 && takes_subnormals_for_zeros(tapes_->tape(KernelFunction::kAccelerations))) switched.emplace();
  int one_by_one = 0;
  for (int lane = 0; lane < lanes_; ++lane) {
    if ((refused >> lane & 1) == 0) continue;
    advance_lane(lane, state, t, h, steps);
    ++one_by_one;
  }
  return one_by_one;
}

// Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed. (1993), II.1, table 1.2.
void LaneKernel::Parts::advance_lane(int lane, double* state, double t, double h, std::uint64_t steps) {
  const std::size_t lanes = index(lanes_), l = index(lane), nq = q_.size(), nv = v_.size();
  constexpr std::array<double, 4> at{0, 0.5, 0.5, 1}, weight{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (std::uint64_t step = 0; step < steps; ++step) {
    const double now = t + static_cast<double>(step) * h;
    std::fill(point_.begin(), point_.end(), 0.0);  // Σ weight · slope
    std::fill(k_.begin(), k_.end(), 0.0);          // slope of the previous stage
    for (std::size_t stage = 0; stage < 4; ++stage) {
      for (std::size_t i = 0; i < nq; ++i) q_[i] = state[i * lanes + l] + at[stage] * h * k_[i];
      for (std::size_t i = 0; i < nv; ++i) v_[i] = state[(nq + i) * lanes + l] + at[stage] * h * k_[nq + i];
      const double stage_time = now + at[stage] * h;
      const KktStatus status =
          solve_kkt(dynamics_, stage_time, q_.data(), v_.data(), workspace_, qdd_.data(), lambda_.data());
      if (status != KktStatus::kOk) std::fill(qdd_.begin(), qdd_.end(), std::numeric_limits<double>::quiet_NaN());
      find_qdot(dynamics_, stage_time, q_.data(), v_.data(), workspace_, k_.data());
      std::copy(qdd_.begin(), qdd_.end(), k_.begin() + static_cast<std::ptrdiff_t>(nq));
      for (std::size_t i = 0; i < k_.size(); ++i) point_[i] += weight[stage] * k_[i];
    }
    for (std::size_t i = 0; i < k_.size(); ++i) state[i * lanes + l] += h * point_[i];
  }
}

LaneKernel::LaneKernel(Dynamics dynamics, int lanes, const LaneOptions& options)
    : parts_(std::make_unique<Parts>(std::move(dynamics), lanes, options)) {}
LaneKernel::LaneKernel(LaneKernel&&) noexcept = default;
LaneKernel& LaneKernel::operator=(LaneKernel&&) noexcept = default;
LaneKernel::~LaneKernel() = default;

int LaneKernel::lanes() const { return parts_->lanes_; }
bool LaneKernel::machine_code() const { return parts_->code_ != nullptr; }
const std::string& LaneKernel::why_no_machine_code() const { return parts_->why_not_; }
int LaneKernel::accelerations(const LaneArguments& in, double* out) { return parts_->accelerations(in, out); }
int LaneKernel::call(KernelFunction function, const LaneArguments& in, double* out) {
  return parts_->call(function, in, out);
}
int LaneKernel::advance(double* state, double t, double h, std::uint64_t steps) {
  return parts_->advance(state, t, h, steps);
}

}  // namespace dalembert
