// SPDX-License-Identifier: Apache-2.0
// Functions of the interface that model exchange and co-simulation have.
#include "fmu_steps.c"

//: kFmuCommon

/* --- the interface: model exchange and co-simulation */

#define ENTER(modes, name)                        \
  Instance* c = FmuEnter(component, modes, name); \
  if (!c) return fmi2Error

static int FmuBadPointer(const Instance* c, const char* function, int bad) {
  if (bad) FmuSay(c, fmi2Error, kErrors, "%s was given a null pointer", function);
  return bad;
}

static fmi2Status FmuUnknown(const Instance* c, const char* function, fmi2ValueReference vr) {
  FmuSay(c, fmi2Error, kErrors, "%s: there is no variable of this type with the value reference %u", function, vr);
  return fmi2Error;
}

static fmi2Status FmuWorse(fmi2Status a, fmi2Status b) { return a > b ? a : b; }

const char* FMI2_NAME(fmi2GetTypesPlatform)(void) { return "default"; }
const char* FMI2_NAME(fmi2GetVersion)(void) { return "2.0"; }

static fmi2Status FmuSetLogging(Instance* c, fmi2Boolean on, size_t count, const fmi2String categories[]) {
  int chosen = 0;
  fmi2Status status = fmi2OK;
  for (size_t i = 0; i < count; ++i) {
    int k = 0;
    while (k <= kAllCategories && !(categories[i] && strcmp(categories[i], kCategories[k]) == 0)) ++k;
    if (k <= kAllCategories) {
      chosen |= k == kAllCategories ? (1 << kAllCategories) - 1 : 1 << k;
    } else {
      FmuSay(c, fmi2Error, kErrors, "fmi2SetDebugLogging: there is no category \"%s\"", categories[i] ? categories[i] : "");
      status = fmi2Error;
    }
  }
  if (count == 0) chosen = (1 << kAllCategories) - 1;
  c->logging = on ? c->logging | chosen : c->logging & ~chosen;
  return status;
}

fmi2Status FMI2_NAME(fmi2SetDebugLogging)(fmi2Component component, fmi2Boolean on, size_t count,
                                          const fmi2String categories[]) {
  ENTER(kAnywhere, "fmi2SetDebugLogging");
  if (FmuBadPointer(c, "fmi2SetDebugLogging", count > 0 && !categories)) return fmi2Error;
  return FmuSetLogging(c, on, count, categories);
}

fmi2Component FMI2_NAME(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                         const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging) {
  Instance* c;
  const char* wrong = NULL;
  (void)resources;
  (void)visible;
  if (!functions) return NULL;
  if (!name || !*name)
    wrong = "the instance has no name";
  else if (!guid || strcmp(guid, kGuid) != 0)
    wrong = "the guid is not that of this model: modelDescription.xml belongs to another binary";
  else if (type != fmi2ModelExchange && type != fmi2CoSimulation)
    wrong = "the type is neither model exchange nor co-simulation";
  c = wrong ? NULL : (Instance*)FmuAllocate(functions, sizeof(Instance));
  if (c) {
    c->functions = *functions;
    c->name = (char*)FmuAllocate(functions, strlen(name) + 1);
    if (!c->name) {
      FmuFree(functions, c);
      c = NULL;
    }
  }
  if (!c) {
    if (functions->logger)
      functions->logger(functions->componentEnvironment, name ? name : "", fmi2Error, kCategories[kErrors],
                        wrong ? wrong : "there is not enough memory");
    return NULL;
  }
  strcpy(c->name, name);
  c->type = type;
  FmuBegin(c);
  FmuSetLogging(c, logging, 0, NULL);
  return c;
}

void FMI2_NAME(fmi2FreeInstance)(fmi2Component component) {
  Instance* c = (Instance*)component;
  fmi2CallbackFunctions functions;
  if (!c) return;
  functions = c->functions;
  FmuFree(&functions, c->name);
  FmuFree(&functions, c);
}

fmi2Status FMI2_NAME(fmi2SetupExperiment)(fmi2Component component, fmi2Boolean has_tolerance, fmi2Real tolerance,
                                          fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
  ENTER(kInstantiated, "fmi2SetupExperiment");
  if (!(fabs(start) <= DBL_MAX) || (has_stop && !(stop >= start))) {
    FmuSay(c, fmi2Error, kErrors, "fmi2SetupExperiment: a run from %g to %g cannot be", start, has_stop ? stop : start);
    return fmi2Error;
  }
  if (has_tolerance && !(tolerance >= 1e-15 && tolerance < 1.0)) {
    FmuSay(c, fmi2Error, kErrors, "fmi2SetupExperiment: the tolerance is from 1e-15 to below 1, not %g", tolerance);
    return fmi2Error;
  }
  if (has_tolerance) c->kept.tolerance = tolerance;
  c->kept.t = c->kept.start = c->kept.input_time = start;
  c->kept.has_stop = has_stop ? 1 : 0;
  c->kept.stop = has_stop ? stop : 0.0;
  c->kept.stale = kGiven;
  c->known = 0;
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2EnterInitializationMode)(fmi2Component component) {
  ENTER(kInstantiated, "fmi2EnterInitializationMode");
  c->kept.mode = kInitialization;
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2ExitInitializationMode)(fmi2Component component) {
  fmi2Status status;
  ENTER(kInitialization, "fmi2ExitInitializationMode");
  status = FmuSettle(c);
  if (status > fmi2Warning) return status;
  c->kept.mode = c->type == fmi2ModelExchange ? kEvent : kStepComplete;
  c->kept.moved = 0;
  return status;
}

