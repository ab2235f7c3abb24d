# SPDX-License-Identifier: Apache-2.0
"""What audit(), analyze(), linearize(), gait() and cycle() answer. Each but the first has to_dict(), which is what the command prints with --json."""

from collections import namedtuple

from . import _core

__all__ = ["Analysis", "Audit", "Control", "Cycle", "Equilibrium", "Freedoms", "Gait", "Linearization", "Variation"]

Freedoms = namedtuple("Freedoms", "velocity configuration")
Freedoms.__doc__ = "Numbers of freedoms: model.analyze().dof."
Freedoms.velocity.__doc__, Freedoms.configuration.__doc__ = "of velocity: dof.velocity", "of position: dof.configuration"


class Audit:
    """Verdicts on formulas, of model.audit(): `claims` is a list of dicts as in `audit --json`. True where none is disproved."""

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


def _number(value):
    return f"{value:.6g}"


def _eigenvalue(z):
    return _number(z.real) if z.imag == 0 else f"{_number(z.real)} {'-' if z.imag < 0 else '+'} {_number(abs(z.imag))}i"


def _values(named):
    return ", ".join(f"{name} = {_number(value)}" for name, value in named.items())


def _table(rows):
    import html

    lines = "".join(f'<tr><th style="text-align: left">{html.escape(name)}</th><td style="text-align: left">{html.escape(text)}</td></tr>'
                    for name, text in rows)
    return f"<table>{lines}</table>"


def _reasons(undecided, because):
    """Why nothing more is said of the stability, or where zero eigenvalues come from."""
    return [("not decided", undecided)] if undecided else [("because", text) for text in because]


class _Answer:
    """Rows of (name, text), as text and as a table."""

    def to_dict(self) -> "dict[str, object]":
        """What the command prints with --json, in SI: answer.to_dict()."""
        return self._document

    def __repr__(self):
        return "\n".join(f"{name:<14}{text}" for name, text in self._rows())

    def _repr_html_(self):
        return _table(self._rows())


class Equilibrium(_Answer):
    """An equilibrium or a steady motion, of model.analyze().equilibria, for linearize(at=…), simulate(*eq.state) and eval(*eq.state).

    kind, stability, q and v and lam by name, eigenvalues, family (states along which there are more of them), because (what
    zero eigenvalues come from), friction where there is some.
    """

    def __init__(self, document, values, model, parameters):
        self._document, self._values, self._model, self._parameters = document, values, model, parameters
        self.kind, self.stability = document["kind"], document["stability"]
        self.q, self.v, self.lam = document["q"], document["v"], document["lambda"]
        self.family, self.because = document["family"], document["because"]
        self.eigenvalues = [complex(*z) for z in document["eigenvalues"]]
        self.friction = document.get("friction")

    @property
    def state(self) -> "tuple[_core._Array, _core._Array]":
        """(q, v), arrays in SI: model.eval(*equilibrium.state)."""
        state = _core.state_at(self._model, self._values, self._parameters)
        return state.q, state.v

    def _rows(self):
        moving = {name: value for name, value in self.v.items() if value != 0}
        return [(self.kind, self.stability), ("at", _values({**self.q, **moving})),
                *([("family along", ", ".join(self.family))] if self.family else []),
                *([("eigenvalues", ", ".join(map(_eigenvalue, self.eigenvalues)))] if self.eigenvalues else []),
                *_reasons(self._document["undecided"], self.because)]


class Analysis(_Answer):
    """What can be said of a model without running it: model.analyze().

    dof (velocity, configuration), redundant and integrability as the command's --json has them, growth_vector, conserved
    {name: formula}, equilibria, left_out (coordinates that drop out), warnings.
    """

    def __init__(self, analysis, model, parameters):
        self._document = document = analysis.json
        self.warnings, self.searched = analysis.warnings, analysis.searched
        self.dof = Freedoms(document["dof"]["velocity"], document["dof"]["configuration"])
        self.rank, self.redundant = document["rank"], document["redundant"]
        self.integrability, self.left_out = document["integrability"], document["left_out"]
        self.growth_vector = tuple(self.integrability["growth"])
        self.conserved = {one["name"]: one["expression"] for one in document["conserved"]}
        self.equilibria = [Equilibrium(one, values, model, parameters) for one, values in zip(document["equilibria"], analysis.states)]

    def _rows(self):
        kind = self.integrability["kind"]
        rows = [("freedoms", f"{self.dof.velocity} of velocity, {self.dof.configuration} of configuration")]
        for one in self.redundant:
            sum_of = " + ".join(f"{_number(c)} {name}" for name, c in one["combination"].items()) or "0"
            but = "" if one["consistent"] else ", but no motion satisfies both"
            if one["consistent"] and one["consistent_nearby"] is False:
                but = ", but elsewhere they contradict each other"
            rows.append(("redundant", f"{one['row']} = {sum_of}{but}"))
        if kind != "none":
            found = self.integrability
            count = str(found["integrable"]) if found["complete"] else f"{found['integrable']} to {found['integrable_at_most']}"
            rows.append(("constraints", f"{kind}: {count} integrable, growth {self.growth_vector}"
                         + ("" if found["complete"] else ", not followed further")
                         + ("" if found["exact"] else ", by numbers at a random point")))
        rows += [("conserved", f"{name} = {formula}" if len(formula) < 2000 else name) for name, formula in self.conserved.items()]
        if self.left_out:
            rows.append(("left out", ", ".join(self.left_out)))
        if not self.searched:
            rows.append(("equilibria", "not looked for: the system depends on time"))
        for one in self.equilibria:
            rows += one._rows()
        return rows


