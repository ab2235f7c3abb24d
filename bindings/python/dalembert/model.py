# SPDX-License-Identifier: Apache-2.0
"""Models: loaded, or stated with operators."""

import os
from collections import namedtuple

from . import _core, model_file
from .equations import Equations
from .fit import FitResult
from .fit import fit as _fit
from .functions import Functions
from .pictures import Film, Picture, Report, _range, _write
from .run import Interrupted, Run
from .studies import Analysis, Audit, Cycle, Equilibrium, Gait, Linearization
from .optimize import Optimum
from .optimize import optimize as _optimize
from .sweep import Study
from .sweep import sweep as _sweep
from .statements import Statements, _words
from .stepper import Inputs, Stepper

# Settings of a run that are numbers above 0.
_ABOVE_ZERO = ("rtol", "atol", "every", "max_step", "max_steps")


def _without_signatures(what, problem, arguments):
    """A TypeError of the bindings in words of Python: their own lists the types of C++."""
    import re

    signature = re.search(r"\(self: [^,)]*,? ?(.*)\) -> ", str(problem))
    if "incompatible function arguments" not in str(problem) or not signature:
        return str(problem)
    wanted = re.sub(r"\b\w+\._core\.", "", signature.group(1))
    return f"{what}() takes ({wanted}), not ({', '.join(map(repr, arguments))})"


_MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


def models() -> list[str]:
    """The names of the models that ship with dalembert: dalembert.models()."""
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
    return _warned(Model(_core=core, _origin=(core.text, settings, path, os.path.dirname(path), allow_files)))


def parse(text: str, *, allow_files: bool = False, **overrides: object) -> "Model":
    """dalembert.parse(text, m="2 kg"): a model from the text of a model file.

    Its other files are in the current folder or below it, or anywhere with allow_files=True.
    """
    return _warned(_parsed(text, [f"{name}={value}" for name, value in overrides.items()], "<model>", "", allow_files))


def _warned(model):
    """The model, after warnings of what is doubtful in its file."""
    model_file.warn(model, model._model.loaded_with)
    return model


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


