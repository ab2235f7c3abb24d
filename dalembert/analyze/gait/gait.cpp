// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/gait.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/kinematic.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/dynamics/small_lu.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/method.h"
#include "dalembert/integrate/runge_kutta.h"
#include "dalembert/tape/interpreter.h"
#include "dalembert/tape/tape.h"

namespace dalembert {
namespace {

using Numbers = std::vector<double>;

/// The values of the symbols at an evaluation.
struct Place {
  double t = 0;
  Numbers p, q, v, a, lambda;
};

// Functions that are evaluated together: expressions as a tape, with its memory.
class Functions {
 public:
  explicit Functions(const std::vector<Expr>& outputs) : size_(outputs.size()) {
    if (size_ == 0) return;
    tape_ = make_tape(outputs);
    work_.resize(tape_.registers);
  }
  const Numbers& operator()(const Place& point) {
    out_.resize(size_);
    if (size_ == 0) return out_;
    const double* arguments[kTapeArrays] = {};
    const auto set = [&](TapeArray array, const double* values) {
      arguments[static_cast<std::size_t>(array)] = values;
    };
    set(TapeArray::kTime, &point.t);
    set(TapeArray::kParameter, point.p.data());
    set(TapeArray::kCoordinate, point.q.data());
    set(TapeArray::kVelocity, point.v.data());
    set(TapeArray::kAcceleration, point.a.data());
    set(TapeArray::kMultiplier, point.lambda.data());
    run(tape_, arguments, work_.data(), out_.data(), 1);
    return out_;
  }

 private:
  Tape tape_;
  std::size_t size_;
  Numbers work_, out_;
};

enum class Solved { kYes, kSingular, kNotFinite };

bool all_numbers(const Numbers& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

// Equations D(q, q̇, q̈, λ) = 0 that are affine in the unknowns z.
class Residual {
 public:
  Residual(const std::vector<Expr>& D, const std::vector<Expr>& unknowns, const std::vector<Expr>& by)
      : n_(D.size()), value_(value_of(D, unknowns)), slope_(slopes_of(D, by)) {
    K_.resize(n_);
    begin();
  }

  /// Solves for z at the point. The values of the unknowns in `point` are not read.
  Solved solve(const Place& point, Numbers& z) {
    const Numbers& out = value_(point);
    z.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      z[i] = -out[i];
      for (std::size_t j = 0; j < n_; ++j) {
        K_(i, j) = out[n_ + i * n_ + j];
        sizes_[i] = std::max(sizes_[i], std::abs(K_(i, j)));
      }
    }
    if (!K_.factor(kSingular)) return all_numbers(out) ? Solved::kSingular : Solved::kNotFinite;
    K_.solve(z.data());
    return all_numbers(z) ? Solved::kYes : Solved::kNotFinite;
  }
  /// The matrix D_z = ∂D/∂z at the point of the last solve(), factored.
  const SmallLu& matrix() const { return K_; }
  /// The smallest pivot of the matrix D_z = ∂D/∂z, relative to the largest entry that its row has had since begin().
  double margin() const { return K_.least_pivot(sizes_.data()); }
  void begin() { sizes_.assign(n_, 0.0); }
  /// Number of multiplications in vary().
  double work() const { return static_cast<double>(columns_.size() + n_ * n_); }
  /// Computes the partial derivatives of D at `point`, which by now contains the solved unknowns z too.
  void differentiate(const Place& point) { slopes_ = &slope_(point); }
  /// The change δz of the solution where the variables change by `change`.
  void vary(const Numbers& change, Numbers& dz) {
    dz.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      dz[i] = 0;
      for (std::size_t k = rows_[i]; k < rows_[i + 1]; ++k) dz[i] -= (*slopes_)[k] * change[columns_[k]];
    }
    K_.solve(dz.data());
  }

 private:
  static constexpr double kSingular = 1e-13;  // a pivot below this fraction of its row counts as 0

