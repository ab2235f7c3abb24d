// SPDX-License-Identifier: Apache-2.0
#include "bindings/python/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace dalembert::python {
namespace {

// A buffer for NumPy over numbers that `owner` holds.
struct View {
  std::span<const double> values;
  py::object owner;
};

const py::object& numpy(const char* name) {
  // Never destroyed, because Python may have ended before static destructors run.
  static auto* const functions = new std::map<std::string, py::object>;
  py::object& function = (*functions)[name];
  if (!function) function = py::module_::import("numpy").attr(name);
  return function;
}

}  // namespace

bool Doubles::get(PyObject* object, int flags) {
  if (!PyObject_CheckBuffer(object)) return false;
  if (PyObject_GetBuffer(object, &view_, flags) != 0) {
    PyErr_Clear();
    return false;
  }
  held_ = true;
  return view_.itemsize == sizeof(double) && view_.format != nullptr && std::strcmp(view_.format, "d") == 0;
}

py::object empty_array(const std::vector<Py_ssize_t>& shape) {
  py::tuple sizes(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) sizes[i] = shape[i];
  return numpy("empty")(sizes);
}

std::vector<double> doubles_of(const py::handle& values, std::size_t size, const char* what) {
  std::vector<double> all;
  Doubles buffer;
  if (buffer.read(values.ptr()) && buffer.axes() == 1) {
    all.assign(buffer.data(), buffer.data() + buffer.count());
  } else {
    for (const py::handle value : py::reinterpret_borrow<py::iterable>(values))
      all.push_back(given_number(value, what));
  }
  if (all.size() != size) throw py::value_error(fmt::format("{} has {} numbers, not {}", what, size, all.size()));
  return all;
}

py::object array_of(const std::vector<double>& values) {
  py::object array = empty_array({static_cast<Py_ssize_t>(values.size())});
  Doubles buffer;
  if (!buffer.write(array.ptr())) throw py::type_error("numpy.empty made no array of doubles");
  std::copy(values.begin(), values.end(), buffer.data());
  return array;
}

py::object view_of(std::span<const double> values, const py::object& owner) {
  return numpy("asarray")(py::cast(View{values, owner}));
}

void bind_arrays(py::module_& module) {
  py::class_<View>(module, "View", py::buffer_protocol()).def_buffer([](View& view) {
    return py::buffer_info(const_cast<double*>(view.values.data()), sizeof(double), "d", 1,
                           {static_cast<py::ssize_t>(view.values.size())}, {static_cast<py::ssize_t>(sizeof(double))},
                           true);
  });
}

}  // namespace dalembert::python