class Linearization(_Answer):
    """z' = A z + B u, y = C z + D u of the constrained motion at a state, of model.linearize(): `A, B = linearization` or `A, B, C, D = linearization.abcd`.

    A, B, C, D are arrays, states, inputs and outputs the names of their rows and columns; eigenvalues, modes
    [(eigenvalue, {state: component})], stability (None where it is no steady motion), kind, at, family, because, left_out,
    warnings. A is that of the motion on its constraints: as many states as the motion has freedoms.
    """

    def __init__(self, linearization, model):
        self._linearization, self._document, self._model = linearization, linearization.json, model
        document = self._document
        self.A, self.B, self.C, self.D = linearization.A, linearization.B, linearization.C, linearization.D
        self.states, self.inputs, self.outputs = document["states"], document["inputs"], document["outputs"]
        self.eigenvalues = [complex(*z) for z in document["eigenvalues"]]
        self.modes = [(complex(*one["eigenvalue"]), {name: complex(*z) for name, z in one["shape"].items()}) for one in document["modes"]]
        self.kind, self.stability, self.at = document["kind"], document["stability"], document["at"]
        self.family, self.because, self.left_out = document["family"], document["zero"]["because"], document["left_out"]
        self.warnings = linearization.warnings

    def __iter__(self):
        return iter((self.A, self.B))

    @property
    def abcd(self) -> "tuple[_core._Array, ...]":
        """All four, in SI: A, B, C, D = linear.abcd."""
        return self.A, self.B, self.C, self.D

    def formulas(self) -> "dict[str, object]":
        """The Jacobian, its characteristic polynomial and the conditions of Routh and Hurwitz, as `--formulas --json` has them: linear.formulas()["J"]."""
        return self._linearization.formulas

    def _period(self, period):
        return None if period is None else float(self._model._in_si("t", period))

    def lqr(self, Q, R=1, *, period=None) -> "Control":
        """Gains K of u = -K z that have the least cost: `lqr(Q={"theta": 10, "x": 1}, R={"f": 0.1})`, numbers in order, a diagonal matrix, or one for all.

        Q may name states, coordinates, velocities and outputs. With `period`, in s, inputs are constant between samples.
        """
        return Control(self._linearization.control(f"Q = {_weights(Q)}; R = {_weights(R)}", None, self._period(period)))

    def kalman(self, Q, R, *, period=None) -> "Control":
        """Gains L of an estimator: Q is the intensity of noise of inputs and states, R that of the
        measured outputs, in SI: `linear.kalman(Q=1, R={"angle": 1e-4})`."""
        return Control(self._linearization.control(None, f"Q = {_weights(Q)}; R = {_weights(R)}", self._period(period)))

    def discrete(self, period) -> "tuple[_core._Array, _core._Array]":
        """A, B = linear.discrete(0.02): of z(t + period) = A z + B u, period in s, with inputs that are constant in between."""
        control = Control(self._linearization.control(None, None, self._period(period)))
        return control.A, control.B

    def vary(self, name, values) -> "Variation":
        """Eigenvalues as a parameter, a coordinate or a velocity takes these values, in SI, one after the other: linear.vary("g", [1, 2, 3])."""
        return Variation(self._linearization.vary(name, [float(value) for value in values]))

    def _rows(self):
        return [("linearised at", f"{self.kind}, {_values(self.at['q'])}"), ("states", ", ".join(self.states)),
                ("eigenvalues", ", ".join(map(_eigenvalue, self.eigenvalues))),
                ("stability", self.stability or "no verdict: this is neither an equilibrium nor a steady motion"),
                *_reasons(self._document.get("undecided"), self.because)]


def _weights(given):
    if isinstance(given, str):
        return given
    if isinstance(given, dict):
        return ", ".join(f"{name}:{float(value)!r}" for name, value in given.items())
    import numpy as np

    array = np.asarray(given, dtype=float)
    if array.ndim == 2 and array.shape[0] == array.shape[1] and not (array - np.diag(np.diag(array))).any():
        array = np.diag(array)
    if array.ndim > 1:
        raise ValueError("weights are numbers in order, or by name, or a diagonal matrix; a cost of two states together is that of an output: Q={\"tip\": 1}")
    return ", ".join(repr(value) for value in array.reshape(-1).tolist())