  static std::vector<Expr> entries_of(const std::vector<Expr>& D, const std::vector<Expr>& by) {
    std::vector<Expr> entries;
    for (const Expr& d : D) {
      const std::vector<Expr> row = gradient(d, by);
      entries.insert(entries.end(), row.begin(), row.end());
    }
    return entries;
  }
  // The partial derivatives that are not identically 0, row by row.
  std::vector<Expr> slopes_of(const std::vector<Expr>& D, const std::vector<Expr>& by) {
    std::vector<Expr> slopes;
    rows_.assign(1, 0);
    for (const Expr& d : D) {
      const std::vector<Expr> row = gradient(d, by);
      for (std::size_t j = 0; j < row.size(); ++j)
        if (!row[j].is_zero()) {
          slopes.push_back(row[j]);
          columns_.push_back(j);
        }
      rows_.push_back(columns_.size());
    }
    return slopes;
  }
  static std::vector<Expr> value_of(const std::vector<Expr>& D, const std::vector<Expr>& unknowns) {
    std::unordered_map<SymbolId, Expr> zero;
    for (const Expr& z : unknowns) zero.emplace(z.symbol(), z.graph().constant(0));
    std::vector<Expr> all = substitute(D, zero);
    const std::vector<Expr> K = entries_of(D, unknowns);
    all.insert(all.end(), K.begin(), K.end());
    return all;
  }

  std::size_t n_;
  // Row and column of each entry of slope_; declared before it, since its constructor fills them.
  std::vector<std::size_t> rows_, columns_;
  Functions value_, slope_;
  SmallLu K_;
  Numbers sizes_;  // largest entry that each row of K_ has had since begin()
  const Numbers* slopes_ = nullptr;
};

}  // namespace

// The differential equations of a gait. y = (q_p, q̇_p if dynamic, effort), then the derivatives of these by each parameter.
class GaitSystem::Flow final : public RightHandSide {
 public:
  Flow(const Equations& eq, Gait gait, bool kinematic)
      : kinematic_(kinematic), parts_(partition(eq, gait.actuated)), gait_(std::move(gait)) {
    for (const Parameter& parameter : eq.model->parameters) model_values_.push_back(parameter.value);
    compile_motion(eq);
    compile_holonomic(eq);
    compile_shape(eq);
    const std::size_t n = eq.q.size();
    point_.q.resize(n);
    point_.v.resize(n);
    point_.a.resize(n);
    point_.lambda.resize(index(eq.m()));
    change_.resize(3 * n);
    own_ = (kinematic_ ? 1 : 2) * parts_.passive.size() + 1;
  }

  const std::vector<int>& passive() const { return parts_.passive; }

  bool evaluate(double t, const double* y, double* dydt) override {
    const std::size_t n = parts_.passive.size();
    take(t, y);
    Numbers& z = kinematic_ ? speeds_ : accelerations_;
    if (!meets_no_singular_shape(motion_.front().solve(point_, z))) return false;
    place_unknowns(z);
    double* out = dydt;
    for (std::size_t i = 0; i < n; ++i) *out++ = point_.v[index(parts_.passive[i])];
    for (std::size_t i = 0; i < n && !kinematic_; ++i) *out++ = z[i];
    *out = 0;
    for (const int i : parts_.actuated) *out += point_.v[index(i)] * point_.v[index(i)];
    if (gait_.parameters.empty()) return true;
    motion_.front().differentiate(point_);
    for (std::size_t k = 0; k < gait_.parameters.size(); ++k) vary(k, y + (k + 1) * own_, dydt + (k + 1) * own_);
    return true;
  }

