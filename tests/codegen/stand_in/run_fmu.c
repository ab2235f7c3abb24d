// SPDX-License-Identifier: Apache-2.0
// The C of FMUs as it is in dalembert/codegen/texts, with the model of model.h: co-simulation for a while, and derivatives as model
// exchange has them. Exit status 0 where the particle is where it must be.
#include "fmu_kinds.c"

static int failures;

static void expect(const char* what, int holds) {
  if (holds) return;
  ++failures;
  printf("not so: %s\n", what);
}

static void say(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status, fmi2String category,
                fmi2String message, ...) {
  (void)environment, (void)status, (void)category;
  printf("%s: %s\n", instance, message);
}

static double value(fmi2Component c, int reference) {
  const fmi2ValueReference vr = (fmi2ValueReference)reference;
  double x = NAN;
  expect("a variable is given", FMI2_NAME(fmi2GetReal)(c, &vr, 1, &x) == fmi2OK);
  return x;
}

static fmi2Component begin(fmi2Type type) {
  static const fmi2CallbackFunctions functions = {say, NULL, NULL, NULL, NULL};
  const fmi2Component c = FMI2_NAME(fmi2Instantiate)("particle", type, kGuid, "", &functions, fmi2False, fmi2False);
  expect("there is an instance", c != NULL);
  if (!c) exit(1);
  expect("an experiment is set up", FMI2_NAME(fmi2SetupExperiment)(c, fmi2True, 1e-10, 0.0, fmi2False, 0.0) == fmi2OK &&
                                        FMI2_NAME(fmi2EnterInitializationMode)(c) == fmi2OK &&
                                        FMI2_NAME(fmi2ExitInitializationMode)(c) == fmi2OK);
  return c;
}

int main(void) {
  fmi2Component c = begin(fmi2CoSimulation);
  const double end = 5.0;
  double rates[4];
  for (int i = 0; i < 10; ++i) expect("a step is done", FMI2_NAME(fmi2DoStep)(c, i * 0.5, 0.5, fmi2True) == fmi2OK);
  expect("x = cos t", fabs(value(c, kQ) - cos(end)) < 1e-8);
  expect("y = sin t", fabs(value(c, kQ + 1) - sin(end)) < 1e-8);
  expect("lambda = -m", fabs(value(c, kLambda) + 2.0) < 1e-8);
  expect("the output is the angle", fabs(value(c, kOutput) - (end - 8.0 * atan(1.0))) < 1e-8);
  expect("the energy is m/2", fabs(value(c, kEnergy) - 1.0) < 1e-8);
  expect("it is on the circle", value(c, kOffPosition) < 1e-14 && value(c, kOffVelocity) < 1e-14);
  FMI2_NAME(fmi2FreeInstance)(c);

  c = begin(fmi2ModelExchange);
  expect("time goes on", FMI2_NAME(fmi2EnterContinuousTimeMode)(c) == fmi2OK);
  expect("derivatives are given", FMI2_NAME(fmi2GetDerivatives)(c, rates, 4) == fmi2OK);
  expect("q' = (0, 1), v' = (-1, 0)", rates[0] == 0.0 && rates[1] == 1.0 && rates[2] == -1.0 && rates[3] == 0.0);
  FMI2_NAME(fmi2FreeInstance)(c);
  return failures == 0 ? 0 : 1;
}
