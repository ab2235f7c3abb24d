/* SPDX-License-Identifier: Apache-2.0
 * Loads functions of CasADi's C interface as its documentation says, checks what they say of themselves, and compares Jacobians with differences.
 *
 *   loader LIBRARY.so PREFIX      writes the state, then the results of each function, then the largest error of each Jacobian
 *
 * Exit status: 0 all is well, 1 with a line that says what is not. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long long int casadi_int;
typedef int eval_t(const double** arg, double** res, casadi_int* iw, double* w, int mem);
typedef casadi_int count_t(void);
typedef const char* name_t(casadi_int i);
typedef const casadi_int* sparsity_t(casadi_int i);
typedef int work_t(casadi_int* sz_arg, casadi_int* sz_res, casadi_int* sz_iw, casadi_int* sz_w);

enum { MOST = 200, GUARD = 8 };
static const double kept = 123.456; /* after the memory that a function may use */

typedef struct {
  char name[200];
  eval_t* eval;
  casadi_int n_in, n_out, sz_w;
  name_t *name_in, *name_out;
  sparsity_t *sparsity_in, *sparsity_out;
} function;

static void* library;

static void fail(const char* what, const char* name, casadi_int i) {
  printf("error: %s: %s %lld\n", name, what, i);
  exit(1);
}

static void* symbol(const char* name, const char* ending) {
  char text[300];
  void* found;
  snprintf(text, sizeof text, "%s%s", name, ending);
  found = dlsym(library, text);
  if (!found) fail("has no symbol", text, 0);
  return found;
}

static casadi_int size_of(const casadi_int* s) { return s[2] == 1 ? s[0] * s[1] : s[2 + s[1]]; }

/* Columns begin where the one before ends; rows within a column ascend. */
static void check_sparsity(const casadi_int* s, const char* name, casadi_int i) {
  casadi_int c, k;
  if (!s || s[0] < 0 || s[1] < 0) fail("has no sparsity of", name, i);
  if (s[2] == 1) return;
  if (s[2] != 0) fail("begins its columns wrongly in", name, i);
  for (c = 0; c < s[1]; ++c) {
    if (s[2 + c + 1] < s[2 + c]) fail("has columns that do not ascend in", name, i);
    for (k = s[2 + c]; k < s[2 + c + 1]; ++k) {
      const casadi_int row = s[3 + s[1] + k];
      if (row < 0 || row >= s[0] || (k > s[2 + c] && row <= s[3 + s[1] + k - 1]))
        fail("has rows that do not ascend in", name, i);
    }
  }
}

static function load(const char* name) {
  function f;
  casadi_int i, sz_arg = 0, sz_res = 0, sz_iw = 0;
  snprintf(f.name, sizeof f.name, "%s", name);
  f.eval = (eval_t*)symbol(name, "");
  f.n_in = ((count_t*)symbol(name, "_n_in"))();
  f.n_out = ((count_t*)symbol(name, "_n_out"))();
  f.name_in = (name_t*)symbol(name, "_name_in");
  f.name_out = (name_t*)symbol(name, "_name_out");
  f.sparsity_in = (sparsity_t*)symbol(name, "_sparsity_in");
  f.sparsity_out = (sparsity_t*)symbol(name, "_sparsity_out");
  if (((work_t*)symbol(name, "_work"))(&sz_arg, &sz_res, &sz_iw, &f.sz_w)) fail("has no work", name, 0);
  if (sz_arg < f.n_in || sz_res < f.n_out || sz_iw != 0 || f.n_in > MOST || f.n_out > MOST)
    fail("has other sizes than", name, sz_arg);
  for (i = 0; i < f.n_in; ++i) check_sparsity(f.sparsity_in(i), name, i);
  for (i = 0; i < f.n_out; ++i) check_sparsity(f.sparsity_out(i), name, i);
  if (f.name_in(f.n_in) || f.name_out(f.n_out) || f.sparsity_in(f.n_in) || f.sparsity_out(f.n_out))
    fail("goes on after its end", name, 0);
  return f;
}