  GaitRun run(const Numbers& q0, const Numbers& values, const GaitOptions& options) {
    const std::size_t count = gait_.parameters.size(), size = own_ * (count + 1);
    set_parameters(values);
    Way way{options, gait_.start, gait_.start + options.cycles * gait_.period, gait_.period / 64};
    way.work_of_step = 13.0 * static_cast<double>(count + 1) * motion_.front().work();
    way.y.resize(size);
    way.next.resize(size);
    std::copy(q0.begin(), q0.end(), way.y.begin());
    met_ = {};
    met_.least_margin = options.least_margin;
    motion_.front().begin();
    if (!place_start(way.t, way.y)) return fail(way, "no start of this shape satisfies the holonomic constraints");
    const Numbers start = way.y;
    if (!from_rest(way.t, way.y)) {
      way.result.singular = true;
      return fail(way, "the velocities of the start are not determined");
    }

    RungeKutta method(dormand_prince_853(), static_cast<int>(size));
    if (!evaluate(way.t, way.y.data(), method.first_slope())) return fail_here(way);
    met_.sign = motion_.front().matrix().sign();
    met_.end_step();
    while (way.t < way.end) {
      if (++way.result.steps > options.max_steps) return no_end(way);
      const bool last = way.t + way.h >= way.end * (1 - 1e-15);
      if (last) way.h = way.end - way.t;
      const std::optional<double> error = try_step(way, method);
      if (!error || !(*error <= 1)) {
        if (error && std::isnan(*error)) met_.trouble = Solved::kNotFinite;
        way.h *= error && std::isfinite(*error) ? std::clamp(0.9 * std::pow(*error, -1.0 / 8), 0.1, 0.9) : 0.25;
        if (way.h >= 1e-12 * gait_.period) continue;
        if (moves_within(way.t, way.h)) return fail(way, kTooManySteps);
        return met_.trouble == Solved::kYes ? no_end(way) : fail_here(way);
      }
      way.t = last ? way.end : way.t + way.h;
      way.y.swap(way.next);
      method.shift();
      met_.end_step();
      if (const std::string why = find_too_much_work(way); !why.empty()) return fail(way, why);
      way.h *= std::clamp(0.9 * std::pow(std::max(*error, 1e-10), -1.0 / 8), 0.3, 5.0);
    }
    return finish(way, start) ? way.result : fail_here(way);
  }

 private:
  static constexpr double kSingular = 1e-12, kRoundoff = 1e-13;
  static constexpr int kMostSteps = 30;
  // A shape with a smaller GaitRun::margin is so near to a singular one that rates are not accurate to 1e-12.
  static constexpr double kNearly = 1e-4;
  // A step is refused where log |det D_z| (the matrix of the unknowns) changes by more than kLargestChange in it. Steps
  // shorter than kShortest times the period are not refused for that, because there the determinant jumps.
  static constexpr double kLargestChange = std::numbers::ln2, kShortest = 1e-7;
  static constexpr std::string_view kNotDetermined =
      "the shape is singular: it does not determine how the other coordinates move";
  static constexpr std::string_view kNearlySingular =
      "the shape is singular or nearly so: it does not determine how the other coordinates move to enough digits";
  static constexpr std::string_view kTooManySteps = "the cycle takes too many steps";
  static constexpr std::string_view kNoNumbers = "rates of the motion are too large for double precision";

  // The record of how near D_z, the matrix of the unknowns (gait.h), came to being singular along a run.
  struct Met {
    double least_margin = 0;
    int sign = 0;                   // sign of det D_z at the start; 0: not known yet
    Solved trouble = Solved::kYes;  // outcome of the last solution
    double margin = 1;              // smallest GaitRun::margin in the steps that were accepted
    double step_margin = 1;
    double log_low = 0, log_high = 0, log_last = 0;  // log |det D_z|: least and largest in the step, and the last one
    void begin_step() {
      log_low = log_high = log_start;
      step_margin = 1;
    }
    void end_step() {
      margin = std::min(margin, step_margin);
      log_start = log_last;
    }
    double log_start = 0;
  };

  // Replaces inputs by their functions of t; an input without one is 0.
  static std::vector<Expr> without_inputs(const Equations& eq, std::vector<Expr> list) {
    std::unordered_map<SymbolId, Expr> inputs;
    for (const Input& input : eq.model->inputs)
      inputs.emplace(input.symbol.symbol(), input.value ? eq.graph->adopt(input.value) : eq.graph->constant(0));
    return inputs.empty() ? list : substitute(list, inputs);
  }

