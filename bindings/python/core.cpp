// SPDX-License-Identifier: Apache-2.0
#include "bindings/python/core.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>

#include "dalembert/base/text.h"

namespace dalembert::python {
namespace {

// Whether Python is ending. It has a public name since 3.13.
bool is_python_ending() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

Unlocked::~Unlocked() {
  while (is_python_ending()) pause();
  PyEval_RestoreThread(state_);
}

std::size_t find_coordinate(const std::vector<std::string>& names, const std::string& name, const char* kind,
                            const char* of_rate) {
  const auto is_known = [&](const std::string& one) { return std::ranges::find(names, one) != names.end(); };
  const std::string rate = is_known(name) ? "" : rate_meant(name, is_known);
  if (rate.empty() || rate.ends_with("''")) return face::find(names, name, kind);
  Diagnostic unknown = error("E0102", fmt::format("unknown {} `{}`", kind, name), caller());
  unknown.help.push_back(fmt::format(fmt::runtime(of_rate), rate.substr(0, rate.size() - 1)));
  throw ModelError({std::move(unknown)});
}

namespace {

// Interval between checks of signals: short enough for a user, long enough not to slow runs of microseconds.
constexpr auto kPatience = std::chrono::milliseconds(50);

template <typename T>
T as(const py::handle& value, const std::string& what, const char* kind) {
  // pybind11's own error names types of C++.
  try {
    return value.cast<T>();
  } catch (const py::cast_error&) {
    throw py::type_error(fmt::format("`{}` must be {}, not {:.60}", what, kind, py::repr(value).cast<std::string>()));
  }
}

std::vector<Start::Number> numbers_of(const py::object& group, const char* what) {
  std::vector<Start::Number> values;
  for (const auto& [key, value] : as<py::dict>(group, what, "a dict of numbers")) {
    const std::string name = given_text(key, what);
    values.push_back({name, given_number(value, name)});
  }
  return values;
}

// Replaces Python's default pickling for protocols 0 and 1. For types without pickling support it would create an
// object that pybind11 cannot handle, which ends the process.
void refuse_pickling(const py::module_& module) {
  const py::object plain = py::module_::import("builtins").attr("object").attr("__reduce__");
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(value) || value.attr("__dict__").attr("__contains__")("__getstate__").cast<bool>() ||
        PyObject_IsSubclass(value.ptr(), PyExc_BaseException) != 0)
      continue;
    value.attr("__reduce_ex__") = py::cpp_function(
        [plain](const py::object& self, int) -> py::object {
          const py::type type = py::type::of(self);
          if (const py::object own = type.attr("__reduce__"); !own.is(plain)) return own(self);
          throw py::type_error("cannot pickle '" + type.attr("__name__").cast<std::string>() + "' objects");
        },
        py::is_method(value));
  }
}

}  // namespace

KeepOn::KeepOn()
    : hears_signals_(py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>() ==
                     PyThread_get_thread_ident()) {}

bool KeepOn::operator()() {
  // Python destroys objects that the work needs when it ends, so this thread waits for the end of the process.
  while (is_python_ending()) pause();
  // Other threads receive no signals. They must not wait for the lock: if Python ended meanwhile, it would end the
  // thread within C++ code.
  if (!hears_signals_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kPatience) return !interrupted_;
  looked_ = now;
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) {
    interrupted_ = true;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
      PyErr_Clear();
    else
      raised_ = std::make_unique<py::error_already_set>();
  }
  return !interrupted_;
}

double given_number(const py::handle& value, const std::string& what) { return as<double>(value, what, "a number"); }
std::int64_t given_integer(const py::handle& value, const std::string& what) {
  return as<std::int64_t>(value, what, "an integer");
}
std::string given_text(const py::handle& value, const std::string& what) {
  return as<std::string>(value, what, "a text");
}

void KeepOn::raise() const {
  if (raised_) throw py::error_already_set(*raised_);
}

std::optional<Start> start_at(const py::object& at) {
  if (at.is_none()) return std::nullopt;
  const auto given = as<py::dict>(at, "at", "a state");
  Start start;
  if (given.contains("t")) start.t = given_number(given["t"], "t");
  if (given.contains("q")) start.position = numbers_of(given["q"], "q");
  if (given.contains("qd")) start.velocity = numbers_of(given["qd"], "qd");
  if (given.contains("v")) start.quasi_velocity = numbers_of(given["v"], "v");
  return start;
}

py::dict to_python(const Start& start) {
  py::dict all;
  if (start.t) all["t"] = *start.t;
  const auto add = [&](const char* name, const std::vector<Start::Number>& group) {
    if (group.empty()) return;
    py::dict named;
    for (const Start::Number& value : group) named[py::str(value.coordinate.name)] = value.value;
    all[name] = std::move(named);
  };
  add("q", start.position);
  add("qd", start.velocity);
  add("v", start.quasi_velocity);
  return all;
}

std::vector<double> parameters_of(const Dynamics& dynamics, const py::dict& parameters) {
  std::vector<double> values(dynamics.parameters().begin(), dynamics.parameters().end());
  for (const auto& [key, value] : parameters) {
    const std::string name = given_text(key, "params");
    values[face::find(dynamics.names().parameters, name, "parameter")] = given_number(value, name);
  }
  return values;
}

py::object to_python(const Json& json) { return py::module_::import("json").attr("loads")(json.text()); }

}  // namespace dalembert::python

PYBIND11_MODULE(_core, module) {
  using namespace dalembert::python;
  module.doc() = "Bindings of the library; the package dalembert is what to use.";
  module.attr("__version__") = DALEMBERT_VERSION;
  bind_errors(module);
  bind_arrays(module);
  bind_checks(module);
  bind_expressions(module);
  bind_model(module);
  bind_equations(module);
  bind_functions(module);
  bind_motion(module);
  bind_steppers(module);
  bind_studies(module);
  bind_sweeps(module);
  bind_fits(module);
  bind_optimizing(module);
  bind_pictures(module);
  refuse_pickling(module);
}
