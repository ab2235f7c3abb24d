// SPDX-License-Identifier: Apache-2.0
// SUNDIALS: whole runs by CVODE on the hand-written index-1 right-hand side, with and without projection, and by IDA on
// the stabilised index-2 equations (Gear, Gupta, Leimkuhler) of Andrews' mechanism.
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/motions.h"
#include "bench/reference/andrews.h"
#include "bench/reference/lanes.h"
#include "bench/reference/reference.h"
#include "bench/states.h"

namespace dalembert::bench {
namespace {

const std::string kVersion = " " SUNDIALS_VERSION;

// What SUNDIALS allocates, freed in the reverse order.
class Session {
 public:
  Session() { SUNContext_Create(nullptr, &context); }
  ~Session() {
    while (!undo_.empty()) {
      undo_.back()();
      undo_.pop_back();
    }
    SUNContext_Free(&context);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  N_Vector vector(const std::vector<double>& values) {
    N_Vector made = N_VNew_Serial(static_cast<sunindextype>(values.size()), context);
    std::copy(values.begin(), values.end(), NV_DATA_S(made));
    at_end([made] { N_VDestroy(made); });
    return made;
  }
  SUNMatrix square(std::size_t n) {
    SUNMatrix made = SUNDenseMatrix(static_cast<sunindextype>(n), static_cast<sunindextype>(n), context);
    at_end([made] { SUNMatDestroy(made); });
    return made;
  }
  SUNLinearSolver dense(N_Vector y, SUNMatrix matrix) {
    SUNLinearSolver made = SUNLinSol_Dense(y, matrix, context);
    at_end([made] { SUNLinSolFree(made); });
    return made;
  }
  void at_end(std::function<void()> action) { undo_.push_back(std::move(action)); }

  SUNContext context = nullptr;

 private:
  std::vector<std::function<void()>> undo_;
};

struct Outcome {
  double end = std::nan("");
  long steps = 0, evaluations = 0;
};

// ------------------------------------------------------------------------------------------------------------- CVODE

template <int N>
int rates(double, N_Vector y, N_Vector ydot, void* user) {
  const auto kernel = *static_cast<reference::Kernel*>(user);
  const double* q = NV_DATA_S(y);
  double *out = NV_DATA_S(ydot), lambda[6];
  for (int i = 0; i < N; ++i) out[i] = q[N + i];
  kernel(q, q + N, out + N, lambda);
  return 0;
}

// Position and velocity of the slider-crank back onto the manifold: θ stays, what follows from it is put right, and the
// error estimate loses what points off it.
int project_slider_crank(double, N_Vector y, N_Vector correction, double, N_Vector error, void*) {
  const double* from = NV_DATA_S(y);
  double on[6];
  slider_crank_state(from[0], from[3], on, on + 3);
  // The angle φ = π − asin … of the branch that the crank is on, whatever its turns.
  for (int i = 0; i < 6; ++i) NV_DATA_S(correction)[i] = on[i] - from[i];
  if (error != nullptr) {
    double* e = NV_DATA_S(error);
    // Along the manifold everything follows dθ and dω.
    constexpr double L1 = 0.15, L2 = 0.35;
    const double slope = L1 * std::cos(on[0]) / (L2 * std::cos(on[1]));
    const double x = -2 * L1 * std::sin(on[0]) + 2 * L2 * std::sin(on[1]) * slope;
    e[1] = slope * e[0];
    e[2] = x * e[0];
    e[4] = slope * e[3];
    e[5] = x * e[3];
  }
  return 0;
}

enum class Cvode { kAdams, kBdf, kBdfProjected };

template <int N>
Outcome run_cvode(const Motion& motion, reference::Kernel kernel, Cvode how, double tolerance) {
  Session session;
  N_Vector y = session.vector(motion.start());
  void* memory = CVodeCreate(how == Cvode::kAdams ? CV_ADAMS : CV_BDF, session.context);
  session.at_end([memory]() mutable { CVodeFree(&memory); });
  CVodeInit(memory, rates<N>, 0, y);
  CVodeSStolerances(memory, tolerance, tolerance);
  CVodeSetUserData(memory, &kernel);
  CVodeSetMaxNumSteps(memory, 1000000);
  if (how == Cvode::kAdams) {
    SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, session.context);
    session.at_end([iteration] { SUNNonlinSolFree(iteration); });
    CVodeSetNonlinearSolver(memory, iteration);
  } else {
    SUNMatrix matrix = session.square(2 * N);
    CVodeSetLinearSolver(memory, session.dense(y, matrix), matrix);
    if (how == Cvode::kBdfProjected) CVodeSetProjFn(memory, project_slider_crank);
  }
  CVodeSetStopTime(memory, motion.until);
  double t = 0;
  Outcome outcome;
  if (CVode(memory, motion.until, y, &t, CV_NORMAL) < 0) return outcome;
  outcome.end = NV_Ith_S(y, static_cast<sunindextype>(motion.coordinate));
  CVodeGetNumSteps(memory, &outcome.steps);
  CVodeGetNumRhsEvals(memory, &outcome.evaluations);
  return outcome;
}

// --------------------------------------------------------------------------------------------------------------- IDA

// y = (q, v, λ, μ): q̇ − v + Wᵀμ, M v̇ − f + Wᵀλ, W v, g.
int residual(double, N_Vector y, N_Vector ydot, N_Vector out, void*) {
  using namespace reference::andrews_parameters;
  constexpr double xa = -.06934, ya = -.00227;
  const double *q = NV_DATA_S(y), *v = q + 7, *lambda = q + 14, *mu = q + 20;
  const double *qd = NV_DATA_S(ydot), *vd = qd + 7;
  double *r = NV_DATA_S(out), *dynamics = r + 7, *velocity = r + 14, *position = r + 20;
  const auto terms = reference::andrews_terms<reference::LibrarySinCos>(q, v);

  // W applied to a vector, and its transpose.
  const auto across = [&](const double* x, double* result) {
    for (int i = 0; i < 2; ++i) {
      const double root = terms.W0[i][0] * x[0] + terms.W0[i][1] * x[1];
      result[i] = root + terms.W3[i] * x[2];
      result[2 + i] = root + terms.W45[i][0] * x[3] + terms.W45[i][1] * x[4];
      result[4 + i] = root + terms.W67[i][0] * x[5] + terms.W67[i][1] * x[6];
    }
  };
  const auto back = [&](const double* x, double* result) {
    const double sum[2] = {x[0] + x[2] + x[4], x[1] + x[3] + x[5]};
    for (int i = 0; i < 2; ++i) {
      result[i] = terms.W0[0][i] * sum[0] + terms.W0[1][i] * sum[1];
      result[3 + i] = terms.W45[0][i] * x[2] + terms.W45[1][i] * x[3];
      result[5 + i] = terms.W67[0][i] * x[4] + terms.W67[1][i] * x[5];
    }
    result[2] = terms.W3[0] * x[0] + terms.W3[1] * x[1];
  };
  double forces[7], shift[7];
  back(lambda, forces);
  back(mu, shift);
  for (int i = 0; i < 7; ++i) r[i] = qd[i] - v[i] + shift[i];
  const auto block = [&](const double* M, int i) {
    dynamics[i] = M[0] * vd[i] + M[1] * vd[i + 1];
    dynamics[i + 1] = M[1] * vd[i] + M[2] * vd[i + 1];
  };
  block(terms.M12, 0);
  dynamics[2] = reference::kAndrewsM3 * vd[2];
  block(terms.M45, 3);
  block(terms.M67, 5);
  for (int i = 0; i < 7; ++i) dynamics[i] += forces[i] - terms.f[i];
  across(v, velocity);

  const double x = rr * std::cos(q[0]) - d * std::cos(q[0] + q[1]), z = rr * std::sin(q[0]) - d * std::sin(q[0] + q[1]);
  position[0] = x - ss * std::sin(q[2]) - xb;
  position[1] = z + ss * std::cos(q[2]) - yb;
  position[2] = x - e * std::sin(q[3] + q[4]) - zt * std::cos(q[4]) - xa;
  position[3] = z + e * std::cos(q[3] + q[4]) - zt * std::sin(q[4]) - ya;
  position[4] = x - zf * std::cos(q[5] + q[6]) - u * std::sin(q[6]) - xa;
  position[5] = z - zf * std::sin(q[5] + q[6]) + u * std::cos(q[6]) - ya;
  return 0;
}

Outcome run_ida(const Motion& motion, double tolerance) {
  Session session;
  std::vector<double> start = motion.start(), slope(26), kinds(26, 0.0);
  start.resize(26);
  reference::andrews(reference::Trigonometry::kLibrary)(start.data(), start.data() + 7, &slope[7], &start[14]);
  std::copy(start.begin() + 7, start.begin() + 14, slope.begin());
  std::fill_n(kinds.begin(), 14, 1.0);
  N_Vector y = session.vector(start), ydot = session.vector(slope), id = session.vector(kinds);
  void* memory = IDACreate(session.context);
  session.at_end([memory]() mutable { IDAFree(&memory); });
  IDAInit(memory, residual, 0, y, ydot);
  IDASStolerances(memory, tolerance, tolerance);
  IDASetId(memory, id);
  IDASetSuppressAlg(memory, SUNTRUE);
  IDASetMaxNumSteps(memory, 1000000);
  IDASetErrFile(memory, nullptr);
  SUNMatrix matrix = session.square(26);
  IDASetLinearSolver(memory, session.dense(y, matrix), matrix);
  IDASetStopTime(memory, motion.until);
  double t = 0;
  Outcome outcome;
  if (IDASolve(memory, motion.until, &t, y, ydot, IDA_NORMAL) < 0) return outcome;
  outcome.end = NV_Ith_S(y, static_cast<sunindextype>(motion.coordinate));
  long in_jacobians = 0;
  IDAGetNumSteps(memory, &outcome.steps);
  IDAGetNumResEvals(memory, &outcome.evaluations);
  IDAGetNumLinResEvals(memory, &in_jacobians);
  outcome.evaluations += in_jacobians;
  return outcome;
}

void measure_run(const Motion& motion, const std::string& who, std::function<Outcome(double)> run) {
  measure(motion.row, who, [&motion, run](benchmark::State& state) {
    Outcome outcome;
    const auto error_at = [&](double tolerance) {
      outcome = run(tolerance);
      return std::abs(outcome.end - motion.end);
    };
    const double tolerance = tolerance_of(motion, error_at);
    if (!(tolerance > 0)) return state.SkipWithError("no tolerance reaches the error");
    for (auto _ : state) error_at(tolerance);
    count_as(state, 1);
    state.counters["tolerance"] = tolerance;
    state.counters["steps"] = static_cast<double>(outcome.steps);
    state.counters["evaluations"] = static_cast<double>(outcome.evaluations);
    state.counters["error"] = std::abs(outcome.end - motion.end);
  });
}

const bool registered = [] {
  static const std::vector<Motion> list = motions();
  for (const Motion& motion : list) {
    if (motion.model == "slider-crank") {
      const auto cvode = [&motion](Cvode how) {
        return [&motion, how](double tolerance) {
          return run_cvode<3>(motion, reference::slider_crank(reference::Trigonometry::kLibrary), how, tolerance);
        };
      };
      measure_run(motion, "CVODE" + kVersion + ", Adams, drifting", cvode(Cvode::kAdams));
      measure_run(motion, "CVODE" + kVersion + ", BDF, drifting", cvode(Cvode::kBdf));
      measure_run(motion, "CVODE" + kVersion + ", BDF, projected", cvode(Cvode::kBdfProjected));
    } else {
      measure_run(motion, "CVODE" + kVersion + ", Adams, drifting", [&motion](double tolerance) {
        return run_cvode<7>(motion, reference::andrews(reference::Trigonometry::kLibrary), Cvode::kAdams, tolerance);
      });
      measure_run(motion, "IDA" + kVersion + ", index 2",
                  [&motion](double tolerance) { return run_ida(motion, tolerance); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
