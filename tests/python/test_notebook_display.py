# SPDX-License-Identifier: Apache-2.0
"""What notebooks show: pictures as nbconvert passes them on, and the keys that IPython completes."""

import base64
import re
import xml.etree.ElementTree as ElementTree

import pytest

import dalembert


@pytest.fixture(scope="module")
def shown():
    """What has a picture, by name."""
    model = dalembert.load("slider-crank")
    run = model.simulate(t=0.5)
    study = model.sweep(L1=[0.1, 0.15], measure={"x": "final(x)"}, t=0.1)
    spring = dalembert.load("mass-spring")
    data = spring.simulate(t=1.0, every=0.1, params={"k": spring.parameter_values["k"]*1.1})
    try:
        fit = spring.fit({"time": data.t, "x": data["x"]}, free="k", measure={"x": "x"})
    except dalembert.ModelError as problem:  # built without a solver
        assert problem.diagnostics[0].code == "E0433"
        fit = None
    every = {"figure": run.plot("theta"), "picture": model.draw(), "film": run.animate(seconds=0.5), "run": run, "model": model, "study": study,
             "measure": study.plot(), "fit": fit, "curves of a fit": fit and fit.plot()}
    return {name: one for name, one in every.items() if one is not None}


def images(text):
    return re.findall(r'<img [^>]*src="data:image/svg\+xml;base64,([^"]*)"', text)


def test_pictures_are_images_of_their_own(shown):
    for name, one in shown.items():
        html = one._repr_html_()
        assert "<svg" not in html, name
        assert images(html), name
        for code in images(html):
            assert ElementTree.fromstring(base64.b64decode(code)).tag.endswith("svg"), name


def test_columns_stay_columns(shown):
    """JupyterLab 4 states `.jp-OutputArea-output pre { font-family: inherit }`, nbconvert 7 in its pages too: only what an element names itself is above that."""
    found = [element for name in ("run", "fit") if name in shown for element in re.findall(r"<pre[^>]*>", shown[name]._repr_html_())]
    assert found and all("font-family: monospace" in element for element in found), found


def test_a_run_without_a_scene_shows_curves():
    """Nothing of it can be drawn: its model has formulas of energies alone."""
    model = dalembert.Model("formulas")
    x, = model.coordinates("x", units="m")
    m, k = model.parameters(m="1 kg", k="4 N/m")
    model.kinetic, model.potential = m/2*x.dot**2, k/2*x**2
    model.initial(x=0.1)
    with pytest.raises(dalembert.ModelError):
        model.draw()
    shown = model.simulate(t=1.0)._repr_html_()
    assert "<img" in shown and "verdict: holds" in shown


def test_nbconvert_passes_them_on(shown):
    """Oracle: nbconvert itself, of Debian. Each picture is in the page, whole, and none is pasted into it."""
    nbconvert, nbformat = pytest.importorskip("nbconvert"), pytest.importorskip("nbformat")
    formatters = pytest.importorskip("IPython.core.formatters")
    formatter = formatters.DisplayFormatter()
    cells = []
    for name, one in shown.items():
        if name == "model":  # displays itself, in a running notebook
            data = {"text/html": one._repr_html_()}
        else:
            data, _ = formatter.format(one)
        output = nbformat.v4.new_output("execute_result", data=data, execution_count=1)
        cells.append(nbformat.v4.new_code_cell(name, outputs=[output], execution_count=1))
    page, _ = nbconvert.HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=cells))
    expected = [code for one in shown.values() for code in images(one._repr_html_())]
    assert images(page) == expected and len(expected) >= len(shown)
    assert not re.search(r"<svg[^>]*>\s*<title>", page)


def test_a_model_is_shown_to_those_that_take_no_html(shown, monkeypatch):
    """LaTeX, by nbconvert: it takes text and SVG. Oracle: IPython's formatter of what is displayed; it had `<IPython.core.display.HTML object>`."""
    display = pytest.importorskip("IPython.display")
    format_of = pytest.importorskip("IPython.core.formatters").DisplayFormatter().format
    seen = []
    monkeypatch.setattr(display, "display", lambda *things, raw=False: seen.extend(one if raw else format_of(one)[0] for one in things))
    shown["model"]._ipython_display_()
    title, picture, equations = seen
    assert title["text/plain"] == "slider-crank 3 velocities - rank 2 = 1 freedom" and title["text/plain"].split(" ", 1)[1] in title["text/html"]
    assert "<svg" in picture["image/svg+xml"] and images(picture["text/html"])
    assert r"\mathbf" in equations["text/latex"]
    assert not any("object>" in one["text/plain"] for one in (title, picture))


def test_keys_that_ipython_completes(shown):
    run, model, study = shown["run"], shown["model"], shown["study"]
    keys = run._ipython_key_completions_()
    assert {"time", "q/theta", "theta", "theta'", "theta''", "lambda/pin[1]", "pin[1]"} <= set(keys)
    for key in keys:
        assert len(run[key]) == len(run)
    assert {"theta", "phi", "x", "L1", "m3", "tau", "f"} <= set(model._ipython_key_completions_())
    for key in model._ipython_key_completions_():
        model[key]
    assert {"index", "L1", "x", "holds"} <= set(study._ipython_key_completions_())
    entries = model.equations._ipython_key_completions_()
    assert {"M[theta,phi]", "W[pin[1],x]", "eom[x]", "T"} <= set(entries)
    for entry in entries:
        try:
            model.equations[entry]
        except dalembert.ModelError as problem:  # too long a formula, but an entry
            assert problem.diagnostics[0].code == "E0231"
    stepper = model.stepper(t=0.1)
    for key in stepper._ipython_key_completions_():
        float(stepper[key])
    if "fit" in shown:
        assert shown["fit"]._ipython_key_completions_() == ["k"]


def test_ipython_itself_completes_them(shown):
    """Oracle: IPython's completer."""
    completer = pytest.importorskip("IPython.core.completer")
    found = completer.IPCompleter(namespace={"run": shown["run"], "model": shown["model"]}, use_jedi=False)
    with completer.provisionalcompleter():
        for typed, key in (('run["lambda/p', "lambda/pin[1]"), ('model["m', "m3")):
            assert any(key in one.text for one in found.completions(typed, len(typed)))


def test_one_name_a_thing(shown):
    """`lambda` in texts, `lam` as an attribute."""
    model = shown["model"]
    f = model.compile("qdd lambda M W")
    q, v = model.consistent()
    assert f.lam(q, v) == pytest.approx(list(model.eval(q, v)["lambda"].values()))
    assert f.lam(q, v) == pytest.approx(model.compile("lam").lam(q, v))
    assert (f.W(q, v) == model.compile("A").A(q, v)).all()
    assert "A" not in dir(f) and {"qdd", "lam", "M", "W"} <= set(dir(f))
