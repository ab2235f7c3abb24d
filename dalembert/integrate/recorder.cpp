// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/recorder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/contacts.h"

namespace dalembert::integration {
namespace {

constexpr double kRoundOffOfMultiples = 4;  // units of round-off
constexpr double kFewRows = 64;             // are reserved also where rows are taken away in between

// Series of every trajectory, but for its ranks and its contacts.
constexpr std::array kSeries = {&Trajectory::time, &Trajectory::kinetic, &Trajectory::potential, &Trajectory::total,
                                &Trajectory::work};
constexpr std::array kGroups = {&Trajectory::q,      &Trajectory::v,        &Trajectory::a,
                                &Trajectory::lambda, &Trajectory::friction, &Trajectory::residual,
                                &Trajectory::u,      &Trajectory::outputs,  &Trajectory::conserved};

}  // namespace

Trajectory Recorder::empty_in_memory_of(Trajectory&& used, RunFor purpose) {
  Trajectory path;
  if (purpose == RunFor::kVerdict) path.names = std::move(used.names);
  path.holonomic = std::move(used.holonomic);
  path.step_lengths = std::move(used.step_lengths);
  path.step_lengths.clear();
  path.rank = std::move(used.rank);
  path.rank.clear();
  for (const auto series : kSeries) {
    path.*series = std::move(used.*series);
    (path.*series).clear();
  }
  for (const auto group : kGroups) {
    path.*group = std::move(used.*group);
    for (std::vector<double>& series : path.*group) series.clear();
  }
  return path;
}

Recorder::Recorder(const Dynamics& dynamics, const IntegrateOptions& options, Workspace& workspace, double start,
                   Trajectory& path, RunFor purpose)
    : dynamics_(dynamics),
      options_(options),
      workspace_(workspace),
      start_(start),
      direction_(options.until < start ? -1 : 1),
      path_(path),
      purpose_(purpose),
      outputs_(static_cast<std::size_t>(dynamics.layout().outputs)) {
  const Layout& layout = dynamics.layout();
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  if (purpose == RunFor::kVerdict) path_.names = dynamics.names();
  path_.holonomic = layout.holonomic;
  path_.q.resize(size(layout.nq));
  for (auto* group : {&path_.v, &path_.a}) group->resize(size(layout.nv));
  for (auto* group : {&path_.lambda, &path_.residual}) group->resize(size(layout.m));
  path_.friction.resize(size(layout.frictions));
  path_.u.resize(size(layout.inputs));
  path_.outputs.resize(size(layout.outputs));
  path_.conserved.resize(size(layout.conserved));
  if (const Contacts* contacts = dynamics.contacts()) {
    path_.verdict.has_contacts = true;
    for (const Contacts::Contact& contact : contacts->contacts) path_.contact_rows.push_back(contact.row);
    for (auto* group : {&path_.gap, &path_.contact}) group->resize(contacts->count());
    gaps_.resize(contacts->count());
    closed_ = dynamics.with_all_contacts_closed();
    closed_workspace_.emplace(*closed_);
  }
}

void Recorder::find_gaps(const Point& at) {
  if (gaps_.empty()) return;
  // The levels of held branches follow the contacts' parameters.
  const Contacts& contacts = *dynamics_.contacts();
  const std::size_t levels = contacts.first_parameter + contacts.count();
  const std::span<const double> now = dynamics_.parameters().subspan(levels);
  if (!std::ranges::equal(now, closed_->parameters().subspan(levels))) closed_->set_parameters(levels, now);
  evaluate_position(*closed_, at.t, at.q, *closed_workspace_);
  for (std::size_t k = 0; k < gaps_.size(); ++k) gaps_[k] = closed_workspace_->h[contacts.contacts[k].level];
}

void Recorder::add(const Point& at, const Energy& energy, const std::vector<double>& conserved) {
  const Layout& layout = dynamics_.layout();
  path_.time.push_back(at.t);
  for (std::size_t i = 0; i < path_.q.size(); ++i) path_.q[i].push_back(at.q[i]);
  for (std::size_t i = 0; i < path_.v.size(); ++i) path_.v[i].push_back(at.v[i]);
  if (purpose_ == RunFor::kStates) return;
  find_gaps(at);
  for (std::size_t i = 0; i < path_.a.size(); ++i) path_.a[i].push_back(at.qdd[i]);
  for (std::size_t r = 0; r < path_.lambda.size(); ++r) {
    path_.lambda[r].push_back(at.lambda[r]);
    path_.residual[r].push_back(workspace_.residual[r]);
  }
  for (std::size_t j = 0; j < path_.friction.size(); ++j)
    path_.friction[j].push_back(at.lambda[path_.lambda.size() + j]);
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k)
    path_.residual[static_cast<std::size_t>(layout.holonomic[k])].back() = workspace_.h[k];
  for (std::size_t k = 0; k < path_.gap.size(); ++k) {
    path_.gap[k].push_back(gaps_[k]);
    path_.contact[k].push_back(dynamics_.is_closed(k) ? 1 : 0);
  }
  path_.kinetic.push_back(energy.kinetic);
  path_.potential.push_back(energy.potential);
  path_.total.push_back(energy.total);
  path_.work.push_back(at.work);
  for (std::size_t i = 0; i < conserved.size(); ++i) path_.conserved[i].push_back(conserved[i]);
  for (std::size_t i = 0; i < path_.u.size(); ++i) path_.u[i].push_back(workspace_.u[i]);
  path_.rank.push_back(at.rank);
  const std::vector<double>& values = outputs(at);
  for (std::size_t i = 0; i < values.size(); ++i) path_.outputs[i].push_back(values[i]);
}

