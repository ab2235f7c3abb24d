// SPDX-License-Identifier: Apache-2.0
// Functions of the interface that model exchange or co-simulation alone has.
#include "fmu_common.c"

//: kFmuKinds

/* --- the interface: model exchange */

fmi2Status FMI2_NAME(fmi2EnterEventMode)(fmi2Component component) {
  ENTER(kContinuous, "fmi2EnterEventMode");
  /* The step that has ended may have drifted from the constraints. */
  if (FMU_HAS_PROJECTION && c->kept.stale == kSettled) c->kept.stale = kDrifted;
  c->kept.mode = kEvent;
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2NewDiscreteStates)(fmi2Component component, fmi2EventInfo* info) {
  fmi2Status status;
  ENTER(kEvent, "fmi2NewDiscreteStates");
  if (FmuBadPointer(c, "fmi2NewDiscreteStates", !info)) return fmi2Error;
  status = FmuSettle(c);
  memset(info, 0, sizeof *info);
  if (status > fmi2Warning) return status;
  info->valuesOfContinuousStatesChanged = c->kept.moved ? fmi2True : fmi2False;
  c->kept.moved = 0;
  return status;
}

fmi2Status FMI2_NAME(fmi2EnterContinuousTimeMode)(fmi2Component component) {
  fmi2Status status;
  ENTER(kEvent, "fmi2EnterContinuousTimeMode");
  status = FmuSettle(c);
  if (status <= fmi2Warning) c->kept.mode = kContinuous;
  return status;
}

/* Asks for an event, at which the state may change, if the state is far from the constraints. */
fmi2Status FMI2_NAME(fmi2CompletedIntegratorStep)(fmi2Component component, fmi2Boolean no_rewind, fmi2Boolean* event,
                                                  fmi2Boolean* terminate) {
  ENTER(kContinuous, "fmi2CompletedIntegratorStep");
  (void)no_rewind;
  if (FmuBadPointer(c, "fmi2CompletedIntegratorStep", !event || !terminate)) return fmi2Error;
  *event = *terminate = fmi2False;
#if FMU_HAS_PROJECTION
  {
    const Kept* kept = &c->kept;
    int status;
    FmuKnowInputs(c);
    memcpy(c->q_try, kept->q, sizeof c->q_try);
    memcpy(c->v_try, kept->v, sizeof c->v_try);
    status = $_project(&c->s, kept->t, c->q_try, c->v_try, c->u);
    if (status != 0) return FmuStray(c, status);
    c->kept.strays = 0;
    for (int i = 0; i < kStates; ++i) {
      const double there = i < $_NQ ? c->q_try[i] : c->v_try[i - $_NQ], here = i < $_NQ ? kept->q[i] : kept->v[i - $_NQ];
      if (fabs(there - here) > kept->drift * kept->tolerance * (1.0 + fabs(there))) *event = fmi2True;
    }
  }
#endif
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2SetTime)(fmi2Component component, fmi2Real time) {
  ENTER(kEvent | kContinuous, "fmi2SetTime");
  if (!(fabs(time) <= DBL_MAX)) {
    FmuSay(c, fmi2Error, kErrors, "fmi2SetTime: %g is no time", time);
    return fmi2Error;
  }
  c->kept.t = time;
  c->known = 0;
  return fmi2OK;
}

static fmi2Status FmuCount(const Instance* c, const char* function, size_t count, size_t expected, const void* x) {
  if (count != expected) {
    FmuSay(c, fmi2Error, kErrors, "%s: there are %u of them, not %u", function, (unsigned)expected, (unsigned)count);
    return fmi2Error;
  }
  return FmuBadPointer(c, function, count > 0 && !x) ? fmi2Error : fmi2OK;
}

fmi2Status FMI2_NAME(fmi2SetContinuousStates)(fmi2Component component, const fmi2Real x[], size_t count) {
  ENTER(kContinuous, "fmi2SetContinuousStates");
  if (FmuCount(c, "fmi2SetContinuousStates", count, kStates, x) != fmi2OK) return fmi2Error;
  for (size_t i = 0; i < count; ++i)
    if (!(fabs(x[i]) <= DBL_MAX)) {
      FmuSay(c, fmi2Error, kErrors, "fmi2SetContinuousStates: state %u at t = %g is not finite", (unsigned)i + 1, c->kept.t);
      return fmi2Error;
    }
  memcpy(c->kept.q, x, sizeof(double) * $_NQ);
  memcpy(c->kept.v, x + $_NQ, sizeof(double) * $_NV);
  c->known = 0;
  return fmi2OK;
}

