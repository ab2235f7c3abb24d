# SPDX-License-Identifier: Apache-2.0
"""Models that were stated in Python as model files: to be saved, and to be checked as files are."""

import contextlib
import json
import os
import tempfile
import warnings
import weakref

from . import _core


class ModelWarning(UserWarning):
    """A statement that is computed with, but hardly meant: a negative mass, a start at 60 rad. `diagnostic` has its parts: warning.diagnostic.code."""

    def __init__(self, diagnostic):
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic


def warn(model, diagnostics):
    """Warns of what is doubtful where it was stated; as long as nobody filters warnings, of each once a model."""
    for said in diagnostics:
        warnings.warn_explicit(ModelWarning(said), None, said.file or "<model>", said.line or 1, registry=model._warned)


def check(model):
    """Checks a model as its file is checked: raises what is wrong and warns of what is doubtful, with the line of the script."""
    file = ModelFile(model)
    tables = file.tables("model")
    with tempfile.TemporaryDirectory() if tables else contextlib.nullcontext("") as folder:
        for name, text in tables.items():
            _write(os.path.join(folder, name), text)
        warn(model, _core.check_as_file(model._model, file.text("model"), folder, file.places()))


class Check:
    """Checks a model that was stated in Python, before its equations are derived."""

    def __init__(self, model):
        self._model = weakref.ref(model)  # the model's core has this object

    def __call__(self):
        model = self._model()
        if model is not None and model._origin is None and not model._wrong:
            check(model)


def save(model, path):
    """Writes the file, and a table beside it for each input that is a spline."""
    stem, suffix = os.path.splitext(os.path.basename(path))
    if suffix != ".toml":
        raise ValueError(f"a model file ends in .toml, not `{os.path.basename(path)}`")
    file = ModelFile(model)
    for name, text in file.tables(stem).items():
        _write(os.path.join(os.path.dirname(path), name), text)
    _write(path, file.text(stem))


_FIRST = ("parameters", "inputs", "prescribed")  # these tables stand before bodies and constraints


def _write(path, text):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _quoted(text):
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _term(value):
    """An expression or a number, as TOML."""
    return repr(value) if _number(value) else _quoted(str(value))


