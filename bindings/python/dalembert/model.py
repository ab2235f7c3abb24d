# SPDX-License-Identifier: Apache-2.0
"""Models: loaded, or stated with operators."""

import os
import re
from collections import namedtuple

from . import _core, model_file
from .equations import Equations
from .fit import FitResult
from .fit import fit as _fit
from .functions import Functions
from .pictures import Film, Picture, Report, _image, _write
from .run import Interrupted, Run
from .studies import Analysis, Audit, Cycle, Equilibrium, Gait, Linearization
from .optimize import Optimum
from .optimize import optimize as _optimize
from .sweep import Study
from .sweep import sweep as _sweep
from .stepper import Stepper, simulate_with_inputs

_MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


def models() -> list[str]:
    """The names of the models that ship with dalembert."""
    return sorted(name[:-5] for name in os.listdir(_MODELS) if name.endswith(".toml"))


def load(path: "str | os.PathLike[str]", *, allow_files: bool = False, **overrides: object) -> "Model":
    """A model from a file, or one that ships with dalembert, by name.

    Overrides are what `--set` takes: load("slider-crank", m1="0.5 kg", theta=1.2). The model reads files in its folder
    and below it; any file with allow_files=True.
    """
    path = os.fspath(path)
    settings = [f"{name}={value}" for name, value in overrides.items()]
    shipped = os.path.join(_MODELS, path + ".toml")
    is_name = not path.endswith(".toml") and path.removeprefix("audits/").count(os.sep) == 0
    if is_name and not os.path.exists(path) and not os.path.exists(shipped):
        import difflib

        near = difflib.get_close_matches(path, models(), 1)
        hint = f"; did you mean `{near[0]}`?" if near else "; dalembert.models() lists those that ship"
        raise FileNotFoundError(f"`{path}` is neither a file nor a shipped model{hint}")
    if is_name and not os.path.exists(path):
        path = shipped
    core = _core.Model.load(path, settings, allow_files)
    return Model(_core=core, _origin=(core.text, settings, path, os.path.dirname(path), allow_files))


def parse(text: str, *, allow_files: bool = False, **overrides: object) -> "Model":
    """A model from the text of a model file, whose other files are in the current folder or below it, or anywhere with allow_files=True."""
    return _parsed(text, [f"{name}={value}" for name, value in overrides.items()], "<model>", "", allow_files)


def _parsed(*origin):
    return Model(_core=_core.Model.parse(*origin), _origin=origin)


def _restored(origin, name, statements):
    """A model from what was pickled of it: the text that it was read from, and what was stated in Python."""
    model = Model(name) if origin is None else _parsed(*origin)
    for what, arguments in statements:
        model._state(what, *(model._decoded(one) for one in arguments))
    return model


_Reference = namedtuple("_Reference", "kind name")  # what stands for an object of the model in a pickle


