// SPDX-License-Identifier: Apache-2.0
// The equations as functions of arrays: one state, or any number of states along leading axes. Python's lock is
// released.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

#include "bindings/python/arrays.h"
#include "bindings/python/core.h"
#include "dalembert/dynamics/kinematics.h"

namespace dalembert::python {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// A quantity that a kernel function writes, dense or as entries of a sparse matrix.
struct Part {
  KernelFunction function;
  std::size_t offset = 0, count = 0;  // within the output of the function
  std::vector<Py_ssize_t> shape;      // shape for one state
  std::vector<std::size_t> places;    // dense index of entry k; empty: in order
  std::size_t size = 1;               // dense size for one state

  bool is_matrix() const { return shape.size() == 2; }
};

Part vector_part(KernelFunction function, std::size_t offset, int count) {
  return {function, offset, as_size(count), {count}, {}, as_size(count)};
}
Part number_part(KernelFunction function, std::size_t offset) { return {function, offset, 1, {}, {}, 1}; }
Part matrix_part(KernelFunction function, std::size_t offset, const Pattern& pattern) {
  Part part{function, offset, as_size(pattern.nonzeros()), {pattern.rows, pattern.cols}, {}, 0};
  part.size = as_size(pattern.rows) * as_size(pattern.cols);
  for (int k = 0; k < pattern.nonzeros(); ++k)
    part.places.push_back(as_size(pattern.row[as_size(k)]) * as_size(pattern.cols) + as_size(pattern.col[as_size(k)]));
  return part;
}

std::optional<Part> find_part(const Layout& layout, const std::string& name) {
  const TermsPlaces terms(layout);
  if (name == "qdd" || name == "vdot") return vector_part(KernelFunction::kAccelerations, 0, layout.nv);
  if (name == "lam") return vector_part(KernelFunction::kAccelerations, as_size(layout.nv), layout.m);
  if (name == "M") return matrix_part(KernelFunction::kTerms, terms.M, layout.M);
  if (name == "W" || name == "A") return matrix_part(KernelFunction::kTerms, terms.W, layout.W);
  if (name == "B") return vector_part(KernelFunction::kTerms, terms.B, layout.nv);
  if (name == "G") return vector_part(KernelFunction::kTerms, terms.G, layout.nv);
  if (name == "F") return vector_part(KernelFunction::kTerms, terms.F, layout.nv);
  if (name == "a") return vector_part(KernelFunction::kTerms, terms.a, layout.m);
  if (name == "gamma") return vector_part(KernelFunction::kTerms, terms.gamma, layout.m);
  if (name == "h") return vector_part(KernelFunction::kPosition, 0, static_cast<int>(layout.holonomic.size()));
  if (name == "T") return number_part(KernelFunction::kEnergy, EnergyPlaces::T);
  if (name == "V") return number_part(KernelFunction::kEnergy, EnergyPlaces::V);
  if (name == "E") return number_part(KernelFunction::kEnergy, EnergyPlaces::E);
  return std::nullopt;
}
const std::vector<std::string> kParts = {"qdd", "lam", "M", "B", "G", "F", "W", "a", "gamma", "h", "T", "V", "E"};

// Groups of lanes that are laid out before the first one is computed. Loading a vector right after its elements were
// stored one by one would stall store forwarding.
constexpr std::size_t kAhead = 16;

// Memory of one thread.
struct Worker {
  explicit Worker(const Dynamics& dynamics) : workspace(dynamics), kernel(dynamics, fastest_lanes(dynamics)) {
    const auto lanes = static_cast<std::size_t>(kernel.lanes());
    t.resize(lanes);
    u.resize(lanes * as_size(dynamics.layout().inputs));
    q.resize(kAhead * lanes * as_size(dynamics.nq()));
    v.resize(kAhead * lanes * as_size(dynamics.nv()));
    lambda.resize(as_size(dynamics.layout().multipliers()));
  }
  Workspace workspace;
  LaneKernel kernel;
  std::vector<double> t, q, v, u, out, lambda;
};

// Calls f(size) with a compile-time constant for small sizes, so that the compiler moves several numbers at once.
template <class Function>
void with_size(std::size_t size, const Function& f) {
  const auto among = [&]<std::size_t... kSizes>(std::index_sequence<kSizes...>) {
    return ((size == kSizes && (f(std::integral_constant<std::size_t, kSizes>()), true)) || ...);
  };
  if (!among(std::make_index_sequence<9>())) f(size);
}
// Transposes `size` numbers of each of kLanes states into lanes; from_lanes() transposes back.
template <std::size_t kLanes>
void to_lanes(const double* from, std::size_t size, double* to) {
  with_size(size, [&](auto n) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t l = 0; l < kLanes; ++l) to[i * kLanes + l] = from[l * n + i];
  });
}
template <std::size_t kLanes>
void from_lanes(const double* from, std::size_t size, double* to) {
  with_size(size, [&](auto n) {
    for (std::size_t l = 0; l < kLanes; ++l)
      for (std::size_t i = 0; i < n; ++i) to[l * n + i] = from[i * kLanes + l];
  });
}

