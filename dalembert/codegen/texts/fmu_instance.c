// SPDX-License-Identifier: Apache-2.0
// An instance of an FMU: its values, its start, its messages. Constants of the model come before it; in the tests model.h takes their
// place.
#include "model.h"

//: kFmuInstance

/* Value references: one group after the other. */
enum {
  // clang-format off
  kP = 0,                       /* parameters */
  kU = kP + $_NP,               /* inputs */
  kQ = kU + $_NU,               /* coordinates, then integrals over the run: states */
  kV = kQ + $_NQ,               /* velocities: states */
  kQdot = kV + $_NV,            /* derivatives of coordinates and integrals */
  kVdot = kQdot + $_NQ,         /* derivatives of velocities */
  kLambda = kVdot + $_NV,       /* multipliers */
  kEnergy = kLambda + $_NR,     /* energies, conserved quantities */
  kOutput = kEnergy + $_NE,     /* outputs of the model */
  kDrift = kOutput + $_NY,      /* largest drift from the constraints in model exchange, in units of the tolerance */
  kOffPosition = kDrift + 1,    /* largest |h| */
  kOffVelocity,                 /* largest |W v + a| */
  kSteps                        /* internal steps of co-simulation: an integer */
  // clang-format on
};
enum { kCoordinates = $_NQ - FMU_INTEGRALS };
enum { kStates = $_NQ + $_NV, kOrders = 4 /* highest order of derivatives of inputs */ };

/* The modes of an instance, one bit each. */
enum {
  kInstantiated = 1,
  kInitialization = 2,
  kStepComplete = 4,
  kStepFailed = 8,
  kEvent = 16,
  kContinuous = 32,
  kTerminated = 64,
  kAnywhere = 127
};

/* All that an instance keeps between two calls. An FMU state is a copy of it. */
typedef struct {
  double p[$_NP + 1], q[$_NQ + 1], v[$_NV + 1];
  double u[$_NU + 1], slope[kOrders][$_NU + 1]; /* inputs that were set, and their derivatives, at input_time */
  double q_given[$_NQ + 1], v_given[$_NV + 1];  /* the start before it is brought onto the constraints */
  double t, input_time, start, stop, tolerance, step, drift;
  int q_set[$_NQ + 1], v_set[$_NV + 1], u_set[$_NU + 1]; /* whether the importer has set each value */
  int mode, has_stop, steps;
  int stale;  /* whether, and why, the state must be brought onto the constraints before it is used: kSettled ... */
  int strays; /* whether it was reported that a state which had drifted could not be brought back */
  // clang-format off
  int moved; /* whether the constraints have changed the state since the importer last read it */
  // clang-format on
} Kept;

/* Values of stale: no; after steps of model exchange; after inputs were set, if contacts, frictions or events follow them; after other values
 * were set. */
enum { kSettled, kDrifted, kChanged, kGiven };
enum { kKnowInputs = 1, kKnowMotion = 2, kKnowEnergy = 4, kKnowOff = 8 };

typedef struct {
  $_system s;
  Kept kept, other;
  double u[$_NU + 1], qdot[$_NQ + 1], vdot[$_NV + 1], lambda[$_NR + 1], energy[$_NE + 1], y[$_NY + 1];
  double off_position, off_velocity;
  double q_try[$_NQ + 1], v_try[$_NV + 1], held_q[$_NV + 1], held_v[$_NV + 1];
  double slope[7][kStates + 1], after[kStates + 1];
#if FMU_HAS_JACOBIAN
  double jacobian[($_NV + $_NR) * ($_NQ + $_NV + $_NU)];
#endif
  int known, motion; /* which results are up to date; the status of the accelerations */
  int type, logging, quiet;
  fmi2CallbackFunctions functions;
  char* name;
} Instance;

/* --- messages */

static const char* const kCategories[] = {"logStatusWarning", "logStatusDiscard", "logStatusError", "logEvents", "logAll"};
enum { kWarnings, kDiscards, kErrors, kEvents, kAllCategories };

