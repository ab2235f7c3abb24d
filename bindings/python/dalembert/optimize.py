# SPDX-License-Identifier: Apache-2.0
"""What Model.optimize() answers."""

from . import _core

_STATUS = {"found": 0, "interrupted": 1, "not proved": 2, "infeasible": 3, "nothing": 4}


class Optimum(dict):
    """The answer of model.optimize(), in SI: best.x, best.params["L1"], with SciPy's names for results, which are attributes too.

    x the values in the order of names, params {name: value}, fun the objective, success, status (0 found, 1 interrupted, 2 not shown to be an optimum,
    3 infeasible, 4 no run counts), message, nfev and njev the numbers of points and of gradients, runs that of integrations, active the limits that hold with
    equality and their multipliers, constraints {text: left - right}, stationarity, notes, starts, failures, verdict.
    """

    def __init__(self, document, model, given):
        import numpy as np

        parameters, self._model, self._given = document["parameters"], model, given
        values = [one["value"] for one in parameters.values()]
        known = all(value is not None for value in values)
        super().__init__(
            x=np.array(values if known else [np.nan] * len(values), dtype=float), names=list(parameters),
            params=dict(zip(parameters, values)) if known else {}, units={name: one["unit"] for name, one in parameters.items()},
            fun=document["objective"] if document["objective"] is not None else np.nan, success=document["status"] == "found",
            status=_STATUS[document["status"]], message=document["message"], nfev=sum(one["points"] for one in document["starts"]),
            njev=document["gradients"], nit=len(document["starts"]), runs=document["runs"], active=document["active"],
            constraints={one["constraint"]: one["difference"] for one in document["constraints"]},
            stationarity=document["stationarity"], notes=document["notes"], starts=document["starts"], failures=document["failures"],
            verdict=document["verdict"])

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def toml(self) -> str:
        """The text of the model file with the new values, and with those of params=: toml(), which dalembert.parse() reads."""
        return _core.text_with(self._model._model, list(self.params.items()), self._given)

    def __repr__(self):
        values = ", ".join(f"{name} = {value:.10g}" for name, value in self.params.items())
        return f"<Optimum {self.fun:.10g} at {values or 'no point'}: {self.message}>"


def _range(bounds):
    """The text of bounds: "0.1 m : 0.3 m", or two numbers in SI or texts with a unit."""
    if isinstance(bounds, str):
        return bounds
    low, high = bounds
    return " : ".join(one if isinstance(one, str) else repr(float(one)) for one in (low, high))


def optimize(model, minimize, maximize, free, subject_to, starts, seed, max_points, settings, params, threads):
    if (minimize is None) == (maximize is None):
        raise TypeError("one of minimize= and maximize= is needed")
    if isinstance(subject_to, str):
        subject_to = [subject_to]
    problem = {"maximize": minimize is None, "objective": maximize if minimize is None else minimize,
               "free": [(name, _range(bounds)) for name, bounds in free.items()], "subject_to": list(subject_to)}
    how = {"starts": starts, "seed": seed, "threads": threads or 0, "max_points": max_points}
    return Optimum(_core.optimize(model._model, problem, settings, params, how), model, params)
