// SPDX-License-Identifier: Apache-2.0
// Advice that names sections and keys of a model file, in words of a script that states the model.
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/python/core.h"

namespace dalembert::python {
namespace {

// What a file says, and what says it in Python. Whole statements come before the sections and keys in them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kWords{{
    {"`[[force]]` with `power = \"tau*dot(theta)\"`", "`model.power(tau*theta.dot)`"},
    {"`[quasi_velocities]` with `u = \"dot(x)*cos(theta) + dot(y)*sin(theta)\"`",
     "`u = model.quasi_velocity(\"u\", x.dot*c + y.dot*s, unit=\"m/s\")`"},
    {"[[damper]] or as `dissipation = \"c/2*theta'^2\"` in [energy]",
     "`model.damper(…)` or as `model.dissipation = c/2*theta.dot**2`"},
    {"[[force]] with coordinate and value", "`model.generalized_force(theta, …)`"},
    {"`[[constraint]]` with `holonomic = …`", "`model.holonomic(\"name\", …)`"},
    {"`holonomic = …`", "`model.holonomic(\"name\", …)`"},
    {"`pfaffian = …`", "`model.pfaffian(\"name\", …)`"},
    {"`when = \"x - L\"` for `x > L`, with `direction = \"up\"`", "`model.event(\"name\", x - L, \"up\")` for `x > L`"},
    {"`where = \"x > 0\"`", "`where=x > 0`"},
    {"`lagrangian`", "`model.lagrangian`"},
    {"`dissipation`", "`model.dissipation`"},
    {", under a name in [define]", ""},
    {"`[[constraint]]`", "`model.holonomic(\"name\", …)`"},
    {"`[[friction]]`", "`model.friction(…)`"},
    {"[[friction]]", "`model.friction(…)`"},
    {"`[[force]]`", "`model.generalized_force(…)`"},
    {"[[event]]", "`model.event(…)`"},
    {"`[[body]]`", "`model.body(…)`"},
    {"`[[point]]`", "`model.point(…)`"},
    {"[outputs]", "`model.output(…)`"},
    {"[inputs]", "`model.input(…)`"},
    {"[prescribed]", "`model.prescribe(…)`"},
    {"[parameters]", "`model.parameter(…)`"},
    {"[quasi_velocities]", "`model.quasi_velocity(…)`"},
    {"[initial]", "`model.initial(…)`"},
}};

}  // namespace

std::string in_words_of_python(std::string advice) {
  for (const auto& [file, script] : kWords)
    for (std::size_t at = 0; (at = advice.find(file, at)) != std::string::npos; at += script.size())
      advice.replace(at, file.size(), script);
  return advice;
}

Diagnostics in_words_of_python(Diagnostics all) {
  for (Diagnostic& one : all) {
    for (std::string& note : one.notes) note = in_words_of_python(std::move(note));
    for (std::string& help : one.help) help = in_words_of_python(std::move(help));
  }
  return all;
}

}  // namespace dalembert::python
