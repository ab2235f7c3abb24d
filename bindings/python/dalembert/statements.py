# SPDX-License-Identifier: Apache-2.0
"""What a user states of a model with operators: coordinates, bodies, energies, constraints, forces, events."""

import re

from . import _core


def _words(text):
    return text.replace(",", " ").split() if isinstance(text, str) else list(text)


class Statements:
    """The part of a Model that states. Places are points of the model, their names or components along the ground's axes; expressions are made with operators,
    numbers are in SI, and texts have a unit, "2 kg".
    """

    _model: "_core.Model"

    def coordinate(self, name, unit="", latex="") -> "_core.Coordinate":
        """x = model.coordinate("x", "m", latex="x_1"): a coordinate with its unit."""
        return self._state("coordinate", name, unit, latex)

    def coordinates(self, names, units=None) -> "tuple[_core.Coordinate, ...]":
        """x, y, theta = model.coordinates("x y theta", units="m m rad"): several at once."""
        names = _words(names)
        units = [""] * len(names) if units is None else _words(units)
        if len(units) != len(names):
            raise ValueError(f"{len(names)} coordinates, but {len(units)} units")
        return tuple(self._state("coordinate", name, unit, "") for name, unit in zip(names, units))

    def parameter(self, name, value, unit="", latex="") -> "_core.Expr":
        """m = model.parameter("m", "2 kg"), or ("m", 2.0, "kg"): a value in `unit`."""
        if isinstance(value, str):
            number, rest = re.fullmatch(r"\s*((?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)?)\s*(.*?)\s*", value, re.S).groups()
            if not number or not rest:
                value = self._in_si("", value)  # a number, or what is wrong with it
            elif unit:
                raise ValueError(f"the value {value!r} has a unit of its own, beside {unit!r}")
            else:
                value, unit = float(number), rest
        return self._state("parameter", name, value, unit, latex)

    def parameters(self, **values) -> "tuple[_core.Expr, ...]":
        """m, L = model.parameters(m=2.0, L="0.5 m"): several at once; a number without a unit is taken as it is."""
        return tuple(self.parameter(name, value) for name, value in values.items())

    def input(self, name, value=None) -> "_core.Expr":
        """f = model.input("f", 2*dalembert.sin(model.t)): a function of time, an expression of model.t and parameters, or a text, "2 N*m"; 0 without. simulate(inputs=…) replaces it."""
        return self._state("input", name, value)

    def spline(self, name, time, value) -> "_core.Expr":
        """s = model.spline("s", [0, 1, 2], [0, 0.1, 0]): a cubic spline through samples, times in s, which constraints and energies may contain."""
        return self._state("spline_input", name, list(time), list(value))

    def prescribe(self, coordinate, value) -> None:
        """model.prescribe(theta, 3*model.t): the coordinate follows a function of time, in its unit; something drives it, with the force actuation(theta)."""
        self._state("prescribe", coordinate, value)

    def _energy(name, doc):  # noqa: N805
        return property(lambda self: getattr(self._model, name), lambda self, value: self._state(name, value), doc=doc)

    kinetic = _energy("kinetic", "kinetic energy as a formula, in J, beside that of bodies; setting it replaces the formula: model.kinetic = m/2*x.dot**2")
    potential = _energy("potential", "potential energy as a formula, in J, beside that of bodies and springs: model.potential = m*g*y")
    dissipation = _energy("dissipation", "Rayleigh's dissipation function as a formula, in W, beside that of dampers: model.dissipation = c/2*x.dot**2")
    lagrangian = _energy("lagrangian", "given directly, in J, instead of the energies: model.lagrangian = m/2*x.dot**2 - m*g*x")
    del _energy

    def gravity(self, *g) -> None:
        """model.gravity(0, -9.81): the components of the field, in m/s^2; two or three set the dimension."""
        self._state("gravity", list(g))

    def frame(self, name, parent=None, origin=None, rotate=None, quaternion=None) -> "_core.Frame":
        """model.frame("arm", origin=[x, 0], rotate=theta): axes that move. `rotate`: an angle in the plane, in rad, or [("z", psi), ("x", theta)] in space."""
        return self._state("frame", name, parent, origin, rotate, quaternion)

    def point(self, name, at, frame=None) -> "_core.Point":
        """P = model.point("P", [x, 0.5*y], frame=arm): a place by its components, in m, along the axes of a frame (the ground's)."""
        return self._state("point", name, at, frame)

    def rim(self, name, disk, axis, radius) -> "_core.Point":
        """model.rim("C", wheel, (0, 1, 0), r): in space, the lowest point of the rim of a disk about the origin of a frame, normal to an axis; the radius in m."""
        return self._state("rim", name, disk, axis, radius)

    def body(self, name, mass, inertia=None, frame=None, com=None, position=None, angle=None) -> "_core.Body":
        """model.body("rod", m, I, position=[x, y], angle=theta), or model.body("rod", m, I, frame=arm, com=[L/2, 0]): mass in kg, inertia about the centre of mass in
        kg*m^2 (in space three moments or a matrix along the frame's axes); without one a point mass.
        """
        return self._state("body", name, mass, inertia, frame, com, position, angle)

    def spring(self, a, b=None, stiffness=0, rest=0) -> None:
        """model.spring(P, Q, k, rest=L), between places, or model.spring(theta, stiffness=k), on a coordinate: stiffness in N/m or N*m/rad, rest in m or rad."""
        self._state("spring", a, b, stiffness, rest)

    def damper(self, a, b=None, damping=0) -> None:
        """model.damper(P, Q, c), between places, or model.damper(theta, damping=c), on a coordinate: damping in N*s/m or N*m*s/rad."""
        self._state("damper", a, b, damping)

    def holonomic(self, name, *h, latex="", unilateral=False, restitution=0) -> None:
        """model.holonomic("loop", x - L, y): h = 0, one row for each expression, in any unit; multipliers are then in J per that unit.

        With unilateral=True h >= 0, with Newton's restitution at impacts.
        """
        self._state("holonomic", name, list(h), latex)
        if unilateral:
            self._state("unilateral", name, restitution)

    def pfaffian(self, name, *eta, latex="") -> None:
        """model.pfaffian("knife", -s*x.dot + c*y.dot): eta = 0, affine in the velocities; in m/s its multiplier is a force in N."""
        self._state("pfaffian", name, list(eta), latex)

    def coincide(self, name, a, b) -> None:
        """model.coincide("pin", P, Q): two points are at one place; the multipliers are the components of the pin's force, in N."""
        self._state("coincide", name, a, b)

    def distance(self, name, a, b, value=None, at_most=None, at_least=None, restitution=0) -> None:
        """model.distance("rod", P, Q, L), in m; with at_most=L a rope, with at_least=L two balls, and restitution at their impacts. The multiplier is in N."""
        given = {key: d for key, d in (("distance", value), ("at_most", at_most), ("at_least", at_least)) if d is not None}
        if len(given) != 1:
            raise TypeError("distance() takes one of value, at_most and at_least")
        ((kind, d),) = given.items()
        self._state(kind, name, a, b, d)
        if kind != "distance":
            self._state("unilateral", name, restitution)

    def contact(self, name, point, above, normal, radius=0, restitution=0, friction=None, frame=None) -> None:
        """model.contact("floor", P, above="O", normal=[0, 1], radius=r, friction=0.3): a ball about P, or P itself, stays above the line or plane through O.

        radius in m; friction: its coefficient; frame: what the ball turns with, and what slides.
        """
        self._state("contact", name, point, above, normal, radius, frame)
        self._state("unilateral", name, restitution)
        if friction is not None:
            self.friction(name, self.multiplier(name), self._state("sliding_speed", name), friction)

    def no_slip(self, name, point, frame=None) -> None:
        """model.no_slip("rolls", C, frame=wheel): what moves with the frame and is at C is at rest; multipliers in N."""
        self._state("no_slip", name, point, frame)

    def no_skid(self, name, point, direction, frame=None) -> None:
        """model.no_skid("blade", P, [-s, c]): no velocity of P along a direction; the multiplier is the sideways force in N."""
        self._state("no_skid", name, point, direction, frame)

    def force(self, at, vector) -> None:
        """model.force(P, [0, f]): a force at a point, in N, along the ground's axes."""
        if isinstance(at, _core.Coordinate):
            raise TypeError(f"force() acts at a point or at a place [x, y]; along the coordinate it is model.generalized_force({at}, …)")
        self._state("force", at, vector)

    def torque(self, on, value) -> None:
        """model.torque(rod, tau), or model.torque(theta, tau): on a body, or on an angle, in N*m."""
        self._state("torque", on, value)

    def generalized_force(self, coordinate, value) -> None:
        """model.generalized_force(theta, -c*theta.dot): in J per unit of the coordinate: N, or N*m."""
        self._state("generalized_force", coordinate, value)

    def power(self, value) -> None:
        """model.power(tau*theta.dot): a force by its power, in W, linear in the velocities."""
        self._state("power", value)

    def friction(self, name, normal, velocity, coefficient, static=None, viscous=0) -> "_core.Expr":
        """f = model.friction("rubs", model.multiplier("floor"), x.dot, mu): Coulomb friction; returns its force, in N, for outputs.

        velocity: the sliding speed in m/s, or two in perpendicular directions, of a friction in a plane. Its second force is
        multiplier("friction(NAME[2])").
        """
        return self._state("friction", name, normal, velocity, coefficient, static, viscous)

    def event(self, name, when, direction="any", stop=False, set=None, where=None) -> None:
        """model.event("bounce", y, "down", set={"y'": -0.8*y.dot}): an instant of a run: where `when` passes 0 ("up", "down" or "any"), if the condition `where` holds.

        set= gives coordinates and velocities, in their units, by expressions of the state before; stop=True ends the run there.
        """
        if direction not in ("any", "up", "down"):
            raise ValueError(f"an event has no direction {direction!r}: it is 'any', 'up' or 'down'")
        self._state("event", name, when, direction, stop, set or {}, where)

    def multiplier(self, row) -> "_core.Expr":
        """model.multiplier("rod"): the multiplier of a row, in its unit, for outputs and frictions."""
        return self._model.multiplier(row)

    def gap(self, row) -> "_core.Expr":
        """model.gap("floor"): the gap h of a row of a one-sided constraint, in its unit, for outputs and events."""
        return self._model.multiplier(f"gap({row})")

    def closed(self, row) -> "_core.Expr":
        """model.closed("floor"): 1 while a contact is closed and 0 while it is open, without a unit, for outputs and events."""
        return self._model.multiplier(f"closed({row})")

    def impulse(self, row) -> "_core.Expr":
        """model.impulse("floor"): the impulse of a contact's last impact, in N*s, 0 before the first, for outputs and events."""
        return self._model.multiplier(f"impulse({row})")

    def energy(self, which="total") -> "_core.Expr":
        """model.energy("kinetic"): the kinetic, potential or total energy of the whole system, in J, for outputs and events."""
        return self._state("energy", which)

    def integral(self, integrand) -> "_core.Expr":
        """model.integral(c*x.dot**2): over the time of a run, 0 at its start, in the unit of the expression times s, for outputs and events."""
        return self._state("integral", integrand)

    def actuation(self, coordinate) -> "_core.Expr":
        """model.actuation(theta): the force or torque, in N or N*m, that makes a prescribed coordinate follow, for outputs."""
        return self._model.actuation(getattr(coordinate, "name", coordinate))

    def quasi_velocity(self, name, definition, unit="", latex="") -> "_core.Expr":
        """u = model.quasi_velocity("u", x.dot*c + y.dot*s, unit="m/s"): a velocity of one's own, affine in the velocities."""
        return self._state("quasi_velocity", name, definition, unit, latex)

    def output(self, name, value) -> None:
        """model.output("tension", -model.multiplier("rod")): recorded with every run as "output/tension", in its unit."""
        self._state("output", name, value)

    def dot(self, expression) -> "_core.Expr":
        """model.dot(x**2): its total time derivative, in its unit per s."""
        return self._model.dot(expression)

    def initial(self, held=True, **values) -> None:
        """model.initial(theta=1.05, theta_dot="4 rad/s"): where to start, numbers in SI; held exactly, or with held=False guesses that may move."""
        for name, value in values.items():
            rate = re.fullmatch(r"(.*)_dot", name)
            if rate and name not in self.coordinate_names:
                self._state("initial", rate[1], None, float(self._in_si(rate[1] + "'", value)), held)
            else:
                self._state("initial", name, float(self._in_si(name, value)), None, held)
