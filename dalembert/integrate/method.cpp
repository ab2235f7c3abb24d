// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/method.h"

#include <algorithm>

#include "dalembert/integrate/radau.h"
#include "dalembert/integrate/runge_kutta.h"

namespace dalembert {
namespace {

struct ImplicitMethod {
  Method method;
  const MethodFacts& (*facts)();
  std::unique_ptr<OneStepMethod> (*make)(ShiftedSolver& solver, int size, double rtol, double atol, int room);
};

template <class T>
std::unique_ptr<OneStepMethod> make(ShiftedSolver& solver, int size, double rtol, double atol, int room) {
  return std::make_unique<T>(solver, size, rtol, atol, room);
}

// Method::kAuto switches to the first of these methods.
constexpr std::array kImplicitMethods{ImplicitMethod{Method::kRadau, radau_facts, make<Radau>}};

const ImplicitMethod& implicit_method(Method method) {
  const auto found = std::ranges::find(kImplicitMethods, method, &ImplicitMethod::method);
  return found != kImplicitMethods.end() ? *found : kImplicitMethods.front();
}

}  // namespace

const Tableau& explicit_tableau(Method method) {
  for (const ExplicitPair& pair : kExplicitPairs)
    if (pair.method == method) return pair.tableau();
  return kExplicitPairs.front().tableau();
}

bool is_implicit(Method method) { return implicit_method(method).method == method; }
bool may_be_implicit(Method method) { return is_implicit(method) || method == Method::kAuto; }

std::unique_ptr<OneStepMethod> make_implicit_method(const IntegrateOptions& options, ShiftedSolver& solver, int size,
                                                    int room) {
  const auto of = [&](double tolerance) { return options.adaptive ? tolerance : std::min(tolerance, 1e-14); };
  return implicit_method(options.method).make(solver, size, of(options.rtol), of(options.atol), room);
}
std::string_view name_of_implicit_method(Method method) { return implicit_method(method).facts().name; }

std::string_view to_text(Method method) {
  if (method == Method::kAuto) return "auto";
  return is_implicit(method) ? implicit_method(method).facts().name : explicit_tableau(method).name;
}

std::optional<Method> parse_method(std::string_view name) {
  for (const Method method : kMethods)
    if (to_text(method) == name) return method;
  return std::nullopt;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method method : kMethods) names.emplace_back(to_text(method));
  return names;
}

}  // namespace dalembert