enum { kExchange = kInitialization | kEvent | kContinuous | kTerminated };

fmi2Status FMI2_NAME(fmi2GetDerivatives)(fmi2Component component, fmi2Real derivatives[], size_t count) {
  fmi2Status status;
  ENTER(kExchange, "fmi2GetDerivatives");
  if (FmuCount(c, "fmi2GetDerivatives", count, kStates, derivatives) != fmi2OK) return fmi2Error;
  status = FmuSettle(c);
  if (status > fmi2Warning) return status;
  if (FmuKnowMotion(c) != 0) return FmuNoMotion(c);
  memcpy(derivatives, c->qdot, sizeof(double) * $_NQ);
  memcpy(derivatives + $_NQ, c->vdot, sizeof(double) * $_NV);
  return status;
}

fmi2Status FMI2_NAME(fmi2GetEventIndicators)(fmi2Component component, fmi2Real indicators[], size_t count) {
  ENTER(kExchange, "fmi2GetEventIndicators");
  return FmuCount(c, "fmi2GetEventIndicators", count, 0, indicators);
}

fmi2Status FMI2_NAME(fmi2GetContinuousStates)(fmi2Component component, fmi2Real x[], size_t count) {
  fmi2Status status;
  ENTER(kExchange, "fmi2GetContinuousStates");
  if (FmuCount(c, "fmi2GetContinuousStates", count, kStates, x) != fmi2OK) return fmi2Error;
  status = FmuSettle(c);
  if (status > fmi2Warning) return status;
  memcpy(x, c->kept.q, sizeof(double) * $_NQ);
  memcpy(x + $_NQ, c->kept.v, sizeof(double) * $_NV);
  return status;
}

fmi2Status FMI2_NAME(fmi2GetNominalsOfContinuousStates)(fmi2Component component, fmi2Real nominals[], size_t count) {
  ENTER(kExchange | kInstantiated, "fmi2GetNominalsOfContinuousStates");
  if (FmuCount(c, "fmi2GetNominalsOfContinuousStates", count, kStates, nominals) != fmi2OK) return fmi2Error;
  for (size_t i = 0; i < count; ++i) nominals[i] = 1.0;
  return fmi2OK;
}

/* --- the interface: co-simulation */

fmi2Status FMI2_NAME(fmi2SetRealInputDerivatives)(fmi2Component component, const fmi2ValueReference vr[], size_t count,
                                                  const fmi2Integer order[], const fmi2Real value[]) {
  ENTER(kInstantiated | kInitialization | kStepComplete, "fmi2SetRealInputDerivatives");
  if (FmuBadPointer(c, "fmi2SetRealInputDerivatives", count > 0 && (!vr || !order || !value))) return fmi2Error;
  for (size_t i = 0; i < count; ++i)
    if (vr[i] >= kQ || (int)vr[i] < kU || order[i] < 1 || order[i] > kOrders || !(fabs(value[i]) <= DBL_MAX)) {
      // clang-format off
      FmuSay(c, fmi2Error, kErrors,
             "fmi2SetRealInputDerivatives of value reference %u, order %d, to %g: inputs have derivatives up to order %d", vr[i],
             order[i], value[i], kOrders);
      // clang-format on
      return fmi2Error;
    }
  for (size_t i = 0; i < count; ++i) {
    const int k = (int)vr[i] - kU;
    if (!c->kept.u_set[k]) {
      /* An input that was never set continues from its present value. */
      FmuKnowInputs(c);
      c->kept.u[k] = c->u[k];
      c->kept.u_set[k] = 1;
    }
    c->kept.slope[order[i] - 1][k] = value[i];
  }
  c->kept.input_time = c->kept.t;
  c->known = 0;
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2GetRealOutputDerivatives)(fmi2Component component, const fmi2ValueReference vr[], size_t count,
                                                   const fmi2Integer order[], fmi2Real value[]) {
  ENTER(kStepComplete | kStepFailed | kTerminated, "fmi2GetRealOutputDerivatives");
  (void)vr;
  (void)order;
  (void)value;
  if (count == 0) return fmi2OK;
  FmuSay(c, fmi2Error, kErrors, "fmi2GetRealOutputDerivatives: outputs have none here (maxOutputDerivativeOrder is 0)");
  return fmi2Error;
}