class Functions {
 public:
  Functions(const Equations& equations, std::vector<std::string> names, const py::dict& parameters)
      : names_(std::move(names)), dynamics_(compile(equations)) {
    if (!parameters.empty()) dynamics_ = dynamics_.with_parameters(parameters_of(dynamics_, parameters));
    for (const std::string& name : names_) {
      std::optional<Part> part = find_part(dynamics_.layout(), name);
      if (!part) face::find(kParts, name, "function");  // throws, naming the nearest
      parts_.push_back(*std::move(part));
    }
    dynamics_.kernel().expect_many_calls();
  }

  const std::vector<std::string>& names() const { return names_; }
  const Dynamics& dynamics() const { return dynamics_; }

  // Evaluates part `which` at states; q and v have the same leading axes. Returns None if the arrays are not contiguous
  // doubles of matching shape; the caller converts them then.
  py::object call(std::size_t which, const py::object& q, const py::object& v, const py::object& t,
                  const py::object& parameters) {
    const Part& part = parts_.at(which);
    const Layout& layout = dynamics_.layout();
    Doubles qs, vs, ts;
    if (!qs.read(q.ptr()) || !vs.read(v.ptr())) return py::none();
    const int axes = qs.axes();
    if (axes < 1 || vs.axes() != axes || qs.size(axes - 1) != layout.nq || vs.size(axes - 1) != layout.nv)
      return py::none();
    std::vector<Py_ssize_t> shape;
    Py_ssize_t count = 1;
    for (int i = 0; i + 1 < axes; ++i) {
      if (qs.size(i) != vs.size(i)) return py::none();
      shape.push_back(qs.size(i));
      count *= qs.size(i);
    }
    double time = 0;
    const double* times = nullptr;
    if (PyFloat_Check(t.ptr())) {
      time = PyFloat_AS_DOUBLE(t.ptr());
    } else {
      if (!ts.read(t.ptr()) || ts.count() != count) return py::none();
      times = ts.data();
    }
    shape.insert(shape.end(), part.shape.begin(), part.shape.end());
    py::object result = empty_array(shape);
    Doubles out;
    if (!out.write(result.ptr())) return py::none();
    if (count == 0 || part.size == 0) return result;
    // Other parameters need a dynamics of their own, which shares the kernel's code.
    std::unique_ptr<Worker> worker;
    std::optional<Dynamics> other;
    if (parameters.is_none()) {
      worker = take();
    } else {
      other = dynamics_.with_parameters(doubles_of(parameters, as_size(layout.parameters), "p"));
      worker = std::make_unique<Worker>(*other);
    }
    const Dynamics& dynamics = other ? *other : dynamics_;
    if (count == 1) {
      one(part, dynamics, *worker, times ? *times : time, qs.data(), vs.data(), out.data());
    } else {
      Unlocked unlocked;
      many(part, dynamics, *worker, static_cast<std::size_t>(count), times, time, qs.data(), vs.data(), out.data());
    }
    if (!other) give(std::move(worker));
    return result;
  }

