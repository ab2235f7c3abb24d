// SPDX-License-Identifier: Apache-2.0
// A model by hand, in place of what is generated, for dalembert/codegen/texts as they are: a particle of mass m on the unit circle,
// without forces. Its speed stays as it is: from (1, 0) with the velocity (0, 1) it is at (cos t, sin t). The row is
// (x² + y² − 1) / 2 = 0, hence λ = −m (v·v) / (x² + y²).
#pragma once

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2.h"

enum { $_NQ = 2, $_NV = 2, $_NR = 1, $_NH = 1, $_NP = 1, $_NU = 0, $_NY = 1, $_NE = 1 };

typedef struct $_system {
  double p[1];
  double prepared[1];
} $_system;

static inline void $_prepare($_system* s) { s->prepared[0] = -s->p[0]; }
static inline void $_init($_system* s) {
  s->p[0] = 2.0;
  $_prepare(s);
}
static inline void $_start(double* t, double* q, double* v) {
  *t = 0.0;
  q[0] = v[1] = 1.0;
  q[1] = v[0] = 0.0;
}
static inline void $_inputs($_system* s, double t, double* u) { (void)s, (void)t, (void)u; }
static inline void $_coordinate_rates($_system* s, double t, const double* q, const double* v, const double* u,
                                      double* qdot) {
  (void)s, (void)t, (void)q, (void)u;
  qdot[0] = v[0];
  qdot[1] = v[1];
}
static inline int $_accelerations($_system* s, double t, const double* q, const double* v, const double* u,
                                  double* vdot, double* lambda) {
  const double pull = -(v[0] * v[0] + v[1] * v[1]) / (q[0] * q[0] + q[1] * q[1]);
  (void)t, (void)u;
  vdot[0] = pull * q[0];
  vdot[1] = pull * q[1];
  lambda[0] = -s->prepared[0] * pull;
  return 0;
}
static inline void $_outputs($_system* s, double t, const double* q, const double* v, const double* vdot,
                             const double* lambda, const double* u, double* y) {
  (void)s, (void)t, (void)v, (void)vdot, (void)lambda, (void)u;
  y[0] = atan2(q[1], q[0]);
}
static inline void $_integrands($_system* s, double t, const double* q, const double* v, const double* vdot,
                                const double* lambda, const double* u, double* dz) {
  (void)s, (void)t, (void)q, (void)vdot, (void)lambda, (void)u;
  dz[0] = v[1];
}
static inline void $_energy($_system* s, double t, const double* q, const double* v, const double* u, double* e) {
  (void)t, (void)q, (void)u;
  e[0] = 0.5 * s->p[0] * (v[0] * v[0] + v[1] * v[1]);
}
static inline void $_position_residual($_system* s, double t, const double* q, const double* u, double* h) {
  (void)s, (void)t, (void)u;
  h[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
}
static inline void $_velocity_residual($_system* s, double t, const double* q, const double* v, const double* u,
                                       double* residual) {
  (void)s, (void)t, (void)u;
  residual[0] = q[0] * v[0] + q[1] * v[1];
}
static inline int $_project($_system* s, double t, double* q, double* v, const double* u) {
  const double length = sqrt(q[0] * q[0] + q[1] * q[1]);
  double along;
  (void)s, (void)t, (void)u;
  q[0] /= length;
  q[1] /= length;
  along = q[0] * v[0] + q[1] * v[1];
  v[0] -= along * q[0];
  v[1] -= along * q[1];
  return 0;
}
static inline int $_assemble($_system* s, double t, double* q, double* v, const double* u, const double* held_q,
                             const double* held_v) {
  (void)held_q, (void)held_v;
  return $_project(s, t, q, v, u);
}
static inline int $_jacobian($_system* s, double t, const double* q, const double* v, const double* u, double* J) {
  (void)s, (void)t, (void)q, (void)v, (void)u, (void)J;
  return 4;
}

// What is compiled of an FMU; a test chooses some.
#ifndef FMU_HAS_LEVELS
#define FMU_HAS_LEVELS 1
#endif
#ifndef FMU_HAS_ROWS
#define FMU_HAS_ROWS 1
#endif
#ifndef FMU_HAS_PROJECTION
#define FMU_HAS_PROJECTION 1
#endif
#ifndef FMU_HAS_HOLDS
#define FMU_HAS_HOLDS 1
#endif
#ifndef FMU_HAS_JACOBIAN
#define FMU_HAS_JACOBIAN 0
#endif
#ifndef FMU_V_IS_QDOT
#define FMU_V_IS_QDOT 1
#endif
#ifndef FMU_PRESCRIBED
#define FMU_PRESCRIBED 0
#endif
#ifndef FMU_INTEGRALS
#define FMU_INTEGRALS 0 /* 1: as if q[1] were one */
#endif
#define FMU_START 0.0
#define FMU_TOLERANCE 1e-10

static const char kGuid[] = "{by hand}";
static const int kOwnPosition[$_NQ] = {1, 1}, kOwnVelocity[$_NV] = {1, 1};
#if !FMU_V_IS_QDOT
static const int kMoves[2][2] = {{0, 0}, {1, 1}};
#endif
#if FMU_PRESCRIBED
static const int kPrescribed[1][4] = {{0, 0, 0, 0}};
#endif

static inline void FmuStart(double* q, double* v) {
  double t;
  $_start(&t, q, v);
}