fmi2Status FMI2_NAME(fmi2DoStep)(fmi2Component component, fmi2Real at, fmi2Real step, fmi2Boolean no_rewind) {
  fmi2Status status;
  Kept* kept;
  double end;
  ENTER(kStepComplete, "fmi2DoStep");
  (void)no_rewind;
  kept = &c->kept;
  end = at + step;
  if (!(fabs(end) <= DBL_MAX) || !(step >= 0.0)) {
    FmuSay(c, fmi2Error, kErrors, "fmi2DoStep: a step of length %g from t = %g cannot be", step, at);
    return fmi2Error;
  }
  if (fabs(at - kept->t) > 1e-9 * (fabs(at) + fabs(kept->t) + step)) {
    FmuSay(c, fmi2Error, kErrors, "fmi2DoStep: the step begins at t = %.9g, but the last one ended at t = %.9g", at, kept->t);
    return fmi2Error;
  }
  if (kept->has_stop && end > kept->stop + 1e-9 * (fabs(kept->stop) + step)) {
    FmuSay(c, fmi2Error, kErrors, "fmi2DoStep: t = %.9g is beyond the stop time %.9g", end, kept->stop);
    return fmi2Error;
  }
  status = FmuSettle(c);
  if (status > fmi2Warning) return status;
  status = FmuAdvance(c, end);
  if (status != fmi2OK) {
    kept->mode = kStepFailed;
    return status;
  }
  /* Inputs keep the values that they have reached; their derivatives were those of this step. */
  for (int i = 0; i < $_NU; ++i) {
    int moves = 0;
    for (int k = 0; k < kOrders; ++k) moves |= kept->slope[k][i] != 0.0;
    if (!moves) continue;
    FmuKnowInputs(c);
    kept->u[i] = c->u[i];
    for (int k = 0; k < kOrders; ++k) kept->slope[k][i] = 0.0;
  }
  kept->input_time = kept->t;
  return fmi2OK;
}

fmi2Status FMI2_NAME(fmi2CancelStep)(fmi2Component component) {
  /* No step is ever under way when fmi2DoStep has returned. */
  FmuEnter(component, 0, "fmi2CancelStep");
  return fmi2Error;
}

/* The time that the last step has reached is the only status that there is; this answers for all others. */
static fmi2Status FmuNoStatus(fmi2Component component, const char* function) {
  ENTER(kStepComplete | kStepFailed | kTerminated, function);
  FmuSay(c, fmi2Discard, kDiscards, "%s: there is nothing of this kind, since no step is asynchronous", function);
  return fmi2Discard;
}

fmi2Status FMI2_NAME(fmi2GetStatus)(fmi2Component component, const fmi2StatusKind kind, fmi2Status* value) {
  (void)kind;
  (void)value;
  return FmuNoStatus(component, "fmi2GetStatus");
}

fmi2Status FMI2_NAME(fmi2GetRealStatus)(fmi2Component component, const fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return FmuNoStatus(component, "fmi2GetRealStatus");
  {
    ENTER(kStepComplete | kStepFailed | kTerminated, "fmi2GetRealStatus");
    if (FmuBadPointer(c, "fmi2GetRealStatus", !value)) return fmi2Error;
    *value = c->kept.t;
    return fmi2OK;
  }
}

fmi2Status FMI2_NAME(fmi2GetIntegerStatus)(fmi2Component component, const fmi2StatusKind kind, fmi2Integer* value) {
  (void)kind;
  (void)value;
  return FmuNoStatus(component, "fmi2GetIntegerStatus");
}

fmi2Status FMI2_NAME(fmi2GetBooleanStatus)(fmi2Component component, const fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return FmuNoStatus(component, "fmi2GetBooleanStatus");
  {
    ENTER(kStepComplete | kStepFailed | kTerminated, "fmi2GetBooleanStatus");
    if (FmuBadPointer(c, "fmi2GetBooleanStatus", !value)) return fmi2Error;
    *value = fmi2False; /* the model never ends the run */
    return fmi2OK;
  }
}

fmi2Status FMI2_NAME(fmi2GetStringStatus)(fmi2Component component, const fmi2StatusKind kind, fmi2String* value) {
  (void)kind;
  (void)value;
  return FmuNoStatus(component, "fmi2GetStringStatus");
}