/* Reports errors, discards and warnings always, other messages if the importer asks for their category. */
static void FmuSay(const Instance* c, fmi2Status status, int category, const char* format, ...) {
  char text[600];
  va_list arguments;
  if (c->quiet || !c->functions.logger) return;
  if (status < fmi2Warning && !(c->logging & (1 << category))) return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->functions.logger(c->functions.componentEnvironment, c->name, status, kCategories[category], text);
}

static const char* FmuReason(int status) {
  switch (status) {
    // clang-format off
    case 1: return "the mass matrix is singular on the motions that the constraints allow";
    case 2: return "constraint rows contradict each other";
    case 3: return "something is infinite or not a number";
    case 4: return "a pivot of the linear system cannot be trusted";
    case 5: return "the state is too far from the constraints";
    default: return "the constraints cannot be met";
      // clang-format on
  }
}

/* The instance, if it is in one of `modes`; otherwise reports an error and returns NULL. */
static Instance* FmuEnter(fmi2Component component, int modes, const char* function) {
  Instance* c = (Instance*)component;
  if (!c) return NULL;
  if (c->kept.mode & modes) return c;
  FmuSay(c, fmi2Error, kErrors, "%s may not be called %s", function,
         c->kept.mode == kInstantiated     ? "before initialization mode"
         : c->kept.mode == kInitialization ? "in initialization mode"
         : c->kept.mode == kStepComplete   ? "between steps of co-simulation"
         : c->kept.mode == kStepFailed     ? "after a step that failed: set a state that was got before it, or reset"
         : c->kept.mode == kEvent          ? "in event mode"
         : c->kept.mode == kContinuous     ? "in continuous-time mode"
                                           : "after fmi2Terminate");
  return NULL;
}

/* --- memory, a new start */

static void* FmuAllocate(const fmi2CallbackFunctions* functions, size_t size) {
  return functions->allocateMemory ? functions->allocateMemory(1, size) : calloc(1, size);
}

static void FmuFree(const fmi2CallbackFunctions* functions, void* memory) {
  if (functions->allocateMemory) {
    if (functions->freeMemory) functions->freeMemory(memory);
  } else {
    free(memory);
  }
}

/* Brings an instance into its state after instantiation. */
static void FmuBegin(Instance* c) {
  Kept* kept = &c->kept;
  memset(kept, 0, sizeof *kept);
  $_init(&c->s);
  memcpy(kept->p, c->s.p, sizeof(double) * $_NP);
  FmuStart(kept->q_given, kept->v_given);
  memcpy(kept->q, kept->q_given, sizeof kept->q);
  memcpy(kept->v, kept->v_given, sizeof kept->v);
  kept->t = kept->start = kept->input_time = FMU_START;
  kept->tolerance = FMU_TOLERANCE;
  kept->drift = 1.0;
  kept->mode = kInstantiated;
  kept->stale = kGiven;
  c->known = 0;
}

static void FmuPrepare(Instance* c) {
  memcpy(c->s.p, c->kept.p, sizeof(double) * $_NP);
  $_prepare(&c->s);
  c->known = 0;
}

/* --- values */

/* The inputs at time t: those that were set, extrapolated by their derivatives; otherwise those that the model states. */
static void FmuInputs(Instance* c, double t, double* u) {
  const double since = t - c->kept.input_time;
  $_inputs(&c->s, t, u);
  for (int i = 0; i < $_NU; ++i) {
    double power = 1.0;
    if (!c->kept.u_set[i]) continue;
    u[i] = c->kept.u[i];
    for (int k = 0; k < kOrders; ++k) {
      power *= since / (k + 1);
      u[i] += c->kept.slope[k][i] * power;
    }
  }
}

static void FmuKnowInputs(Instance* c) {
  if (!(c->known & kKnowInputs)) FmuInputs(c, c->kept.t, c->u);
  c->known |= kKnowInputs;
}

/* The rates of a state, with the inputs in c->u. Without accelerations, those of the integrals are unknown. */
static int FmuRates(Instance* c, double t, const double* q, const double* v, double* qdot, double* vdot) {
  int status;
  $_coordinate_rates(&c->s, t, q, v, c->u, qdot);
  status = $_accelerations(&c->s, t, q, v, c->u, vdot, c->lambda);
#if FMU_INTEGRALS > 0
  if (status == 0) $_integrands(&c->s, t, q, v, vdot, c->lambda, c->u, qdot + kCoordinates);
#endif
  return status;
}

