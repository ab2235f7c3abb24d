# SPDX-License-Identifier: Apache-2.0
# Functions by which self-tests in Python compare results; MODEL is the module.

#: kPythonSelftest
# Compares MODEL.py with reference values; exit status 0 when all agree.
import math
import sys

import numpy as np

import MODEL

_nan, _inf = math.nan, math.inf
checks = failures = 0


def fill(count):
  return [(37 * i + 5) % 101 / 101.0 - 0.5 for i in range(count)]


def check(model, routine, status, given, expected):
  global checks, failures
  try:
    got, returned = getattr(model, routine)(*given), 0
  except MODEL.Unsolved as problem:
    got, returned = (), problem.status
  checks += 1
  if returned != status:
    failures += 1
    print(f"{routine}: status {returned} instead of {status}")
    return
  if not isinstance(got, tuple):
    got = (got,)
  for place, name, stride, allowed, values in expected:
    array = np.ravel(got[place])[::stride][:len(values)]
    for i, (x, y) in enumerate(zip(array, values, strict=True)):
      tolerance = allowed[i if len(allowed) > 1 else 0]
      checks += 1
      if not abs(x - y) <= tolerance:
        failures += 1
        print(f"{routine}: {name}[{i * stride}] = {x!r} instead of {y!r}, allowed are {tolerance}")
