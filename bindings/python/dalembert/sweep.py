# SPDX-License-Identifier: Apache-2.0
"""Many runs of a model: what Model.sweep() answers."""

import math
import os
import re
import types

from . import _core
from .pictures import Picture, Report, _image, _suffix

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pandas
    import xarray

_COLUMNS = ("index", "holds", "status", "error", "reason")


class Study:
    """The rows of many runs, in order of their index: study["peak"] is an array of a quantity or measure, in SI.

    quantities and measures are names, units a dict, holds an array of truths (the verdict of each run), status ("ok" or "failed"), error (the
    relative error that the verdict names) and reason arrays, too.
    """

    def __init__(self, document, columns):
        import numpy as np

        self.quantities, self.measures, self.units = document["quantities"], document["measures"], document["units"]
        self._grid, self._sampled = document["grid"], document["sampled"]
        self._head = {name: value for name, value in document.items() if name != "columns"}
        order = np.argsort(np.asarray(columns["index"], dtype=np.int64), kind="stable")
        kinds = {"index": np.int64, "holds": bool, "status": str, "reason": object}
        self._columns = {name: np.asarray(values, dtype=kinds.get(name, float))[order] for name, values in columns.items()}

    def __len__(self):
        return len(self._columns["index"])

    def __getitem__(self, name):
        try:
            return self._columns[name]
        except KeyError:
            import difflib

            near = difflib.get_close_matches(name, self._columns, 1)
            raise KeyError(f"no quantity or measure {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")) from None

    def _ipython_key_completions_(self):
        return list(self._columns)

    @property
    def holds(self) -> "_core._Array":
        """Of each run, whether its verdict holds: study["peak"][study.holds]."""
        return self._columns["holds"]

    @property
    def status(self) -> "_core._Array":
        """"ok" or "failed", of each run: (study.status == "failed").sum()."""
        return self._columns["status"]

    @property
    def error(self) -> "_core._Array":
        """The relative error, without a unit, that the verdict of each run names: study.error.max()."""
        return self._columns["error"]

    @property
    def reason(self) -> "_core._Array":
        """Why a run failed, or what is doubtful: study.reason[study.status == "failed"]."""
        return self._columns["reason"]

    def to_pandas(self) -> "pandas.DataFrame":
        """A pandas.DataFrame in SI, indexed by the index of runs, with the columns of a file of `dalembert sweep`: study.to_pandas().describe()."""
        import pandas as pd

        names = [*self.quantities, *self.measures, *_COLUMNS[1:]]
        frame = pd.DataFrame({name: self._columns[name] for name in names}, index=pd.Index(self._columns["index"], name="index"))
        frame.attrs["units"] = self.units
        return frame

    def to_xarray(self) -> "xarray.Dataset":
        """study.to_xarray()["peak"]: an xarray.Dataset, as xarray.open_dataset() makes of a NetCDF file of a sweep.

        A grid has the quantities as dimensions, samples the dimension `sample`, rows the dimension `run`. Units are attributes.
        """
        import xarray as xr

        axes, sizes = self.quantities[:len(self._grid)], list(self._grid)
        count = len(self)
        names, shape = list(axes), list(sizes)
        if self._sampled or not axes:
            names.append("sample" if self._sampled else "run")
            shape.append(count // math.prod(sizes))
        attributes = {name: {"units": unit} for name, unit in self.units.items() if unit}
        data = {name: (names, self._columns[name].reshape(shape), attributes.get(name))
                for name in [*self.quantities[len(axes):], *self.measures, *_COLUMNS[1:]]}
        coordinates = {}
        for k, name in enumerate(axes):
            inner = count
            for size in sizes[:k + 1]:
                inner //= size
            coordinates[name] = (name, self._columns[name][::inner][:sizes[k]], attributes.get(name))
        return xr.Dataset(data, coordinates)

    def _document(self):
        columns = {name: values.tolist() for name, values in self._columns.items()}
        return {**self._head, "columns": columns}

    def save(self, path) -> None:
        """study.save("study.csv"): the file that `dalembert sweep -o` writes, byte for byte: .csv, with path.log beside it, or .nc (NetCDF-4)."""
        path = os.fspath(path)
        _suffix(path, (".csv", ".nc"), "a study")
        _core.save_study(self._document(), path)

    def plot(self, measure=None, x=None, y=None, *, log_y=False, y_range=None, degrees=False) -> Picture:
        """study.plot("peak", x="L1"): a measure over what was varied, in SI, as `dalembert plot STUDY --map` draws it.

        It is a map of two quantities, lines over one (x), a histogram of samples, points over a sampled quantity (x). Without a measure: the first one.
        degrees=True shows what is in rad, rad/s, ... in degrees.
        """
        measure = self.measures[0] if measure is None else measure
        svg, document = _core.plot_study(self._document(), measure, x, y, log_y, None if y_range is None else tuple(map(float, y_range)), degrees)
        return Picture(types.SimpleNamespace(svg=svg, json=document, warnings=[]))

    def report(self, path=None) -> Report:
        """A page with a picture of each measure, and the runs that failed with their reasons: study.report("study.html"); saved where there is a path."""
        page = Report(_core.study_page(self._document(), "study.report()"))
        if path is not None:
            page.save(path)
        return page

    def __repr__(self):
        failed = sum(self.status == "failed")
        return (f"<Study of {len(self)} run{'' if len(self) == 1 else 's'}: {', '.join(self.quantities)} to {', '.join(self.measures)}; {sum(self.holds)} verdicts hold"
                + (f", {failed} failed>" if failed else ">"))

    def _repr_html_(self):
        """The first measure as a picture, above the rows."""
        import html

        try:
            picture = _image(self.plot().svg)
        except _core.ModelError:
            picture = ""  # no run has a value
        try:
            rows = self.to_pandas().to_html(max_rows=20)
        except ImportError:
            rows = ""
        return f"<div>{html.escape(repr(self)[1:-1])}</div>{picture}{rows}"


def _number(value):
    return repr(float(value))


def _values(values):
    """The text of a quantity's values: "0.1 m : 0.3 m : 21", (0.1, 0.3, 21) or a list of numbers."""
    if isinstance(values, str):
        return values
    if isinstance(values, tuple) and len(values) == 3 and isinstance(values[2], int):
        return f"{_text(values[0])} : {_text(values[1])} : {values[2]}"
    try:
        return ", ".join(map(_text, values))
    except TypeError:
        return _text(values)


def _text(value):
    return value if isinstance(value, str) else _number(value)


def _run_shard(model, arguments, how):
    """One part of a study; a function of the module, so that processes of an executor can call it."""
    return _core.sweep(model._model, *arguments, how)


def sweep(model, vary, sample, rows, runs, seed, sampling, measure, settings, params, how, executor, quantities):
    def rate(name):
        match = re.fullmatch(r"(.*)_dot", name)
        return match[1] + "'" if match and match[1] in model.coordinate_names else name

    varied = {**(vary or {}), **{rate(name): values for name, values in quantities.items()}}
    study = {"vary": [(name, _values(values)) for name, values in varied.items()], "sample": list((sample or {}).items()),
             "measure": list((measure or {}).items()), "runs": runs, "seed": seed, "sampling": sampling}
    if rows is None:
        given = ([], [])
    else:
        columns = {name: list(map(float, rows[name])) for name in rows}  # a DataFrame, or a dict of columns
        if len({len(values) for values in columns.values()}) > 1:
            raise ValueError("rows: the columns have different lengths")
        given = (list(columns), [list(row) for row in zip(*columns.values())])
    arguments = (study, given, settings, params)
    if executor is None:
        document = _run_shard(model, arguments, how)
        return Study(document, document["columns"])
    if how["output"]:
        raise TypeError("output= and executor= do not go together: save(…) of the answer writes the same file")
    shards = how["shards"]
    parts = [executor.submit(_run_shard, model, arguments, {**how, "shard": k + 1}) for k in range(shards)]
    documents = [part.result() for part in parts]
    import numpy as np

    columns = {name: np.concatenate([document["columns"][name] for document in documents]) for name in documents[0]["columns"]}
    return Study(documents[0], columns)