/* Computes rates, accelerations, multipliers and outputs. Returns 0, or the status that says why there are no accelerations. */
static int FmuKnowMotion(Instance* c) {
  const Kept* kept = &c->kept;
  FmuKnowInputs(c);
  if (!(c->known & kKnowMotion)) {
    c->motion = FmuRates(c, kept->t, kept->q, kept->v, c->qdot, c->vdot);
    if (c->motion == 0) $_outputs(&c->s, kept->t, kept->q, kept->v, c->vdot, c->lambda, c->u, c->y);
    c->known |= kKnowMotion;
  }
  return c->motion;
}

static void FmuKnowEnergy(Instance* c) {
  FmuKnowInputs(c);
  if (!(c->known & kKnowEnergy)) $_energy(&c->s, c->kept.t, c->kept.q, c->kept.v, c->u, c->energy);
  c->known |= kKnowEnergy;
}

static double FmuLargest(const double* x, int count) {
  double largest = 0.0;
  for (int i = 0; i < count; ++i)
    if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]);
  return largest;
}

static void FmuKnowOff(Instance* c) {
  const Kept* kept = &c->kept;
  FmuKnowInputs(c);
  if (c->known & kKnowOff) return;
  c->off_position = c->off_velocity = 0.0;
#if FMU_HAS_LEVELS
  {
    double h[$_NH];
    $_position_residual(&c->s, kept->t, kept->q, c->u, h);
    c->off_position = FmuLargest(h, $_NH);
  }
#endif
#if FMU_HAS_ROWS
  {
    double residual[$_NR];
    $_velocity_residual(&c->s, kept->t, kept->q, kept->v, c->u, residual);
    c->off_velocity = FmuLargest(residual, $_NR);
  }
#endif
  (void)kept;
  (void)FmuLargest;
  c->known |= kKnowOff;
}

/* --- onto the constraints */

#if FMU_HAS_HOLDS
static void FmuHold(const int* coordinate, double* held) {
  for (int i = 0; i < $_NV; ++i) held[i] = 0.0;
#if FMU_V_IS_QDOT
  for (int i = 0; i < $_NV; ++i)
    if (coordinate[i]) held[i] = 1.0;
#else
  for (size_t k = 0; k < sizeof kMoves / sizeof kMoves[0]; ++k)
    if (coordinate[kMoves[k][0]]) held[kMoves[k][1]] = 1.0;
#endif
}
#endif

#if FMU_PRESCRIBED > 0
/* Gives coordinates that follow a function of time the value of that function. Their rows are coordinate − f(t). */
static void FmuFollow(Instance* c) {
  double h[$_NH], residual[$_NR];
  $_position_residual(&c->s, c->kept.t, c->q_try, c->u, h);
  for (int k = 0; k < FMU_PRESCRIBED; ++k) c->q_try[kPrescribed[k][0]] -= h[kPrescribed[k][1]];
  $_velocity_residual(&c->s, c->kept.t, c->q_try, c->v_try, c->u, residual);
  for (int k = 0; k < FMU_PRESCRIBED; ++k) c->v_try[kPrescribed[k][2]] -= residual[kPrescribed[k][3]];
}
#endif

/* Brings the given start onto the constraints by the least change. `model`: values that the model fixes are held; `set`: values that the
 * importer has set are held. */