def _kept(value):
    """Arguments as they are now: lists may change later."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(_kept(one) for one in value) if isinstance(value, (list, tuple)) else value


_ENERGIES = ("kinetic", "potential", "dissipation", "lagrangian")


def _words(text):
    return text.replace(",", " ").split() if isinstance(text, str) else list(text)


class Model:
    """What a user states. It stays as it is once its equations were looked at.

    Expressions are made with operators and with dalembert.sin and the like; each statement that is wrong raises
    ModelError with the line of the script.
    """

    def __init__(self, name="model", *, _core=None, _origin=None):
        from . import _core as core

        for attribute, value in (("_model", core.Model(name) if _core is None else _core), ("_system", None), ("_origin", _origin),
                                 ("_statements", []), ("_places", []), ("_named", {}), ("_wrong", False)):
            object.__setattr__(self, attribute, value)
        self._model.before_deriving = model_file.Check(self)

    def __setattr__(self, name, value):
        if not isinstance(getattr(type(self), name, None), property):
            raise AttributeError(f"a model has no `{name}` to be set")
        object.__setattr__(self, name, value)

    def _state(self, what, *arguments):
        """Every statement goes through here: it is remembered for those who pickle the model."""
        core = self._model
        try:
            if what in _ENERGIES:
                made = setattr(core, what, *arguments)
            else:
                made = getattr(core, what)(*arguments)
        except _core.ModelError:
            object.__setattr__(self, "_wrong", True)
            raise
        self._statements.append((what, _kept(arguments)))
        self._places.append(core.here)
        if isinstance(made, (_core.Point, _core.Frame, _core.Body)):
            self._named[type(made).__name__, made.name] = made
        return made

    # --- what was stated

    name = property(lambda self: self._model.name)
    description = property(lambda self: self._model.description)
    coordinate_names = property(lambda self: self._model.coordinate_names)
    parameter_values = property(lambda self: self._model.parameter_values)
    constraint_names = property(lambda self: self._model.row_names, doc="of all rows, in the order of the model")
    t = property(lambda self: self._model.t, doc="time, for expressions")

    def __getitem__(self, name):
        """The coordinate, parameter or input of that name, for expressions."""
        found = self._model.symbol(name)
        if found is None:
            raise KeyError(f"`{self.name}` has no `{name}`")
        return found

    # --- stating

    def coordinate(self, name, unit="", latex="") -> "_core.Coordinate":
        return self._state("coordinate", name, unit, latex)

    def coordinates(self, names, units=None):
        """x, y, theta = model.coordinates("x y theta", units="m m rad")"""
        names = _words(names)
        units = [""] * len(names) if units is None else _words(units)
        if len(units) != len(names):
            raise ValueError(f"{len(names)} coordinates, but {len(units)} units")
        return tuple(self._state("coordinate", name, unit, "") for name, unit in zip(names, units))

    def parameter(self, name, value, unit="", latex="") -> "_core.Expr":
        """A value in `unit`, or "2 kg"."""
        if isinstance(value, str):
            number, rest = re.fullmatch(r"\s*((?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)?)\s*(.*?)\s*", value, re.S).groups()
            if not number or not rest:
                value = self._in_si("", value)  # a number, or what is wrong with it
            elif unit:
                raise ValueError(f"the value {value!r} has a unit of its own, beside {unit!r}")
            else:
                value, unit = float(number), rest
        return self._state("parameter", name, value, unit, latex)

    def parameters(self, **values):
        """m, L = model.parameters(m=2.0, L="0.5 m")"""
        return tuple(self.parameter(name, value) for name, value in values.items())

    def input(self, name, value=None) -> "_core.Expr":
        """A function of time: an expression of model.t and parameters; 0 without."""
        return self._state("input", name, value)

    def spline(self, name, time, value):
        """A cubic spline through samples, which constraints and energies may contain."""
        return self._state("spline_input", name, list(time), list(value))

    def prescribe(self, coordinate, value):
        """The coordinate follows a function of time; something drives it."""
        self._state("prescribe", coordinate, value)

    def _energy(name, doc):  # noqa: N805
        return property(lambda self: getattr(self._model, name), lambda self, value: self._state(name, value), doc=doc)

    kinetic = _energy("kinetic", "kinetic energy as a formula, beside that of bodies; setting it replaces the formula")
    potential = _energy("potential", "potential energy as a formula, beside that of bodies and springs")
    dissipation = _energy("dissipation", "Rayleigh's dissipation function as a formula, beside that of dampers")
    lagrangian = _energy("lagrangian", "given directly, instead of the energies")
    del _energy

    def gravity(self, *g):
        self._state("gravity", list(g))

    def frame(self, name, parent=None, origin=None, rotate=None, quaternion=None) -> "_core.Frame":
        """Axes that move. `rotate`: an angle in the plane, or [("z", psi), ("x", theta)] in space."""
        return self._state("frame", name, parent, origin, rotate, quaternion)

    def point(self, name, at, frame=None) -> "_core.Point":
        return self._state("point", name, at, frame)

    def rim(self, name, disk, axis, radius) -> "_core.Point":
        return self._state("rim", name, disk, axis, radius)

    def body(self, name, mass, inertia=None, frame=None, com=None, position=None, angle=None) -> "_core.Body":
        return self._state("body", name, mass, inertia, frame, com, position, angle)

    def spring(self, a, b=None, stiffness=0, rest=0):
        self._state("spring", a, b, stiffness, rest)

    def damper(self, a, b=None, damping=0):
        self._state("damper", a, b, damping)

    def holonomic(self, name, *h, latex="", unilateral=False, restitution=0):
        """h = 0, one row for each expression; h >= 0 if `unilateral`, with Newton's restitution at impacts."""
        self._state("holonomic", name, list(h), latex)
        if unilateral:
            self._state("unilateral", name, restitution)

    def pfaffian(self, name, *eta, latex=""):
        """eta = 0, affine in the velocities."""
        self._state("pfaffian", name, list(eta), latex)

    def coincide(self, name, a, b):
        self._state("coincide", name, a, b)

    def distance(self, name, a, b, value=None, at_most=None, at_least=None, restitution=0):
        """Two points at a distance; or at most (a rope) or at least (two balls) at one, with restitution at impacts."""
        given = {key: d for key, d in (("distance", value), ("at_most", at_most), ("at_least", at_least)) if d is not None}
        if len(given) != 1:
            raise TypeError("distance() takes one of value, at_most and at_least")
        ((kind, d),) = given.items()
        self._state(kind, name, a, b, d)
        if kind != "distance":
            self._state("unilateral", name, restitution)

    def contact(self, name, point, above, normal, radius=0, restitution=0, friction=None, frame=None):
        """A ball about `point`, or the point itself, stays above the line or plane through `above`.

        friction: its coefficient; frame: what the ball turns with, and what slides.
        """
        self._state("contact", name, point, above, normal, radius, frame)
        self._state("unilateral", name, restitution)
        if friction is not None:
            self.friction(name, self.multiplier(name), self._state("sliding_speed", name), friction)

    def no_slip(self, name, point, frame=None):
        self._state("no_slip", name, point, frame)

    def no_skid(self, name, point, direction, frame=None):
        self._state("no_skid", name, point, direction, frame)

    def force(self, at, vector):
        self._state("force", at, vector)

    def torque(self, on, value):
        """On a body, or on an angle."""
        self._state("torque", on, value)

    def generalized_force(self, coordinate, value):
        self._state("generalized_force", coordinate, value)

    def power(self, value):
        self._state("power", value)

    def friction(self, name, normal, velocity, coefficient, static=None, viscous=0):
        """Coulomb friction; returns its force, for outputs.

        velocity: the sliding speed, or two in perpendicular directions, of a friction in a plane. Its second force is multiplier("friction(NAME[2])").
        """
        return self._state("friction", name, normal, velocity, coefficient, static, viscous)

    def event(self, name, when, direction="any", stop=False, set=None, where=None):
        """An instant of a run: where `when` passes 0 ("up", "down" or "any"), if the condition `where` holds.

        set={"x'": -e * x.dot} sets coordinates and velocities, by expressions of the state before; stop=True ends the run there.
        """
        if direction not in ("any", "up", "down"):
            raise ValueError(f"an event has no direction {direction!r}: it is 'any', 'up' or 'down'")
        self._state("event", name, when, direction, stop, set or {}, where)

    def multiplier(self, row):
        """The multiplier of a row, for outputs and frictions."""
        return self._model.multiplier(row)

    def gap(self, row):
        """The gap h of a row of a one-sided constraint, for outputs and events."""
        return self._model.multiplier(f"gap({row})")

    def closed(self, row):
        """1 while a contact is closed and 0 while it is open, for outputs and events."""
        return self._model.multiplier(f"closed({row})")

    def impulse(self, row):
        """The impulse of a contact's last impact, 0 before the first, for outputs and events."""
        return self._model.multiplier(f"impulse({row})")

    def energy(self, which="total"):
        """The kinetic, potential or total energy of the whole system, for outputs and events."""
        return self._state("energy", which)

    def integral(self, integrand):
        """The integral of an expression over the time of a run, 0 at its start, for outputs and events."""
        return self._state("integral", integrand)

    def actuation(self, coordinate):
        """The force that makes a prescribed coordinate follow, for outputs."""
        return self._model.actuation(getattr(coordinate, "name", coordinate))

    def quasi_velocity(self, name, definition, unit="", latex=""):
        return self._state("quasi_velocity", name, definition, unit, latex)

    def output(self, name, value):
        self._state("output", name, value)

    def dot(self, expression):
        """Its total time derivative."""
        return self._model.dot(expression)

    def initial(self, held=True, **values):
        """Where to start: initial(theta=1.05, theta_dot=4.0); held exactly, or guesses that may move."""
        for name, value in values.items():
            rate = re.fullmatch(r"(.*)_dot", name)
            if rate and name not in self.coordinate_names:
                self._state("initial", rate[1], None, float(self._in_si(rate[1] + "'", value)), held)
            else:
                self._state("initial", name, float(self._in_si(name, value)), None, held)

    # --- equations

    @property
    def equations(self) -> Equations:
        return Equations(self._model)

    @property
    def multipliers(self):
        """[{row, unit, words}]: what each multiplier is."""
        return _core.multipliers(self._model)

    def audit(self, against=None) -> "Audit":
        """Decides the model's claims, or whether another model says the same."""
        return Audit(_core.audit(self._model) if against is None else _core.audit_against(self._model, against._model))

    # --- numbers as they are given

    def _in_si(self, name, value):
        """A number, or a text such as "20 mm" for the parameter, initial value or input of that name, or for a time, "t"."""
        return self._model.in_si(name, value) if isinstance(value, str) else value

    def _all_in_si(self, values, rates=False):
        """{name: number} of such numbers; `rates`: names are those of coordinates whose rate is given."""
        if values is not None and not hasattr(values, "items"):
            raise TypeError(f"a dict of numbers by name is needed, such as {{'L1': 0.2}}, not {values!r}")
        return {name: self._in_si(name + "'" if rates else name, value) for name, value in (values or {}).items()}

    def _settings(self, **settings):
        """Settings of a run that are given, with times in s."""
        return {name: self._in_si("t", value) if name in ("until", "every", "max_step") else value
                for name, value in settings.items() if value is not None}

    # --- what is said without running it

    def _at(self, at):
        """A state as the library takes it: of an equilibrium, (q, v), a dict or a file STATE.json."""
        if at is None or isinstance(at, Equilibrium):
            return at and at._values
        if isinstance(at, (str, os.PathLike)):
            import json

            with open(at, encoding="utf-8") as file:
                at = json.load(file)
        if isinstance(at, dict):
            if set(at) <= {"t", "q", "qd", "v"} and all(isinstance(group, dict) for name, group in at.items() if name != "t"):
                return at
            groups = {"q": {}, "qd": {}}
            for name, value in at.items():
                groups["qd" if name.endswith("'") else "q"][name.removesuffix("'")] = self._in_si(name, value)
            return groups
        try:
            q, v = at
        except TypeError:
            raise TypeError(f"a state is {{'theta': 1, \"theta'\": 0}}, (q, v), an equilibrium or a file of one, not {at!r}") from None
        system = self._numbers()
        state = _core.State(0.0, q, v, system.nq, system.nv)
        return {"q": dict(zip(system.coordinate_names, state.q.tolist())), "qd": dict(zip(system.rate_names, state.v.tolist()))}

    def analyze(self, at=None, *, params=None) -> "Analysis":
        """Freedoms, redundant rows, integrability, what is conserved, equilibria and whether they are stable.

        The rank is that at the model's own start, or at `at` (see linearize).
        """
        parameters = self._all_in_si(params)
        return Analysis(_core.analyze(self._model, self._at(at), parameters), self._model, parameters)

    def linearize(self, at=None, *, settle=False, params=None):
        """A, B, C, D, eigenvalues, modes and stability at the model's own start or at a state: an equilibrium of analyze(),
        (q, v), {"theta": 1.0, "theta'": 0.0} (held; the rest is found) or a file STATE.json. `settle` goes to the nearest
        equilibrium or steady motion first. Of a list of equilibria it is a list.
        """
        if isinstance(at, list) and all(isinstance(one, Equilibrium) for one in at):
            return [self.linearize(one, settle=settle, params=params) for one in at]
        return Linearization(_core.linearize(self._model, self._at(at), self._all_in_si(params), settle))

    def gait(self, cycle=None, *, period=None, cycles=1, harmonics=1, optimize=False, params=None) -> "Gait":
        """What a cycle of the shape moves the rest by: gait("alpha=0.3*sin(t), beta=0.3*cos(t)"), gait({"alpha": "0.3*sin(t)"}) or
        what the model prescribes."""
        if isinstance(cycle, dict):
            cycle = ", ".join(f"{name}={value}" for name, value in cycle.items())
        model = self._model if cycle is None else self._copy()._model
        return Gait(*_core.gait(model, cycle, self._all_in_si(params), self._in_si("t", period), cycles, harmonics, optimize))

    def cycle(self, *, section="", period=None, turns=1, at=None, until=None, params=None) -> "Cycle":
        """A motion that repeats itself, near the model's own start or a state (see linearize): its period, multipliers and whether it is stable.

        section: an event, or a contact whose impact, brings the state back; period: of models that depend on time.
        """
        return Cycle(_core.cycle(self._model, self._at(at), self._all_in_si(params), section, self._in_si("t", period), turns, self._in_si("t", until)))

    # --- pictures and pages

    def draw(self, at=None, *, forces=False, view=None, params=None) -> "Picture":
        """A picture at the model's own start or at a state (see linearize). `view`: two angles of the camera, in degrees."""
        return Picture(_core.draw(self._model, self._at(at), self._all_in_si(params), forces, view))

    def plot(self, phase=None, *, at=None, x_range=None, y_range=None, params=None) -> "Picture":
        """The phase plane of a motion with two states: plot(phase="theta,theta'"). Curves are drawn of runs: run.plot()."""
        phase = ",".join(phase) if isinstance(phase, (list, tuple)) else phase
        return Picture(_core.phase_plane(self._model, self._at(at), self._all_in_si(params), phase, x_range, y_range))

    def animate(self, q=None, v=None, t=None, *, fps=25, seconds=None, forces=False, view=None, **settings) -> "Film":
        """A film of a run to time `t`; settings are those of simulate()."""
        return self._film_run(q, v, t, **settings).animate(fps=fps, seconds=seconds, forces=forces, view=view)

    def _film_run(self, q, v, t, **settings):
        return self._run(q, v, t, for_report=True, **settings)

    def report(self, path=None, run=None, *, t=None, params=None) -> "Report":
        """A page that explains the model and a run of it; without `run` one to time `t`. Saved where there is a path."""
        run = run if run is not None else self._film_run(None, None, t, params=params)
        page = run._report(f"dalembert.load(…).report(…)  # {self.name}", False)
        if path is not None:
            page.save(path)
        return page

    def export(self, to, path=".") -> "list[str]":
        """Writes the model as code that needs nothing of this library: to "c", "c++", "python", "matlab", "js", or "latex";
        or as an FMU, to "fmu" (`path` may be its file). Returns the paths; the folder is made where there is none."""
        if to == "fmu":
            from .fmu import write_fmu  # which takes modules that only this needs

            return [write_fmu(self._model, path)]
        files = _core.export(self._model, to)
        os.makedirs(path, exist_ok=True)
        paths = [os.path.join(path, name) for name, _ in files]
        for place, (_, text) in zip(paths, files):
            _write(place, text)
        return paths

    # --- numbers

    def compile(self, names="qdd lam", *, lanes="auto", params=None) -> "Functions":
        """f = model.compile("qdd lam M W"); f.qdd(q, v), f.M(q, v) … of arrays. "A" is another name of W. `params`: values of
        parameters for all calls. How many states are computed side by side is the machine's affair: lanes="auto"."""
        if lanes != "auto":
            raise ValueError(f"lanes={lanes!r}: they are chosen for the machine, lanes='auto'")
        return Functions(self._model, _words(names), self._all_in_si(params))

    def rhs(self, *, params=None):
        """y' = rhs(t, y) of y = (q, v), for scipy.integrate.solve_ivp; rhs.jac is its Jacobian. It does not keep the
        constraints to round-off, as simulate() does."""
        return _core.RightHandSide(self._model, self._all_in_si(params))

    def _numbers(self):
        if self._system is None:
            object.__setattr__(self, "_system", _core.System(self._model))
        return self._system

    def consistent(self, v=None, *, q=None, guess=None, v_guess=None, t=None, params=None, **coordinates):
        """(q, v) on the constraints, as near as may be to the model's own start.

        Named values are held exactly, positions as q={"theta": 0.3} or theta=0.3, velocities as v={"theta": 1.0}; guesses
        may move. Where there is no such state, ModelError says which constraint cannot hold.
        """
        state = self._numbers().start(self._all_in_si({**(q or {}), **coordinates}), self._all_in_si(v, True), self._all_in_si(guess),
                                      self._all_in_si(v_guess, True), self._in_si("t", t), self._all_in_si(params))
        return state.q, state.v

    def eval(self, q=None, v=None, t=0.0, params=None):
        """Every term at one state, as `eval --json` prints it; at the model's own start without arguments."""
        system, parameters = self._numbers(), self._all_in_si(params)
        return system.terms(self._start(system, q, v, t, parameters), parameters)

    def simulate(self, q=None, v=None, t=None, *, start=0.0, params=None, rtol=None, atol=None, method=None, formulation=None,
                 every=None, times=None, max_step=None, max_steps=None, cross_check=False, sensitivity=(), gradient_of=(),
                 inputs=None, sample_time=None) -> "Run":
        """A run to time `t`, from (q, v), which consistent() returned, or from the model's own start.

        `inputs={"f": 1.0}` holds an input; `inputs={"f": (times, values)}` is linear between samples; `inputs={"tau": lambda t, state: -k*state["theta"]}` is
        computed each `sample_time` and held in between (the run ends a step there; state is a Stepper).

        What is not named is the model's own setting. `sensitivity=["k", "theta"]`: derivatives of the run by parameters and initial values
        of the model, as series "sens/k/q/theta". `gradient_of=["G"]`: run.gradient["G"], the derivatives of the last value of output G by every parameter
        and held initial value, by the adjoint of the run. Both from the model's own start only. Ctrl-C raises Interrupted, which has the run so far.
        """
        if (sensitivity or gradient_of) and q is not None:
            raise TypeError("sensitivity= and gradient_of= need the model's own start: leave out q and v")
        if sensitivity and gradient_of:
            raise TypeError("sensitivity= and gradient_of= do not go together: make two runs")
        if inputs:
            if not hasattr(inputs, "items"):
                raise TypeError(f"inputs= takes a dict by name, such as {{'f': 1.0}}, not {inputs!r}")
            if sensitivity or gradient_of or cross_check or times is not None:
                raise TypeError("sensitivity=, gradient_of=, cross_check= and times= do not go with inputs=: the inputs are not part of the model")
            sampled = {name: (list(map(float, value[0])), list(map(float, value[1]))) for name, value in inputs.items()
                       if isinstance(value, (tuple, list))}
            stepper = self._stepper(_core.with_samples(self._model, sampled) if sampled else self._numbers(), q, v, start, params,
                                    self._settings(until=t, rtol=rtol, atol=atol, method=method, formulation=formulation, every=every,
                                                   max_step=max_step, max_steps=max_steps))
            return simulate_with_inputs(stepper, {name: value for name, value in inputs.items() if name not in sampled}, self._in_si("t", sample_time))
        return self._run(q, v, t, start=start, params=params, times=times, cross_check=cross_check, sensitivity=sensitivity,
                         gradient_of=gradient_of, rtol=rtol, atol=atol,
                         method=method, formulation=formulation, every=every, max_step=max_step, max_steps=max_steps)

    def stepper(self, q=None, v=None, t=None, *, start=0.0, params=None, rtol=None, atol=None, method=None, formulation=None, every=None,
                max_step=None, max_steps=None) -> Stepper:
        """A run that is made step by step: stepper.hold(tau=0.5), stepper.step(0.01), stepper["theta"], stepper.finish()."""
        return self._stepper(self._numbers(), q, v, start, params,
                             self._settings(until=t, rtol=rtol, atol=atol, method=method, formulation=formulation, every=every, max_step=max_step,
                                            max_steps=max_steps))

    def _stepper(self, system, q, v, start, params, settings):
        parameters = self._all_in_si(params)
        return Stepper(_core.Stepper(system, self._start(system, q, v, start, parameters), settings, parameters), self, parameters)

    def _start(self, system, q, v, t, parameters):
        if (q is None) != (v is None):
            raise TypeError("a start is q and v together; consistent() completes one from the other")
        if q is None:
            return system.start({}, {}, {}, {}, None, parameters)
        return _core.State(float(self._in_si("t", t)), q, v, system.nq, system.nv)

    def simulate_many(self, starts=None, params=None, t=None, *, start=0.0, rtol=None, atol=None, method=None, formulation=None, every=None,
                      max_step=None, max_steps=None, threads=None) -> "list[Run]":
        """Runs from several starts [(q, v), …], or with several parameters [{"m": 1.0}, …], or both, one for one, by threads (one for each processor).

        A run for which there is no start has failed, with its reason. sweep() is for numbers of many runs instead of the runs.
        """
        if starts is None and params is None:
            raise TypeError("simulate_many() takes starts, params, or both")
        count = len(starts if starts is not None else params)
        if params is not None and len(params) != count:
            raise ValueError(f"{count} starts and {len(params)} dicts of parameters")
        system = self._numbers()
        states = [None] * count if starts is None else [self._start(system, q, v, start, {}) for q, v in starts]
        parameters = [self._all_in_si(one) for one in params] if params is not None else [{}] * count
        settings = self._settings(until=t, rtol=rtol, atol=atol, method=method, formulation=formulation, every=every, max_step=max_step,
                                  max_steps=max_steps)
        runs = system.simulate_many(states, parameters, settings, threads or 0)
        return [Run(run, self, one) for run, one in zip(runs, parameters)]

    def sweep(self, vary=None, *, sample=None, runs=None, seed=None, sampling=None, rows=None, measure=None, t=None, params=None,
              rtol=None, atol=None, method=None, formulation=None, max_step=None, max_steps=None, threads=None, output=None,
              restart=False, executor=None, shards=None, **quantities) -> Study:
        """Many runs with other parameters and initial values, and a row of numbers for each, as `dalembert sweep` makes them.

        Quantities by keyword or in `vary`: L1=(0.1, 0.3, 21) from, to and number, L1=[0.1, 0.2], L1="10 cm : 30 cm : 21", theta_dot=[1, 2];
        `sample={"k": "normal(20, 2)"}` with `runs`, `seed` and `sampling` ("random", "lhs", "sobol"); or `rows`, a DataFrame or a dict of
        columns. `measure={"peak": "max(abs(lambda(pin)))"}`. What is not given comes from the model's [study].

        Threads share the runs (one for each processor). With `output="study.csv"`, or "study.nc" for NetCDF, rows are on disk as they are made, and the same call goes on
        after a crash. `executor`: anything with submit(), such as a concurrent.futures.ProcessPoolExecutor or a dask.distributed.Client, which makes
        `shards` parts. The rows are the same in every case.
        """
        settings = self._settings(until=t, rtol=rtol, atol=atol, method=method, formulation=formulation, max_step=max_step,
                                  max_steps=max_steps)
        count = shards or (1 if executor is None else 16)
        how = {"threads": threads or (0 if executor is None else 1), "shard": 1, "shards": count if executor is not None else 1,
               "output": "" if output is None else os.fspath(output), "restart": restart}
        return _sweep(self, vary, sample, rows, runs, seed, sampling, measure, settings, self._all_in_si(params), how, executor, quantities)

    def fit(self, data, *, free, measure, bounds=None, prior=None, sigma=None, per_file=(), offset=False, start=None, max_iterations=200,
            rtol=None, atol=None, method=None, formulation=None, max_step=None, max_steps=None) -> FitResult:
        """The parameters and initial values `free` with which runs come nearest to measurements, as `dalembert fit` finds them.

        `data` is the path of a CSV file, a dict of arrays or a DataFrame, with a column "time"; or a list of these, each of which is a run of its own. Columns may
        have units, "angle [deg]"; nan is no sample. `measure={"angle": "theta"}` says what columns measure. `bounds={"k": (0, None)}` or "0 N/m : 10 N/m",
        `prior={"k": (20, 2)}` (mean and standard deviation) or "lognormal(20 N/m, 0.1)", `sigma={"angle": 0.01}` or the name of a column; without it the
        residuals tell. `per_file`: what has a value for each file; `offset`: the clock of each file is shifted by an unknown. The search begins at the values of the
        model, or at `start={"k": 30}`, all in SI. Ctrl-C raises Interrupted, whose `run` is the best result so far.
        """
        settings = self._settings(rtol=rtol, atol=atol, method=method, formulation=formulation, max_step=max_step, max_steps=max_steps)
        return _fit(self, data, free, measure, bounds, prior, sigma, per_file, offset, self._all_in_si(start), max_iterations, settings)

    def optimize(self, minimize=None, free=None, *, maximize=None, subject_to=(), starts=8, seed=0, max_points=300, t=None, params=None,
                 rtol=None, atol=None, method=None, formulation=None, max_step=None, max_steps=None, threads=None) -> Optimum:
        """Values of parameters and initial values for which a measure of the run is least or greatest, as `dalembert optimize` finds them.

        `minimize="max(abs(lambda(pin[1])))"` or `maximize=…`, `free={"L1": (0.1, 0.3), "theta'": "0 : 5 rad/s"}` with bounds, `subject_to=["max(x) >= 0.5 m"]`
        with <=, >= or ==. Searches begin at the model's values and at starts - 1 other points, which `seed` chooses; `params` replaces parameter values.
        The answer has SciPy's names: x, fun, success, status, message, nfev, njev; and params, active, constraints, starts, verdict.
        """
        settings = self._settings(until=t, rtol=rtol, atol=atol, method=method, formulation=formulation, max_step=max_step,
                                  max_steps=max_steps)
        return _optimize(self, minimize, maximize, dict(free or {}), subject_to, starts, seed, max_points, settings, self._all_in_si(params), threads)

    def _run(self, q, v, t, *, start=0.0, params=None, times=None, cross_check=False, sensitivity=(), gradient_of=(), for_report=False,
             **settings):
        system, parameters = self._numbers(), self._all_in_si(params)
        wanted = self._settings(until=t, **settings, for_report=True if for_report else None)
        listed = lambda names: [names] if isinstance(names, str) else list(names)
        run = Run(system.simulate(self._start(system, q, v, start, parameters), wanted, times, parameters, cross_check,
                                  listed(sensitivity), listed(gradient_of)), self, parameters)
        if run.reason.startswith("interrupted"):
            raise Interrupted(run)
        return run

    # --- as a value

    def save(self, path):
        """Writes the model file that says the same, and beside it a table of samples for each spline; of a loaded model its text, with what load() set."""
        path = os.fspath(path)
        if self._wrong:
            raise TypeError("a model with a statement that is wrong cannot be saved")
        if self._origin is None:
            return model_file.save(self, path)
        text, settings = self._origin[:2]
        if self._statements:
            raise TypeError("this model has statements beside its file: add them there")
        if settings:
            text = _core.text_with(self._model, [(one.partition("=")[0].strip(), None) for one in settings], {})
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def __eq__(self, other):
        return self._model == other._model if isinstance(other, Model) else NotImplemented

    def __hash__(self):
        return hash(self._model)

    def _encoded(self, value):
        """An argument of a statement for a pickle."""
        if isinstance(value, tuple):
            return tuple(map(self._encoded, value))
        if isinstance(value, _core.Coordinate):
            return _Reference("coordinate", value.name)
        if isinstance(value, _core.Expr):
            text = str(value)
            if self._model.read(text) != value:
                raise TypeError(f"the model cannot be pickled: `{text}` does not read back")
            return _Reference("expression", text)
        if isinstance(value, (_core.Point, _core.Frame, _core.Body)):
            return _Reference(type(value).__name__, value.name)
        return value

    def _decoded(self, value):
        if not isinstance(value, tuple):
            return value
        if not isinstance(value, _Reference):
            return tuple(map(self._decoded, value))
        if value.kind == "coordinate":
            return self._model.symbol(value.name)
        return self._model.read(value.name) if value.kind == "expression" else self._named[value]

    def __reduce__(self):
        if self._wrong:
            raise TypeError("a model with a statement that is wrong cannot be pickled")
        statements = [(what, tuple(map(self._encoded, arguments))) for what, arguments in self._statements]
        return _restored, (self._origin, self.name, statements)

    def _copy(self):
        """The same in expressions of its own."""
        make, arguments = self.__reduce__()
        return make(*arguments)

    def __repr__(self):
        rows = len(self.constraint_names)
        return f"<Model {self.name}: {len(self.coordinate_names)} coordinates, {rows} constraint row{'' if rows == 1 else 's'}>"

    def _ipython_display_(self):
        """In notebooks: freedoms and picture, then the equations, typeset."""
        from IPython.display import HTML, Latex, display

        display(HTML(self._head_html()), Latex(self.equations._repr_latex_()))

    def _repr_html_(self):
        """Freedoms and a picture where there is one, above the equations."""
        return self._head_html() + self.equations._html()

    def _head_html(self):
        import html

        try:
            picture = _image(self.draw().svg)
        except _core.ModelError:
            picture = ""  # nothing to draw, or no start
        try:
            dof = self._numbers().freedoms
        except _core.ModelError:
            dof = ""
        return f"<div><b>{html.escape(self.name)}</b> {html.escape(dof)}</div>{picture}"
