# SPDX-License-Identifier: Apache-2.0
"""Runs: series by name, the verdict, reactions, pictures."""

import os
from collections import namedtuple

from . import _core
from .pictures import Film, Picture, Report, _image, _preformatted, _range

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pandas
    import xarray

Peak = namedtuple("Peak", "magnitude time vector")
Peak.__doc__ = "Where a force is largest: peak = run.reaction(\"pin\").peak()."
Peak.magnitude.__doc__, Peak.time.__doc__ = "its length, in its unit: peak.magnitude", "when, in s: peak.time"
Peak.vector.__doc__ = "its components, in its unit: peak.vector"


class Event(namedtuple("Event", "name t")):
    """What happened in a run, and when: name, t = run.events[0], t in s; run.events[0].kind says of which kind it is."""

    def __new__(cls, name, t, kind):
        event = super().__new__(cls, name, t)
        event._kind = kind
        return event

    @property
    def kind(self) -> str:
        """stick, slip, impact, contact, release, rest, singular, event or stop: run.events[0].kind."""
        return self._kind

    def __getnewargs__(self):
        return (*self, self._kind)

    def __repr__(self):
        return f"<{self._kind} {self.name} at {self.t:g} s>"


Event.name.__doc__, Event.t.__doc__ = "of the contact or the event: event.name", "when, in s: event.t"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run: `except dalembert.Interrupted as stopped: stopped.run` is the run as far as it went."""

    def __init__(self, run):
        super().__init__(run.reason)
        self.run = run

    def __reduce__(self):
        return type(self), (self.run,)


class Verdict:
    """Whether a run can be trusted, and why. True where it holds."""

    def __init__(self, run):
        self.holds, self.text, self.warnings = run.holds, run.verdict_text, run.warnings

    def __bool__(self):
        return self.holds

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text


class Run:
    """A run. run["theta"], run["theta'"], run["lambda/pin[1]"] are arrays in SI that look at the run's own numbers."""

    def __init__(self, run, model, parameters):
        self._run, self.model, self._parameters = run, model, parameters

    @property
    def status(self) -> str:
        """'ok', 'stopped' or 'failed': run.status."""
        return self._run.status

    @property
    def reason(self) -> str:
        """Why it did not reach its end, run.reason; empty where it did."""
        return self._run.reason

    @property
    def names(self) -> "list[str]":
        """Of all series, time first: run[run.names[1]]."""
        return self._run.series_names

    @property
    def events(self) -> "list[Event]":
        """[(name, when)], times in s: run.events[0]; each has its kind: run.events[0].kind."""
        return [Event(*event) for event in self._run.events]

    @property
    def gradient(self) -> "dict[str, dict[str, float]]":
        """{output: {quantity: derivative}} in SI, of simulate(gradient_of=…): run.gradient['G']['k']."""
        return self._run.gradient

    @property
    def steps(self) -> int:
        """How many steps it took: run.steps."""
        return self._run.steps

    @property
    def verdict(self) -> "Verdict":
        """Whether the numbers can be trusted, and why: print(run.verdict)."""
        return Verdict(self._run)

    @property
    def quality(self) -> "Verdict":
        """Another name of verdict: run.quality."""
        return self.verdict

    @property
    def t(self) -> "_core._Array":
        """The times of the rows, an array, in s: run.t[-1]."""
        return self._run.series("time")

    def __getitem__(self, name):
        if not isinstance(name, str):
            raise TypeError(f"a series is named by a text, such as run['time'], not {name!r}")
        return self._run.series(name)

    def __contains__(self, name):
        return self._run.has_series(name)

    def _ipython_key_completions_(self):
        """All series, and the short names that are unique."""
        names = self.names
        short = [name[2:] + "'"*"qva".index(name[0]) for name in names if name[:2] in ("q/", "v/", "a/")]
        short += [name.split("/", 1)[1] for name in names if "/" in name]
        return names + [name for name in dict.fromkeys(short) if name not in names and self._run.has_series(name)]

    def __len__(self):
        return len(self._run)

    def unit(self, name) -> "str":
        """SI unit of a series, run.unit("lambda/rod"); empty where the model gives none."""
        return self._run.unit(name)

    def final(self) -> "tuple[_core._Array, _core._Array]":
        """(q, v) of the last row, in SI: q, v = run.final()."""
        state = self._run.final_state()
        return state.q, state.v

    def peaks(self, *names) -> "dict[str, tuple[float, float, float, float]]":
        """{name: (least, when, largest, when)} in the rows, in SI and s, of multipliers and outputs, or of the series named: run.peaks("theta")."""
        t, peaks = self.t, {}
        for name in names or [n for n in self.names if n.startswith(("lambda/", "F/", "friction/", "output/"))]:
            values = self[name]
            low, high = int(values.argmin()), int(values.argmax())
            peaks[name] = float(values[low]), float(t[low]), float(values[high]), float(t[high])
        return peaks

    def to_dict(self) -> "dict":
        """What `simulate --json` prints, in SI: run.to_dict()["events"]."""
        return self._run.json

    def to_dataframe(self) -> "pandas.DataFrame":
        """A pandas.DataFrame with a column for each series, in SI, indexed by time: run.to_dataframe().plot()."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.names[1:]}, index=pandas.Index(self.t, name="time"))

    def to_xarray(self) -> "xarray.Dataset":
        """An xarray.Dataset of all series along the dimension `time`, with units as attributes: run.to_xarray()["q/theta"]."""
        import xarray as xr

        series = {name: ("time", self[name], {"units": self.unit(name)} if self.unit(name) else {}) for name in self.names[1:]}
        return xr.Dataset(series, {"time": ("time", self.t, {"units": "s"})},
                          {"model": self._run.model_name, "status": self.status, "reason": self.reason, "holds": int(self._run.holds)})

    def save(self, path) -> None:
        """run.save("run.csv"), or .json, which the command's plot, animate and report read. All numbers in SI."""
        path = os.fspath(path)
        suffix = os.path.splitext(path)[1].lower()
        if suffix not in (".csv", ".json"):
            raise ValueError(f"a run is saved as .csv or .json, not as `{os.path.basename(path)}`")
        problems = self._run.write(path, suffix == ".json")
        if problems:
            raise OSError(problems[0].message)

    def reaction(self, constraint, frame=None) -> "Reaction":
        """The force of a constraint as a vector where it acts, in N: run.reaction("pin", frame="rod").peak(), along the axes of the ground or of a frame or
        body of the model.

        Where the model does not say where that is, its components are the multipliers of its rows, and `located` is False.
        """
        return Reaction(_core.reaction(self.model._model, self._run, self._parameters, constraint, frame or ""))

    def plot(self, *names, x=None, phase=None, beside=(), log_y=False, peaks=False, x_range=None, y_range=None,
             degrees=False) -> "Picture":
        """A figure of series by name or pattern: run.plot("theta", "lambda.*"); without names a few of each unit.

        x: another series than the time; phase="theta,theta'": one against the other; beside: other runs, in a list or by
        label; peaks marks where curves are lowest and highest; degrees: angles and their rates in degrees. Ranges are (from, to) in what is
        shown: SI, or degrees.
        """
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"a series is named by a text, such as run.plot('theta'), not {name!r}")
        runs = [(self._run.model_name, self._run)]
        others = beside.items() if isinstance(beside, dict) else ((f"{one._run.model_name} {k}", one) for k, one in enumerate(beside, 2))
        runs += [(str(label), one._run) for label, one in others]
        phase = ",".join(phase) if isinstance(phase, (list, tuple)) else phase
        of_time = x is None and phase is None
        return Picture(_core.chart(runs, list(names), x, phase, log_y, peaks,
                                   _range("x_range", x_range, (lambda text: self.model._in_si("t", text)) if of_time else float),
                                   _range("y_range", y_range), degrees))

    def animate(self, *, fps=25, seconds=None, forces=False, view=None) -> "Film":
        """A film that plays by itself: run.animate(seconds=4).save("film.svg"). `seconds` of film; `forces`: with reactions; `view`: two angles of the camera, in
        degrees.
        """
        seconds = self.model._in_si("t", seconds)
        if not 0 < fps <= 120 or (seconds is not None and not seconds > 0):
            raise ValueError("fps is above 0 and at most 120, seconds are above 0")
        film = _core.film(self.model._model, self._run, self._parameters, float(fps), seconds, forces, view)
        return Film(film, lambda: self._report("run.animate()", True).html)

    def report(self, path=None) -> "Report":
        """A page that explains the model and this run: run.report("page.html"); saved where there is a path."""
        page = self._report("run.report()", False)
        if path is not None:
            page.save(path)
        return page

    def _report(self, command, motion_only):
        return Report(_core.report(self.model._model, self._run, self._parameters, command, motion_only))

    def __reduce__(self):
        return Run, (self._run, self.model, self._parameters)

    def _repr_html_(self):
        """The scene, moving, above the verdict; curves of the coordinates where the model has nothing to draw."""
        import html

        try:
            film = _image(_core.film(self.model._model, self._run, self._parameters, 15.0, None, False, None).svg)
        except _core.ModelError:
            film = _image(self.plot().svg) if len(self) > 1 else ""
        return f"<div><b>{html.escape(self._run.model_name)}</b>, {html.escape(self._summary())}</div>{film}{_preformatted(str(self.verdict))}"

    def _summary(self):
        end = f"{len(self)} rows to t = {self.t[-1]:g} s" if len(self) else "no rows"
        return f"{self.status}, {end}" + (f": {self.reason}" if self.reason else "")

    def __repr__(self):
        return f"<Run of {self._run.model_name}: {self._summary()}, verdict {'holds' if self._run.holds else 'does not hold'}>"