/* Values by name, which functions are given, and which they give. */
static struct {
  char name[40];
  double* x;
  casadi_int n;
} values[64];
static int n_values;

static double* value(const char* name, casadi_int n) {
  int k;
  for (k = 0; k < n_values; ++k)
    if (strcmp(values[k].name, name) == 0) return values[k].x;
  snprintf(values[n_values].name, sizeof values[0].name, "%s", name);
  values[n_values].x = (double*)calloc((size_t)n + 1, sizeof(double));
  values[n_values].n = n;
  return values[n_values++].x;
}

static double* new_numbers(casadi_int n) {
  double* x = (double*)malloc(((size_t)n + GUARD) * sizeof(double));
  casadi_int i;
  for (i = 0; i < n; ++i) x[i] = NAN; /* whatever is not written shows */
  for (i = n; i < n + GUARD; ++i) x[i] = kept;
  return x;
}

static void call(const function* f, const double** arg, double** res) {
  double* w = new_numbers(f->sz_w);
  casadi_int i, k;
  if (f->eval(arg, res, 0, w, 0)) fail("has no result", f->name, 0);
  for (i = 0; i < GUARD; ++i)
    if (w[f->sz_w + i] != kept) fail("writes after its work vector", f->name, i);
  free(w);
  for (i = 0; i < f->n_out; ++i)
    for (k = 0; k < GUARD; ++k)
      if (res[i] && res[i][size_of(f->sparsity_out(i)) + k] != kept) fail("writes after its result", f->name, i);
}

static void arguments(const function* f, casadi_int n_in, const double** arg) {
  casadi_int i;
  for (i = 0; i < n_in; ++i) arg[i] = value(f->name_in(i), size_of(f->sparsity_in(i)));
}

static void results(const function* f, double** res) {
  casadi_int i;
  for (i = 0; i < f->n_out; ++i) res[i] = new_numbers(size_of(f->sparsity_out(i)));
}

static void release(const function* f, double** res) {
  casadi_int i;
  for (i = 0; i < f->n_out; ++i) free(res[i]);
}

/* Evaluates f at the values, keeps its results as values where `keep`, and writes them. */
static void evaluate(const function* f, const char* title, int keep) {
  const double* arg[MOST];
  double *res[MOST], *wanted;
  casadi_int i, k;
  arguments(f, f->n_in, arg);
  results(f, res);
  call(f, arg, res);
  for (i = 0; i < f->n_out; ++i) {
    const casadi_int n = size_of(f->sparsity_out(i));
    printf("%s %s %lld %lld", title, f->name_out(i), f->sparsity_out(i)[0], f->sparsity_out(i)[1]);
    for (k = 0; k < n; ++k) printf(" %.17g", res[i][k]);
    printf("\n");
    if (keep) memcpy(value(f->name_out(i), n), res[i], (size_t)n * sizeof(double));
    /* Alone it is the same: results that nobody wants are null. */
    wanted = res[i];
    for (k = 0; k < f->n_out; ++k)
      if (k != i) free(res[k]), res[k] = 0;
    res[i] = new_numbers(n);
    call(f, arg, res);
    if (memcmp(wanted, res[i], (size_t)n * sizeof(double))) fail("has another result alone", f->name, i);
    free(wanted);
    results(f, (free(res[i]), res));
    call(f, arg, res);
  }
  release(f, res);
}