  // Compiles the rows and, if the system is dynamic, the equations of the passive coordinates and the momenta for its start.
  void compile_motion(const Equations& eq) {
    std::vector<Expr> passive_v, passive_a, lambda = eq.lambda, by = eq.q;
    for (const int i : parts_.passive) {
      passive_v.push_back(eq.qd[index(i)]);
      passive_a.push_back(eq.qdd[index(i)]);
    }
    by.insert(by.end(), eq.qd.begin(), eq.qd.end());
    by.insert(by.end(), eq.qdd.begin(), eq.qdd.end());
    std::vector<Expr> rows, rows_a, forces, momenta;
    for (int r = 0; r < eq.m(); ++r) {
      rows.push_back(row_times(eq.W, r, eq.qd) + eq.a[index(r)]);
      rows_a.push_back(row_times(eq.W, r, eq.qdd) + eq.gamma[index(r)]);
    }
    if (kinematic_) {
      motion_.emplace_back(without_inputs(eq, rows), passive_v, by);
    } else {
      for (const int i : parts_.passive) {
        const Expr reaction = column_times(eq.W, i, lambda);
        const Expr inertia = row_times(eq.M, i, eq.qdd) + eq.B[index(i)] + eq.G[index(i)] - eq.F[index(i)];
        forces.push_back(reaction ? inertia - reaction : inertia);
        momenta.push_back(reaction ? eq.p[index(i)] - reaction : eq.p[index(i)]);
      }
      forces.insert(forces.end(), rows_a.begin(), rows_a.end());
      momenta.insert(momenta.end(), rows.begin(), rows.end());
      passive_a.insert(passive_a.end(), lambda.begin(), lambda.end());
      passive_v.insert(passive_v.end(), lambda.begin(), lambda.end());
      motion_.emplace_back(without_inputs(eq, forces), passive_a, by);
      start_.emplace_back(without_inputs(eq, momenta), passive_v, by);
    }
  }

  // Compiles h of the holonomic rows, and its derivatives by the coordinates.
  void compile_holonomic(const Equations& eq) {
    if (eq.holonomic.empty()) return;
    std::vector<Expr> h;
    for (const int row : eq.holonomic) h.push_back(eq.h[index(row)]);
    held_ = h.size();
    for (std::size_t r = 0; r < held_; ++r) {
      const std::vector<Expr> slopes = gradient(h[r], eq.q);
      h.insert(h.end(), slopes.begin(), slopes.end());
    }
    place_.emplace_back(without_inputs(eq, h));
  }

  // Compiles the actuated coordinates q_a with q̇_a and q̈_a, and the derivatives of each by the gait's parameters.
  void compile_shape(const Equations& eq) {
    const std::unordered_map<SymbolId, Expr> in_time{{eq.t.symbol(), eq.graph->constant(1)}};
    std::vector<Expr> levels = gait_.shape, all, symbols;
    for (const GaitParameter& parameter : gait_.parameters) symbols.push_back(parameter.symbol);
    for (int level = 0; level < 3; ++level) {
      all.insert(all.end(), levels.begin(), levels.end());
      std::vector<std::vector<Expr>> slopes;
      for (const Expr& e : levels) slopes.push_back(gradient(e, symbols));
      for (std::size_t k = 0; k < symbols.size(); ++k)
        for (const std::vector<Expr>& slope : slopes) all.push_back(slope[k]);
      levels = directional_derivative(levels, in_time);
    }
    shape_.emplace_back(all);
  }

  // The state of a run.
  struct Way {
    const GaitOptions& options;
    double t, end, h;
    double work_of_step = 0;
    bool before_second = true;  // the first cycle is not completed yet
    Numbers y = {}, next = {};
    GaitRun result = {};
  };

  const GaitRun& fail(Way& way, std::string_view why) const {
    way.result.failure = why;
    way.result.failed_at = way.t;
    way.result.margin = met_.margin;
    return way.result;
  }
  const GaitRun& fail_here(Way& way) const {
    way.result.singular = met_.trouble == Solved::kSingular;
    return fail(way, way.result.singular ? kNotDetermined : kNoNumbers);
  }
  // Ends a run whose steps became too short or too many. Near a singular shape the motion grows without bound, and
  // digits are lost in proportion to 1/margin; so a small margin tells that such a shape is the reason.
  const GaitRun& no_end(Way& way) const {
    way.result.singular = std::min(met_.step_margin, met_.margin) < kNearly;
    return fail(way, way.result.singular ? kNearlySingular : kTooManySteps);
  }