class ModelFile:
    """The sections of the file, in lines that each know the statement that they come from."""

    def __init__(self, model):
        self._space = model._model.space
        self._name = model.name
        self._coordinates, self._tables, self._splines = [], {}, {}
        self._arrays = []  # [kind, name, lines], lines as in _lines()
        self._integrands = []
        self._of, self._at = 0, model._places
        for self._of, (what, arguments) in enumerate(model._statements):
            getattr(self, "_on_" + what)(*arguments)

    def text(self, stem):
        return "".join(line + "\n" for line, _ in self._lines(stem))

    def places(self):
        """[(line, place)] of the first lines of statements."""
        return [(k, self._at[of]) for k, (_, of) in enumerate(self._lines(""), 1) if of is not None]

    def tables(self, stem):
        """{name of file: text} of the samples of splines."""
        return {f"{stem}-{name}.csv": "time,value\n" + "".join(f"{t!r},{x!r}\n" for t, x in zip(time, value))
                for name, (time, value) in self._splines.items()}

    def _lines(self, stem):
        """[(text, number of the statement or None)]"""
        lines = [(f"name = {_quoted(self._name)}", None), ("coordinates = [", None), *self._coordinates, ("]", None)]
        lines += self._tables.get("", [])
        sections = sorted(self._tables, key=lambda section: section not in _FIRST)  # others stand last
        tables = [(f"[{section}]", [(text.replace("{stem}", stem), of) for text, of in self._tables[section]]) for section in sections if section]
        arrays = [(f"[[{kind}]]", [(f"name = {_quoted(name)}", entries[0][1])][:name is not None] + entries)
                  for kind, name, entries in self._arrays]
        first = sum(section in _FIRST for section in sections)
        for header, entries in tables[:first] + arrays + tables[first:]:
            lines += [("", None), (header, entries[0][1]), *entries]
        return lines

    def _set(self, section, name, value):
        """A line of a table; a name that is set again has its last value."""
        entries = self._tables.setdefault(section, [])
        key = name if name.replace("_", "").isalnum() and name.isascii() else _quoted(name)
        entries[:] = [entry for entry in entries if not entry[0].startswith(key + " = ")] + [(f"{key} = {value}", self._of)]

    def _add(self, kind, name=None, **keys):
        """An entry of an array of tables, with the keys that have a value."""
        self._arrays.append([kind, name, [(f"{key} = {value}", self._of) for key, value in keys.items() if value is not None]])

    # --- parts of statements

    def _expression(self, value):
        text = _term(value)
        for k, integrand in enumerate(self._integrands, 1):
            text = text.replace(f"integral(#{k})", f"integral({integrand})")
        return text

    def _optional(self, value, left_out=None):
        return None if value is None or (_number(value) and value == left_out) else self._expression(value)

    def _vector(self, value):
        if value is None:
            return None
        if isinstance(value, _core.Point):
            value = [f"{value.name}.{axis}" for axis in "xyz"[:self._space]]
        return f"[{', '.join(self._vector(one) if isinstance(one, tuple) else self._expression(one) for one in value)}]"

    def _several(self, values):
        return self._expression(values[0]) if len(values) == 1 else self._vector(values)

    def _point(self, value, of, which):
        """The name of a point; components become a point."""
        if isinstance(value, _core.Point):
            return _quoted(value.name)
        name = f"{which}_of_{of}"
        self._add("point", name, at=self._vector(value))
        return _quoted(name)

    def _two_points(self, a, b, of):
        return f"[{self._point(a, of, 'first')}, {self._point(b, of, 'second')}]"

    # --- statements

    def _on_coordinate(self, name, unit, latex):
        keys = {"name": name, "unit": unit, "latex": latex}
        self._coordinates.append((f"  {{{', '.join(f'{key} = {_quoted(value)}' for key, value in keys.items() if value)}}},", self._of))

    def _on_parameter(self, name, value, unit, latex):
        number = _quoted(f"{value!r} {unit}") if unit else repr(value)
        self._set("parameters", name, f"{{value = {number}, latex = {_quoted(latex)}}}" if latex else number)

    def _on_input(self, name, value):
        self._set("inputs", name, 0 if value is None else _quoted(value) if isinstance(value, str) else self._expression(value))

    def _on_spline_input(self, name, time, value):
        self._splines[name] = time, value
        self._set("inputs", name, f'{{file = "{{stem}}-{name}.csv", column = "value", interpolation = "spline"}}')

    def _on_prescribe(self, coordinate, value):
        self._set("prescribed", coordinate.name, self._expression(value))

    def _on_kinetic(self, value):
        self._set("energy", "kinetic", self._expression(value))

    def _on_potential(self, value):
        self._set("energy", "potential", self._expression(value))

    def _on_dissipation(self, value):
        self._set("energy", "dissipation", self._expression(value))

    def _on_lagrangian(self, value):
        self._set("energy", "lagrangian", self._expression(value))

    def _on_gravity(self, g):
        self._set("", "gravity", self._vector(g))

    def _on_frame(self, name, parent, origin, rotate, quaternion):
        turns = rotate if not isinstance(rotate, tuple) else "[" + ", ".join(
            f"[{_quoted(axis) if isinstance(axis, str) else self._vector(axis)}, {self._expression(angle)}]" for axis, angle in rotate) + "]"
        self._add("frame", name, parent=parent and _quoted(parent.name), origin=self._vector(origin),
                  rotate=turns if turns is None or isinstance(rotate, tuple) else self._expression(rotate),
                  quaternion=quaternion and f"[{', '.join(_quoted(one.name) for one in quaternion)}]")

    def _on_point(self, name, at, frame):
        self._add("point", name, at=self._vector(at), frame=frame and _quoted(frame.name))

    def _on_rim(self, name, disk, axis, radius):
        self._add("point", name, rim=f"{{frame = {_quoted(disk.name)}, axis = {self._vector(axis)}, radius = {self._expression(radius)}}}")

    def _on_body(self, name, mass, inertia, frame, com, position, angle):
        inertia = self._vector(inertia) if isinstance(inertia, tuple) else self._optional(inertia)
        self._add("body", name, mass=self._expression(mass), inertia=inertia, frame=frame and _quoted(frame.name), com=self._vector(com),
                  position=self._vector(position), angle=self._optional(angle))

    def _connect(self, kind, a, b, **keys):
        where = {"coordinate": _quoted(a.name)} if isinstance(a, _core.Coordinate) else {"between": self._two_points(a, b, f"{kind}{self._of}")}
        self._add(kind, **where, **keys)

    def _on_spring(self, a, b, stiffness, rest):
        self._connect("spring", a, b, stiffness=self._expression(stiffness), rest=self._optional(rest, 0))

    def _on_damper(self, a, b, damping):
        self._connect("damper", a, b, damping=self._expression(damping))

    def _constrain(self, name, latex="", **keys):
        self._add("constraint", name, **keys, latex=_quoted(latex) if latex else None)

    def _on_holonomic(self, name, h, latex):
        self._constrain(name, latex, holonomic=self._several(h))

    def _on_pfaffian(self, name, eta, latex):
        self._constrain(name, latex, pfaffian=self._several(eta))

    def _on_coincide(self, name, a, b):
        self._constrain(name, coincide=self._two_points(a, b, name))

    def _apart(self, name, a, b, key, value):
        self._constrain(name, distance=f"{{between = {self._two_points(a, b, name)}, {key} = {self._expression(value)}}}")

    def _on_distance(self, name, a, b, value):
        self._apart(name, a, b, "value", value)

    def _on_at_most(self, name, a, b, value):
        self._apart(name, a, b, "at_most", value)

    def _on_at_least(self, name, a, b, value):
        self._apart(name, a, b, "at_least", value)

    def _on_contact(self, name, point, above, normal, radius, frame):
        keys = {"point": self._point(point, name, "first"), "above": self._point(above, name, "second"), "normal": self._vector(normal),
                "radius": self._optional(radius, 0)}
        self._constrain(name, contact="{" + ", ".join(f"{key} = {value}" for key, value in keys.items() if value is not None) + "}",
                        frame=frame and _quoted(frame.name))

    def _on_unilateral(self, name, restitution):
        (entries,) = [lines for kind, of, lines in self._arrays if kind == "constraint" and of == name]
        if entries[0][0].startswith("holonomic"):  # others are one-sided by themselves
            entries.append(("unilateral = true", self._of))
        if self._optional(restitution, 0) is not None:
            entries.append((f"restitution = {self._expression(restitution)}", self._of))

    def _on_no_slip(self, name, point, frame):
        self._constrain(name, no_slip=f"{{point = {self._point(point, name, 'point')}}}", frame=frame and _quoted(frame.name))

    def _on_no_skid(self, name, point, direction, frame):
        self._constrain(name, no_skid=f"{{point = {self._point(point, name, 'point')}, direction = {self._vector(direction)}}}",
                        frame=frame and _quoted(frame.name))

    def _on_force(self, at, vector):
        self._add("force", at=self._point(at, f"force{self._of}", "point"), vector=self._vector(vector))

    def _on_torque(self, on, value):
        if isinstance(on, _core.Body):
            self._add("force", body=_quoted(on.name), torque=self._vector(value) if isinstance(value, tuple) else self._expression(value))
        elif isinstance(on, _core.Coordinate):
            self._on_generalized_force(on, value)
        else:
            self._add("force", power=_quoted(f"({value})*dot({on})"))

    def _on_generalized_force(self, coordinate, value):
        self._add("force", coordinate=_quoted(coordinate.name), value=self._expression(value))

    def _on_power(self, value):
        self._add("force", power=self._expression(value))

    def _on_friction(self, name, normal, velocity, coefficient, static, viscous):
        velocity = self._several(velocity) if isinstance(velocity, tuple) else self._expression(velocity)
        self._add("friction", name, normal=self._expression(normal), velocity=velocity, coefficient=self._expression(coefficient),
                  static=self._optional(static), viscous=self._optional(viscous, 0))

    def _on_event(self, name, when, direction, stop, settings, where):
        values = ", ".join(f"{_quoted(what)} = {self._expression(value)}" for what, value in settings.items())
        self._add("event", name, when=self._expression(when), direction=None if direction == "any" else _quoted(direction),
                  where=self._optional(where), stop="true" if stop else None, set=f"{{{values}}}" if values else None)

    def _on_quasi_velocity(self, name, definition, unit, latex):
        self._set("quasi_velocities", name, self._expression(definition))

    def _on_output(self, name, value):
        self._set("outputs", name, self._expression(value))

    def _on_initial(self, coordinate, position, velocity, held):
        if position is not None:
            self._set("initial.position" if held else "initial.guess", coordinate, repr(position))
        if velocity is not None and held:
            self._set("initial.velocity", coordinate, repr(velocity))
        elif velocity is not None:
            self._set("initial.guess", coordinate + "'", repr(velocity))

    def _on_integral(self, integrand):
        if integrand not in self._integrands:
            self._integrands.append(integrand)

    def _on_energy(self, which):
        """It is a part of other statements."""

    _on_sliding_speed = _on_energy