/* Compares the blocks of jac_f with differences of f of order 4. */
static void differentiate(const function* f, const char* title) {
  char name[300];
  function jac;
  const double* arg[MOST];
  double *res[MOST], *more[MOST], *less[MOST], *more_twice[MOST], *less_twice[MOST], worst = 0;
  casadi_int i, o, k, row, blocks = 0;
  snprintf(name, sizeof name, "jac_%s", f->name);
  if (!dlsym(library, name)) return;
  jac = load(name);
  if (jac.n_in != f->n_in + f->n_out || jac.n_out != f->n_in * f->n_out)
    fail("has another number of blocks", name, jac.n_out);
  arguments(f, f->n_in, arg);
  for (i = 0; i < f->n_out; ++i) {
    snprintf(name, sizeof name, "out_%s", f->name_out(i));
    if (strcmp(name, jac.name_in(f->n_in + i))) fail("calls a result otherwise", jac.name, i);
    arg[f->n_in + i] = 0;
  }
  results(&jac, res);
  call(&jac, arg, res);
  results(f, more), results(f, less), results(f, more_twice), results(f, less_twice);
  for (i = 0; i < f->n_in; ++i) {
    const casadi_int n = size_of(f->sparsity_in(i));
    double* x = value(f->name_in(i), n);
    for (k = 0; k < n; ++k) {
      /* Parameters may be millionths, and are compared in proportion. */
      const double at = x[k], scale = strcmp(f->name_in(i), "p") == 0 && at != 0 ? fabs(at) : fmax(1, fabs(at)),
                   h = 1e-4 * scale;
      x[k] = at + h, call(f, arg, more);
      x[k] = at - h, call(f, arg, less);
      x[k] = at + 2 * h, call(f, arg, more_twice);
      x[k] = at - 2 * h, call(f, arg, less_twice);
      x[k] = at;
      for (o = 0; o < f->n_out; ++o) {
        const casadi_int block = o * f->n_in + i, *s = jac.sparsity_out(block), m = size_of(f->sparsity_out(o));
        casadi_int at_entry = s[2 + k];
        snprintf(name, sizeof name, "jac_%s_%s", f->name_out(o), f->name_in(i));
        if (strcmp(name, jac.name_out(block)) || s[0] != m || s[1] != n) fail("has another block", jac.name, block);
        for (row = 0; row < m; ++row) {
          const double slope =
              (8 * (more[o][row] - less[o][row]) - (more_twice[o][row] - less_twice[o][row])) / (12 * h);
          const int there = at_entry < s[2 + k + 1] && s[3 + n + at_entry] == row;
          const double entry = there ? res[block][at_entry++] : 0;
          /* Round-off of the differences is that of their results. */
          const double error = scale * fabs(entry - slope) / (scale * fabs(slope) + fabs(more[o][row]) + 1);
          if (!(error <= worst)) worst = error;
        }
        ++blocks;
      }
    }
  }
  release(f, more), release(f, less), release(f, more_twice), release(f, less_twice), release(&jac, res);
  printf("error %s %.3g %lld\n", title, worst, blocks);
}

int main(int argc, char** argv) {
  static const char* const titles[] = {"motion",   "outputs",  "integrands", "energy",
                                       "position", "velocity", "rates",      "terms"};
  char name[300];
  function f;
  casadi_int i;
  size_t k;
  if (argc != 3) return 2;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return printf("error: %s\n", dlerror()), 1;
  for (k = 0; k < 3; ++k) {
    static const char* const first[] = {"parameters", "start", "inputs"};
    if (k == 2) {
      /* Not at the start, where much is 0 by chance: the accelerations are those of any state. */
      for (i = 0; i < values[2].n; ++i) values[2].x[i] += 0.05 * sin((double)i + 1); /* q, after p and t */
      for (i = 0; i < values[3].n; ++i) values[3].x[i] += 0.3 * cos((double)i + 2);
      for (i = 0; i < values[0].n; ++i) values[0].x[i] *= 1 + 0.01 * cos((double)i);
    }
    snprintf(name, sizeof name, "%s_fn_%s", argv[2], first[k]);
    if (!dlsym(library, name)) continue;
    f = load(name);
    evaluate(&f, first[k], 1);
  }
  for (i = 0; i < n_values; ++i) {
    casadi_int at;
    printf("given %s %lld 1", values[i].name, values[i].n);
    for (at = 0; at < values[i].n; ++at) printf(" %.17g", values[i].x[at]);
    printf("\n");
  }
  for (k = 0; k < sizeof titles / sizeof *titles; ++k) {
    snprintf(name, sizeof name, "%s_fn_%s", argv[2], titles[k]);
    if (!dlsym(library, name)) continue;
    f = load(name);
    evaluate(&f, titles[k], k == 0);
    differentiate(&f, titles[k]);
  }
  return 0;
}