  void set_parameters(const Numbers& values) {
    const std::size_t count = gait_.parameters.size();
    point_.p = model_values_;
    point_.p.resize(model_values_.size() + count);
    for (std::size_t k = 0; k < count; ++k)
      point_.p[index(gait_.parameters[k].symbol.graph().symbol_info(gait_.parameters[k].symbol.symbol()).index)] =
          values[k];
  }

  // Makes a step of size h into way.next. Returns its error as a multiple of what is allowed; no value where the motion
  // cannot be computed in the step, or det D_z changes too much.
  std::optional<double> try_step(Way& way, RungeKutta& method) {
    const double t = way.t, h = way.h;
    // Restarts the range of log |det D_z| at its value at the beginning of this step.
    met_.begin_step();
    if (!method.advance(*this, t, way.y.data(), h, way.next.data())) return std::nullopt;
    if (method.error_needs_last_slope() && !evaluate(t + h, way.next.data(), method.last_slope())) return std::nullopt;
    const double error = method.error(way.y.data(), way.next.data(), h, static_cast<int>(way.y.size()),
                                      way.options.rtol, way.options.atol);
    if (!(error <= 1)) return error;
    if (!evaluate(t + h, way.next.data(), method.last_slope())) return std::nullopt;
    if (h > kShortest * gait_.period && !(met_.log_high - met_.log_low <= kLargestChange)) return std::nullopt;
    return error;
  }

  // The reason where the whole run would take too long, estimated from a twentieth of the first cycle on; else empty.
  std::string find_too_much_work(Way& way) const {
    if (!way.before_second || way.t - gait_.start < 0.05 * gait_.period) return {};
    const GaitOptions& options = way.options;
    GaitRun& result = way.result;
    // The rest of a cycle is assumed to take as much as its first part, and each cycle as much as the first one.
    const double part = std::min((way.t - gait_.start) / gait_.period, 1.0);
    const double of_cycle = result.steps / part * way.work_of_step / options.most_run_work;
    if (of_cycle > 1) {
      result.work_beyond = of_cycle;
      return fmt::format("a cycle takes {} times the work that is the limit, with {} sensitivities",
                         to_text(of_cycle, 2), gait_.parameters.size());
    }
    way.before_second = part < 1;
    const double all = static_cast<double>(options.cycles) * result.steps;
    const double most = std::min<double>(options.max_steps, std::floor(options.most_run_work / way.work_of_step));
    if (way.before_second || options.cycles <= 1 || all <= 1.5 * most) return {};
    return fmt::format("{} cycles take about {} steps, and the limit is {}: about {} cycles can be followed",
                       options.cycles, std::llround(all), most, std::max(std::floor(most / result.steps), 1.0));
  }

  // Fills the result of the run from its start and end; false where the velocities at the end are not determined.
  bool finish(Way& way, const Numbers& start) {
    const std::size_t n = parts_.passive.size(), count = gait_.parameters.size();
    const Numbers& y = way.y;
    GaitRun& result = way.result;
    result.margin = met_.margin;
    take(way.t, y.data());
    if (kinematic_) {
      if (!meets_no_singular_shape(motion_.front().solve(point_, speeds_))) return false;
      place_unknowns(speeds_);
    }
    result.displacement_by.assign(n, Numbers(count));
    result.velocity_by.assign(n, Numbers(count));
    for (std::size_t i = 0; i < n; ++i) {
      result.displacement.push_back(y[i] - start[i]);
      result.velocity.push_back(point_.v[index(parts_.passive[i])]);
      for (std::size_t k = 0; k < count; ++k) {
        result.displacement_by[i][k] = y[(k + 1) * own_ + i] - start[(k + 1) * own_ + i];
        if (!kinematic_) result.velocity_by[i][k] = y[(k + 1) * own_ + n + i];
      }
    }
    result.effort = y[own_ - 1];
    for (std::size_t k = 0; k < count; ++k) result.effort_by.push_back(y[(k + 2) * own_ - 1]);
    return true;
  }