fmi2Status FMI2_NAME(fmi2Terminate)(fmi2Component component) {
  ENTER(kStepComplete | kStepFailed | kEvent | kContinuous, "fmi2Terminate");
  c->kept.mode = kTerminated;
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2Reset)(fmi2Component component) {
  ENTER(kAnywhere, "fmi2Reset");
  FmuBegin(c);
  return fmi2OK;
}

/* --- values */

enum { kReadable = kInitialization | kStepComplete | kStepFailed | kEvent | kContinuous | kTerminated };

fmi2Status FMI2_NAME(fmi2GetReal)(fmi2Component component, const fmi2ValueReference vr[], size_t count, fmi2Real value[]) {
  fmi2Status status;
  ENTER(kReadable, "fmi2GetReal");
  if (FmuBadPointer(c, "fmi2GetReal", count > 0 && (!vr || !value))) return fmi2Error;
  for (size_t i = 0; i < count; ++i)
    if (vr[i] > kOffVelocity) return FmuUnknown(c, "fmi2GetReal", vr[i]);
  status = FmuSettle(c);
  for (size_t i = 0; i < count && status <= fmi2Warning; ++i) status = FmuWorse(status, FmuRead(c, vr[i], &value[i]));
  return status;
}

/* Why variable k may not be set now; NULL if it may. */
static const char* FmuForbids(const Instance* c, int k) {
  const int begins = c->kept.mode & (kInstantiated | kInitialization);
  if (k < kU || k == kDrift)
    return c->kept.mode == kContinuous ? "parameters are set in event mode, not in continuous-time mode" : NULL;
  if (k < kQ) return NULL;
  if (k < kQdot) return begins ? NULL : "coordinates and velocities are set before the end of initialization mode";
  return "it is computed";
}

