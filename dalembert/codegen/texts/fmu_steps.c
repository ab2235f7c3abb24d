// SPDX-License-Identifier: Apache-2.0
// Internal steps of co-simulation. Source of the pair: Hairer, Nørsett & Wanner, 2nd ed., table II.5.2.
#include "fmu_instance.c"

//: kFmuSteps

/* --- internal steps of co-simulation: the pair of orders 5 and 4 of Dormand and Prince, with a projection onto the constraints after each */

static int FmuSlope(Instance* c, double t, const double* y, double* slope) {
  FmuInputs(c, t, c->u);
  return FmuRates(c, t, y, y + $_NQ, slope, slope + $_NQ);
}

static double FmuSize(const Instance* c, double before, double after) {
  const double larger = fabs(before) > fabs(after) ? fabs(before) : fabs(after);
  return c->kept.tolerance * (larger + 1e-3);
}

static double FmuState(const Instance* c, int i) { return i < $_NQ ? c->kept.q[i] : c->kept.v[i - $_NQ]; }

/* Tries a step of length h to the time `end`. q_try and v_try: the state at its end; error: its error in units of the tolerance. slope[0] is the
 * slope at the beginning. Returns 0, or the status that says why there is no result. */
static int FmuTryStep(Instance* c, double h, double end, double* error) {
  static const double at[7] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
  static const double a[7][6] = {{0.0},
                                 {1.0 / 5},
                                 {3.0 / 40, 9.0 / 40},
                                 {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                 {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                 {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                 {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static const double difference[7] = {71.0 / 57600,      0.0,          -71.0 / 16695, 71.0 / 1920,
                                       -17253.0 / 339200, 22.0 / 525.0, -1.0 / 40};
  const double t = c->kept.t;
  int status;
  *error = 0.0;
  for (int stage = 1; stage < 7; ++stage) {
    for (int i = 0; i < kStates; ++i) {
      double sum = 0.0;
      for (int k = 0; k < stage; ++k) sum += a[stage][k] * c->slope[k][i];
      c->after[i] = FmuState(c, i) + h * sum;
    }
    status = FmuSlope(c, stage < 5 ? t + at[stage] * h : end, c->after, c->slope[stage]);
    if (status != 0) return status;
  }
  for (int i = 0; i < kStates; ++i) {
    double sum = 0.0;
    for (int k = 0; k < 7; ++k) sum += difference[k] * c->slope[k][i];
    sum = fabs(h * sum) / FmuSize(c, FmuState(c, i), c->after[i]);
    /* An integral that is not a number does not end the motion. */
    if (i >= kCoordinates && i < $_NQ && !(sum <= DBL_MAX)) continue;
    if (!(sum <= *error)) *error = sum;
  }
  if (!(*error <= 1e300)) return 3;
  memcpy(c->q_try, c->after, sizeof(double) * $_NQ);
  memcpy(c->v_try, c->after + $_NQ, sizeof(double) * $_NV);
  if (*error > 1.0) return 0;
  FmuInputs(c, end, c->u);
  return $_project(&c->s, end, c->q_try, c->v_try, c->u);
}

/* The length of the first step: such that a step along the slope changes the state little. */
static double FmuFirstStep(const Instance* c) {
  double size = 0.0, rate = 0.0;
  for (int i = 0; i < kStates; ++i) {
    const double x = FmuState(c, i), weight = FmuSize(c, x, x);
    if (fabs(x) / weight > size) size = fabs(x) / weight;
    if (fabs(c->slope[0][i]) / weight > rate) rate = fabs(c->slope[0][i]) / weight;
  }
  return size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate;
}

/* Makes steps to the time `end`. Returns fmi2Discard if the run ends before; the state is then the last one that was reached. */
static fmi2Status FmuAdvance(Instance* c, double end) {
  enum { kMostSteps = 1000000 };
  Kept* kept = &c->kept;
  double error, smallest;
  int rejected = 0, status = 0, tries = 0, fresh = 0;
  while (kept->t < end) {
    const double left = end - kept->t;
    double h, factor;
    int last;
    c->known = 0;
    if (!fresh) {
      memcpy(c->after, kept->q, sizeof(double) * $_NQ);
      memcpy(c->after + $_NQ, kept->v, sizeof(double) * $_NV);
      status = FmuSlope(c, kept->t, c->after, c->slope[0]);
      if (status != 0) {
        FmuSay(c, fmi2Discard, kDiscards, "the motion ends at t = %.9g: %s", kept->t, FmuReason(status));
        return fmi2Discard;
      }
      fresh = 1;
    }
    if (!(kept->step > 0.0)) kept->step = FmuFirstStep(c);
    h = kept->step;
    last = h >= left * (1.0 - 1e-9);
    if (last)
      h = left;
    else if (h > 0.5 * left)
      h = 0.5 * left; /* two equal steps instead of a long and a short one */
    smallest = 16.0 * DBL_EPSILON * (fabs(kept->t) > fabs(end) ? fabs(kept->t) : fabs(end));
    status = FmuTryStep(c, h, last ? end : kept->t + h, &error);
    if (status == 0 && error <= 1.0) {
      factor = error > 1e-10 ? 0.9 * pow(error, -0.2) : 5.0;
      factor = factor > 5.0 ? 5.0 : factor < 0.2 ? 0.2 : factor;
      if (rejected && factor > 1.0) factor = 1.0;
      /* A step that was shortened to reach the end does not limit later ones. */
      if (h * factor > kept->step || h >= kept->step) kept->step = h * factor;
      memcpy(kept->q, c->q_try, sizeof kept->q);
      memcpy(kept->v, c->v_try, sizeof kept->v);
      kept->t = last ? end : kept->t + h;
      ++kept->steps;
      rejected = fresh = 0;
    } else {
      factor = status != 0 ? 0.25 : 0.9 * pow(error, -0.2);
      kept->step = h * (factor < 0.1 ? 0.1 : factor);
      rejected = 1;
      if (kept->step <= smallest) {
        kept->step = 0.0;
        FmuSay(c, fmi2Discard, kDiscards, "the motion cannot be followed beyond t = %.9g: %s", kept->t,
               status != 0 ? FmuReason(status) : "no step is short enough for the tolerance");
        return fmi2Discard;
      }
    }
    if (++tries >= kMostSteps && kept->t < end) {
      FmuSay(c, fmi2Discard, kDiscards, "after %d internal steps t = %.9g is reached, not %.9g: a larger tolerance takes fewer",
             tries, kept->t, end);
      return fmi2Discard;
    }
  }
  c->known = 0;
  return fmi2OK;
}