  bool meets_no_singular_shape(Solved solved) {
    met_.trouble = solved;
    if (solved != Solved::kYes) return false;
    const SmallLu& K = motion_.front().matrix();
    const double margin = motion_.front().margin();
    if ((met_.sign != 0 && K.sign() != met_.sign) || !(margin >= met_.least_margin)) {
      met_.trouble = Solved::kSingular;
      return false;
    }
    met_.log_last = K.log_determinant();
    if (met_.sign == 0) met_.log_start = met_.log_last;
    met_.log_low = std::min(met_.log_low, met_.log_last);
    met_.log_high = std::max(met_.log_high, met_.log_last);
    met_.step_margin = std::min(met_.step_margin, margin);
    return true;
  }

  // Sets point_ to the shape at t and the passive state in y.
  void take(double t, const double* y) {
    point_.t = t;
    const Numbers& shape = shape_.front()(point_);
    shape_now_ = &shape;
    const std::size_t n = parts_.passive.size(), actuated = parts_.actuated.size(),
                      level = actuated * (gait_.parameters.size() + 1);
    for (std::size_t j = 0; j < actuated; ++j) {
      const std::size_t i = index(parts_.actuated[j]);
      point_.q[i] = shape[j];
      point_.v[i] = shape[level + j];
      point_.a[i] = shape[2 * level + j];
    }
    for (std::size_t i = 0; i < n; ++i) {
      point_.q[index(parts_.passive[i])] = y[i];
      if (!kinematic_) point_.v[index(parts_.passive[i])] = y[n + i];
    }
  }

  // Whether the shape moves noticeably in a step that should be too short for that: it changes faster than its period suggests.
  bool moves_within(double t, double h) {
    constexpr double kElsewhere = 1e-6;
    const std::size_t actuated = parts_.actuated.size();
    point_.t = t;
    const Numbers before = shape_.front()(point_);
    point_.t = t + h;
    const Numbers& after = shape_.front()(point_);
    for (std::size_t j = 0; j < actuated; ++j)
      if (!(std::abs(after[j] - before[j]) <= kElsewhere * std::max(1.0, std::abs(before[j])))) return true;
    return false;
  }

  void place_unknowns(const Numbers& z) {
    const std::size_t n = parts_.passive.size();
    Numbers& into = kinematic_ ? point_.v : point_.a;
    for (std::size_t i = 0; i < n; ++i) into[index(parts_.passive[i])] = z[i];
    for (std::size_t r = 0; r + n < z.size(); ++r) point_.lambda[r] = z[n + r];
  }

  // Puts the derivatives of the actuated coordinates and their rates by parameter k into change_ = (δq, δq̇, δq̈).
  void vary_shape(std::size_t k) {
    const std::size_t n = point_.q.size(), actuated = parts_.actuated.size(),
                      level = actuated * (gait_.parameters.size() + 1);
    std::fill(change_.begin(), change_.end(), 0.0);
    for (std::size_t j = 0; j < actuated; ++j)
      for (std::size_t l = 0; l < 3; ++l)
        change_[l * n + index(parts_.actuated[j])] = (*shape_now_)[l * level + (k + 1) * actuated + j];
  }

  void vary(std::size_t k, const double* dy, double* out) {
    const std::size_t n = parts_.passive.size(), all = point_.q.size();
    vary_shape(k);
    for (std::size_t i = 0; i < n; ++i) {
      change_[index(parts_.passive[i])] = dy[i];
      if (!kinematic_) change_[all + index(parts_.passive[i])] = dy[n + i];
    }
    motion_.front().vary(change_, dz_);
    for (std::size_t i = 0; i < n; ++i) *out++ = kinematic_ ? dz_[i] : dy[n + i];
    for (std::size_t i = 0; i < n && !kinematic_; ++i) *out++ = dz_[i];
    *out = 0;
    for (const int i : parts_.actuated) *out += 2 * point_.v[index(i)] * change_[all + index(i)];
  }

