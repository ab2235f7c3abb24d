/* SPDX-License-Identifier: Apache-2.0
 *
 * A master for FMUs of FMI 2.0, model exchange and co-simulation: it loads a shared library and does what the lines of its
 * standard input say. Its declarations were written from the standard, and share nothing with the code that is exported.
 *
 *   fmi_master LIBRARY GUID < SCRIPT
 *
 * A line is a command, the number of an instance (0 to 7), and arguments. For each line one is printed: the worst status that
 * the FMU returned (0 OK, 1 warning, 2 discard, 3 error, 4 fatal), then numbers that read back as they are. What the FMU logs
 * goes to standard error: the instance's name, the status, the category, the text.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int Reference;
typedef void* Component;

typedef struct {
  void (*log)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void (*finished)(void*, int);
  void* environment;
} Callbacks;

typedef struct {
  int again, terminate, nominals_changed, values_changed, next_event_defined;
  double next_event;
} EventInfo;

static const char* (*types_platform)(void);
static const char* (*version)(void);
static int (*set_logging)(Component, int, size_t, const char* const*);
static Component (*instantiate)(const char*, int, const char*, const char*, const Callbacks*, int, int);
static void (*free_instance)(Component);
static int (*setup)(Component, int, double, double, int, double);
static int (*enter_initialization)(Component), (*exit_initialization)(Component), (*terminate)(Component),
    (*reset)(Component);
static int (*get_real)(Component, const Reference*, size_t, double*);
static int (*set_real)(Component, const Reference*, size_t, const double*);
static int (*get_integer)(Component, const Reference*, size_t, int*);
static int (*set_integer)(Component, const Reference*, size_t, const int*);
static int (*get_boolean)(Component, const Reference*, size_t, int*);
static int (*set_boolean)(Component, const Reference*, size_t, const int*);
static int (*get_string)(Component, const Reference*, size_t, const char**);
static int (*set_string)(Component, const Reference*, size_t, const char* const*);
static int (*get_state)(Component, void**), (*set_state)(Component, void*), (*free_state)(Component, void**);
static int (*state_size)(Component, void*, size_t*);
static int (*serialize)(Component, void*, char*, size_t);
static int (*deserialize)(Component, const char*, size_t, void**);
static int (*directional)(Component, const Reference*, size_t, const Reference*, size_t, const double*, double*);
static int (*enter_event)(Component), (*enter_continuous)(Component);
static int (*new_discrete)(Component, EventInfo*);
static int (*completed)(Component, int, int*, int*);
static int (*set_time)(Component, double);
static int (*set_states)(Component, const double*, size_t);
static int (*get_derivatives)(Component, double*, size_t), (*get_indicators)(Component, double*, size_t);
static int (*get_states)(Component, double*, size_t), (*get_nominals)(Component, double*, size_t);
static int (*set_input_derivatives)(Component, const Reference*, size_t, const int*, const double*);
static int (*get_output_derivatives)(Component, const Reference*, size_t, const int*, double*);
static int (*do_step)(Component, double, double, int);
static int (*cancel_step)(Component);
static int (*get_status)(Component, int, int*), (*get_real_status)(Component, int, double*);
static int (*get_integer_status)(Component, int, int*), (*get_boolean_status)(Component, int, int*);
static int (*get_string_status)(Component, int, const char**);

static void find(void* library, const char* name, void* function) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "there is no %s\n", name);
    exit(2);
  }
  memcpy(function, &found, sizeof found);
}

static void load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  find(library, "fmi2GetTypesPlatform", &types_platform);
  find(library, "fmi2GetVersion", &version);
  find(library, "fmi2SetDebugLogging", &set_logging);
  find(library, "fmi2Instantiate", &instantiate);
  find(library, "fmi2FreeInstance", &free_instance);
  find(library, "fmi2SetupExperiment", &setup);
  find(library, "fmi2EnterInitializationMode", &enter_initialization);
  find(library, "fmi2ExitInitializationMode", &exit_initialization);
  find(library, "fmi2Terminate", &terminate);
  find(library, "fmi2Reset", &reset);
  find(library, "fmi2GetReal", &get_real);
  find(library, "fmi2SetReal", &set_real);
  find(library, "fmi2GetInteger", &get_integer);
  find(library, "fmi2SetInteger", &set_integer);
  find(library, "fmi2GetBoolean", &get_boolean);
  find(library, "fmi2SetBoolean", &set_boolean);
  find(library, "fmi2GetString", &get_string);
  find(library, "fmi2SetString", &set_string);
  find(library, "fmi2GetFMUstate", &get_state);
  find(library, "fmi2SetFMUstate", &set_state);
  find(library, "fmi2FreeFMUstate", &free_state);
  find(library, "fmi2SerializedFMUstateSize", &state_size);
  find(library, "fmi2SerializeFMUstate", &serialize);
  find(library, "fmi2DeSerializeFMUstate", &deserialize);
  find(library, "fmi2GetDirectionalDerivative", &directional);
  find(library, "fmi2EnterEventMode", &enter_event);
  find(library, "fmi2NewDiscreteStates", &new_discrete);
  find(library, "fmi2EnterContinuousTimeMode", &enter_continuous);
  find(library, "fmi2CompletedIntegratorStep", &completed);
  find(library, "fmi2SetTime", &set_time);
  find(library, "fmi2SetContinuousStates", &set_states);
  find(library, "fmi2GetDerivatives", &get_derivatives);
  find(library, "fmi2GetEventIndicators", &get_indicators);
  find(library, "fmi2GetContinuousStates", &get_states);
  find(library, "fmi2GetNominalsOfContinuousStates", &get_nominals);
  find(library, "fmi2SetRealInputDerivatives", &set_input_derivatives);
  find(library, "fmi2GetRealOutputDerivatives", &get_output_derivatives);
  find(library, "fmi2DoStep", &do_step);
  find(library, "fmi2CancelStep", &cancel_step);
  find(library, "fmi2GetStatus", &get_status);
  find(library, "fmi2GetRealStatus", &get_real_status);
  find(library, "fmi2GetIntegerStatus", &get_integer_status);
  find(library, "fmi2GetBooleanStatus", &get_boolean_status);
  find(library, "fmi2GetStringStatus", &get_string_status);
}

/* --- what the FMU is given */

