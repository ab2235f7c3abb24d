# SPDX-License-Identifier: Apache-2.0
"""Models: loaded, or stated with operators."""

import os
import re

from . import _core
from .equations import Equations
from .functions import Functions
from .run import Interrupted, Run

_MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


def models():
    """The names of the models that ship with dalembert."""
    return sorted(name[:-5] for name in os.listdir(_MODELS) if name.endswith(".toml"))


def load(path, **overrides):
    """A model from a file, or one that ships with dalembert, by name.

    Overrides are what `--set` takes: load("slider-crank", m1="0.5 kg", theta=1.2).
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
    return Model(_core=_core.Model.load(path, settings))


def parse(text, **overrides):
    """A model from the text of a model file."""
    return Model(_core=_core.Model.parse(text, [f"{name}={value}" for name, value in overrides.items()]))


class Audit:
    """Verdicts on formulas: `claims` is a list of dicts as in `audit --json`. True where none is disproved."""

    def __init__(self, document):
        self.document = document
        self.claims = document["claims"]

    def __bool__(self):
        return all(claim["verdict"] != "disproved" for claim in self.claims)

    def __repr__(self):
        lines = [f"{claim['entry']}: {claim['verdict']}"
                 + (f", correct is {claim['correct']}" if claim["verdict"] == "disproved" and claim.get("correct") else "")
                 for claim in self.claims]
        return "\n".join(lines) or "no claims"


def _words(text):
    return text.replace(",", " ").split() if isinstance(text, str) else list(text)


class Model:
    """What a user states. It stays as it is once its equations were looked at.

    Expressions are made with operators and with dalembert.sin and the like; each statement that is wrong raises
    ModelError with the line of the script.
    """

    def __init__(self, name="model", *, _core=None):
        from . import _core as core

        object.__setattr__(self, "_model", core.Model(name) if _core is None else _core)
        object.__setattr__(self, "_system", None)

    def __setattr__(self, name, value):
        if not isinstance(getattr(type(self), name, None), property):
            raise AttributeError(f"a model has no `{name}` to be set")
        object.__setattr__(self, name, value)

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

    def coordinate(self, name, unit="", latex=""):
        return self._model.coordinate(name, unit, latex)

    def coordinates(self, names, units=None):
        """x, y, theta = model.coordinates("x y theta", units="m m rad")"""
        names = _words(names)
        units = [""] * len(names) if units is None else _words(units)
        if len(units) != len(names):
            raise ValueError(f"{len(names)} coordinates, but {len(units)} units")
        return tuple(self._model.coordinate(name, unit, "") for name, unit in zip(names, units))

    def parameter(self, name, value, unit="", latex=""):
        """A value in `unit`, or "2 kg"."""
        if isinstance(value, str):
            number, _, rest = value.strip().partition(" ")
            value, unit = float(number), unit or rest.strip()
        return self._model.parameter(name, value, unit, latex)

    def parameters(self, **values):
        """m, L = model.parameters(m=2.0, L="0.5 m")"""
        return tuple(self.parameter(name, value) for name, value in values.items())

    def input(self, name, value=None):
        """A function of time: an expression of model.t and parameters; 0 without."""
        return self._model.input(name, value)

    def spline(self, name, time, value):
        """A cubic spline through samples, which constraints and energies may contain."""
        return self._model.spline_input(name, list(time), list(value))

    def prescribe(self, coordinate, value):
        """The coordinate follows a function of time; something drives it."""
        self._model.prescribe(coordinate, value)

    def _energy(name, doc):  # noqa: N805
        return property(lambda self: getattr(self._model, name), lambda self, value: setattr(self._model, name, value), doc=doc)

    kinetic = _energy("kinetic", "kinetic energy; setting it replaces what was there")
    potential = _energy("potential", "potential energy")
    dissipation = _energy("dissipation", "Rayleigh's dissipation function")
    lagrangian = _energy("lagrangian", "given directly, instead of the energies")
    del _energy

    def gravity(self, *g):
        self._model.gravity(list(g))

    def frame(self, name, parent=None, origin=None, rotate=None, quaternion=None):
        """Axes that move. `rotate`: an angle in the plane, or [("z", psi), ("x", theta)] in space."""
        return self._model.frame(name, parent, origin, rotate, quaternion)

    def point(self, name, at, frame=None):
        return self._model.point(name, at, frame)

    def rim(self, name, disk, axis, radius):
        return self._model.rim(name, disk, axis, radius)

    def body(self, name, mass, inertia=None, frame=None, com=None, position=None, angle=None):
        return self._model.body(name, mass, inertia, frame, com, position, angle)

    def spring(self, a, b=None, stiffness=0, rest=0):
        self._model.spring(a, b, stiffness, rest)

    def damper(self, a, b=None, damping=0):
        self._model.damper(a, b, damping)

    def holonomic(self, name, *h, latex=""):
        """h = 0, one row for each expression."""
        self._model.holonomic(name, list(h), latex)

    def pfaffian(self, name, *eta, latex=""):
        """eta = 0, affine in the velocities."""
        self._model.pfaffian(name, list(eta), latex)

    def coincide(self, name, a, b):
        self._model.coincide(name, a, b)

    def distance(self, name, a, b, value):
        self._model.distance(name, a, b, value)

    def no_slip(self, name, point, frame=None):
        self._model.no_slip(name, point, frame)

    def no_skid(self, name, point, direction, frame=None):
        self._model.no_skid(name, point, direction, frame)

    def force(self, at, vector):
        self._model.force(at, vector)

    def torque(self, on, value):
        """On a body, or on an angle."""
        self._model.torque(on, value)

    def generalized_force(self, coordinate, value):
        self._model.generalized_force(coordinate, value)

    def power(self, value):
        self._model.power(value)

    def friction(self, name, normal, velocity, coefficient, static=None, viscous=0):
        """Coulomb friction; returns its force, for outputs."""
        return self._model.friction(name, normal, velocity, coefficient, static, viscous)

    def multiplier(self, row):
        """The multiplier of a row, for outputs and frictions."""
        return self._model.multiplier(row)

    def actuation(self, coordinate):
        """The force that makes a prescribed coordinate follow, for outputs."""
        return self._model.actuation(getattr(coordinate, "name", coordinate))

    def quasi_velocity(self, name, definition, unit="", latex=""):
        return self._model.quasi_velocity(name, definition, unit, latex)

    def output(self, name, value):
        self._model.output(name, value)

    def dot(self, expression):
        """Its total time derivative."""
        return self._model.dot(expression)

    def initial(self, held=True, **values):
        """Where to start: initial(theta=1.05, theta_dot=4.0); held exactly, or guesses that may move."""
        for name, value in values.items():
            rate = re.fullmatch(r"(.*)_dot", name)
            if rate and name not in self.coordinate_names:
                self._model.initial(rate[1], None, float(value), held)
            else:
                self._model.initial(name, float(value), None, held)

    # --- equations

    @property
    def equations(self):
        return Equations(self._model)

    @property
    def multipliers(self):
        """[{row, unit, words}]: what each multiplier is."""
        return _core.multipliers(self._model)

    def audit(self, against=None):
        """Decides the model's claims, or whether another model says the same."""
        return Audit(_core.audit(self._model) if against is None else _core.audit_against(self._model, against._model))

    # --- numbers

    def compile(self, names="qdd lam"):
        """f = model.compile("qdd lam M W"); f.qdd(q, v), f.M(q, v) … of arrays."""
        return Functions(self._model, _words(names))

    def rhs(self):
        """y' = rhs(t, y) of y = (q, v), for scipy.integrate.solve_ivp; rhs.jac is its Jacobian. It does not keep the
        constraints to round-off, as simulate() does."""
        return _core.RightHandSide(self._model)

    def _numbers(self):
        if self._system is None:
            object.__setattr__(self, "_system", _core.System(self._model))
        return self._system

    def consistent(self, v=None, *, q=None, guess=None, v_guess=None, t=None, params=None, **coordinates):
        """(q, v) on the constraints, as near as may be to the model's own start.

        Named values are held exactly, positions as q={"theta": 0.3} or theta=0.3, velocities as v={"theta": 1.0}; guesses
        may move. Where there is no such state, ModelError says which constraint cannot hold.
        """
        state = self._numbers().start({**(q or {}), **coordinates}, v or {}, guess or {}, v_guess or {}, t, params or {})
        return state.q, state.v

    def eval(self, q=None, v=None, t=0.0, params=None):
        """Every term at one state, as `eval --json` prints it; at the model's own start without arguments."""
        system = self._numbers()
        state = (system.start({}, {}, {}, {}, None, params or {}) if q is None
                 else _core.State(float(t), q, v, system.nq, system.nv))
        return system.terms(state, params or {})

    def simulate(self, q=None, v=None, t=None, *, start=0.0, params=None, rtol=None, atol=None, method=None, formulation=None,
                 every=None, times=None, max_step=None, max_steps=None, cross_check=False):
        """A run to time `t`, from (q, v), which consistent() returned, or from the model's own start.

        What is not named is the model's own setting. Ctrl-C raises Interrupted, which has the run so far.
        """
        if (q is None) != (v is None):
            raise TypeError("a start is q and v together; consistent() completes one from the other")
        system, parameters = self._numbers(), params or {}
        state = (system.start({}, {}, {}, {}, None, parameters) if q is None
                 else _core.State(float(start), q, v, system.nq, system.nv))
        settings = {"until": t, "rtol": rtol, "atol": atol, "method": method, "formulation": formulation, "every": every,
                    "max_step": max_step, "max_steps": max_steps}
        run = Run(system.simulate(state, {name: value for name, value in settings.items() if value is not None}, times,
                                  parameters, cross_check), self)
        if run.reason.startswith("interrupted"):
            raise Interrupted(run)
        return run

    # --- as a value

    def __eq__(self, other):
        return self._model == other._model if isinstance(other, Model) else NotImplemented

    def __hash__(self):
        return hash(self._model)

    def __reduce__(self):
        if not self._model.text:
            raise TypeError("a model that was stated in Python cannot be pickled; one that was loaded can")
        return parse, (self._model.text,)

    def __repr__(self):
        rows = len(self.constraint_names)
        return f"<Model {self.name}: {len(self.coordinate_names)} coordinates, {rows} constraint row{'' if rows == 1 else 's'}>"

    def _repr_latex_(self):
        return self.equations.latex