  // Moves the passive coordinates to q0 + J₀ᵀμ where h = 0, with J₀ = ∂h/∂q_p at q0. J₀ is the same for all of the
  // gait's parameters, so that the derivatives of the start follow from those of h alone.
  bool place_start(double t, Numbers& y) {
    if (held_ == 0) return true;
    const std::size_t n = parts_.passive.size(), all = point_.q.size();
    const auto slope = [&](const Numbers& out, std::size_t r, int coordinate) {
      return out[held_ + r * all + index(coordinate)];
    };
    Numbers J0, mu(held_);
    SmallLu K;
    const auto along = [&](std::size_t i) {
      double sum = 0;
      for (std::size_t r = 0; r < held_; ++r) sum += J0[r * n + i] * mu[r];
      return sum;
    };
    const Numbers* out = nullptr;
    double change = 1;
    for (int step = 0; step < kMostSteps && change > kRoundoff; ++step) {
      take(t, y.data());
      out = &place_.front()(point_);
      for (std::size_t r = 0; J0.size() < held_ * n; ++r)
        for (std::size_t i = 0; i < n; ++i) J0.push_back(slope(*out, r, parts_.passive[i]));
      K.resize(held_);
      K.clear();
      for (std::size_t r = 0; r < held_; ++r) {
        mu[r] = -(*out)[r];
        for (std::size_t l = 0; l < held_; ++l)
          for (std::size_t i = 0; i < n; ++i) K(r, l) += slope(*out, r, parts_.passive[i]) * J0[l * n + i];
      }
      if (!K.factor(kSingular)) return false;
      K.solve(mu.data());
      change = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double by = along(i);
        y[i] += by;
        change = std::max(change, std::abs(by) / std::max(1.0, std::abs(y[i])));
      }
    }
    if (!(change <= kRoundoff)) return false;
    for (std::size_t k = 0; k < gait_.parameters.size(); ++k) {
      vary_shape(k);
      for (std::size_t r = 0; r < held_; ++r) {
        mu[r] = 0;
        for (const int a : parts_.actuated) mu[r] -= slope(*out, r, a) * change_[index(a)];
      }
      K.solve(mu.data());
      for (std::size_t i = 0; i < n; ++i) y[(k + 1) * own_ + i] = along(i);
    }
    return true;
  }

  // Sets the velocities of a dynamic system at the start, where its momentum is 0.
  bool from_rest(double t, Numbers& y) {
    if (kinematic_) return true;
    const std::size_t n = parts_.passive.size();
    take(t, y.data());
    Numbers z;
    if (start_.front().solve(point_, z) != Solved::kYes) return false;
    for (std::size_t i = 0; i < n; ++i) y[n + i] = point_.v[index(parts_.passive[i])] = z[i];
    for (std::size_t r = 0; r + n < z.size(); ++r) point_.lambda[r] = z[n + r];
    if (gait_.parameters.empty()) return true;
    start_.front().differentiate(point_);
    for (std::size_t k = 0; k < gait_.parameters.size(); ++k) {
      vary_shape(k);
      for (std::size_t i = 0; i < n; ++i) change_[index(parts_.passive[i])] = y[(k + 1) * own_ + i];
      start_.front().vary(change_, dz_);
      for (std::size_t i = 0; i < n; ++i) y[(k + 1) * own_ + n + i] = dz_[i];
    }
    return true;
  }

  bool kinematic_;
  Partition parts_;
  Gait gait_;
  Numbers model_values_;
  // The equations of the motion and of its start, one element each; start_ is empty if kinematic.
  std::vector<Residual> motion_, start_;
  // The shape, and the holonomic rows, one element each; place_ is empty without such rows.
  std::vector<Functions> shape_, place_;
  std::size_t held_ = 0;  // number of holonomic rows
  std::size_t own_ = 0;   // number of entries of y without the derivatives by parameters
  Met met_;
  Place point_;
  const Numbers* shape_now_ = nullptr;
  Numbers change_, speeds_, accelerations_, dz_;
};

GaitSystem::GaitSystem(const Equations& equations, Gait gait, bool kinematic)
    : flow_(std::make_unique<Flow>(equations, std::move(gait), kinematic)) {}
GaitSystem::~GaitSystem() = default;
const std::vector<int>& GaitSystem::passive() const { return flow_->passive(); }
GaitRun GaitSystem::run(const std::vector<double>& q0, const std::vector<double>& values,
                        const GaitOptions& options) const {
  return flow_->run(q0, values, options);
}

}  // namespace dalembert
