// SPDX-License-Identifier: Apache-2.0
// Functions by which self-tests in C compare results.
#include <math.h>
#include <stdio.h>

#define PRINTED

static int checks, failures;

//: kCSelftest
static void status(const char* what, int got, int expected) {
  ++checks;
  if (got == expected) return;
  ++failures;
  printf("%s: status %d instead of %d\n", what, got, expected);
}

// clang-format off
static void compare(const char* what, const double* got, int stride, const double* expected, int count,
                    const double* allowed, int each) {
  // clang-format on
  int i;
  for (i = 0; i < count; ++i) {
    const double value = got[i * stride];
    ++checks;
    if (fabs(value - expected[i]) <= allowed[each * i]) continue;
    ++failures;
    printf("%s[%d] = %.17g instead of %.17g, allowed are %g\n", what, i * stride, PRINTED value, PRINTED expected[i],
           PRINTED allowed[each * i]);
  }
}

//: kCCopy

static void copy(double* to, const double* from, int count) {
  int i;
  for (i = 0; i < count; ++i) to[i] = from[i];
}

//: kCFill

static void fill(double* x, int count) {
  int i;
  for (i = 0; i < count; ++i) x[i] = (37 * i + 5) % 101 / 101.0 - 0.5;
}

//: end
int main(void) {
  (void)status, (void)compare, (void)copy, (void)fill;
  return 0;
}
