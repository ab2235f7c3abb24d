// SPDX-License-Identifier: Apache-2.0
// The interface of an FMU of the model $, whatever the model.

//: kFmiDeclarations
/* What FMI 2.0 defines of the interface in C: types, and the functions of model exchange and co-simulation.
 *
 * The functions are called MODEL_fmi2..., as in sources that are linked with others, where MODEL is the model's identifier.
 * Compiled with -DFMI2_OVERRIDE_FUNCTION_PREFIX they are called fmi2..., as in a shared library.
 */
#ifndef $_FMI2_DECLARATIONS_H
#define $_FMI2_DECLARATIONS_H

#include <stddef.h>

#if defined(FMI2_OVERRIDE_FUNCTION_PREFIX) && defined(FMI2_ACTUAL_FUNCTION_PREFIX)
#define FMI2_PREFIX FMI2_ACTUAL_FUNCTION_PREFIX
#elif !defined(FMI2_OVERRIDE_FUNCTION_PREFIX)
#define FMI2_PREFIX $_
#endif
#ifdef FMI2_PREFIX
#define FMI2_JOIN(a, b) a##b
#define FMI2_JOINED(a, b) FMI2_JOIN(a, b)
#define FMI2_NAME(name) FMI2_JOINED(FMI2_PREFIX, name)
#else
#define FMI2_NAME(name) name
#endif

#if defined(_WIN32) || defined(__CYGWIN__)
#define FMI2_SHARED __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI2_SHARED __attribute__((visibility("default")))
#else
#define FMI2_SHARED
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi2Component;            /* an instance of the model */
typedef void* fmi2ComponentEnvironment; /* a pointer that the importer gets back with messages */
typedef void* fmi2FMUstate;             /* a copy of all that an instance keeps */
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char* fmi2String;
typedef char fmi2Byte;
enum { fmi2False = 0, fmi2True = 1 };

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
  void (*logger)(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status, fmi2String category,
                 fmi2String message, ...);
  void* (*allocateMemory)(size_t count, size_t size); /* zeroed */
  void (*freeMemory)(void* memory);
  void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

#define FMI2_FUNCTION(type, name) FMI2_SHARED type FMI2_NAME(name)

/* Both kinds. */
// clang-format off
FMI2_FUNCTION(const char*, fmi2GetTypesPlatform)(void);
FMI2_FUNCTION(const char*, fmi2GetVersion)(void);
FMI2_FUNCTION(fmi2Status, fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[]);
FMI2_FUNCTION(fmi2Component, fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                              const fmi2CallbackFunctions* functions, fmi2Boolean visible,
                                              fmi2Boolean logging);
FMI2_FUNCTION(void, fmi2FreeInstance)(fmi2Component c);
FMI2_FUNCTION(fmi2Status, fmi2SetupExperiment)(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                                               fmi2Boolean has_stop, fmi2Real stop);
FMI2_FUNCTION(fmi2Status, fmi2EnterInitializationMode)(fmi2Component c);
FMI2_FUNCTION(fmi2Status, fmi2ExitInitializationMode)(fmi2Component c);
FMI2_FUNCTION(fmi2Status, fmi2Terminate)(fmi2Component c);
FMI2_FUNCTION(fmi2Status, fmi2Reset)(fmi2Component c);
FMI2_FUNCTION(fmi2Status, fmi2GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[]);
FMI2_FUNCTION(fmi2Status, fmi2GetInteger)(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Integer value[]);
FMI2_FUNCTION(fmi2Status, fmi2GetBoolean)(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Boolean value[]);
FMI2_FUNCTION(fmi2Status, fmi2GetString)(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2String value[]);
FMI2_FUNCTION(fmi2Status, fmi2SetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[]);
FMI2_FUNCTION(fmi2Status, fmi2SetInteger)(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                          const fmi2Integer value[]);
FMI2_FUNCTION(fmi2Status, fmi2SetBoolean)(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                          const fmi2Boolean value[]);
FMI2_FUNCTION(fmi2Status, fmi2SetString)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2String value[]);
FMI2_FUNCTION(fmi2Status, fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate* state);
FMI2_FUNCTION(fmi2Status, fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state);
FMI2_FUNCTION(fmi2Status, fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate* state);
FMI2_FUNCTION(fmi2Status, fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t* size);
FMI2_FUNCTION(fmi2Status, fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size);
FMI2_FUNCTION(fmi2Status, fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state);
FMI2_FUNCTION(fmi2Status, fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknown[],
                                                        size_t unknowns, const fmi2ValueReference known[], size_t knowns,
                                                        const fmi2Real direction[], fmi2Real derivative[]);

/* Model exchange. */
FMI2_FUNCTION(fmi2Status, fmi2EnterEventMode)(fmi2Component c);
FMI2_FUNCTION(fmi2Status, fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo* info);
FMI2_FUNCTION(fmi2Status, fmi2EnterContinuousTimeMode)(fmi2Component c);
FMI2_FUNCTION(fmi2Status, fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean no_rewind, fmi2Boolean* event,
                                                       fmi2Boolean* terminate);
FMI2_FUNCTION(fmi2Status, fmi2SetTime)(fmi2Component c, fmi2Real time);
FMI2_FUNCTION(fmi2Status, fmi2SetContinuousStates)(fmi2Component c, const fmi2Real x[], size_t count);
FMI2_FUNCTION(fmi2Status, fmi2GetDerivatives)(fmi2Component c, fmi2Real derivatives[], size_t count);
FMI2_FUNCTION(fmi2Status, fmi2GetEventIndicators)(fmi2Component c, fmi2Real indicators[], size_t count);
FMI2_FUNCTION(fmi2Status, fmi2GetContinuousStates)(fmi2Component c, fmi2Real x[], size_t count);
FMI2_FUNCTION(fmi2Status, fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominals[], size_t count);

/* Co-simulation. */
FMI2_FUNCTION(fmi2Status, fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                                       const fmi2Integer order[], const fmi2Real value[]);
FMI2_FUNCTION(fmi2Status, fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                                        const fmi2Integer order[], fmi2Real value[]);
FMI2_FUNCTION(fmi2Status, fmi2DoStep)(fmi2Component c, fmi2Real at, fmi2Real step, fmi2Boolean no_rewind);
FMI2_FUNCTION(fmi2Status, fmi2CancelStep)(fmi2Component c);
FMI2_FUNCTION(fmi2Status, fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status* value);
FMI2_FUNCTION(fmi2Status, fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value);
FMI2_FUNCTION(fmi2Status, fmi2GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Integer* value);
FMI2_FUNCTION(fmi2Status, fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value);
FMI2_FUNCTION(fmi2Status, fmi2GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String* value);
// clang-format on

#ifdef __cplusplus
}
#endif

#endif
