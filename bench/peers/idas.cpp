// SPDX-License-Identifier: Apache-2.0
// SUNDIALS' IDAS: the functional of a run of a slider-crank and its gradient by forward sensitivities (cases §30), on the stabilised index-2 equations, with
// the tolerances of its own example. At tighter ones it gives up.
//   q̇ − v + Wᵀμ = 0,   M v̇ − Q + Wᵀλ = 0,   h = 0,   W v = 0
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/measure.h"

namespace dalembert::bench {
namespace {

constexpr double kHalf = 0.5, kInertia[3] = {1, 1, 2};  // a; J1, m2, J2
constexpr int kSize = 10, kParameters = 2;
constexpr double kRelative = 1e-6, kAbsolute = 1e-7, kAbsoluteOfIntegrals = 1e-8;

struct Springs {
  double value[kParameters] = {1, 1};  // k, c
};

// The forces of the spring and the damper between the midpoints of crank and rod, and of the constant force.
void forces(const double* y, const Springs& springs, double* Q) {
  const double a = kHalf, q = y[0], x = y[1], p = y[2];
  const double sq = std::sin(q), cq = std::cos(q), sp = std::sin(p), cp = std::cos(p), s = std::sin(p - q),
               c = std::cos(p - q);
  const double l = std::sqrt(x * x - x * (cp + a * cq) + (1 + a * a) / 4 + a / 2 * c);
  const double by[3] = {(x * a * sq + a / 2 * s) / (2 * l), (2 * x - cp - a * cq) / (2 * l),
                        (x * sp - a / 2 * s) / (2 * l)};
  const double rate = by[0] * y[3] + by[1] * y[4] + by[2] * y[5];
  const double pull = springs.value[0] * (l - 1) + springs.value[1] * rate;
  for (int i = 0; i < 3; ++i) Q[i] = -pull * by[i];
  Q[1] += 1;
  Q[2] -= sp;
}

int residual(double, N_Vector y, N_Vector ydot, N_Vector out, void* user) {
  const double *at = NV_DATA_S(y), *rate = NV_DATA_S(ydot);
  double *r = NV_DATA_S(out), Q[3];
  forces(at, *static_cast<Springs*>(user), Q);
  const double a = kHalf, sq = std::sin(at[0]), cq = std::cos(at[0]), sp = std::sin(at[2]), cp = std::cos(at[2]);
  const double W[2][3] = {{a * sq, 1, sp}, {a * cq, 0, cp}};
  for (int i = 0; i < 3; ++i) {
    r[i] = rate[i] - at[3 + i] + W[0][i] * at[8] + W[1][i] * at[9];
    r[3 + i] = kInertia[i] * rate[3 + i] - Q[i] + W[0][i] * at[6] + W[1][i] * at[7];
  }
  r[6] = at[1] - cp - a * cq;
  r[7] = sp + a * sq;
  for (int j = 0; j < 2; ++j) r[8 + j] = W[j][0] * at[3] + W[j][1] * at[4] + W[j][2] * at[5];
  return 0;
}

int integrand(double, N_Vector y, N_Vector, N_Vector out, void*) {
  const double* v = NV_DATA_S(y) + 3;
  NV_Ith_S(out, 0) = (kInertia[0] * v[0] * v[0] + kInertia[1] * v[1] * v[1] + kInertia[2] * v[2] * v[2]) / 2;
  return 0;
}

int integrands_by_parameters(int count, double, N_Vector y, N_Vector, N_Vector* tangents, N_Vector*, N_Vector,
                             N_Vector* out, void*, N_Vector, N_Vector, N_Vector) {
  const double* v = NV_DATA_S(y) + 3;
  for (int k = 0; k < count; ++k) {
    const double* s = NV_DATA_S(tangents[k]) + 3;
    NV_Ith_S(out[k], 0) = kInertia[0] * v[0] * s[0] + kInertia[1] * v[1] * s[1] + kInertia[2] * v[2] * s[2];
  }
  return 0;
}

struct Found {
  double by[kParameters] = {std::nan(""), std::nan("")};
  long steps = 0;
};

Found run(SUNContext context) {
  Springs springs;
  N_Vector y = N_VNew_Serial(kSize, context), ydot = N_VClone(y), id = N_VClone(y), G = N_VNew_Serial(1, context);
  N_VConst(0, y);
  N_VConst(0, ydot);
  N_VConst(0, G);
  for (int i = 0; i < kSize; ++i) NV_Ith_S(id, i) = i < 6 ? 1 : 0;
  double* at = NV_DATA_S(y);
  at[0] = std::acos(0.0);
  at[2] = std::asin(-kHalf);
  at[1] = std::cos(at[2]);
  forces(at, springs, NV_DATA_S(ydot) + 3);
  NV_Ith_S(ydot, 5) /= kInertia[2];
  N_Vector *tangents = N_VCloneVectorArray(kParameters, y), *rates = N_VCloneVectorArray(kParameters, y),
           *of_G = N_VCloneVectorArray(kParameters, G);
  for (int k = 0; k < kParameters; ++k)
    for (N_Vector one : {tangents[k], rates[k], of_G[k]}) N_VConst(0, one);

  void* memory = IDACreate(context);
  IDAInit(memory, residual, 0, y, ydot);
  IDASStolerances(memory, kRelative, kAbsolute);
  IDASetUserData(memory, &springs);
  IDASetId(memory, id);
  IDASetSuppressAlg(memory, SUNTRUE);
  IDASetMaxNumSteps(memory, 20000);
  SUNMatrix matrix = SUNDenseMatrix(kSize, kSize, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  IDASetLinearSolver(memory, solver, matrix);
  IDASensInit(memory, kParameters, IDA_SIMULTANEOUS, nullptr, tangents, rates);
  double sizes[kParameters] = {1, 1};
  IDASetSensParams(memory, springs.value, sizes, nullptr);
  IDASensEEtolerances(memory);
  IDASetSensErrCon(memory, SUNTRUE);
  IDAQuadInit(memory, integrand, G);
  IDAQuadSStolerances(memory, kRelative, kAbsoluteOfIntegrals);
  IDASetQuadErrCon(memory, SUNTRUE);
  IDAQuadSensInit(memory, integrands_by_parameters, of_G);
  double absolute[kParameters] = {kAbsoluteOfIntegrals, kAbsoluteOfIntegrals};
  IDAQuadSensSStolerances(memory, kRelative, absolute);
  IDASetQuadSensErrCon(memory, SUNTRUE);

  Found found;
  double t = 0;
  if (IDASolve(memory, 10, &t, y, ydot, IDA_NORMAL) >= 0) {
    IDAGetQuadSens(memory, &t, of_G);
    for (int k = 0; k < kParameters; ++k) found.by[k] = NV_Ith_S(of_G[k], 0);
    IDAGetNumSteps(memory, &found.steps);
  }
  IDAFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  for (N_Vector* list : {tangents, rates, of_G}) N_VDestroyVectorArray(list, kParameters);
  for (N_Vector one : {y, ydot, id, G}) N_VDestroy(one);
  return found;
}

void functional(benchmark::State& state) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  Found found;
  for (auto _ : state) {
    found = run(context);
    benchmark::DoNotOptimize(found.by);
  }
  SUNContext_Free(&context);
  if (std::isnan(found.by[0])) return state.SkipWithError("IDAS gave up");
  count_as(state, 1);
  state.counters["steps"] = static_cast<double>(found.steps);
  state.counters["error"] = std::max(std::abs(found.by[0] - 0.333448106), std::abs(found.by[1] + 0.363754034));
}

const bool registered = [] {
  measure("gradient.idas_slider_crank", "IDAS " SUNDIALS_VERSION, functional);
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