 private:
  std::unique_ptr<Worker> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Worker>(dynamics_);
    std::unique_ptr<Worker> worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }
  void give(std::unique_ptr<Worker> worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

  // Copies the numbers of one state, entry k at values[k · stride], to their places.
  static void place(const Part& part, const double* values, std::size_t stride, double* out) {
    if (!part.is_matrix()) {
      for (std::size_t k = 0; k < part.count; ++k) out[k] = values[k * stride];
      return;
    }
    std::fill_n(out, part.size, 0.0);
    for (std::size_t k = 0; k < part.count; ++k) out[part.places[k]] = values[k * stride];
  }

  static void one(const Part& part, const Dynamics& dynamics, Worker& w, double t, const double* q, const double* v,
                  double* out) {
    w.out.resize(std::max(w.out.size(), output_size(dynamics.layout(), part.function) + as_size(dynamics.nv())));
    if (part.function == KernelFunction::kAccelerations) {
      const KktStatus status = solve_kkt(dynamics, t, q, v, w.workspace, w.out.data(), w.lambda.data());
      if (status != KktStatus::kOk) {
        std::fill_n(out, part.size, kNone);
        return;
      }
      std::copy_n(part.offset == 0 ? w.out.data() : w.lambda.data(), part.count, out);
      return;
    }
    evaluate_inputs(dynamics, t, w.workspace);
    call_kernel(dynamics, part.function, t, q, v, w.workspace, w.out.data());
    place(part, w.out.data() + part.offset, 1, out);
  }

  static void many(const Part& part, const Dynamics& dynamics, Worker& w, std::size_t count, const double* times,
                   double time, const double* q, const double* v, double* out) {
    const std::size_t nq = as_size(dynamics.nq()), nv = as_size(dynamics.nv());
    const bool one_by_one = dynamics.layout().load_dependent() && part.function == KernelFunction::kAccelerations;
    w.out.resize(std::max(w.out.size(), w.t.size() * output_size(dynamics.layout(), part.function)));
    const std::size_t done = one_by_one        ? 0
                             : w.t.size() == 8 ? in_lanes<8>(part, dynamics, w, count, times, time, q, nq, v, nv, out)
                                               : in_lanes<4>(part, dynamics, w, count, times, time, q, nq, v, nv, out);
    for (std::size_t s = done; s < count; ++s)
      one(part, dynamics, w, times ? times[s] : time, q + s * nq, v + s * nv, out + s * part.size);
  }

  // Evaluates the states that fill whole lanes, and returns their number.
  template <std::size_t kLanes>
  static std::size_t in_lanes(const Part& part, const Dynamics& dynamics, Worker& w, std::size_t count,
                              const double* times, double time, const double* q, std::size_t nq, const double* v,
                              std::size_t nv, double* out) {
    std::fill(w.t.begin(), w.t.end(), time);
    // Inputs that are equal for all states are evaluated once.
    const double* inputs = nullptr;
    if (times == nullptr || w.workspace.constant_inputs) {
      evaluate_inputs(dynamics, time, w.workspace);
      for (std::size_t i = 0; i < w.workspace.u.size(); ++i)
        std::fill_n(w.u.begin() + static_cast<std::ptrdiff_t>(i * kLanes), kLanes, w.workspace.u[i]);
      inputs = w.u.data();
    }
    const double* values = w.out.data() + part.offset * kLanes;
    std::size_t s = 0;
    while (s + kLanes <= count) {
      const std::size_t groups = std::min(kAhead, (count - s) / kLanes);
      for (std::size_t g = 0; g < groups; ++g) {
        to_lanes<kLanes>(q + (s + g * kLanes) * nq, nq, w.q.data() + g * kLanes * nq);
        to_lanes<kLanes>(v + (s + g * kLanes) * nv, nv, w.v.data() + g * kLanes * nv);
      }
      for (std::size_t g = 0; g < groups; ++g, s += kLanes) {
        if (times) std::copy_n(times + s, kLanes, w.t.data());
        const LaneArguments in{
            .t = w.t.data(), .q = w.q.data() + g * kLanes * nq, .v = w.v.data() + g * kLanes * nv, .u = inputs};
        if (part.function == KernelFunction::kAccelerations)
          w.kernel.accelerations(in, w.out.data());
        else
          w.kernel.call(part.function, in, w.out.data());
        if (!part.is_matrix())
          from_lanes<kLanes>(values, part.size, out + s * part.size);
        else
          for (std::size_t l = 0; l < kLanes; ++l) place(part, values + l, kLanes, out + (s + l) * part.size);
      }
    }
    return s;
  }

  std::vector<std::string> names_;
  Dynamics dynamics_;
  std::vector<Part> parts_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

// y = (q, v) → y' = (N v + n₀, v̇), and its derivative by y, for external integrators.
class RightHandSide {
 public:
  RightHandSide(const Equations& equations, const py::dict& parameters)
      : dynamics_(bound(compile(equations), parameters)),
        workspace_(dynamics_),
        lambda_(as_size(dynamics_.layout().multipliers())),
        jacobian_(equations, KernelFunction::kAccelerations,
                  arguments_of(equations, {SymbolKind::kCoordinate, SymbolKind::kVelocity})),
        work_(jacobian_.work()),
        values_(as_size(jacobian_.pattern().nonzeros())) {
    dynamics_.kernel().expect_many_calls();
    jacobian_.make_code();
  }
  const Dynamics& dynamics() const { return dynamics_; }

  py::object call(double t, const py::object& y) {
    const std::size_t nq = as_size(dynamics_.nq()), nv = as_size(dynamics_.nv());
    Doubles in, out;
    if (!in.read(y.ptr()) || in.axes() != 1 || in.count() != static_cast<Py_ssize_t>(nq + nv))
      throw py::value_error(fmt::format("y has {} numbers: the coordinates, then the velocities", nq + nv));
    py::object slope = empty_array({static_cast<Py_ssize_t>(nq + nv)});
    if (!out.write(slope.ptr())) throw py::type_error("numpy.empty made no array of doubles");
    const double *q = in.data(), *v = q + nq;
    find_qdot(dynamics_, t, q, v, workspace_, out.data());
    if (solve_kkt(dynamics_, t, q, v, workspace_, out.data() + nq, lambda_.data()) != KktStatus::kOk)
      std::fill_n(out.data() + nq, nv, kNone);
    return slope;
  }

  static Dynamics bound(Dynamics dynamics, const py::dict& parameters) {
    return parameters.empty() ? dynamics : dynamics.with_parameters(parameters_of(dynamics, parameters));
  }

  bool has_jacobian() const {
    return jacobian_.valid() && dynamics_.layout().v_is_qdot && !dynamics_.layout().load_dependent();
  }

  py::object jacobian(double t, const py::object& y) {
    const std::size_t n = as_size(dynamics_.nq());
    Doubles in, out;
    if (!in.read(y.ptr()) || in.axes() != 1 || in.count() != static_cast<Py_ssize_t>(2 * n))
      throw py::value_error(fmt::format("y has {} numbers: the coordinates, then the velocities", 2 * n));
    py::object matrix = empty_array({static_cast<Py_ssize_t>(2 * n), static_cast<Py_ssize_t>(2 * n)});
    if (!out.write(matrix.ptr())) throw py::type_error("numpy.empty made no array of doubles");
    double* J = out.data();
    std::fill_n(J, 4 * n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) J[i * 2 * n + n + i] = 1;
    evaluate_inputs(dynamics_, t, workspace_);
    KernelArguments arguments = kernel_arguments(dynamics_, t, in.data(), in.data() + n, workspace_);
    arguments.work = work_.data();
    jacobian_.call(arguments, values_.data());
    const Pattern& pattern = jacobian_.pattern();
    for (std::size_t k = 0; k < values_.size(); ++k)
      if (as_size(pattern.row[k]) < n) J[(n + as_size(pattern.row[k])) * 2 * n + as_size(pattern.col[k])] = values_[k];
    return matrix;
  }

 private:
  Dynamics dynamics_;
  Workspace workspace_;
  std::vector<double> lambda_;
  KernelJacobian jacobian_;
  std::vector<double> work_, values_;
};

}  // namespace