class Reaction:
    """The force of a constraint along a run, run.reaction("pin"): `vector` [row, component], `components` (x, y, z or rows), `t`, `unit`.

    `located`: it is known where it acts, at `point` (which may have no name), and components are along the axes of `frame`
    ("": the ground). `turns`: it is a torque.
    """

    def __init__(self, reaction):
        self._reaction = reaction

    @property
    def constraint(self) -> str:
        """Its name: force.constraint."""
        return self._reaction.constraint

    @property
    def located(self) -> bool:
        """Whether it is known where it acts: force.located."""
        return self._reaction.located

    @property
    def turns(self) -> bool:
        """Whether it is a torque: force.turns."""
        return self._reaction.turns

    @property
    def point(self) -> str:
        """Where it acts, which may have no name: force.point."""
        return self._reaction.point

    @property
    def frame(self) -> str:
        """Whose axes its components are along, '' of the ground: force.frame."""
        return self._reaction.frame

    @property
    def unit(self) -> str:
        """N or N*m: force.unit."""
        return self._reaction.unit

    @property
    def components(self) -> "list[str]":
        """X, y, z or the names of rows: force['x']."""
        return self._reaction.components

    @property
    def t(self) -> "_core._Array":
        """The times of its rows, in s: force.t."""
        return self._reaction.t

    def __getitem__(self, component):
        """A component by name: an array."""
        names = self.components
        if component not in names:
            raise KeyError(f"`{component}` is none of the components {', '.join(names)}")
        return self._reaction.component(names.index(component))

    @property
    def vector(self) -> "_core._Array":
        """[row, component], in its unit: force.vector[0]."""
        import numpy as np

        return np.stack([self[name] for name in self.components], axis=1)

    def peak(self) -> "Peak":
        """(magnitude, time, vector) where it is largest, in its unit and s: magnitude, when, vector = force.peak()."""
        row, magnitude = self._reaction.peak()
        if not len(self.t):
            raise ValueError("the run has no rows")
        return Peak(magnitude, float(self.t[row]), self.vector[row])

    def __repr__(self):
        where = f" at {self.point}" if self.point else "" if self.located else ", multipliers of its rows: it is not known where it acts"
        return f"<Reaction of {self.constraint}{where}: {', '.join(self.components)}{f' [{self.unit}]' if self.unit else ''}>"
