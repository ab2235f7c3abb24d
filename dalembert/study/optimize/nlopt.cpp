// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/optimize/nlopt.h"

#include <dlfcn.h>
#include <nlopt.h>

#include <limits>
#include <memory>

#include "dalembert/dynamics/numbers.h"

namespace dalembert::optimizing {
namespace {

// Functions of NLopt without their prefix. All of them are in every version from 2.4 on.
#define DALEMBERT_NLOPT_FUNCTIONS(use)                                                                      \
  use(create) use(destroy) use(optimize) use(set_min_objective) use(set_lower_bounds) use(set_upper_bounds) \
      use(add_inequality_mconstraint) use(add_equality_mconstraint) use(set_ftol_rel) use(set_xtol_abs1)    \
          use(set_maxeval) use(set_initial_step1) use(force_stop)

struct NloptApi {
#define DALEMBERT_NLOPT_MEMBER(name) decltype(&nlopt_##name) name = nullptr;
  DALEMBERT_NLOPT_FUNCTIONS(DALEMBERT_NLOPT_MEMBER)
#undef DALEMBERT_NLOPT_MEMBER
  std::string why_not;
};

NloptApi load_nlopt() {
  NloptApi api;
  void* handle = nullptr;
  for (const char* name : {"libnlopt.so.0", "libnlopt.so.1", "libnlopt.so"})
    if (handle == nullptr) handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    api.why_not = "the library libnlopt, which optimises, is not there";
    return api;
  }
#define DALEMBERT_NLOPT_LOOK_UP(name)                                             \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(handle, "nlopt_" #name)); \
  if (api.name == nullptr) api.why_not = "the library libnlopt has no function nlopt_" #name;
  DALEMBERT_NLOPT_FUNCTIONS(DALEMBERT_NLOPT_LOOK_UP)
#undef DALEMBERT_NLOPT_LOOK_UP
  return api;
}

const NloptApi& nlopt_api() {
  static const NloptApi api = load_nlopt();
  return api;
}

struct Search {
  const NonlinearProgram& program;
  nlopt_opt handle;
  bool lost =
      false;  // whether SLSQP has asked for a point that is none: its steps may become 0/0 where a bound leaves nothing to gain
};

double objective(unsigned n, const double* z, double* gradient, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!all_finite(z, n)) {
    search.lost = true;
    nlopt_api().force_stop(search.handle);
    return std::numeric_limits<double>::infinity();
  }
  const double value = search.program.objective({z, n}, {gradient, gradient == nullptr ? 0 : n});
  if (search.program.keep_on && !search.program.keep_on()) nlopt_api().force_stop(search.handle);
  return value;
}

void inequalities(unsigned m, double* values, unsigned n, const double* z, double* jacobian, void* data) {
  static_cast<const Search*>(data)->program.g({z, n}, {values, m}, {jacobian, jacobian == nullptr ? 0 : m * n});
}
void equations(unsigned m, double* values, unsigned n, const double* z, double* jacobian, void* data) {
  static_cast<const Search*>(data)->program.h({z, n}, {values, m}, {jacobian, jacobian == nullptr ? 0 : m * n});
}

std::string why_ended(nlopt_result result) {
  switch (result) {
    case NLOPT_SUCCESS:
    case NLOPT_STOPVAL_REACHED:
    case NLOPT_FTOL_REACHED:
    case NLOPT_XTOL_REACHED:
      return "converged";
    case NLOPT_MAXEVAL_REACHED:
    case NLOPT_MAXTIME_REACHED:
      return "the limit of points";
    case NLOPT_ROUNDOFF_LIMITED:
      return "round-off";
    case NLOPT_FORCED_STOP:
      return "stopped";
    default:
      return "no direction of descent";
  }
}

}  // namespace

Diagnostics require_nlopt() {
  const std::string& why = nlopt_api().why_not;
  if (why.empty()) return {};
  Diagnostic problem = error("E0438", why);
  problem.help.emplace_back("on Debian: apt install libnlopt0");
  return {problem};
}

std::string minimize(const NonlinearProgram& program, std::vector<double>& z) {
  const NloptApi& nlopt = nlopt_api();
  const std::unique_ptr<std::remove_pointer_t<nlopt_opt>, decltype(nlopt.destroy)> opt(
      nlopt.create(program.by_gradients ? NLOPT_LD_SLSQP : NLOPT_LN_COBYLA, static_cast<unsigned>(z.size())),
      nlopt.destroy);
  if (!opt) return "out of memory";
  Search search{program, opt.get()};
  nlopt.set_lower_bounds(opt.get(), program.lower.data());
  nlopt.set_upper_bounds(opt.get(), program.upper.data());
  nlopt.set_min_objective(opt.get(), objective, &search);
  const std::vector<double> exact(std::max(program.inequalities, program.equations), program.tolerance);
  if (program.inequalities > 0)
    nlopt.add_inequality_mconstraint(opt.get(), static_cast<unsigned>(program.inequalities), inequalities, &search,
                                     exact.data());
  if (program.equations > 0)
    nlopt.add_equality_mconstraint(opt.get(), static_cast<unsigned>(program.equations), equations, &search,
                                   exact.data());
  nlopt.set_ftol_rel(opt.get(), program.tolerance * program.tolerance);
  nlopt.set_xtol_abs1(opt.get(), program.tolerance);
  nlopt.set_maxeval(opt.get(), program.max_points);
  if (!program.by_gradients) nlopt.set_initial_step1(opt.get(), program.first_step);
  double least = 0;
  const std::vector<double> start = z;
  const nlopt_result result = nlopt.optimize(opt.get(), z.data(), &least);
  if (!search.lost) return why_ended(result);
  if (!all_finite(z)) z = start;
  return why_ended(NLOPT_ROUNDOFF_LIMITED);
}

}  // namespace dalembert::optimizing