void bind_functions(py::module_& module) {
  py::class_<Functions>(module, "Functions")
      .def(py::init([](PyModel& m, std::vector<std::string> names, const py::dict& parameters) {
             return std::make_unique<Functions>(m.equations(), std::move(names), parameters);
           }),
           py::arg("model"), py::arg("names"), py::arg("parameters"))
      .def_property_readonly("names", &Functions::names)
      .def_property_readonly("nq", [](const Functions& f) { return f.dynamics().nq(); })
      .def_property_readonly("nv", [](const Functions& f) { return f.dynamics().nv(); })
      .def_property_readonly("parameters", [](const Functions& f) { return f.dynamics().names().parameters; })
      .def_property_readonly("parameter_values",
                             [](const Functions& f) {
                               return std::vector<double>(f.dynamics().parameters().begin(),
                                                          f.dynamics().parameters().end());
                             })
      .def("call", &Functions::call);
  py::class_<RightHandSide>(module, "RightHandSide")
      .def(py::init([](PyModel& m, const py::dict& parameters) {
             return std::make_unique<RightHandSide>(m.equations(), parameters);
           }),
           py::arg("model"), py::arg("parameters"))
      .def("__call__", &RightHandSide::call, py::arg("t"), py::arg("y"))
      .def_property_readonly("has_jacobian", &RightHandSide::has_jacobian)
      .def("jac", &RightHandSide::jacobian, py::arg("t"), py::arg("y"));
}

}  // namespace dalembert::python
