# SPDX-License-Identifier: Apache-2.0
"""The language of model files as the oracle reads it: quantities with units, repetition by `for`, expressions."""

import re
from fractions import Fraction

import sympy


class OracleError(Exception):
    """The model file says something this oracle does not understand, or that is wrong."""


class NotCovered(OracleError):
    """The model file says something that this oracle leaves out."""


# ---- quantities -------------------------------------------------------------------------------------------------

PREFIXES = {"Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1, "d": -1, "c": -2,
            "m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21, "y": -24}
PREFIXABLE = {"m": 1, "g": Fraction(1, 1000), "s": 1, "N": 1, "J": 1, "W": 1, "Pa": 1, "Hz": 1, "rad": 1, "A": 1,
              "V": 1, "K": 1, "mol": 1, "C": 1, "F": 1, "H": 1, "T": 1, "Ohm": 1}
PLAIN = {"deg": sympy.pi / 180, "°": sympy.pi / 180, "rev": 2 * sympy.pi, "turn": 2 * sympy.pi,
         "rpm": 2 * sympy.pi / 60, "min": 60, "h": 3600, "hour": 3600, "day": 86400, "t": 1000,
         "in": Fraction(254, 10000), "ft": Fraction(3048, 10000), "lb": Fraction(45359237, 10**8), "1": 1,
         "percent": Fraction(1, 100), "%": Fraction(1, 100)}
NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"


def exact(text):
    """A decimal literal as an exact rational."""
    f = Fraction(text)
    return sympy.Rational(f.numerator, f.denominator)


def unit_factor(name):
    """The SI value of one unit by name, `mm` -> 1/1000."""
    if name in PLAIN:
        return sympy.sympify(PLAIN[name])
    if name in PREFIXABLE:
        return sympy.sympify(PREFIXABLE[name])
    for size in (1, 2):
        if name[:size] in PREFIXES and name[size:] in PREFIXABLE:
            return sympy.Integer(10) ** PREFIXES[name[:size]] * sympy.sympify(PREFIXABLE[name[size:]])
    raise OracleError(f"unknown unit `{name}`")


def unit_value(text):
    """The SI value of a product of powers of units, `kg*m^2/s^2`; `/` takes the one factor after it."""
    tokens = re.findall(r"[A-Za-zµμ°%]+|\d+|[*/^()·-]", text)
    position = 0

    def power():
        nonlocal position
        if position < len(tokens) and tokens[position] == "(":
            position += 1
            base = product()
            position += 1
        else:
            base = unit_factor(tokens[position])
            position += 1
        if position < len(tokens) and tokens[position] == "^":
            position += 1
            sign = 1
            if tokens[position] == "(":
                position += 1
            if tokens[position] == "-":
                sign, position = -1, position + 1
            base **= sign * int(tokens[position])
            position += 1
            if position < len(tokens) and tokens[position] == ")" and text.count("^("):
                position += 1
        return base

    def product():
        nonlocal position
        value = power()
        while position < len(tokens) and tokens[position] != ")":
            if tokens[position] in "*·":
                position += 1
                value *= power()
            elif tokens[position] == "/":
                position += 1
                value /= power()
            else:
                value *= power()
        return value

    return product()


def quantity(value):
    """A number, a string of a number and a unit, or a table with one of these as its value, in SI units."""
    if isinstance(value, dict):
        return quantity(value["value"])
    if isinstance(value, str):
        match = re.fullmatch(rf"\s*([+-]?(?:{NUMBER}|\.\d+|\d+\.))\s*(.*?)\s*", value)
        if not match:
            raise OracleError(f"`{value}` is not a number with a unit")
        number = exact(match[1])
        return number * unit_value(match[2]) if match[2] else number
    return sympy.Rational(value) if isinstance(value, float) else sympy.sympify(value)


# ---- repetition -------------------------------------------------------------------------------------------------


def integer(text, names):
    """An integer expression of loop indices and [structure]."""
    if not re.fullmatch(r"[\w\s+*()/-]+", text):
        raise OracleError(f"`{text}` is not an integer expression")
    value = eval(text.replace("/", "//"), {"__builtins__": {}}, dict(names))  # noqa: S307 (letters checked above)
    return int(value)


def fill(entry, names):
    """Replaces {i}, {i-1}, ... in every string of an entry; what another index will fill stays."""
    if isinstance(entry, str):
        def one(match):
            used = re.findall(r"[A-Za-z_]\w*", match[1])
            return str(integer(match[1], names)) if all(u in names for u in used) else match[0]
        return re.sub(r"\{([^{}]*)\}", one, entry)
    if isinstance(entry, list):
        return [fill(e, names) for e in entry]
    if isinstance(entry, dict):
        return {fill(k, names): fill(v, names) for k, v in entry.items()}
    return entry


def repeat(entries, structure):
    """The entries of an array of tables, each `for` written out."""
    for entry in entries:
        if isinstance(entry, dict) and "for" in entry:
            match = re.fullmatch(r"\s*([A-Za-z_]\w*)\s+in\s+(.+?)\.\.(.+?)\s*", entry["for"])
            if not match:
                raise OracleError(f"`for = \"{entry['for']}\"` is not `i in a..b`")
            rest = {k: v for k, v in entry.items() if k != "for"}
            for i in range(integer(match[2], structure), integer(match[3], structure) + 1):
                yield fill(rest, {**structure, match[1]: i})
        else:
            yield entry


# ---- expressions ------------------------------------------------------------------------------------------------

TOKEN = re.compile(rf"\s*(?:(?P<number>{NUMBER})|(?P<name>(?:[^\W\d]|\{{[^}}]*\}})(?:\w|\{{[^}}]*\}})*)"
                   r"|(?P<op>\.\.|<=|>=|==|[-+*/^()<>,.'\[\]]))")


def tokens_of(text):
    """[(kind, text)], closed by ("end", "")."""
    result, position = [], 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        if not match:
            raise OracleError(f"`{text[position:]}` in `{text}` is not understood")
        result.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    return result + [("end", "")]


def choose(condition, a, b):
    return sympy.Piecewise((a, condition), (b, True))


FUNCTIONS = {
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "asin": sympy.asin, "acos": sympy.acos, "atan": sympy.atan,
    "atan2": sympy.atan2, "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": sympy.tanh, "exp": sympy.exp,
    "log": sympy.log, "sqrt": sympy.sqrt, "hypot": lambda a, b: sympy.sqrt(a**2 + b**2),
    # Written out, so that their derivatives are plain.
    "abs": lambda a: choose(a >= 0, a, -a),
    "sign": lambda a: sympy.Piecewise((1, a > 0), (-1, a < 0), (0, True)),
    "floor": sympy.floor, "mod": lambda a, b: a - b * sympy.floor(a / b),
    "min": lambda a, b: choose(a <= b, a, b), "max": lambda a, b: choose(a >= b, a, b),
}


class Parser:
    """Precedence, loosest first: or, and, not, comparison, + -, * /, unary -, ^ (to the right), postfix '."""

    def __init__(self, text, model):
        self.text, self.model, self.tokens, self.position, self.indices = text, model, tokens_of(text), 0, {}

    def parse(self):
        value = self.logical_or()
        if self.tokens[self.position][0] != "end":
            raise OracleError(f"unexpected `{self.tokens[self.position][1]}` in `{self.text}`")
        return value

    def at(self, *operators):
        return self.tokens[self.position][1] in operators and self.tokens[self.position][0] != "number"

    def take(self, operator=None):
        kind, text = self.tokens[self.position]
        if operator is not None and text != operator:
            raise OracleError(f"expected `{operator}`, not `{text}`, in `{self.text}`")
        self.position += 1
        return text

    def logical_or(self):
        value = self.logical_and()
        while self.at("or"):
            self.take()
            value = sympy.Or(value, self.logical_and())
        return value

    def logical_and(self):
        value = self.logical_not()
        while self.at("and"):
            self.take()
            value = sympy.And(value, self.logical_not())
        return value

    def logical_not(self):
        if self.at("not"):
            self.take()
            return sympy.Not(self.logical_not())
        return self.comparison()

    def comparison(self):
        left = self.additive()
        if self.at("<", "<=", ">", ">=", "=="):
            relation = {"<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge, "==": sympy.Eq}[self.take()]
            return relation(left, self.additive())
        return left

    def additive(self):
        value = self.multiplicative()
        while self.at("+", "-"):
            value = value + self.multiplicative() if self.take() == "+" else value - self.multiplicative()
        return value

    def multiplicative(self):
        value = self.unary()
        while self.at("*", "/"):
            value = value * self.unary() if self.take() == "*" else value / self.unary()
        return value

    def unary(self):
        if self.at("-"):
            self.take()
            return -self.unary()
        if self.at("+"):
            self.take()
            return self.unary()
        return self.power()

    def power(self):
        base = self.primary()
        if self.at("^"):
            self.take()
            return base ** self.unary()  # right-associative, and 2^-3 is allowed
        return base

    def name(self):
        """An identifier, its {templates} filled with the indices of the sums around it."""
        text = fill(self.take(), {**self.model.structure, **self.indices})
        if "{" in text:
            raise OracleError(f"`{text}` in `{self.text}`: no such index here")
        return text

    def primary(self):
        kind, text = self.tokens[self.position]
        if kind == "number":
            self.take()
            return exact(text)
        if text == "(":
            self.take()
            value = self.logical_or()
            self.take(")")
            return value
        if kind != "name":
            raise OracleError(f"unexpected `{text}` in `{self.text}`")
        name = self.name()
        if re.fullmatch(r"-?\d+", name):
            return sympy.Integer(name)
        if self.at("("):
            return self.call(name)
        if self.at("."):
            self.take()
            part = self.take()
            if part != "R":
                return self.model.component(name, part)
            self.take("[")
            i = int(self.additive())
            self.take(",")
            j = int(self.additive())
            self.take("]")
            return self.model.frame_entry(name, i, j)
        if self.at("'"):
            self.take()
            if name not in self.model.v_of:
                raise OracleError(f"`{name}'`: {name} is not a coordinate")
            return self.model.v_of[name]
        if name in self.indices:
            return sympy.Integer(self.indices[name])
        return self.model.symbol(name)

    def call(self, name):
        self.take("(")
        if name == "sum":
            return self.sum()
        if name == "lambda":
            row = self.name()
            while not self.at(")"):
                row += fill(self.take(), {**self.model.structure, **self.indices})
            self.take(")")
            return sympy.Symbol("lambda:" + row, real=True)
        arguments = [self.logical_or()]
        while self.at(","):
            self.take()
            arguments.append(self.logical_or())
        self.take(")")
        if name == "dot":
            return self.model.rate(*arguments)
        if name == "if":
            return choose(*arguments)
        if name not in FUNCTIONS:
            raise OracleError(f"unknown function `{name}` in `{self.text}`")
        return FUNCTIONS[name](*arguments)

    def sum(self):
        index = self.take()
        self.take("in")
        low = int(self.additive())
        self.take("..")
        high = int(self.additive())
        self.take(",")
        body, outer, total = self.position, dict(self.indices), sympy.Integer(0)
        for i in range(low, high + 1):
            self.position = body
            self.indices[index] = i
            total += self.logical_or()
        if high < low:  # an empty sum: step over its body
            depth = 0
            while depth or not self.at(")"):
                depth += {"(": 1, ")": -1}.get(self.take(), 0)
        self.indices = outer
        self.take(")")
        return total
