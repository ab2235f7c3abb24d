# SPDX-License-Identifier: Apache-2.0
"""Every public name says what it is, with an example, and with units where it has numbers of a quantity."""

import inspect
import re

import dalembert

# What has or takes numbers of quantities: its text says in which unit.
OF_QUANTITIES = {
    "Coordinate.dot", "Coordinate.ddot", "Film.seconds", "Film.duration", "Linearization.abcd", "Linearization.discrete", "Linearization.kalman",
    "Linearization.lqr", "Linearization.vary", "Equilibrium.state", "Cycle.state", "Peak.magnitude", "Peak.time", "Peak.vector", "Reaction.peak", "Reaction.t",
    "Reaction.unit", "Reaction.vector", "Functions", "FitResult", "Optimum", "Control", "Cycle", "Gait", "Variation",
    *(f"Run.{name}" for name in ("events", "final", "gradient", "peaks", "plot", "reaction", "save", "t", "to_dataframe", "to_dict", "to_xarray", "unit")),
    *(f"Stepper.{name}" for name in ("hold", "lam", "q", "qdd", "step", "step_to", "t", "until", "v")),
    *(f"Study.{name}" for name in ("error", "plot", "to_pandas")),
    *(f"Model.{name}" for name in (
        "actuation analyze animate body closed coincide consistent contact cycle damper dissipation distance dot draw energy eval export fit force frame friction "
        "gait gap generalized_force gravity holonomic impulse initial integral kinetic lagrangian linearize multiplier multipliers no_skid no_slip optimize output "
        "parameter parameter_values pfaffian plot point potential power prescribe quasi_velocity report rhs rim simulate simulate_many spline spring stepper "
        "sweep t torque event").split()),
    *(name for name in ("sin cos tan asin acos atan atan2 sinh cosh tanh erf exp log sqrt sign floor abs hypot mod minimum maximum if_").split()),
}
FILES = {"csv", "fmu", "html", "json", "nc", "pdf", "png", "svg", "toml"}
UNIT = re.compile(r"\b(SI|units?|rad|degrees|N|J|W|kg|m|s|1/s|m/s|N/m|N\*m|N\*s)\b")


def public():
    """(name, object) of everything that a user sees."""
    for name in dalembert.__all__:
        one = getattr(dalembert, name)
        if isinstance(one, str):
            continue
        yield name, one
        if inspect.isclass(one):
            for ancestor in one.__mro__:
                if ancestor.__module__.startswith("dalembert"):
                    yield from ((f"{name}.{member}", value) for member, value in vars(ancestor).items() if not member.startswith("_"))


def texts():
    return {name: inspect.cleandoc(getattr(one, "__doc__", None) or "") for name, one in public()}


def test_each_has_a_text():
    all_texts = texts()
    assert len(all_texts) > 200
    assert [name for name, text in all_texts.items() if len(text) < 8] == []


def test_each_has_an_example():
    """The name as it is typed: `model.simulate(`, `run.t`, `run["theta"]`; of classes what makes one, or what one does with one."""
    missing = []
    for name, text in texts().items():
        short = name.rsplit(".", 1)[-1]
        typed = rf"\b{re.escape(short)}\(|\.{re.escape(short)}\b|\b[A-Za-z_]\w*\.[A-Za-z_]|\w+\["
        if not re.search(typed, text) and not name.startswith("Diagnostic."):
            missing.append(name)
    assert missing == []


def test_numbers_have_units():
    all_texts = texts()
    assert OF_QUANTITIES - set(all_texts) == set()
    assert sorted(name for name in OF_QUANTITIES if not UNIT.search(all_texts[name])) == []


def test_what_texts_show_is_there():
    """A method that a text shows exists: model.x(, run.x( and the like."""
    kinds = {"model": dalembert.Model, "run": dalembert.Run, "study": dalembert.Study, "stepper": dalembert.Stepper, "linear": dalembert.Linearization,
             "force": dalembert.Reaction, "film": dalembert.Film, "picture": dalembert.Picture, "dalembert": dalembert}
    wrong = []
    for name, text in texts().items():
        for owner, method in re.findall(r"\b(" + "|".join(kinds) + r")\.(\w+)", text):
            if not hasattr(kinds[owner], method) and method not in FILES:
                wrong.append((name, f"{owner}.{method}"))
    assert wrong == []