static int FmuTryStart(Instance* c, int model, int set) {
  const Kept* kept = &c->kept;
  FmuKnowInputs(c);
  memcpy(c->q_try, kept->q_given, sizeof c->q_try);
  memcpy(c->v_try, kept->v_given, sizeof c->v_try);
#if FMU_PRESCRIBED > 0
  FmuFollow(c);
#endif
#if FMU_HAS_HOLDS
  if (model || set) {
    int position[$_NQ + 1], velocity[$_NV + 1], status;
    for (int i = 0; i < $_NQ; ++i) position[i] = (model && kOwnPosition[i]) || (set && kept->q_set[i]);
    for (int i = 0; i < $_NV; ++i) velocity[i] = (model && kOwnVelocity[i]) || (set && kept->v_set[i]);
    FmuHold(position, c->held_q);
    for (int i = 0; i < $_NV; ++i) c->held_v[i] = velocity[i] ? 1.0 : 0.0;
    status = $_assemble(&c->s, kept->t, c->q_try, c->v_try, c->u, c->held_q, c->held_v);
    if (status != 0) return status;
  }
#endif
  (void)model;
  (void)set;
  return $_project(&c->s, kept->t, c->q_try, c->v_try, c->u);
}

static int FmuDiffers(double a, double b) { return !(fabs(a - b) <= 1e-8 * (1.0 + fabs(b))); }

/* Before the end of initialization mode: finds a consistent state for the given start. */
static fmi2Status FmuAssemble(Instance* c) {
  Kept* kept = &c->kept;
  int set = 0, status, changed = 0, gave_way = 0;
  for (int i = 0; i < $_NQ; ++i) set |= kept->q_set[i];
  for (int i = 0; i < $_NV; ++i) set |= kept->v_set[i];
  c->known = 0;
  status = FmuTryStart(c, 1, 1);
  if (status != 0 && set) status = FmuTryStart(c, 0, 1);
  if (status != 0 && FMU_HAS_HOLDS) status = FmuTryStart(c, 0, 0);
  if (status != 0) {
    FmuSay(c, fmi2Error, kErrors,
           "no start that is consistent with the constraints was found near the given values at t = %g: %s", kept->t,
           FmuReason(status));
    return fmi2Error;
  }
  memcpy(kept->q, c->q_try, sizeof kept->q);
  memcpy(kept->v, c->v_try, sizeof kept->v);
  kept->stale = kSettled;
  for (int i = 0; i < $_NQ; ++i) {
    const int moved = FmuDiffers(kept->q[i], kept->q_given[i]);
    changed |= moved && kept->q_set[i];
    gave_way |= moved && kOwnPosition[i];
  }
  for (int i = 0; i < $_NV; ++i) {
    const int moved = FmuDiffers(kept->v[i], kept->v_given[i]);
    changed |= moved && kept->v_set[i];
    gave_way |= moved && kOwnVelocity[i];
  }
  if (!changed && set && gave_way)
    FmuSay(c, fmi2OK, kEvents, "what the model states of its start gave way to what was set, at t = %g", kept->t);
  if (!changed && (set || !gave_way)) return fmi2OK;
  FmuSay(c, fmi2Warning, kWarnings,
         "the constraints do not allow the start that %s at t = %g: it was changed, by as little as possible",
         changed ? "was set" : "the model states", kept->t);
  return fmi2Warning;
}

/* For a state that has drifted so far that no projection brings it back: reports it once; the run goes on while there are accelerations. */
static fmi2Status FmuStray(Instance* c, int status) {
  Kept* kept = &c->kept;
  kept->stale = kSettled;
  if (status == 3) {
    FmuSay(c, fmi2Error, kErrors, "the state at t = %g cannot be brought back onto the constraints: %s", kept->t,
           FmuReason(status));
    return fmi2Error;
  }
  if (!kept->strays)
    FmuSay(c, fmi2Warning, kWarnings,
           "the state at t = %g has drifted and cannot be brought back onto the constraints (%s): it goes on beside them, with "
           "shorter steps it would not have left them",
           kept->t, FmuReason(status));
  kept->strays = 1;
  return fmi2Warning;
}