static long allocations, releases, budget = -1;

static void* allocate(size_t count, size_t size) {
  if (budget == 0) return NULL;
  if (budget > 0) --budget;
  ++allocations;
  return calloc(count, size);
}

static void release(void* memory) {
  if (memory != NULL) ++releases;
  free(memory);
}

static void tell(void* environment, const char* name, int status, const char* category, const char* text, ...) {
  va_list arguments;
  (void)environment;
  fprintf(stderr, "%s: %d %s: ", name, status, category);
  va_start(arguments, text);
  vfprintf(stderr, text, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

static const Callbacks callbacks = {tell, allocate, release, NULL, NULL};

/* --- commands */

enum { kInstances = 8, kMost = 20000 };
static Component instances[kInstances];
static void* states[kInstances];
static char* bytes[kInstances];
static size_t sizes[kInstances];
static Reference references[kMost];
static double numbers[kMost];
static int worst;

static void note(int status) {
  if (status > worst) worst = status;
}

static const char* next_word(void) { return strtok(NULL, " \n"); }

static double next_number(void) {
  const char* word = next_word();
  return word == NULL ? 0 : strtod(word, NULL);
}

static size_t rest_references(void) {
  size_t count = 0;
  const char* word;
  while ((word = next_word()) != NULL && count < kMost) references[count++] = (Reference)strtoul(word, NULL, 10);
  return count;
}

static size_t rest_pairs(void) {
  size_t count = 0;
  const char* word;
  while ((word = next_word()) != NULL && count < kMost) {
    references[count] = (Reference)strtoul(word, NULL, 10);
    numbers[count++] = next_number();
  }
  return count;
}

static void answer(const double* values, size_t count) {
  printf("%d", worst);
  for (size_t i = 0; i < count; ++i) printf(" %.17g", values[i]);
  putchar('\n');
  fflush(stdout);
}

/* Model exchange: one step of the classical Runge-Kutta method (4 stages) or Euler's (1), and the event that the FMU may ask for. */
static int events, terminated; /* how many; whether one ended the motion */
static double now;             /* where the last step came to */

/* What is to be done at an event; x are the states after it. */
static void handle_event(Component c, size_t n, double* x) {
  EventInfo info = {1, 0, 0, 0, 0, 0};
  ++events;
  note(enter_event(c));
  while (info.again) note(new_discrete(c, &info));
  terminated = info.terminate;
  note(enter_continuous(c));
  if (info.values_changed) note(get_states(c, x, n));
}

/* The states x at t moved to t + h, where the FMU is left. */
static void integrate_step(Component c, size_t n, double t, double h, int stages, double* x) {
  static double sum[kMost], at[kMost], slope[kMost];
  memcpy(sum, x, n * sizeof *x);
  memcpy(at, x, n * sizeof *x);
  for (int stage = 0; stage < stages; ++stage) {
    const double weight = stages == 1 ? h : stage == 0 || stage == 3 ? h / 6 : h / 3, ahead = stage < 2 ? h / 2 : h;
    note(set_time(c, t + (stage == 0 ? 0 : stage < 3 ? h / 2 : h)));
    note(set_states(c, at, n));
    note(get_derivatives(c, slope, n));
    for (size_t i = 0; i < n; ++i) {
      sum[i] += weight * slope[i];
      at[i] = x[i] + ahead * slope[i];
    }
  }
  memcpy(x, sum, n * sizeof *x);
  now = t + h;
  note(set_time(c, now));
  note(set_states(c, x, n));
}

static void exchange_step(Component c, size_t n, double t, double h, int stages, double* x) {
  int event = 0, stop = 0;
  integrate_step(c, n, t, h, stages, x);
  note(completed(c, 1, &event, &stop));
  if (event) handle_event(c, n, x);
}

/* Whether an indicator has another sign than before; positive or not is what counts (FMI 2.0, 3.1). */
static int signs_changed(const double* before, const double* after, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if ((before[i] > 0) != (after[i] > 0)) return 1;
  return 0;
}

/* A step during which event indicators change their signs: the instant is found by halving, the event is handled, and the rest of the
 * step is made. */
static void indicated_step(Component c, size_t n, size_t count, double t, double h, double* x) {
  static double before[kMost], after[kMost], from[kMost];
  double left = h;
  note(get_indicators(c, before, count));
  for (int change = 0; change < 10000 && left > 0 && worst < 2 && !terminated; ++change) {
    double low = 0, high = left;
    int event = 0, stop = 0;
    memcpy(from, x, n * sizeof *x);
    integrate_step(c, n, t + h - left, left, 4, x);
    note(get_indicators(c, after, count));
    if (!signs_changed(before, after, count)) {
      note(completed(c, 1, &event, &stop));
      if (event) handle_event(c, n, x);
      return;
    }
    for (int k = 0; k < 60 && worst < 2; ++k) {
      const double middle = (low + high) / 2;
      memcpy(x, from, n * sizeof *x);
      integrate_step(c, n, t + h - left, middle, 4, x);
      note(get_indicators(c, after, count));
      if (signs_changed(before, after, count))
        high = middle;
      else
        low = middle;
    }
    memcpy(x, from, n * sizeof *x);
    integrate_step(c, n, t + h - left, high, 4, x);
    note(completed(c, 1, &event, &stop));
    handle_event(c, n, x);
    note(get_indicators(c, before, count));
    left -= high;
  }
}

static void command(const char* word, const char* guid, size_t i) {
  Component c = instances[i];
  size_t count;
  if (strcmp(word, "new") == 0) {
    static const char names[] = "abcdefgh";
    const char name[2] = {names[i], 0};
    const char* type = next_word();
    const char* logging = next_word();
    instances[i] = instantiate(name, strcmp(type, "cs") == 0, guid, "file:///nowhere", &callbacks, 0, logging != NULL);
    note(instances[i] == NULL ? 3 : 0);
    answer(NULL, 0);
  } else if (strcmp(word, "new-wrong") == 0) {
    double made[4];
    made[0] = instantiate("x", 1, "{of another}", NULL, &callbacks, 0, 0) != NULL;
    made[1] = instantiate(NULL, 1, guid, NULL, &callbacks, 0, 0) != NULL;
    made[2] = instantiate("x", 1, guid, NULL, NULL, 0, 0) != NULL;
    budget = 1; /* the second piece of memory is not there */
    made[3] = instantiate("x", 1, guid, NULL, &callbacks, 0, 0) != NULL;
    budget = -1;
    answer(made, 4);
  } else if (strcmp(word, "free") == 0) {
    if (states[i] != NULL) note(free_state(c, &states[i]));
    free(bytes[i]);
    bytes[i] = NULL;
    free_instance(c);
    instances[i] = NULL;
    answer(NULL, 0);
  } else if (strcmp(word, "memory") == 0) {
    const double made[2] = {(double)allocations, (double)releases};
    answer(made, 2);
  } else if (strcmp(word, "about") == 0) {
    note(strcmp(types_platform(), "default") != 0 || strcmp(version(), "2.0") != 0 ? 3 : 0);
    answer(NULL, 0);
  } else if (strcmp(word, "setup") == 0) { /* tolerance (0: none), start, stop (nan: none) */
    const double tolerance = next_number(), start = next_number(), stop = next_number();
    note(setup(c, tolerance != 0, tolerance, start, stop == stop, stop));
    answer(NULL, 0);
  } else if (strcmp(word, "enter") == 0) {
    note(enter_initialization(c));
    answer(NULL, 0);
  } else if (strcmp(word, "exit") == 0) {
    note(exit_initialization(c));
    answer(NULL, 0);
  } else if (strcmp(word, "init") == 0) {
    note(enter_initialization(c));
    note(exit_initialization(c));
    answer(NULL, 0);
  } else if (strcmp(word, "terminate") == 0) {
    note(terminate(c));
    answer(NULL, 0);
  } else if (strcmp(word, "reset") == 0) {
    note(reset(c));
    answer(NULL, 0);
  } else if (strcmp(word, "get") == 0) {
    count = rest_references();
    memset(numbers, 0, sizeof numbers);
    note(get_real(c, references, count, numbers));
    answer(numbers, count);
  } else if (strcmp(word, "set") == 0) {
    count = rest_pairs();
    note(set_real(c, references, count, numbers));
    answer(NULL, 0);
  } else if (strcmp(word, "get-integer") == 0) {
    int values[16] = {0};
    count = rest_references();
    note(get_integer(c, references, count, values));
    for (size_t k = 0; k < count; ++k) numbers[k] = values[k];
    answer(numbers, count);
  } else if (strcmp(word, "others") == 0) { /* types of which there is no variable */
    const Reference reference = (Reference)next_number();
    int whole = 0;
    const char* text = "";
    double got[6];
    got[0] = set_integer(c, &reference, 1, &whole);
    got[1] = get_boolean(c, &reference, 1, &whole);
    got[2] = set_boolean(c, &reference, 1, &whole);
    got[3] = get_string(c, &reference, 1, &text);
    got[4] = set_string(c, &reference, 1, &text);
    got[5] = get_boolean(c, NULL, 0, NULL);
    answer(got, 6);
  } else if (strcmp(word, "slope") == 0) { /* of inputs: reference, order, value */
    const Reference reference = (Reference)next_number();
    const int order = (int)next_number();
    const double value = next_number();
    note(set_input_derivatives(c, &reference, 1, &order, &value));
    answer(NULL, 0);
  } else if (strcmp(word, "output-slope") == 0) {
    const Reference reference = (Reference)next_number();
    const int order = 1;
    note(get_output_derivatives(c, &reference, 1, &order, numbers));
    answer(NULL, 0);
  } else if (strcmp(word, "step") == 0) { /* from, length */
    const double at = next_number(), h = next_number();
    note(do_step(c, at, h, 1));
    answer(NULL, 0);
  } else if (strcmp(word, "run") == 0) { /* from, length of a step, how many; what to get in the end */
    const double at = next_number(), h = next_number();
    const int steps = (int)next_number();
    count = rest_references();
    for (int k = 0; k < steps && worst < 2; ++k) {
      note(do_step(c, at + k * h, h, 1));
      if (worst < 2) note(get_real(c, references, count, numbers));
    }
    answer(numbers, count);
  } else if (strcmp(word, "cancel") == 0) {
    note(cancel_step(c));
    answer(NULL, 0);
  } else if (strcmp(word, "last-time") == 0) {
    double values[2] = {0, 0};
    int ended = 0;
    note(get_real_status(c, 2, &values[0]));
    note(get_boolean_status(c, 3, &ended));
    values[1] = ended;
    answer(values, 2);
  } else if (strcmp(word, "statuses") == 0) {
    int whole = 0;
    const char* text;
    double values[4];
    values[0] = get_status(c, 0, &whole);
    values[1] = get_integer_status(c, 0, &whole);
    values[2] = get_string_status(c, 1, &text);
    values[3] = get_real_status(c, 0, &values[3]);
    answer(values, 4);
  } else if (strcmp(word, "keep") == 0) {
    note(get_state(c, &states[i]));
    answer(NULL, 0);
  } else if (strcmp(word, "rewind") == 0) {
    note(set_state(c, states[i]));
    answer(NULL, 0);
  } else if (strcmp(word, "write-state") == 0) {
    double size;
    note(state_size(c, states[i], &sizes[i]));
    free(bytes[i]);
    bytes[i] = malloc(sizes[i]);
    note(serialize(c, states[i], bytes[i], sizes[i]));
    size = (double)sizes[i];
    answer(&size, 1);
  } else if (strcmp(word, "read-state") == 0) { /* that of another instance, in a few bytes less */
    const size_t from = (size_t)next_number() % kInstances, less = (size_t)next_number();
    void* state = NULL;
    const int status = deserialize(c, bytes[from], sizes[from] - less, &state);
    note(status);
    if (status == 0) note(set_state(c, state));
    note(free_state(c, &state));
    answer(NULL, 0);
  } else if (strcmp(word, "derivative") == 0) { /* of an unknown by a known, along 1 */
    const Reference unknown = (Reference)next_number(), known = (Reference)next_number();
    const double one = 1;
    double value = 0;
    note(directional(c, &unknown, 1, &known, 1, &one, &value));
    answer(&value, 1);
  } else if (strcmp(word, "begin") == 0) { /* model exchange: from event mode into continuous time */
    EventInfo info = {1, 0, 0, 0, 0, 0};
    while (info.again && worst < 2) note(new_discrete(c, &info));
    note(enter_continuous(c));
    answer(NULL, 0);
  } else if (strcmp(word, "event") == 0) { /* into event mode; what changed is said */
    note(enter_event(c));
    answer(NULL, 0);
  } else if (strcmp(word, "discrete") == 0) {
    EventInfo info = {1, 0, 0, 0, 0, 0};
    double values[2];
    note(new_discrete(c, &info));
    values[0] = info.values_changed;
    values[1] = info.again;
    note(enter_continuous(c));
    answer(values, 2);
  } else if (strcmp(word, "states") == 0) {
    count = (size_t)next_number();
    note(get_states(c, numbers, count));
    answer(numbers, count);
  } else if (strcmp(word, "set-states") == 0) {
    count = 0;
    for (const char* one = next_word(); one != NULL; one = next_word()) numbers[count++] = strtod(one, NULL);
    note(set_states(c, numbers, count));
    answer(NULL, 0);
  } else if (strcmp(word, "derivatives") == 0) {
    count = (size_t)next_number();
    note(get_derivatives(c, numbers, count));
    answer(numbers, count);
  } else if (strcmp(word, "nominals") == 0) {
    count = (size_t)next_number();
    note(get_nominals(c, numbers, count));
    note(get_indicators(c, NULL, 0));
    answer(numbers, count);
  } else if (strcmp(word, "exchange") == 0 || strcmp(word, "euler") == 0) {
    /* states, from, length of a step, how many: events so far */
    static double x[kMost];
    const size_t n = (size_t)next_number();
    const double at = next_number(), h = next_number();
    const int steps = (int)next_number();
    double value;
    note(get_states(c, x, n));
    for (int k = 0; k < steps && worst < 2; ++k) exchange_step(c, n, at + k * h, h, word[1] == 'u' ? 1 : 4, x);
    value = events;
    answer(&value, 1);
  } else if (strcmp(word, "indicators") == 0) {
    count = (size_t)next_number();
    note(get_indicators(c, numbers, count));
    answer(numbers, count);
  } else if (strcmp(word, "exchange-events") == 0) {
    /* states, indicators, from, length of a step, how many: events so far, whether one ended the motion, and when */
    static double x[kMost];
    const size_t n = (size_t)next_number(), indicators = (size_t)next_number();
    const double at = next_number(), h = next_number();
    const int steps = (int)next_number();
    double values[3];
    note(get_states(c, x, n));
    for (int k = 0; k < steps && worst < 2 && !terminated; ++k) indicated_step(c, n, indicators, at + k * h, h, x);
    values[0] = events;
    values[1] = terminated;
    values[2] = now;
    answer(values, 3);
  } else if (strcmp(word, "logging") == 0) {
    const char* category = next_word();
    note(set_logging(c, 1, 1, &category));
    answer(NULL, 0);
  } else if (strcmp(word, "nulls") == 0) { /* null pointers, and no instance: all of them are errors */
    double got[8];
    got[0] = get_real(c, NULL, 1, numbers);
    got[1] = set_real(c, references, 1, NULL);
    got[2] = get_state(c, NULL);
    got[3] = do_step(NULL, 0, 1, 1);
    got[4] = get_real(NULL, references, 1, numbers);
    got[5] = set_state(c, NULL);
    got[6] = directional(c, NULL, 1, references, 1, numbers, numbers);
    got[7] = set_logging(c, 1, 1, NULL);
    free_instance(NULL);
    answer(got, 8);
  } else {
    fprintf(stderr, "no command %s\n", word);
    exit(2);
  }
}

int main(int argc, char** argv) {
  static char line[1000000];
  if (argc != 3) return 2;
  load(argv[1]);
  while (fgets(line, sizeof line, stdin) != NULL) {
    const char* word = strtok(line, " \n");
    const char* instance = next_word();
    if (word == NULL || word[0] == '#') continue;
    worst = 0;
    command(word, argv[2], instance == NULL ? 0 : (size_t)strtoul(instance, NULL, 10) % kInstances);
  }
  return 0;
}
