# SPDX-License-Identifier: Apache-2.0
"""The equations as functions of arrays."""

from . import _core


class Functions:
    """Functions of states by name, of model.compile(): f.qdd(q, v), f.lam(q, v), f.M(q, v) …, all in SI.

    q[..., nq] and v[..., nv] broadcast over leading axes; `t` is a number or an array of the leading shape, `p` the values
    of all parameters in the model's order or a dict of some. A state without a solution gives NaN. Python's lock is
    released; calls from several threads run side by side.
    """

    def __init__(self, model, names, parameters):
        self._functions = functions = _core.Functions(model, names, parameters)
        self._values = functions.parameter_values
        for which, name in enumerate(functions.names):
            setattr(self, name, self._function(which, name))

    def _function(self, which, name):
        call = self._functions.call

        def function(q, v, p=None, t=0.0):
            if p is None:
                done = call(which, q, v, t, None)
                if done is not None:
                    return done
            return self._any(which, q, v, p, t)

        function.__name__ = function.__qualname__ = name
        function.__doc__ = f"{name} at states q[..., {self._functions.nq}], v[..., {self._functions.nv}]"
        return function

    # Whatever NumPy understands, as plain arrays of one leading shape.
    def _any(self, which, q, v, p, t):
        import numpy as np

        sizes = self._functions.nq, self._functions.nv
        q, v = (self._numbers(np, x, name) for x, name in ((q, "q"), (v, "v")))
        for x, size, name in ((q, sizes[0], "q"), (v, sizes[1], "v")):
            if x.ndim < 1 or x.shape[-1] != size:
                raise ValueError(f"{name} has {size} numbers along its last axis; its shape is {x.shape}")
        t = self._numbers(np, t, "t")
        shape = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], t.shape)
        q = np.ascontiguousarray(np.broadcast_to(q, shape + sizes[:1]))
        v = np.ascontiguousarray(np.broadcast_to(v, shape + sizes[1:]))
        t = np.ascontiguousarray(np.broadcast_to(t, shape))
        if p is not None:
            p = self._parameters(np, p)
        done = self._functions.call(which, q, v, t, p)
        if done is None:
            raise TypeError("q, v and t must be arrays of numbers")
        return done

    @staticmethod
    def _numbers(np, values, name):
        try:
            array = np.asarray(values)
            if array.dtype.kind not in "fiub":
                raise TypeError
            return array.astype(float, copy=False)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must hold real numbers") from None

    def _parameters(self, np, p):
        names = self._functions.parameters
        if isinstance(p, dict):
            unknown = [name for name in p if name not in names]
            if unknown:
                raise KeyError(f"no parameter `{unknown[0]}`; known are {', '.join(names)}")
            p = [p.get(name, value) for name, value in zip(names, self._values)]
        return np.ascontiguousarray(self._numbers(np, p, "p"))

    def __repr__(self):
        return f"<Functions {', '.join(self._functions.names)}>"