const std::vector<double>& Recorder::outputs(const Point& at) {
  if (outputs_.empty()) return outputs_;
  KernelArguments in = kernel_arguments(dynamics_, at.t, at.q, at.v, workspace_);
  in.qdd = at.qdd;
  in.lambda = at.lambda;
  if (integrals_ != nullptr) in.p = integrals_->parameters_at(at.t);
  dynamics_.kernel().call(KernelFunction::kOutputs, in, outputs_.data());
  return outputs_;
}

void Recorder::reserve() {
  double rows = static_cast<double>(options_.output_times.size());
  if (rows == 0 && options_.output_step > 0) rows = std::abs(options_.until - start_) / options_.output_step;
  if (rows == 0 || rows > (options_.take_rows ? kFewRows : 1e7)) return;
  const auto count = static_cast<std::size_t>(rows) + 3;
  const auto reserve_all = [count](std::vector<std::vector<double>>& group) {
    for (std::vector<double>& x : group) x.reserve(count);
  };
  path_.time.reserve(count);
  for (auto* group : {&path_.q, &path_.v}) reserve_all(*group);
  if (purpose_ == RunFor::kStates) return;
  path_.rank.reserve(count);
  for (const auto series : kSeries) (path_.*series).reserve(count);
  for (const auto group : kGroups) reserve_all(path_.*group);
  for (auto* group : {&path_.gap, &path_.contact}) reserve_all(*group);
}

double Recorder::time_of(std::size_t row) const {
  if (!options_.output_times.empty())
    return row < options_.output_times.size() ? options_.output_times[row]
                                              : direction_ * std::numeric_limits<double>::infinity();
  if (options_.output_step > 0) {
    // Times are multiples, not sums, of the output step. A time that equals the end of the run
    // up to round-off becomes the end.
    const double t = start_ + direction_ * options_.output_step * static_cast<double>(row + 1);
    return std::abs(t - options_.until) <= 1e-6 * options_.output_step ? options_.until : t;
  }
  return direction_ * std::numeric_limits<double>::infinity();
}

double Recorder::round_to_row(double t) const {
  std::size_t row = next_;
  if (!options_.output_times.empty()) {
    const auto after = std::ranges::lower_bound(options_.output_times, direction_ * t, {},
                                                [&](double time) { return direction_ * time; });
    row = static_cast<std::size_t>(after - options_.output_times.begin());
  } else if (options_.output_step > 0) {
    row = static_cast<std::size_t>(std::max(0.0, std::round(std::abs(t - start_) / options_.output_step) - 1));
  }
  for (const double time : {time_of(row), time_of(row > 0 ? row - 1 : 0), options_.until})
    if (std::abs(time - t) <= kRoundOffOfMultiples * kEps * std::abs(t)) return time;
  return t;
}

}  // namespace dalembert::integration
