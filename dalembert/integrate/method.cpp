// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/method.h"

#include "dalembert/integrate/radau.h"
#include "dalembert/integrate/runge_kutta.h"

namespace dalembert {

const Tableau& explicit_tableau(Method method) {
  for (const ExplicitPair& pair : kExplicitPairs)
    if (pair.method == method) return pair.tableau();
  return kExplicitPairs.front().tableau();
}

std::string_view to_text(Method method) {
  if (method == Method::kAuto) return "auto";
  return method == Method::kRadau ? Radau::method().name : explicit_tableau(method).name;
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
