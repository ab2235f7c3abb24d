# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays: the numbers of eval, over leading axes; garbage is refused."""

import threading

import numpy as np
import pytest

import dalembert

PARTS = "qdd lam M B G F W a gamma T V"


def states(model, count, seed=3):
    """Consistent states near the start."""
    random = np.random.default_rng(seed)
    q, v = model.consistent()
    names = model.coordinate_names
    found = [(q, v)]
    while len(found) < count:
        guess = dict(zip(names, q + random.uniform(-0.1, 0.1, len(q))))
        try:
            found.append(model.consistent(guess=guess, v_guess=dict(zip(names, v + random.uniform(-1, 1, len(v))))))
        except dalembert.ModelError:
            continue
    return tuple(np.array(x) for x in zip(*found))


@pytest.mark.parametrize("name", ["slider-crank", "chaplygin-sleigh", "four-bar", "double-pendulum", "rolling-disk"])
def test_values_are_those_of_eval(name):
    # Oracle: terms at one state by the interpreter, which `eval` prints; here 19 states, 2 whole lanes and 3 more.
    model = dalembert.load(name)
    f = model.compile(PARTS)
    q, v = states(model, 19)
    for k in range(0, 19, 6):
        one = model.eval(q[k], v[k])
        lists = {"qdd": list(one["qdd"].values()), "lam": list(one["lambda"].values()), "T": one["energy"]["kinetic"],
                 "V": one["energy"]["potential"], **{part: one[part] for part in ("M", "B", "G", "F", "W", "a", "gamma")}}
        for part, expected in lists.items():
            function = getattr(f, part)
            expected = np.reshape(expected, function(q[k], v[k]).shape)
            np.testing.assert_allclose(function(q, v)[k], expected, rtol=1e-12, atol=1e-12, err_msg=part)
            np.testing.assert_allclose(function(q[k], v[k]), expected, rtol=1e-12, atol=1e-12, err_msg=part)


def test_leading_axes_broadcast():
    model = dalembert.load("slider-crank")
    f = model.compile("qdd M")
    q, v = states(model, 6)
    all_pairs = f.qdd(q[:, None, :], v[None, :, :])
    assert all_pairs.shape == (6, 6, 3) and f.M(q.reshape(2, 3, 3), v.reshape(2, 3, 3)).shape == (2, 3, 3, 3)
    np.testing.assert_allclose(all_pairs[2, 4], f.qdd(q[2], v[4]), rtol=1e-13)
    np.testing.assert_allclose(f.qdd(q[::2], v[::2]), f.qdd(q, v)[::2], rtol=1e-13)  # not contiguous
    np.testing.assert_allclose(f.qdd(q.tolist(), v.tolist()), f.qdd(q, v), rtol=1e-13)
    assert f.qdd(np.empty((0, 3)), np.empty((0, 3))).shape == (0, 3)


def test_time_and_parameters():
    # x'' = A sin(w t)/m
    model = dalembert.parse("""
coordinates = ["x"]
[parameters]
m = 2
A = 3
[inputs]
u = "A*sin(5*t)"
[energy]
kinetic = "m/2*x'^2"
[[force]]
coordinate = "x"
value = "u"
""")
    f = model.compile("qdd")
    t = np.linspace(0, 1, 21)
    zero = np.zeros((21, 1))
    np.testing.assert_allclose(f.qdd(zero, zero, t=t)[:, 0], 1.5*np.sin(5*t), rtol=1e-14)
    np.testing.assert_allclose(f.qdd(zero, zero, {"m": 6.0}, t)[:, 0], 0.5*np.sin(5*t), rtol=1e-14)
    np.testing.assert_allclose(f.qdd(zero, zero, [1.0, 1.0], t)[:, 0], np.sin(5*t), rtol=1e-14)
    assert f.qdd([0.0], [0.0], t=0.3)[0] == pytest.approx(1.5*np.sin(1.5), rel=1e-14)
    with pytest.raises(KeyError, match="known are"):
        f.qdd(zero, zero, {"mass": 1.0})


def test_garbage_is_refused():
    model = dalembert.load("slider-crank")
    f = model.compile("qdd lam")
    q, v = model.consistent()
    for wrong in (q[:2], np.zeros((4, 2)), 1.0, np.array(3.0)):
        with pytest.raises(ValueError):
            f.qdd(wrong, v)
    for wrong in ("text", ["a", "b", "c"], [None]*3, q + 1j, object()):
        with pytest.raises(TypeError):
            f.qdd(wrong, v)
    with pytest.raises(ValueError):
        f.qdd(np.zeros((2, 3)), np.zeros((5, 3)))
    with pytest.raises(ValueError):
        f.qdd(q, v, [1.0])
    assert np.isnan(f.qdd(np.full(3, np.nan), v)).all()
    assert np.isnan(f.qdd(np.full((9, 3), np.inf), np.tile(v, (9, 1)))).all()
    with pytest.raises(dalembert.ModelError, match="did you mean `qdd`"):
        model.compile("qd")


def test_eight_threads_get_the_numbers_of_one():
    model = dalembert.load("four-bar")
    f = model.compile("qdd lam M")
    q, v = (np.tile(x, (500, 1)) for x in states(model, 8))
    expected = f.qdd(q, v), f.lam(q, v), f.M(q, v)
    wrong = []

    def work():
        for _ in range(20):
            for got, want in zip((f.qdd(q, v), f.lam(q, v), f.M(q, v)), expected):
                if not np.array_equal(got, want):
                    wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_inputs_are_not_changed_and_results_are_new():
    model = dalembert.load("slider-crank")
    f = model.compile()
    q, v = states(model, 10)
    before = q.copy(), v.copy()
    one, two = f.qdd(q, v), f.qdd(q, v)
    one[:] = 0
    assert np.array_equal(q, before[0]) and np.array_equal(v, before[1]) and two.any() and f.qdd(q, v).any()
    q.flags.writeable = False
    np.testing.assert_array_equal(f.qdd(q, v), two)


def test_friction_is_solved_state_by_state():
    model = dalembert.load("block-on-belt")
    f = model.compile("qdd lam")
    q, v = model.consistent()
    np.testing.assert_array_equal(f.qdd(np.tile(q, (12, 1)), np.tile(v, (12, 1)))[7], f.qdd(q, v))