class Model(Statements):
    """What a user states: dalembert.Model("mine"), or of a file dalembert.load("mine.toml"). It stays as it is once its equations were looked at.

    Expressions are made with operators and with dalembert.sin and the like; each statement that is wrong raises
    ModelError with the line of the script.
    """

    def __init__(self, name="model", *, _core=None, _origin=None):
        from . import _core as core

        for attribute, value in (("_model", core.Model(name) if _core is None else _core), ("_system", None), ("_origin", _origin),
                                 ("_statements", []), ("_places", []), ("_named", {}), ("_wrong", False), ("_warned", {}),
                                 ("_doubts", {})):
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
        except TypeError as problem:
            raise TypeError(_without_signatures(what, problem, arguments)) from None
        self._statements.append((what, _kept(arguments)))
        self._places.append(core.here)
        if isinstance(made, (_core.Point, _core.Frame, _core.Body)):
            self._named[type(made).__name__, made.name] = made
        return made

    # --- what was stated

    @property
    def name(self) -> str:
        """Of the model: model.name."""
        return self._model.name

    @property
    def description(self) -> str:
        """Text of its file: model.description."""
        return self._model.description

    @property
    def coordinate_names(self) -> "list[str]":
        """In the order of all matrices: model.coordinate_names."""
        return self._model.coordinate_names

    @property
    def parameter_values(self) -> "dict[str, float]":
        """{name: value} in SI: model.parameter_values["m"]."""
        return self._model.parameter_values

    @property
    def constraint_names(self) -> "list[str]":
        """Of all rows, in the order of the model: model.constraint_names."""
        return self._model.row_names

    @property
    def t(self) -> "_core.Expr":
        """Time in s, for expressions: dalembert.sin(2*model.t)."""
        return self._model.t

    def __getitem__(self, name):
        """The coordinate, parameter or input of that name, for expressions."""
        found = self._model.symbol(name)
        if found is None:
            raise KeyError(f"`{self.name}` has no `{name}`")
        return found

    def _ipython_key_completions_(self):
        return self._model.symbol_names

    # --- equations

    @property
    def equations(self) -> Equations:
        """Typeset in a notebook, as text when printed: model.equations["M[theta,phi]"], model.equations.only("lambda")."""
        return Equations(self._model, (), self)

    @property
    def multipliers(self) -> "list[dict[str, object]]":
        """[{row, unit, words}]: what each multiplier is, and its unit: model.multipliers[0]["words"]."""
        return _core.multipliers(self._model)

    def audit(self, against=None, map=None) -> "Audit":
        """Decides the model's claims, model.audit(), or whether another model says the same, model.audit(against=other).

        `map` states coordinates of the other model as formulas of this one's: map={"x": "x_c - b*cos(theta)"}.
        """
        if against is None:
            if map is not None:
                raise TypeError("a map is for a comparison: model.audit(against=other, map={...})")
            return Audit(_core.audit(self._model))
        return Audit(_core.audit_against(self._model, against._model, dict(map or {})))

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
        given = {}
        for name, value in settings.items():
            if value is None:
                continue
            if name in ("until", "every", "max_step"):
                value = self._in_si("t", value)
            if name == "until" and not hasattr(value, "__float__"):
                raise TypeError(f"`t` must be a number, not {value!r}")
            if name in _ABOVE_ZERO and isinstance(value, (int, float)) and not value > 0:
                raise ValueError(f"{name}= takes a number above 0, not {value!r}")
            given[name] = value
        return given

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
        """Freedoms, redundant rows, integrability, what is conserved, equilibria and whether they are stable: model.analyze().equilibria[0].

        The rank is that at the model's own start, or at `at` (see linearize). Numbers are in SI, eigenvalues in 1/s.
        """
        parameters = self._all_in_si(params)
        return Analysis(_core.analyze(self._model, self._at(at), parameters), self._model, parameters)

    def linearize(self, at=None, *, settle=False, params=None) -> "Linearization | list[Linearization]":
        """A, B, C, D, eigenvalues (1/s), modes and stability of the motion on its constraints: model.linearize(at={"theta": 1.0, "theta'": 0.0}).

        at: an equilibrium of analyze(), (q, v), a dict (held, in SI; the rest is found) or a file STATE.json; the model's own start without. `settle` goes to
        the nearest equilibrium or steady motion first. Of a list of equilibria it is a list.
        """
        if isinstance(at, list) and all(isinstance(one, Equilibrium) for one in at):
            return [self.linearize(one, settle=settle, params=params) for one in at]
        return Linearization(_core.linearize(self._model, self._at(at), self._all_in_si(params), settle), self)

    def gait(self, cycle=None, *, period=None, cycles=1, harmonics=1, optimize=False, params=None) -> "Gait":
        """What a cycle of the shape moves the rest by: model.gait("alpha=0.3*sin(t), beta=0.3*cos(t)"), model.gait({"alpha": "0.3*sin(t)"}) or what the model
        prescribes. `period` in s; displacements are in the units of the coordinates.
        """
        if isinstance(cycle, dict):
            cycle = ", ".join(f"{name}={value}" for name, value in cycle.items())
        model = self._model if cycle is None else self._copy()._model
        return Gait(*_core.gait(model, cycle, self._all_in_si(params), self._in_si("t", period), cycles, harmonics, optimize))

    def cycle(self, *, section="", period=None, turns=1, at=None, until=None, params=None) -> "Cycle":
        """A motion that repeats itself, near the model's own start or a state (see linearize): model.cycle(section="heel").period, in s.

        section: an event, or a contact whose impact, brings the state back; period: of models that depend on time.
        """
        return Cycle(_core.cycle(self._model, self._at(at), self._all_in_si(params), section, self._in_si("t", period), turns, self._in_si("t", until)))

    # --- pictures and pages

    def draw(self, at=None, *, forces=False, view=None, params=None) -> "Picture":
        """A picture at the model's own start or at a state (see linearize): model.draw(at={"theta": 1.0}, forces=True). `view`: two angles of the camera, in
        degrees.
        """
        return Picture(_core.draw(self._model, self._at(at), self._all_in_si(params), forces, view))

    def plot(self, phase=None, *, at=None, x_range=None, y_range=None, params=None, degrees=False) -> "Picture":
        """The phase plane of a motion with two states: plot(phase="theta,theta'"). Curves are drawn of runs: run.plot().

        Ranges are (from, to) in SI, with `degrees` angles in degrees.
        """
        phase = ",".join(phase) if isinstance(phase, (list, tuple)) else phase
        return Picture(_core.phase_plane(self._model, self._at(at), self._all_in_si(params), phase,
                                         _range("x_range", x_range), _range("y_range", y_range), degrees))

    def animate(self, q=None, v=None, t=None, *, fps=25, seconds=None, forces=False, view=None, **settings) -> "Film":
        """A film of a run to time `t`, in s: model.animate(t=5.0).save("film.svg"); settings are those of simulate()."""
        return self._film_run(q, v, t, **settings).animate(fps=fps, seconds=seconds, forces=forces, view=view)

    def _film_run(self, q, v, t, **settings):
        return self._run(q, v, t, for_report=True, **settings)

    def report(self, path=None, run=None, *, t=None, params=None) -> "Report":
        """A page that explains the model and a run of it: model.report("page.html"); without `run` one to time `t`, in s. Saved where there is a path."""
        run = run if run is not None else self._film_run(None, None, t, params=params)
        page = run._report(f"dalembert.load(…).report(…)  # {self.name}", False)
        if path is not None:
            page.save(path)
        return page

    def export(self, to, path=".", *, only=(), precision="double") -> "list[str]":
        """Writes the model as code that needs nothing of this library: model.export("c", "folder"), "c++", "python", "matlab", "js", or "latex"; or as an FMU,
        model.export("fmu", "crank.fmu"). Returns the paths; the folder is made where there is none. All numbers of such code are in SI. `only`: the functions of
        the code that are wanted, only="accelerations". precision="single": C and C++ compute with `float`.
        """
        if to == "fmu" and not only and precision == "double":
            from .fmu import write_fmu  # which takes modules that only this needs

            return [write_fmu(self._model, path)]
        files = _core.export(self._model, to, _words(only), precision)
        os.makedirs(path, exist_ok=True)
        paths = [os.path.join(path, name) for name, _ in files]
        for place, (_, text) in zip(paths, files):
            _write(place, text)
        return paths

    # --- numbers

    def compile(self, names="qdd lambda", *, lanes="auto", params=None) -> "Functions":
        """f = model.compile("qdd lambda M W"); f.qdd(q, v), f.lam(q, v), f.M(q, v) … of arrays.

        `lambda`, a word of Python's own, is the attribute `lam`, and "lam" says the same here; "A" is an old name of W. `params`: values of parameters
        for all calls. How many states are computed side by side is the machine's affair: lanes="auto".
        """
        if lanes != "auto":
            raise ValueError(f"lanes={lanes!r}: they are chosen for the machine, lanes='auto'")
        return Functions(self._model, ["lam" if name == "lambda" else name for name in _words(names)], self._all_in_si(params))

    def rhs(self, *, params=None) -> "_core.RightHandSide":
        """y' = rhs(t, y) of y = (q, v) in SI: solve_ivp(model.rhs(), (0, 2), y); rhs.jac is its Jacobian. It does not keep the constraints to round-off, as
        simulate() does.
        """
        return _core.RightHandSide(self._model, self._all_in_si(params))

    def _numbers(self):
        if self._system is None:
            object.__setattr__(self, "_system", _core.System(self._model))
        return self._system

    def consistent(self, v=None, *, q=None, guess=None, v_guess=None, t=None, params=None, **coordinates) -> "tuple[_core._Array, _core._Array]":
        """q, v = model.consistent(theta=0.3, v={"x": 1.0}): a state on the constraints, in SI, as near as may be to the model's own start.

        Named values are held exactly, positions as q={"theta": 0.3} or theta=0.3, velocities as v={"theta": 1.0}; guesses may move. Where there is no such
        state, ModelError says which constraint cannot hold.
        """
        state = self._numbers().start(self._all_in_si({**(q or {}), **coordinates}), self._all_in_si(v, True), self._all_in_si(guess),
                                      self._all_in_si(v_guess, True), self._in_si("t", t), self._all_in_si(params))
        return state.q, state.v

    def eval(self, q=None, v=None, t=0.0, params=None) -> "dict[str, object]":
        """Every term at one state, in SI, as `eval --json` prints it: model.eval(q, v)["lambda"]; at the model's own start without arguments."""
        system, parameters = self._numbers(), self._all_in_si(params)
        return system.terms(self._start(system, q, v, t, parameters), parameters)

    def simulate(self, q=None, v=None, t=None, *, start=0.0, params=None, rtol=None, atol=None, method=None, formulation=None,
                 every=None, times=None, max_step=None, max_steps=None, cross_check=False, sensitivity=(), gradient_of=(),
                 inputs=None, sample_time=None) -> "Run":
        """run = model.simulate(t=10.0, rtol=1e-10): a run to time `t`, in s, from (q, v), which consistent() returned, or from the model's own start.

        `inputs={"f": 1.0}` holds an input; `inputs={"f": (times, values)}` is linear between samples; `inputs={"tau": lambda t, state: -k*state["theta"]}` is
        computed each `sample_time` and held in between (the run ends a step there; state is a Stepper). A row at such an instant has the value
        that was held until then.

        What is not named is the model's own setting. `sensitivity=["k", "theta"]`: derivatives of the run by parameters and initial values
        of the model, as series "sens/k/q/theta". `gradient_of=["G", "integral(x^2)"]`: run.gradient["G"], the derivatives by every parameter and held
        initial value of the last value of output G, or of a formula as `sweep` measures, by the adjoint of the run where there is one. Both from the model's own start only. Ctrl-C raises Interrupted, which has the run so far.
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
            given = Inputs(inputs, self._in_si("t", sample_time))
            stepper = self._stepper(_core.with_samples(self._model, given.sampled) if given.sampled else self._numbers(), q, v, start, params,
                                    self._settings(until=t, rtol=rtol, atol=atol, method=method, formulation=formulation, every=every,
                                                   max_step=max_step, max_steps=max_steps))
            return given.simulate(stepper)
        if sample_time is not None:
            raise TypeError("sample_time= goes with inputs= that are functions")
        return self._run(q, v, t, start=start, params=params, times=times, cross_check=cross_check, sensitivity=sensitivity,
                         gradient_of=gradient_of, rtol=rtol, atol=atol,
                         method=method, formulation=formulation, every=every, max_step=max_step, max_steps=max_steps)

    def stepper(self, q=None, v=None, t=None, *, start=0.0, params=None, rtol=None, atol=None, method=None, formulation=None, every=None,
                max_step=None, max_steps=None) -> Stepper:
        """A run that is made step by step, to time `t` in s: stepper = model.stepper(t=10.0); stepper.hold(tau=0.5), stepper.step(0.01), stepper["theta"],
        stepper.finish().
        """
        return self._stepper(self._numbers(), q, v, start, params,
                             self._settings(until=t, rtol=rtol, atol=atol, method=method, formulation=formulation, every=every, max_step=max_step,
                                            max_steps=max_steps))

    def _warn_of_start(self, q, parameters):
        """Warns of what is doubtful about a run from the model's own start (`q` is None). It takes longer than short runs, so of runs that replace the same
        parameters only the first is looked at.
        """
        if q is not None:
            return
        replaced = frozenset(parameters)
        if replaced not in self._doubts:
            self._doubts[replaced] = self._numbers().doubts(parameters)
        model_file.warn(self, self._doubts[replaced])

    def _stepper(self, system, q, v, start, params, settings):
        parameters = self._all_in_si(params)
        self._warn_of_start(q, parameters)
        state = self._start(system, q, v, start, parameters)
        model_file.warn(self, system.doubts_of_run(state.t, settings))
        return Stepper(_core.Stepper(system, state, settings, parameters), self, parameters)

    def _start(self, system, q, v, t, parameters):
        if (q is None) != (v is None):
            raise TypeError("a start is q and v together; consistent() completes one from the other; the end of a run is t=")
        for name, values in (("q", q), ("v", v)):
            if isinstance(values, dict):
                raise TypeError(f"{name} is a sequence of numbers, in the order of the model; from numbers by name "
                                "q, v = model.consistent(theta=1.05, v={\"theta\": 4.0}), which completes them")
            if values is not None and not hasattr(values, "__len__"):
                raise TypeError(f"{name} is a sequence of numbers, one for each {'coordinate' if name == 'q' else 'velocity'}, not {values!r}; "
                                "the end of a run is t=")
        if q is None:
            return system.start({}, {}, {}, {}, None, parameters)
        if any(isinstance(one, str) for one in (*q, *v)):
            q = [self._in_si(name, one) for name, one in zip(system.coordinate_names, q, strict=True)]
            v = [self._in_si(name, one) for name, one in zip(system.rate_names, v, strict=True)]
        return _core.State(float(self._in_si("t", t)), q, v, system.nq, system.nv)

    def simulate_many(self, starts=None, params=None, t=None, *, start=0.0, rtol=None, atol=None, method=None, formulation=None, every=None,
                      max_step=None, max_steps=None, threads=None) -> "list[Run]":
        """runs = model.simulate_many(params=[{"m": 1.0}, {"m": 2.0}], t=1.0): from several starts [(q, v), …], or with several parameters, in SI,
        or both, one for one, by threads (one for each processor).

        A run for which there is no start has failed, with its reason. sweep() is for numbers of many runs instead of the runs.
        """
        if starts is None and params is None:
            raise TypeError("simulate_many() takes starts, params, or both")
        count = len(starts if starts is not None else params)
        if params is not None and len(params) != count:
            raise ValueError(f"{count} starts and {len(params)} dicts of parameters")
        system = self._numbers()
        if starts is None:
            self._warn_of_start(None, {})
        states = [None] * count if starts is None else [self._start(system, q, v, start, {}) for q, v in starts]
        parameters = [self._all_in_si(one) for one in params] if params is not None else [{}] * count
        settings = self._settings(until=t, rtol=rtol, atol=atol, method=method, formulation=formulation, every=every, max_step=max_step,
                                  max_steps=max_steps)
        runs = system.simulate_many(states, parameters, settings, threads or 0)
        return [Run(run, self, one) for run, one in zip(runs, parameters)]

    def sweep(self, vary=None, *, sample=None, runs=None, seed=None, sampling=None, rows=None, measure=None, t=None, params=None,
              rtol=None, atol=None, method=None, formulation=None, max_step=None, max_steps=None, threads=None, output=None,
              restart=False, executor=None, client=None, shards=None, **quantities) -> Study:
        """Many runs with other parameters and initial values, and a row of numbers for each, as `dalembert sweep` makes them:
        model.sweep(L=(0.1, 0.3, 21), measure={"end": "final(x)"}), in SI.

        Quantities by keyword or in `vary`: L1=(0.1, 0.3, 21) from, to and number, L1=[0.1, 0.2], L1="10 cm : 30 cm : 21", theta_dot=[1, 2];
        `sample={"k": "normal(20, 2)"}` with `runs`, `seed` and `sampling` ("random", "lhs", "sobol"); or `rows`, a DataFrame or a dict of
        columns. `measure={"peak": "max(abs(lambda(pin)))"}`. What is not given comes from the model's [study].

        Threads share the runs (one for each processor). With `output="study.csv"`, or "study.nc" for NetCDF, rows are on disk as they are made, and the same call goes on
        after a crash. `executor`: anything with submit(), such as a concurrent.futures.ProcessPoolExecutor or a dask.distributed.Client (also as `client`, the word of Dask),
        which makes `shards` parts. The rows are the same in every case.
        """
        if executor is not None and client is not None:
            raise TypeError("executor= and client= are two words for the same: give one")
        executor = client if executor is None else executor
        settings = self._settings(until=t, rtol=rtol, atol=atol, method=method, formulation=formulation, max_step=max_step,
                                  max_steps=max_steps)
        count = shards or (1 if executor is None else 16)
        how = {"threads": threads or (0 if executor is None else 1), "shard": 1, "shards": count if executor is not None else 1,
               "output": "" if output is None else os.fspath(output), "restart": restart}
        return _sweep(self, vary, sample, rows, runs, seed, sampling, measure, settings, self._all_in_si(params), how, executor, quantities)

    def fit(self, data, *, free, measure, bounds=None, prior=None, sigma=None, per_file=(), offset=False, start=None, starts=1, seed=0,
            max_iterations=200, rtol=None, atol=None, method=None, formulation=None, max_step=None, max_steps=None, threads=None) -> FitResult:
        """The parameters and initial values `free` with which runs come nearest to measurements, as `dalembert fit` finds them:
        model.fit("run.csv", free=["k"], measure={"x": "x"}).

        `data` is the path of a CSV file, a dict of arrays or a DataFrame, with a column "time"; or a list of these, each of which is a run of its own. Columns may
        have units, "angle [deg]"; nan is no sample. `measure={"angle": "theta"}` says what columns measure. `bounds={"k": (0, None)}` or "0 N/m : 10 N/m",
        `prior={"k": (20, 2)}` (mean and standard deviation) or "lognormal(20 N/m, 0.1)", `sigma={"angle": 0.01}` or the name of a column; without it the
        residuals tell. `per_file`: what has a value for each file; `offset`: the clock of each file is shifted by an unknown. The search begins at the values of the
        model, or at `start={"k": 30}`, all in SI; with `starts=8` seven others begin at points in the bounds, or as priors have them, which `seed` chooses: `starts` of
        the result are all, and `minimum` tells which ended alike. Ctrl-C raises Interrupted, whose `run` is the best result so far.
        """
        settings = self._settings(rtol=rtol, atol=atol, method=method, formulation=formulation, max_step=max_step, max_steps=max_steps)
        return _fit(self, data, free, measure, bounds, prior, sigma, per_file, offset, self._all_in_si(start), max_iterations, settings, starts,
                    seed, threads)

    def optimize(self, minimize=None, free=None, *, maximize=None, subject_to=(), starts=8, seed=0, max_points=300, t=None, params=None,
                 rtol=None, atol=None, method=None, formulation=None, max_step=None, max_steps=None, threads=None) -> Optimum:
        """Values of parameters and initial values for which a measure of the run is least or greatest, as `dalembert optimize` finds them:
        model.optimize(minimize="max(x)", free={"k": (10, 30)}), bounds in SI or with units.

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
        self._warn_of_start(q, parameters)
        wanted = self._settings(until=t, **settings, for_report=True if for_report else None)
        listed = lambda names: [names] if isinstance(names, str) else list(names)
        state = self._start(system, q, v, start, parameters)
        model_file.warn(self, system.doubts_of_run(state.t, wanted))
        if times is not None:
            times = [self._in_si("t", one) for one in times]
        run = Run(system.simulate(state, wanted, times, parameters, cross_check,
                                  listed(sensitivity), listed(gradient_of)), self, parameters)
        if run.reason.startswith("interrupted"):
            raise Interrupted(run)
        return run

    # --- as a value

    def save(self, path) -> None:
        """Writes the model file that says the same, and beside it a table of samples for each spline: model.save("mine.toml"); of a loaded model its text, with
        what load() set.
        """
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
        """In notebooks: freedoms, the picture, and the equations, typeset; each as text or SVG too, which is what LaTeX takes."""
        from IPython.display import Latex, display

        display({"text/html": self._title_html(), "text/plain": f"{self.name} {self._freedoms()}".rstrip()}, raw=True)
        if picture := self._picture():
            display(picture)
        display(Latex(self.equations._repr_latex_()))

    def _repr_html_(self):
        """Freedoms and a picture where there is one, above the equations."""
        picture = self._picture()
        return self._title_html() + (picture._repr_html_() if picture else "") + self.equations._html()

    def _picture(self):
        try:
            return self.draw()
        except _core.ModelError:
            return None  # nothing to draw, or no start

    def _freedoms(self):
        try:
            return self._numbers().freedoms
        except _core.ModelError:
            return ""

    def _title_html(self):
        import html

        return f"<div><b>{html.escape(self.name)}</b> {html.escape(self._freedoms())}</div>"
