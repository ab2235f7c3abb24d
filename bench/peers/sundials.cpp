// SPDX-License-Identifier: Apache-2.0
// SUNDIALS: whole runs by CVODE on the hand-written right-hand side, with and without projection, and by IDA on the
// index-1 equations with multipliers. (The stabilised index-2 equations are no use here: below 1e-7 IDA gives up.)
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

// y = (q, v, λ): q̇ − v, M v̇ − f + Wᵀλ, W v̇ + γ.
int residual(double, N_Vector y, N_Vector ydot, N_Vector out, void*) {
  const double *q = NV_DATA_S(y), *v = q + 7, *lambda = q + 14;
  const double *qd = NV_DATA_S(ydot), *vd = qd + 7;
  double *r = NV_DATA_S(out), *dynamics = r + 7, *constraint = r + 14;
  const auto terms = reference::andrews_terms<reference::LibrarySinCos>(q, v);
  for (int i = 0; i < 7; ++i) r[i] = qd[i] - v[i];

  const auto block = [&](const double* M, int i) {
    dynamics[i] = M[0] * vd[i] + M[1] * vd[i + 1] - terms.f[i];
    dynamics[i + 1] = M[1] * vd[i] + M[2] * vd[i + 1] - terms.f[i + 1];
  };
  block(terms.M12, 0);
  dynamics[2] = reference::kAndrewsM3 * vd[2] - terms.f[2] + terms.W3[0] * lambda[0] + terms.W3[1] * lambda[1];
  block(terms.M45, 3);
  block(terms.M67, 5);
  const double sum[2] = {lambda[0] + lambda[2] + lambda[4], lambda[1] + lambda[3] + lambda[5]};
  for (int i = 0; i < 2; ++i) {
    dynamics[i] += terms.W0[0][i] * sum[0] + terms.W0[1][i] * sum[1];
    dynamics[3 + i] += terms.W45[0][i] * lambda[2] + terms.W45[1][i] * lambda[3];
    dynamics[5 + i] += terms.W67[0][i] * lambda[4] + terms.W67[1][i] * lambda[5];
    const double root = terms.W0[i][0] * vd[0] + terms.W0[i][1] * vd[1];
    constraint[i] = root + terms.W3[i] * vd[2] + terms.gamma[i];
    constraint[2 + i] = root + terms.W45[i][0] * vd[3] + terms.W45[i][1] * vd[4] + terms.gamma[2 + i];
    constraint[4 + i] = root + terms.W67[i][0] * vd[5] + terms.W67[i][1] * vd[6] + terms.gamma[4 + i];
  }
  return 0;
}

Outcome run_ida(const Motion& motion, double tolerance) {
  Session session;
  std::vector<double> start = motion.start(), slope(20), kinds(20, 0.0);
  start.resize(20);
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
  SUNMatrix matrix = session.square(20);
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
      measure_run(motion, "IDA" + kVersion + ", index 1, drifting",
                  [&motion](double tolerance) { return run_ida(motion, tolerance); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