fmi2Status FMI2_NAME(fmi2SetReal)(fmi2Component component, const fmi2ValueReference vr[], size_t count,
                                  const fmi2Real value[]) {
  int parameters = 0;
  ENTER(kInstantiated | kInitialization | kStepComplete | kEvent | kContinuous, "fmi2SetReal");
  if (FmuBadPointer(c, "fmi2SetReal", count > 0 && (!vr || !value))) return fmi2Error;
  /* Either all values are set or none is. */
  for (size_t i = 0; i < count; ++i) {
    const char* why;
    if (vr[i] > kOffVelocity) return FmuUnknown(c, "fmi2SetReal", vr[i]);
    why = FmuForbids(c, (int)vr[i]);
    if (!why && !(fabs(value[i]) <= DBL_MAX)) why = "values are finite numbers";
    if (!why && vr[i] == kDrift && value[i] < 0.0) why = "it is not negative";
    if (why) {
      FmuSay(c, fmi2Error, kErrors, "fmi2SetReal of value reference %u to %g: %s", vr[i], value[i], why);
      return fmi2Error;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    FmuWrite(c, (int)vr[i], value[i]);
    parameters |= (int)vr[i] < kU;
  }
  if (parameters) FmuPrepare(c);
  if (c->kept.mode == kStepComplete) c->kept.input_time = c->kept.t;
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2GetInteger)(fmi2Component component, const fmi2ValueReference vr[], size_t count,
                                     fmi2Integer value[]) {
  ENTER(kReadable, "fmi2GetInteger");
  if (FmuBadPointer(c, "fmi2GetInteger", count > 0 && (!vr || !value))) return fmi2Error;
  for (size_t i = 0; i < count; ++i) {
    if (vr[i] != kSteps) return FmuUnknown(c, "fmi2GetInteger", vr[i]);
    value[i] = c->kept.steps;
  }
  return fmi2OK;
}

/* A model has no Boolean and no string variables, and no integers that can be set. */
static fmi2Status FmuNone(fmi2Component component, const char* function, const fmi2ValueReference vr[], size_t count) {
  ENTER(kAnywhere, function);
  if (count == 0) return fmi2OK;
  return FmuBadPointer(c, function, !vr) ? fmi2Error : FmuUnknown(c, function, vr[0]);
}

fmi2Status FMI2_NAME(fmi2GetBoolean)(fmi2Component component, const fmi2ValueReference vr[], size_t count,
                                     fmi2Boolean value[]) {
  (void)value;
  return FmuNone(component, "fmi2GetBoolean", vr, count);
}
fmi2Status FMI2_NAME(fmi2GetString)(fmi2Component component, const fmi2ValueReference vr[], size_t count, fmi2String value[]) {
  (void)value;
  return FmuNone(component, "fmi2GetString", vr, count);
}
fmi2Status FMI2_NAME(fmi2SetInteger)(fmi2Component component, const fmi2ValueReference vr[], size_t count,
                                     const fmi2Integer value[]) {
  (void)value;
  return FmuNone(component, "fmi2SetInteger", vr, count);
}
fmi2Status FMI2_NAME(fmi2SetBoolean)(fmi2Component component, const fmi2ValueReference vr[], size_t count,
                                     const fmi2Boolean value[]) {
  (void)value;
  return FmuNone(component, "fmi2SetBoolean", vr, count);
}
fmi2Status FMI2_NAME(fmi2SetString)(fmi2Component component, const fmi2ValueReference vr[], size_t count,
                                    const fmi2String value[]) {
  (void)value;
  return FmuNone(component, "fmi2SetString", vr, count);
}

/* --- states of the FMU: copies of what is kept */

fmi2Status FMI2_NAME(fmi2GetFMUstate)(fmi2Component component, fmi2FMUstate* state) {
  ENTER(kAnywhere, "fmi2GetFMUstate");
  if (FmuBadPointer(c, "fmi2GetFMUstate", !state)) return fmi2Error;
  if (!*state) *state = FmuAllocate(&c->functions, sizeof(Kept));
  if (!*state) {
    FmuSay(c, fmi2Error, kErrors, "fmi2GetFMUstate: there is not enough memory");
    return fmi2Error;
  }
  memcpy(*state, &c->kept, sizeof(Kept));
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2SetFMUstate)(fmi2Component component, fmi2FMUstate state) {
  ENTER(kAnywhere, "fmi2SetFMUstate");
  if (FmuBadPointer(c, "fmi2SetFMUstate", !state)) return fmi2Error;
  memcpy(&c->kept, state, sizeof(Kept));
  FmuPrepare(c);
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2FreeFMUstate)(fmi2Component component, fmi2FMUstate* state) {
  ENTER(kAnywhere, "fmi2FreeFMUstate");
  if (!state || !*state) return fmi2OK;
  FmuFree(&c->functions, *state);
  *state = NULL;
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2SerializedFMUstateSize)(fmi2Component component, fmi2FMUstate state, size_t* size) {
  ENTER(kAnywhere, "fmi2SerializedFMUstateSize");
  if (FmuBadPointer(c, "fmi2SerializedFMUstateSize", !state || !size)) return fmi2Error;
  *size = sizeof kGuid + sizeof(Kept);
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2SerializeFMUstate)(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  ENTER(kAnywhere, "fmi2SerializeFMUstate");
  if (FmuBadPointer(c, "fmi2SerializeFMUstate", !state || !bytes)) return fmi2Error;
  if (size < sizeof kGuid + sizeof(Kept)) {
    FmuSay(c, fmi2Error, kErrors, "fmi2SerializeFMUstate: a state takes %u bytes", (unsigned)(sizeof kGuid + sizeof(Kept)));
    return fmi2Error;
  }
  memcpy(bytes, kGuid, sizeof kGuid);
  memcpy(bytes + sizeof kGuid, state, sizeof(Kept));
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2DeSerializeFMUstate)(fmi2Component component, const fmi2Byte bytes[], size_t size,
                                              fmi2FMUstate* state) {
  ENTER(kAnywhere, "fmi2DeSerializeFMUstate");
  if (FmuBadPointer(c, "fmi2DeSerializeFMUstate", !state || !bytes)) return fmi2Error;
  if (size < sizeof kGuid + sizeof(Kept) || memcmp(bytes, kGuid, sizeof kGuid) != 0) {
    FmuSay(c, fmi2Error, kErrors, "fmi2DeSerializeFMUstate: these bytes are no state of this model");
    return fmi2Error;
  }
  if (!*state) *state = FmuAllocate(&c->functions, sizeof(Kept));
  if (!*state) {
    FmuSay(c, fmi2Error, kErrors, "fmi2DeSerializeFMUstate: there is not enough memory");
    return fmi2Error;
  }
  memcpy(*state, bytes + sizeof kGuid, sizeof(Kept));
  return fmi2OK;
}

/* --- derivatives along a direction */

static int FmuIsKnown(const Instance* c, fmi2ValueReference vr) {
  const int k = vr <= kOffVelocity ? (int)vr : kOffVelocity;
  if (k < kU) return c->kept.mode == kInitialization;
  return k < kQ || (k < kQdot && (c->kept.mode != kInitialization || !FMU_HAS_PROJECTION));
}

/* Moves the known variables by `by` times the direction, and brings the state onto the constraints. The caller has saved the state before. */
static fmi2Status FmuMove(Instance* c, const fmi2ValueReference known[], size_t knowns, const double direction[], double by) {
  int parameters = 0;
  memcpy(&c->kept, &c->other, sizeof(Kept));
  c->known = 0;
  for (size_t j = 0; j < knowns; ++j) {
    double value;
    FmuRead(c, known[j], &value);
    FmuWrite(c, (int)known[j], value + by * direction[j]);
    parameters |= (int)known[j] < kU;
  }
  if (parameters) FmuPrepare(c);
  return c->kept.mode == kInitialization ? FmuSettle(c) : fmi2OK;
}

// clang-format off
fmi2Status FMI2_NAME(fmi2GetDirectionalDerivative)(fmi2Component component, const fmi2ValueReference unknown[],
                                                   size_t unknowns, const fmi2ValueReference known[], size_t knowns,
                                                   const fmi2Real direction[], fmi2Real derivative[]) {
  // clang-format on
  /* Derivatives by formulas if the model has them, otherwise by differences of order 4, whose error is about 1e-12 of the values. */
  static const double places[4] = {-2.0, -1.0, 1.0, 2.0}, weights[4] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12};
  double size = 0.0, h;
  fmi2Status status;
  int exact = 0, needed = 0;
  ENTER(kReadable, "fmi2GetDirectionalDerivative");
  if (FmuBadPointer(c, "fmi2GetDirectionalDerivative",
                    (unknowns > 0 && (!unknown || !derivative)) || (knowns > 0 && (!known || !direction))))
    return fmi2Error;
  for (size_t i = 0; i < unknowns; ++i)
    if (unknown[i] > kOffVelocity) return FmuUnknown(c, "fmi2GetDirectionalDerivative", unknown[i]);
  for (size_t j = 0; j < knowns; ++j)
    if (!FmuIsKnown(c, known[j]) || !(fabs(direction[j]) <= DBL_MAX)) {
      FmuSay(c, fmi2Error, kErrors, "fmi2GetDirectionalDerivative: no derivative with respect to value reference %u, along %g",
             known[j], direction[j]);
      return fmi2Error;
    }
  status = FmuSettle(c);
  if (status > fmi2Warning) return status;
#if FMU_HAS_JACOBIAN
  FmuKnowInputs(c);
  // clang-format off
  exact = c->kept.mode != kInitialization &&
          $_jacobian(&c->s, c->kept.t, c->kept.q, c->kept.v, c->u, c->jacobian) == 0;
  // clang-format on
#endif
  for (size_t i = 0; i < unknowns; ++i) {
    derivative[i] = 0.0;
#if FMU_HAS_JACOBIAN
    if (exact && unknown[i] >= kVdot && unknown[i] < kEnergy) {
      const double* row = c->jacobian + ((int)unknown[i] - kVdot) * (kStates + $_NU);
      for (size_t j = 0; j < knowns; ++j) {
        const int k = (int)known[j];
        derivative[i] += direction[j] * row[k < kQ ? kStates + k - kU : k - kQ];
      }
      continue;
    }
#endif
    needed = 1;
  }
  if (!needed) return status;
  for (size_t j = 0; j < knowns; ++j) {
    double value = 0.0;
    FmuRead(c, known[j], &value);
    value = fabs(direction[j]) / (1.0 + fabs(value));
    if (value > size) size = value;
  }
  if (!(size > 0.0)) return status;
  h = 1e-3 / size;
  memcpy(&c->other, &c->kept, sizeof(Kept));
  c->quiet = 1;
  for (int k = 0; k < 4 && status <= fmi2Warning; ++k) {
    status = FmuMove(c, known, knowns, direction, places[k] * h);
    for (size_t i = 0; i < unknowns && status <= fmi2Warning; ++i) {
      double value;
      if (exact && unknown[i] >= kVdot && unknown[i] < kEnergy) continue;
      status = FmuWorse(status, FmuRead(c, unknown[i], &value));
      if (status <= fmi2Warning) derivative[i] += weights[k] * value / h;
    }
  }
  c->quiet = 0;
  memcpy(&c->kept, &c->other, sizeof(Kept));
  FmuPrepare(c);
  if (status <= fmi2Warning) return fmi2OK;
  FmuSay(c, fmi2Discard, kDiscards, "fmi2GetDirectionalDerivative: there are no values beside t = %g", c->kept.t);
  return fmi2Discard;
}
