// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers to and from Python through the buffer protocol. NumPy is not needed to compile; it is imported when
// the first array is made.
#pragma once

#include <Python.h>

#include <vector>

#include "bindings/python/core.h"

namespace dalembert::python {

/// Holds a C-contiguous buffer of doubles during its lifetime.
class Doubles {
 public:
  Doubles() = default;
  ~Doubles() {
    if (held_) PyBuffer_Release(&view_);
  }
  Doubles(const Doubles&) = delete;
  Doubles& operator=(const Doubles&) = delete;

  /// Returns false, without a Python error, if the object is not such a buffer.
  bool read(PyObject* object) { return get(object, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT); }
  bool write(PyObject* object) { return get(object, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE); }
  double* data() const { return static_cast<double*>(view_.buf); }
  int axes() const { return view_.ndim; }
  Py_ssize_t size(int axis) const { return view_.shape[axis]; }
  Py_ssize_t count() const { return view_.len / static_cast<Py_ssize_t>(sizeof(double)); }

 private:
  bool get(PyObject* object, int flags);
  Py_buffer view_{};
  bool held_ = false;
};

/// numpy.empty(shape) with doubles.
py::object empty_array(const std::vector<Py_ssize_t>& shape);
/// The numbers of an array or sequence.
std::vector<double> doubles_of(const py::handle& values, std::size_t size, const char* what);
py::object array_of(const std::vector<double>& values);

/// A read-only array that refers to numbers of `owner`; nothing is copied.
py::object view_of(std::span<const double> values, const py::object& owner);

}  // namespace dalembert::python