class Control(_Answer):
    """Gains in SI, of model.linearize().lqr(…): K (inputs × states, u = -K z) or L (states × measured outputs).

    Beside them the eigenvalues that they lead to (closed_loop, estimator), A and B of a sampled system (None without a period),
    unreached and unseen: what inputs cannot move, and what the measured outputs do not show, in words.
    """

    def __init__(self, document):
        import numpy as np

        self._document = document
        for name, of in {"K": "K", "L": "L", "A": "Ad", "B": "Bd"}.items():
            setattr(self, name, None if document.get(of) is None else np.array(document[of], dtype=float))
        for name in ("closed_loop", "estimator"):
            setattr(self, name, [complex(*z) for z in document[name] or []])
        for name in ("states", "inputs", "measured", "unreached", "unseen", "period"):
            setattr(self, name, document[name])

    def _rows(self):
        rows = [("states", ", ".join(self.states))]
        if self.K is not None:
            rows += [(f"K[{name}]", ", ".join(map(_number, row))) for name, row in zip(self.inputs, self.K)]
            rows.append(("closed loop", ", ".join(map(_eigenvalue, self.closed_loop))))
        if self.L is not None:
            rows += [(f"L[{name}]", ", ".join(map(_number, column))) for name, column in zip(self.measured, self.L.T)]
            rows.append(("estimator", ", ".join(map(_eigenvalue, self.estimator))))
        return rows + [("", text) for text in [*self.unreached, *self.unseen]]


class Variation(_Answer):
    """Eigenvalues (1/s) along a parameter, of model.linearize().vary("g", values): values, eigenvalues [value][number], stability by value, critical, stopped (why it ended
    before the last value)."""

    def __init__(self, document):
        import numpy as np

        self._document, self.name, self.stopped = document, document["name"], document["stopped"]
        self.values = np.array(document["values"], dtype=float)
        rows = [[complex(*z) for z in row] for row in document["eigenvalues"]]
        self.eigenvalues = np.array(rows, dtype=complex).reshape(len(rows), -1) if rows else np.empty((0, 0), dtype=complex)
        self.stability, self.critical = document["stability"], document["critical"]

    def _rows(self):
        rows = [(_number(value), f"{', '.join(map(_eigenvalue, z))}   {verdict or ''}")
                for value, z, verdict in zip(self.values, self.eigenvalues, self.stability)]
        rows = [(self.name, "eigenvalues (1/s)"), *(rows if len(rows) <= 20 else [*rows[:10], ("…", f"{len(rows) - 20} more"), *rows[-10:]])]
        rows += [("critical", f"{self.name} = {one['value']:.15g}: an eigenvalue becomes {one['becomes']}") for one in self.critical]
        return rows + ([("stopped", self.stopped)] if self.stopped else [])


class Gait(_Answer):
    """What a cycle of the shape moves a system by, of model.gait(), in SI: displacement and velocity by name, effort, period, frame, kind, sensitivity,
    connection, curvature, optimum (None unless it was asked for), warnings."""

    def __init__(self, document, warnings):
        self._document, self.warnings = document, warnings
        for name in ("displacement", "velocity", "effort", "period", "cycles", "cycle", "frame", "kind", "sensitivity", "connection",
                     "curvature", "momentum", "optimum"):
            setattr(self, name, document[name])

    def _rows(self):
        rows = [("cycle", ", ".join(f"{name} = {shape}" for name, shape in self.cycle.items())), ("period", f"{_number(self.period)} s"),
                ("in body axes" if self.frame == "body" else "displacement", _values(self.displacement)), ("effort", _number(self.effort))]
        if self.optimum:
            rows.append(("best", ", ".join(f"{name} = {shape}" for name, shape in self.optimum["cycle"].items())))
            rows.append(("per effort", f"{_number(self.optimum['distance_per_effort'])}, {_number(self.optimum['at_start'])} at the start"))
        return rows


class Cycle(_Answer):
    """A motion that repeats itself, of model.cycle(), in SI: found, reason, period, state (t, q, qd), residual, multipliers, uncertainty of these, stable (None:
    undecided), free (multipliers that are 1, and because of what), events."""

    def __init__(self, document):
        self._document = document
        for name in ("found", "reason", "period", "residual", "uncertainty", "stable", "free"):
            setattr(self, name, document[name])
        self.multipliers = [complex(*z) for z in document["multipliers"]]
        self.q, self.v = document["state"]["q"], document["state"]["qd"]
        self.events = document.get("events", [])

    @property
    def state(self) -> "tuple[dict[str, float], dict[str, float], float]":
        """(q, v, t) in SI, for simulate() and eval(): q, v, t = cycle.state."""
        return self.q, self.v, self._document["state"]["t"]

    def __bool__(self):
        return self.found

    def _rows(self):
        if not self.found:
            return [("no cycle", self.reason), ("nearest", f"after {_number(self.period)} s, to {_number(self.residual)}")]
        return [("period", f"{_number(self.period)} s"), ("state", _values(self.q)), ("multipliers", ", ".join(map(_eigenvalue, self.multipliers))),
                ("stable", {True: "yes", False: "no", None: "not decided"}[self.stable]),
                ("1 because of", ", ".join(one["because"] for one in self.free))]
