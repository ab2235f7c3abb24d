# SPDX-License-Identifier: Apache-2.0
"""Expressions to and from SymPy."""

from . import _core
from .model import Model

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sympy

# Functions of dalembert by their names in SymPy.
_FUNCTIONS = {name: name for name in (*_core.__all__, "atan2") if name != "abs_"} | {"abs": "Abs"}


def to_sympy(expression, t=None, symbols=()) -> "sympy.Expr | list[sympy.Expr]":
    """dalembert.to_sympy(model.equations, t): a SymPy expression; coordinates are functions of t, velocities their derivatives, parameters symbols.

    Takes an Expr, or the equations of a model: then a list, one for each equation of motion (left side minus right side).
    `symbols` stand for what has their names; others are made, without assumptions.
    """
    import sympy

    t = sympy.Symbol("t") if t is None else t
    done = {}
    known = {symbol.name: symbol for symbol in symbols}

    def convert(e):
        if e in done:
            return done[e]
        kind, number, parts = e.parts()
        if kind == "number":
            made = sympy.Rational(number)
        elif kind == "pi":
            made = sympy.pi
        elif kind == "time":
            made = t
        elif kind == "symbol":
            made = known.get(number, sympy.Symbol(number)) if parts < 0 else sympy.Function(number)(t).diff(t, parts) if parts else sympy.Function(number)(t)
        elif kind == "sum":
            made = sympy.Add(sympy.Rational(number), *(sympy.Rational(c) * convert(part) for part, c in parts))
        elif kind == "product":
            made = sympy.Mul(sympy.Rational(number), *(convert(part) ** sympy.Rational(c) for part, c in parts))
        elif number == "power":
            made = convert(parts[0]) ** convert(parts[1])
        elif number in ("min", "max"):
            made = getattr(sympy, number.capitalize())(*map(convert, parts))
        elif number in _FUNCTIONS:
            made = getattr(sympy, _FUNCTIONS[number])(*map(convert, parts))
        else:
            raise TypeError(f"SymPy gets no `{number}`")
        done[e] = made
        return made

    if hasattr(expression, "parts"):
        return convert(expression)
    return [convert(e) for e in expression.motion]


def from_sympy(lagrangian, coordinates, constraints=(), pfaffian=(), parameters=None, t=None, name="model") -> Model:
    """dalembert.from_sympy(L, [q], constraints=[h], parameters={m: 2}): a Model from SymPy's L, of functions q(t) and their derivatives, in SI.

    coordinates: those functions, in order. constraints, pfaffian: lists of expressions that are 0. parameters: {symbol:
    value} of every other symbol.
    """
    import sympy

    model = Model(name)
    symbols = {}
    rates = {}
    for q in coordinates:
        if not isinstance(q, sympy.core.function.AppliedUndef):
            raise TypeError(f"a coordinate is a function of time, such as Function('theta')(t), not {q}")
        t = q.args[0] if t is None else t
        made = model.coordinate(q.func.__name__)
        symbols[q] = made
        rates[q.diff(t)] = made.dot
    for symbol, value in (parameters or {}).items():
        symbols[symbol] = model.parameter(str(symbol), float(value))
    symbols[t] = model.t
    names = {sympy_name: ours for ours, sympy_name in _FUNCTIONS.items()}

    def convert(e):
        e = sympy.sympify(e)
        if e in rates:
            return rates[e]
        if e in symbols:
            return symbols[e]
        if e.is_Rational:
            return model.t * 0 + int(e.p) if e.q == 1 else (model.t * 0 + int(e.p)) / int(e.q)
        if e.is_Float:
            return model.t * 0 + float(e)
        if e is sympy.pi:
            return _core.acos(model.t * 0 - 1)
        if e is sympy.E:
            return _core.exp(model.t * 0 + 1)
        if e.is_Add or e.is_Mul:
            total = convert(e.args[0])
            for part in e.args[1:]:
                total = total + convert(part) if e.is_Add else total * convert(part)
            return total
        if e.is_Pow:
            return convert(e.base) ** convert(e.exp)
        if isinstance(e, (sympy.Max, sympy.Min)):
            return getattr(_core, "maximum" if isinstance(e, sympy.Max) else "minimum")(*map(convert, e.args))
        function = names.get(type(e).__name__)
        if function:
            return getattr(_core, "abs_" if function == "abs" else function)(*map(convert, e.args))
        if e.is_Symbol:
            raise KeyError(f"`{e}` has no value: name it in parameters={{...}}")
        raise TypeError(f"`{e}` is not understood")

    model.lagrangian = convert(lagrangian)
    for k, h in enumerate(constraints, 1):
        model.holonomic(f"h{k}", convert(h))
    for k, eta in enumerate(pfaffian, 1):
        model.pfaffian(f"w{k}", convert(eta))
    return model