/* Brings the state onto the constraints, if parameters or inputs have changed or steps have drifted. */
static fmi2Status FmuSettle(Instance* c) {
  Kept* kept = &c->kept;
  double most = 0.0;
  int status;
  if (!kept->stale) return fmi2OK;
  if (kept->mode & (kInstantiated | kInitialization)) return FmuAssemble(c);
  c->known = 0;
  FmuKnowInputs(c);
  memcpy(c->q_try, kept->q, sizeof c->q_try);
  memcpy(c->v_try, kept->v, sizeof c->v_try);
  status = $_project(&c->s, kept->t, c->q_try, c->v_try, c->u);
  if (status != 0 && kept->stale == kDrifted) return FmuStray(c, status);
  if (status != 0) {
    FmuSay(c, fmi2Error, kErrors, "the state at t = %g cannot be brought onto the constraints with these %s: %s", kept->t,
           kept->stale == kGiven ? "parameters" : "inputs", FmuReason(status));
    return fmi2Error;
  }
  for (int i = 0; i < kCoordinates; ++i)
    if (!(fabs(c->q_try[i] - kept->q[i]) <= most)) most = fabs(c->q_try[i] - kept->q[i]);
  for (int i = 0; i < $_NV; ++i)
    if (!(fabs(c->v_try[i] - kept->v[i]) <= most)) most = fabs(c->v_try[i] - kept->v[i]);
  if (most != 0.0) {
    kept->moved = 1;
    FmuSay(c, fmi2OK, kEvents, "the state at t = %g was brought onto the constraints: it moved by up to %g", kept->t, most);
  }
  memcpy(kept->q, c->q_try, sizeof kept->q);
  memcpy(kept->v, c->v_try, sizeof kept->v);
  kept->stale = kSettled;
  kept->strays = 0;
  return fmi2OK;
}

/* --- one variable */

static fmi2Status FmuNoMotion(const Instance* c) {
  FmuSay(c, fmi2Discard, kDiscards, "there are no accelerations at t = %g: %s", c->kept.t, FmuReason(c->motion));
  return fmi2Discard;
}

/* The value of variable vr. Returns fmi2Error, without a message, if there is no such variable. */
static fmi2Status FmuRead(Instance* c, fmi2ValueReference vr, double* value) {
  const int k = vr <= kOffVelocity ? (int)vr : -1;
  if (k < 0) return fmi2Error;
  if (k < kU) {
    *value = c->kept.p[k - kP];
  } else if (k < kQ) {
    FmuKnowInputs(c);
    *value = c->u[k - kU];
  } else if (k < kV) {
    *value = c->kept.q[k - kQ];
  } else if (k < kQdot) {
    *value = c->kept.v[k - kV];
  } else if (k < kVdot) {
    if (FmuKnowMotion(c) != 0 && k - kQdot >= kCoordinates) return FmuNoMotion(c);
    *value = c->qdot[k - kQdot];
  } else if (k < kEnergy) {
    if (FmuKnowMotion(c) != 0) return FmuNoMotion(c);
    *value = k < kLambda ? c->vdot[k - kVdot] : c->lambda[k - kLambda];
  } else if (k < kOutput) {
    FmuKnowEnergy(c);
    *value = c->energy[k - kEnergy];
  } else if (k < kDrift) {
    if (FmuKnowMotion(c) != 0) return FmuNoMotion(c);
    *value = c->y[k - kOutput];
  } else if (k == kDrift) {
    *value = c->kept.drift;
  } else {
    FmuKnowOff(c);
    *value = k == kOffPosition ? c->off_position : c->off_velocity;
  }
  return fmi2OK;
}

/* Sets variable k. The caller has checked that it may be set, and calls FmuPrepare after it has set parameters. */
static void FmuWrite(Instance* c, int k, double value) {
  Kept* kept = &c->kept;
  c->known = 0;
  if (k < kU) {
    kept->p[k - kP] = value;
    kept->stale = kGiven;
  } else if (k < kQ) {
    kept->u[k - kU] = value;
    kept->u_set[k - kU] = 1;
    for (int i = 0; i < kOrders; ++i) kept->slope[i][k - kU] = 0.0;
  } else if (k < kQdot) {
    double* x = k < kV ? &kept->q[k - kQ] : &kept->v[k - kV];
    if (kept->mode & (kInstantiated | kInitialization)) {
      if (k < kV) {
        kept->q_given[k - kQ] = value;
        kept->q_set[k - kQ] = 1;
      } else {
        kept->v_given[k - kV] = value;
        kept->v_set[k - kV] = 1;
      }
      kept->stale = kGiven;
    } else {
      *x = value;
    }
  } else {
    kept->drift = value;
  }
}
