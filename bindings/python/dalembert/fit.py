# SPDX-License-Identifier: Apache-2.0
"""Parameters and initial values from measurements: what Model.fit() answers."""

import os
import re
import types

from . import _core
from .pictures import Picture, _image, _preformatted
from .run import Interrupted


class FitResult:
    """The unknowns that fit best, found["k"] with found.sigma, in SI, with the names of scipy.optimize.OptimizeResult.

    x, names: the values in SI, and of what; values: the same as a dict. sigma: standard errors, nan where there is none; correlation: a matrix; unidentifiable:
    what the data do not tell apart, a list of {"combination", "text"}. cost: ½ Σ fun²; fun: residuals (model − sample)/σ, and those of priors; jac: their
    derivatives by x. success, status (1: converged, 0: not, −1: interrupted), message, nfev (runs), nit. starts:
    of each search from, to, status, worse_by (−ln of the likelihood, less that of the answer) and the number of its minimum, 0 that of the answer. rms: of each column; verdict: of the run at x; document:
    what `dalembert fit --json` prints.
    """

    def __init__(self, answer):
        import numpy as np

        document = self.document = answer["document"]
        parameters = document["parameters"]
        self.names = list(parameters)
        self.x = np.array([one["value"] for one in parameters.values()])
        self.values = dict(zip(self.names, self.x.tolist()))
        self.sigma = np.array([np.nan if one["sigma"] is None else one["sigma"] for one in parameters.values()])
        self.correlation = np.array([[np.nan if entry is None else entry for entry in row] for row in document["correlation"]], dtype=float)
        self.active_mask = np.array([{"lower": -1, "upper": 1}.get(one["at_bound"], 0) for one in parameters.values()])
        self.units = {name: one["unit"] for name, one in parameters.items()}
        self.unidentifiable, self.starts = document["unidentifiable"], document["starts"]
        self.rms, self.verdict = document["rms"], document["verdict"]
        self.cost, self.nfev, self.nit = document["cost"], document["runs"], document["iterations"]
        self.fun, self.jac = answer["residuals"], answer["jacobian"].reshape(-1, len(self.names))
        self.success = document["status"] == "converged"
        self.status = {"converged": 1, "not converged": 0, "interrupted": -1}[document["status"]]
        self.message = self.reason = document["reason"]
        self.warnings = answer["warnings"]
        self._svg = answer["svg"]

    def __getitem__(self, name):
        return self.values[name]

    def _ipython_key_completions_(self):
        return self.names

    def plot(self) -> "Picture":
        """Samples, fitted curves and residuals: found.plot().save("fit.svg")."""
        if not self._svg:
            raise ValueError("no trial of the fit succeeded: there is nothing to draw")
        return Picture(types.SimpleNamespace(svg=self._svg, json={}, warnings=[]))

    def _repr_html_(self):
        """The values, above the picture where there is one."""
        return _preformatted(repr(self)) + (_image(self._svg) if self._svg else "")

    def __repr__(self):
        lines = [f"{'fitted' if self.success else 'not fitted'}: {self.message}"]
        for name, value, sigma, at in zip(self.names, self.x, self.sigma, self.active_mask):
            lines.append(f"  {name} = {value:.8g}" + (f" ± {sigma:.2g}" if sigma == sigma else "") + (f" {self.units[name]}" if self.units[name] else "")
                         + ("" if at == 0 else ", at its lower bound" if at < 0 else ", at its upper bound"))
        return "\n".join(lines + [f"  not determined: {text}" for text in dict.fromkeys(one["text"] for one in self.unidentifiable)])


def _end(value):
    return "" if value is None or value in (float("inf"), float("-inf")) else value if isinstance(value, str) else repr(float(value))


def _bounds(value):
    return value if isinstance(value, str) else " : ".join(map(_end, value))


def _prior(value):
    return value if isinstance(value, str) else "normal({!r}, {!r})".format(*map(float, value))


def _file(data, number):
    """(name, None) of a path, (name, columns) of a dict of arrays or a DataFrame."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data), None
    columns = []
    for name in data:
        split = re.fullmatch(r"(.*\S)\s+\[(.*)\]", name)
        columns.append((*(split.groups() if split else (name, "")), data[name]))
    columns.sort(key=lambda column: column[0] != "time")
    return f"data[{number}]", columns


def _columns(columns, wanted):
    """The times, and of the others those that are wanted: a DataFrame may have texts in others."""
    import numpy as np

    return [(name, unit, np.ascontiguousarray(values, dtype=float)) for k, (name, unit, values) in enumerate(columns) if k == 0 or name in wanted]


def fit(model, data, free, measure, bounds, prior, sigma, per_file, offset, start, max_iterations, settings, starts=1, seed=0, threads=None):
    files = [_file(one, k) for k, one in enumerate(data if isinstance(data, (list, tuple)) else [data])]
    sigma = {name: value if isinstance(value, str) else repr(float(value)) for name, value in (sigma or {}).items()}
    wanted = {*measure, *sigma.values()}
    asked = {"measure": list(measure.items()), "free": [free] if isinstance(free, str) else list(free),
             "bounds": [(name, _bounds(value)) for name, value in (bounds or {}).items()],
             "prior": [(name, _prior(value)) for name, value in (prior or {}).items()], "sigma": list(sigma.items()),
             "per_file": [per_file] if isinstance(per_file, str) else list(per_file), "offset": bool(offset), "max_iterations": max_iterations,
             "starts": int(starts), "seed": int(seed), "threads": int(threads or 0)}
    answer = _core.fit(model._model, [(name, None if columns is None else _columns(columns, wanted)) for name, columns in files], asked,
                       settings, list(start.items()))
    result = FitResult(answer)
    if answer["interrupted"]:
        raise Interrupted(result)
    return result
