# SPDX-License-Identifier: Apache-2.0
# The parts of modules in Python that do not depend on the model.
import math

import numpy as np

#: kPythonFunctions
_nan, _inf = math.nan, math.inf


def _divide(x, y):
  try:
    return x / y
  except ZeroDivisionError:
    return _nan if x == 0.0 or x != x else math.copysign(_inf, x) * math.copysign(1.0, y)


def _quiet(function):
  # Returns NaN or infinity, as C does, where the function of Python raises.
  def quiet(*x):
    try:
      return function(*x)
    except ValueError:
      return _nan
    except OverflowError:
      return _inf
  return quiet


_sqrt, _sin, _cos, _tan, _asin, _acos, _atan, _sinh, _cosh, _tanh, _exp = map(_quiet, (
  math.sqrt, math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.sinh, math.cosh, math.tanh, math.exp))
_atan2, _pow = _quiet(math.atan2), _quiet(math.pow)


def _log(x):
  return math.log(x) if x > 0.0 else -_inf if x == 0.0 else _nan


def _floor(x):
  return float(math.floor(x)) if abs(x) < 4503599627370496.0 else x

#: end
_DEFAULTS, NPREPARED, PARAMETERS = [1.0, 2.0], 0, ("m", "length")


def _prepare(model):
  model.prepared = [model.p[0] * model.p[1]]

#: kPythonModel

class Unsolved(ArithmeticError):
  """Raised if a routine has no result for a state; `status` says why."""

  REASONS = {1: "the mass is singular on what the constraints allow", 2: "constraint rows contradict each other",
             3: "something is not finite", 4: "a pivot cannot be trusted", 5: "the state is too far from the constraints"}

  def __init__(self, routine, status):
    super().__init__(f"{routine}: {self.REASONS.get(status, status)}")
    self.status = status


def _list(x, size, name):
  x = np.asarray(x, dtype=float)
  if x.shape != (size,):
    raise ValueError(f"{name} has {size} entries, not the shape {x.shape}")
  return x.tolist()


class Model:
  """The model with values of its parameters, `Model(name=value, ...)`. Instances share nothing."""

  def __init__(self, **parameters):
    self.p = list(_DEFAULTS)
    self.prepared = [0.0] * NPREPARED
    self.set(**parameters)

  def set(self, **parameters):
    """Changes parameters by name."""
    for name, value in parameters.items():
      if name not in PARAMETERS:
        raise TypeError(f"{name!r} is no parameter; they are {', '.join(PARAMETERS)}")
      self.p[PARAMETERS.index(name)] = float(value)
    _prepare(self)
