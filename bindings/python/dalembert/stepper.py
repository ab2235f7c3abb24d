# SPDX-License-Identifier: Apache-2.0
"""Runs step by step: Model.stepper(), and inputs of Model.simulate()."""

from .run import Interrupted, Run


class Stepper:
    """A run that is made step by step, of model.stepper(): between steps its state can be seen, and inputs changed.

    t, q, v, qdd and lam are the present state, stepper["theta"], stepper["theta'"], stepper["pin[1]"] a part of it by name.
    """

    def __init__(self, core, model, parameters):
        self._core, self._model, self._parameters = core, model, parameters

    @property
    def t(self) -> float:
        """The present time, s: stepper.t."""
        return self._core.t

    @property
    def q(self) -> "_core._Array":
        """Coordinates, in SI: stepper.q."""
        return self._core.q

    @property
    def v(self) -> "_core._Array":
        """Velocities, in SI: stepper.v."""
        return self._core.v

    @property
    def qdd(self) -> "_core._Array":
        """Accelerations, in SI: stepper.qdd."""
        return self._core.qdd

    @property
    def lam(self) -> "_core._Array":
        """Multipliers, in SI: stepper.lam."""
        return self._core.lam

    @property
    def until(self) -> float:
        """The latest end, s: stepper.until."""
        return self._core.until

    def __getitem__(self, name):
        return self._core.value(name)

    def _ipython_key_completions_(self):
        q = self._model.coordinate_names
        return [*q, *(f"{name}'" for name in q), *self._model.constraint_names]

    def hold(self, **inputs) -> None:
        """Inputs have these values from here on, in SI or with a unit: stepper.hold(tau=0.5)."""
        for name, value in inputs.items():
            self._core.hold(name, float(self._model._in_si(name, value)))

    def step(self, dt=None) -> bool:
        """stepper.step(): one step, as long as its error allows; stepper.step(0.01): steps to t + dt exactly, dt in s, or to the end of the run if that comes
        first. False at the end of the run, or if it failed.
        """
        if dt is None:
            return self._core.step(None)
        return not self._core.at_end and self.step_to(self.t + float(self._model._in_si("t", dt)))

    def step_to(self, t) -> bool:
        """stepper.step_to(1.0): steps to this time, in s, exactly, or to the end of the run if that comes first."""
        t = float(self._model._in_si("t", t))
        return self._core.step(min(t, self.until) if self.until >= self.t else max(t, self.until))

    def finish(self) -> Run:
        """run = stepper.finish(): the run so far, with its verdict; no step may follow."""
        return Run(self._core.finish(), self._model, self._parameters)

    def __repr__(self):
        return f"<Stepper of {self._model.name} at t = {self.t:g} s>"


class Inputs:
    """What simulate(inputs=…) takes: numbers, which are held, samples, and functions that are computed at each sample."""

    def __init__(self, inputs, sample_time):
        self.sampled, self._held, self._functions, self._sample_time = {}, {}, {}, sample_time
        for name, value in inputs.items():
            if callable(value):
                self._functions[name] = value
            elif isinstance(value, str) or hasattr(value, "__float__") and not getattr(value, "shape", ()):
                self._held[name] = value
            else:
                self.sampled[name] = _samples(name, value)
        if self._functions and sample_time is None:
            raise TypeError(f"the input {next(iter(self._functions))!r} is a function: sample_time= says how often it is computed; it is held in between")
        if sample_time is not None and not self._functions:
            raise TypeError("sample_time= goes with inputs that are functions, and none is")
        if sample_time is not None and not sample_time > 0:
            raise ValueError(f"sample_time= takes a time above 0 s, not {sample_time!r}")

    def simulate(self, stepper):
        """The run of this stepper with these inputs."""
        stepper.hold(**self._held)
        start, k, going = stepper.t, 0, True
        ahead = 1 if stepper.until >= start else -1
        interrupted = False
        try:
            while going and not stepper._core.at_end and not stepper._core.failed:
                stepper.hold(**{name: _value(name, function(stepper.t, stepper)) for name, function in self._functions.items()})
                k += 1
                going = stepper.step_to(stepper._core.round_to_row(start + ahead * k * self._sample_time) if self._functions else stepper.until)
            run = stepper.finish()
        except KeyboardInterrupt:  # in a function or between steps; a step itself ends the run
            interrupted, run = True, stepper.finish()
        if interrupted or run.status == "stopped":
            raise Interrupted(run)
        return run


def _samples(name, value):
    """(times, values) as lists of numbers."""
    try:
        times, values = ([float(one) for one in part] for part in value)
    except (TypeError, ValueError):
        raise TypeError(f"the input {name!r} takes a number, a text with its unit, samples (times, values), or a function of (t, stepper), "
                        f"not {_short(value)}") from None
    if len(times) != len(values):
        raise ValueError(f"the samples of the input {name!r} are (times, values): {len(times)} times and {len(values)} values")
    return times, values


def _value(name, value):
    if isinstance(value, str) or hasattr(value, "__float__"):
        return value
    raise TypeError(f"the function of the input {name!r} must return a number, not {_short(value)}")


def _short(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
