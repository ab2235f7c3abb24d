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
        """stepper.step(): one step, as long as its error allows; stepper.step(0.01): steps to t + dt exactly, dt in s. False at the end of the run, or if it failed."""
        if dt is None:
            return self._core.step(None)
        return self.step_to(self.t + float(self._model._in_si("t", dt)))

    def step_to(self, t) -> bool:
        """stepper.step_to(1.0): steps to this time, in s, exactly, or to the end of the run if that comes first."""
        t = float(self._model._in_si("t", t))
        return self._core.step(min(t, self.until) if self.until >= self.t else max(t, self.until))

    def finish(self) -> Run:
        """run = stepper.finish(): the run so far, with its verdict; no step may follow."""
        return Run(self._core.finish(), self._model, self._parameters)

    def __repr__(self):
        return f"<Stepper of {self._model.name} at t = {self.t:g} s>"


def simulate_with_inputs(stepper, inputs, sample_time):
    """The run of a stepper with inputs that are values, or functions of (t, stepper) at each sample."""
    functions = {name: value for name, value in inputs.items() if callable(value)}
    stepper.hold(**{name: value for name, value in inputs.items() if not callable(value)})
    if functions and sample_time is None:
        raise TypeError(f"the input {next(iter(functions))!r} is a function: sample_time= says how often it is computed; it is held in between")
    start, k, going = stepper.t, 0, True
    ahead = 1 if stepper.until >= start else -1
    while going and not stepper._core.at_end and not stepper._core.failed:
        stepper.hold(**{name: function(stepper.t, stepper) for name, function in functions.items()})
        k += 1
        going = stepper.step_to(start + ahead * k * sample_time if functions else stepper.until)
    run = stepper.finish()
    if run.status == "stopped":
        raise Interrupted(run)
    return run
