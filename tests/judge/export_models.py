# SPDX-License-Identifier: Apache-2.0
"""Random models with all that exports take, for judge_exports.py."""

NAMES = """for double int def let var this NaN self s p q v u out I1 N_ E1 gamma y t1 zeta _x __x nv NQ i k status J0 yield M W x_ x__2 isnan fmax sine
math np _nan init prepare step inf constructor prototype __proto__ toString None True undefined new static y0 j1 void main end function ans eps e a1
Model _p l0 NAN errno exit await I theta beta omega turn delta mode law A tau left right residual""".split()


class Generator:
    """A model as text. Numbers without a unit are made of coordinates, velocities and time by parameters that have their units."""

    def __init__(self, rng):
        self.rng, self.units = rng, rng.random() < 0.4
        self.space = rng.random() < 0.3
        self.friction = rng.random() < 0.3
        names = rng.sample(NAMES, 30)
        self.free = iter(names)
        take = lambda: next(self.free)
        self.m1, self.m2, self.L, self.g, self.k, self.T, self.a, self.b = (take() for _ in range(8))
        self.coordinates = [(take(), rng.choice(["m", "rad"])) for _ in range(rng.randint(2, 4 if self.space else 5))]
        self.quaternion = [take() for _ in range(4)] if self.space and rng.random() < 0.7 else []
        # A pin that carries a point along, and a wheel that rolls.
        self.pin = [(take(), "m") for _ in range(3 if self.space else 2)] if rng.random() < 0.15 else []
        self.wheel = [(take(), "m"), (take(), "rad")] if not self.space and rng.random() < 0.15 else []
        self.coordinates += self.pin + self.wheel
        self.inputs = [take() for _ in range(2)]
        self.parts, self.rows, self.outputs, self.samples = [], [], [], None
        self.take, self.defined = take, None
        self.defined = self.ex(1) if rng.random() < 0.3 else None

    def atom(self, moves=True):
        r, pick = self.rng.random(), self.rng.choice
        if moves and self.defined and r < 0.05:
            return "(defined)"
        if moves and r < 0.6:
            return self.pure(*pick(self.coordinates))
        if r < 0.75:
            return pick([self.a, self.b])
        if moves and r < 0.8 and not self.still:
            return pick([f"t/{self.T}", f"sin(2*t/{self.T})"])
        return pick(["0.5", "1/3", "pi/4", "0.1", "7/5", "2", "1.25", f"{self.rng.uniform(-1, 1):.4f}"])

    def pure(self, name, unit):
        return f"({name}/{self.L})" if unit == "m" else name

    def rate(self, name, unit):
        rate = self.rng.choice([f"{name}'", f"dot({name})"])
        return f"({self.T}*{rate}/{self.L})" if unit == "m" else f"({self.T}*{rate})"

    def force(self, unit, value):
        return f"{self.k}/{self.L}*({value})" if unit == "m" else f"{self.k}*({value})"

    still = False  # whether formulas have no time

    def ex(self, depth=2, moves=True):
        if depth == 0 or self.rng.random() < 0.15:
            return self.atom(moves)
        x, y = self.ex(depth - 1, moves), self.ex(depth - 1, moves)
        return self.rng.choice([
            "sin({x})", "cos({x})", "tan(sin({x})/2)", "asin(sin({x})/2)", "acos(cos({x})/3)", "atan({x})", "atan2({x}, 2 + ({y})^2)",
            "sinh({x}/3)", "cosh(({x})/4)", "tanh({x})", "exp(-({x})^2/4)", "log(2 + ({x})^2)", "sqrt(1 + ({x})^2)", "(2 + sin({x}))^{p}",
            "hypot({x}, 1 + ({y})^2)", "abs({x})", "min({x}, {y})", "max({x}, {y}, 0.013)", "if({x} > {y}, {x}, 0.1)",
            "if({x} <= 0.037 or not {y} < 1, {y}, {x})", "({x})*({y})", "({x} + {y})", "({x} - {y})", "({x})/(3 + ({y})^2)", "-({x})", "({x})^2", "({x})^3",
        ]).format(x=x, y=y, p=self.rng.choice(["2", "0.5", "-2", self.a, "1.5"]))

    def add(self, section, **keys):
        self.parts.append(f"[[{section}]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()))

    def quoted(self, *texts):
        return "[" + ", ".join(f'"{text}"' for text in texts) + "]"

    def constraint(self, kind, text, name=None):
        name = name or f"{kind[0]}{len(self.rows)}"
        self.rows.append((name, kind, text))
        self.add("constraint", name=f'"{name}"', **{kind: f'"{text}"'})

    def write(self):
        rng, k, T, L = self.rng, self.k, self.T, self.L
        axes = 3 if self.space else 2
        kinetic = [f"{rng.choice([self.m1, self.m2])}*{L}^2/{T}^2*{self.rate(*c)}^2/2" for c in self.coordinates if rng.random() < 0.93]
        for _ in range(rng.randint(0, 2)):
            one, two = rng.choice(self.coordinates), rng.choice(self.coordinates)
            kinetic.append(f"0.2*{k}*(sin({self.ex()}))*{self.rate(*one)}*{self.rate(*two)}")
        if rng.random() < 0.3:
            kinetic.append(f"{k}*(tanh({self.ex()}))*{self.rate(*rng.choice(self.coordinates))}")
        potential = [f"{k}*({self.ex(3)})"] + [f"{self.m1}*{self.g}*{L}*({self.ex()})" for _ in range(rng.randint(0, 1))]
        energy = f'[energy]\nkinetic = "{" + ".join(kinetic) or "0"}"\npotential = "{" + ".join(potential)}"\n'
        if rng.random() < 0.5:
            c = rng.choice(self.coordinates)
            energy += f'dissipation = "{k}/{T}*({self.ex()})^2*{self.rate(*c)}^2/2 + {k}/{T}*sqrt(1 + {self.rate(*c)}^2)"\n'
        self.frames_and_bodies(axes)
        self.forces(axes)
        self.constraints(axes)
        self.frictions()
        return self.whole(energy, axes)

    def frames_and_bodies(self, axes):
        rng, L = self.rng, self.L
        place = lambda: self.quoted(*(f"{L}*({self.ex(1)})" for _ in range(axes)))
        self.frames, self.points = ["ground"], []
        if self.quaternion:
            self.add("frame", name='"Q"', origin=place(), quaternion=self.quoted(*self.quaternion))
            self.frames.append("Q")
            self.add("body", name='"bq"', mass=f'"{self.m1}"', inertia=self.quoted(*(f"{self.m1}*{L}^2*{x}" for x in (0.4, 0.5, 0.6))), frame='"Q"',
                     com=self.quoted(f"{L}/5", "0", f"-{L}/9"))
        for name in ["A", "B_"][: rng.randint(0, 2)]:
            turn = f'"{self.ex(1)}"' if axes == 2 else f'[["{rng.choice("xyz")}", "{self.ex(1)}"], ["{rng.choice("xyz")}", "{self.ex(1)}"]]'
            self.add("frame", name=f'"{name}"', parent=f'"{self.frames[-1]}"', origin=place(), rotate=turn)
            self.frames.append(name)
        for name in ["P", "O", "R"][: rng.randint(0, 3)]:
            at = [rng.choice(["0.3", "-1/2", "0.7"]) + "*" + L for _ in range(axes)]
            frame = self.frames[-1] if name == "O" else rng.choice(self.frames)
            self.add("point", name=f'"{name}"', frame=f'"{frame}"', at=self.quoted(*at))
            self.points.append(name)
        if self.pin and self.points:
            self.add("point", name='"pinned"', at=self.quoted(*(name for name, _ in self.pin)))
            self.rows.append(("pin", "coincide", ""))
            self.add("constraint", name='"pin"', coincide=self.quoted(self.points[-1], "pinned"))
        if self.wheel:
            self.add("frame", name='"wheel"', origin=self.quoted(self.wheel[0][0], L), rotate=f'"{self.wheel[1][0]}"')
            self.add("point", name='"contact"', at=self.quoted(self.wheel[0][0], "0"))
            self.rows.append(("roll", "pfaffian", ""))
            self.add("constraint", name='"roll"', no_slip='{point = "contact"}', frame='"wheel"')
        if len(self.frames) > 1 and rng.random() < 0.6:
            inertia = f'"{self.m2}*{L}^2/3"' if axes == 2 else self.quoted(*(f"{self.m2}*{L}^2*{x}" for x in (0.3, 0.4, 0.5)))
            self.add("body", name='"b1"', mass=f'"{self.m2}"', inertia=inertia, frame=f'"{self.frames[-1]}"', com=self.quoted(*[f"{L}/4"] * axes))
        if rng.random() < 0.4:
            turn = {"angle": f'"{self.ex(1)}"', "inertia": f'"{self.m1}*{L}^2"'} if axes == 2 and rng.random() < 0.5 else {}
            self.add("body", name='"b2"', mass=f'"{self.m2}/3"', position=place(), **turn)

    def forces(self, axes):
        rng, k, T, L = self.rng, self.k, self.T, self.L
        pair = rng.sample(self.points, 2) if len(self.points) > 1 else None
        if pair and rng.random() < 0.4:
            self.add("spring", between=self.quoted(*pair), stiffness=f'"2*{k}/{L}^2"', rest=f'"{L}/7"')
        if pair and rng.random() < 0.3:
            self.add("damper", between=self.quoted(*pair), damping=f'"{k}*{T}/{L}^2"')
        for what in ("spring", "damper"):
            name, unit = rng.choice(self.coordinates)
            if rng.random() < 0.4:
                value = k + ("*" + T if what == "damper" else "") + (f"/{L}^2" if unit == "m" else "")
                self.add(what, coordinate=f'"{name}"', **{"stiffness" if what == "spring" else "damping": f'"{value}"'})
        u, w = self.inputs
        for _ in range(rng.randint(0, 2)):
            one, two = rng.choice(self.coordinates), rng.choice(self.coordinates)
            self.add("force", power=f'"{k}/{T}*({u}*({self.ex(1)})*{self.rate(*one)} + {w}*{self.rate(*two)})"')
        if rng.random() < 0.4:
            name, unit = rng.choice(self.coordinates)
            self.add("force", coordinate=f'"{name}"', value=f'"{self.force(unit, self.ex() + rng.choice(["", " + floor(2*sin(t/" + T + "))", " - sign(" + self.ex(1) + ")/9", " + mod(" + self.ex(1) + ", 2)"]))}"')
        if self.points and rng.random() < 0.4:
            self.add("force", at=f'"{rng.choice(self.points)}"', vector=self.quoted(*(self.force("m", self.ex(1)) for _ in range(axes))))
        if '"b1"' in "".join(self.parts) and rng.random() < 0.5:
            torque = f'"{k}*({self.ex(1)} + {u})"' if axes == 2 else self.quoted(*(f"{k}*({self.ex(1)})" for _ in range(3)))
            self.add("force", body='"b1"', torque=torque)

    def constraints(self, axes):
        rng, T, L = self.rng, self.T, self.L
        others = [c for c in self.coordinates if c not in self.pin + self.wheel]
        n = len(others)
        self.solved = rng.sample(others, n)
        self.prescribed = []
        for _ in range(rng.choice([0, 1, 1, 2, 2] if n > 2 else [0, 1])):
            one = self.solved.pop()
            kind = "holonomic" if rng.random() < 0.5 or self.friction else "pfaffian"
            if kind == "holonomic":
                self.still = rng.random() < 0.7
                self.constraint(kind, f"3*{self.pure(*one)} + {self.ex(2)}")
                self.still = False
            else:
                terms = [f"({self.ex(1)})*{self.rate(*c)}" for c in self.coordinates if rng.random() < 0.7]
                affine = [self.ex(1)] if rng.random() < 0.3 else []
                self.constraint(kind, " + ".join(terms + [f"4*{self.rate(*one)}"] + affine))
        if len(self.points) > 1 and rng.random() < 0.2 and len(self.rows) < n - 1:
            self.rows.append(("dist", "distance", ""))
            self.add("constraint", name='"dist"', distance=f'{{between = {self.quoted(*self.points[:2])}, value = "{rng.uniform(0.3, 1.5):.3f}*{L}"}}')
        if self.points and rng.random() < 0.15 and len(self.rows) < n - 1:
            self.rows.append(("skid", "pfaffian", ""))
            self.add("constraint", name='"skid"', no_skid=f'{{point = "{self.points[0]}", direction = {self.quoted(*["1", self.b, "0.3"][:axes])}}}')
        for kind in ("holonomic", "pfaffian"):
            same = [text for _, of, text in self.rows if of == kind and text]
            if same and rng.random() < 0.25:
                text = f"{rng.choice(['2', '-0.7', '1/3', '1e3'])}*({rng.choice(same)})"
                if len(same) > 1 and rng.random() < 0.7:
                    text = f"({same[0]}) - 3*({same[1]})"
                self.constraint(kind, text)
        if self.solved and rng.random() < 0.2 and len(self.solved) > 1:
            name, unit = self.solved.pop()
            value = rng.choice(["0.5*exp(-t/{T})", "0.4*sin(2*t/{T})", "0.3 + t/{T}/4"]).format(T=T)
            self.prescribed.append(f'{name} = "{L}*({value})"\n' if unit == "m" else f'{name} = "{value}"\n')

    def frictions(self):
        rng, k, T, L = self.rng, self.k, self.T, self.L
        loads = [name for name, kind, _ in self.rows if kind in ("holonomic", "distance")]
        load = lambda: f"lambda({rng.choice(loads)})" + ("/" + L if not any(r[0] == "dist" for r in self.rows) else "")
        self.loads = [r for r in self.rows if r[1] == "holonomic"]
        if loads and "dist" in loads:
            loads = [name for name in loads if name != "dist"] or []
            load = lambda: f"lambda({rng.choice(loads)})/{L}"
        if loads and rng.random() < 0.25:
            name, unit = rng.choice(self.coordinates)
            over = f"/{L}" if unit == "m" else ""
            self.add("force", coordinate=f'"{name}"', value=f'"0.2*({self.ex(1)})*lambda({rng.choice(loads)}){over}"')
        if not self.friction or not loads:
            return
        for count in range(rng.randint(1, 3)):
            c = rng.choice(self.coordinates)
            keys = {"coefficient": f'"0.3*(1 + 0.1*sin({self.ex(1)}))"'}
            if rng.random() < 0.4:
                keys["static"] = '"0.5"'
            if rng.random() < 0.4:
                keys["viscous"] = f'"0.1*{k}*{T}/{L}^2"'
            normal = f"(1 + ({self.ex(1)})^2)*{load()}" + (f" + {k}/{L}*({self.ex(1)})" if rng.random() < 0.3 else "")
            self.add("friction", name=f'"fr{count}"', normal=f'"{normal}"', velocity=f'"{L}/{T}*({rng.choice(["1", "0.5", self.a])})*{self.rate(*c)}"', **keys)
            self.outputs.append(f'friction(fr{count})')

    def whole(self, energy, axes):
        rng, T, L = self.rng, self.T, self.L
        unit = lambda text: f" {text}" if self.units else ""
        value = lambda text, low=0.4, high=2.6: f'"{rng.uniform(low, high):.3f}{unit(text)}"' if unit(text) else f"{rng.uniform(low, high):.3f}"
        text = f'name = "{rng.choice(["judged", "3 of it", "int", "a-b (c)", "Ünit", "class"])}"\ncoordinates = ['
        text += ", ".join([f'{{name = "{name}", unit = "{u}"}}' if self.units else f'"{name}"' for name, u in self.coordinates] + [f'"{e}"' for e in self.quaternion])
        text += "]\n" + (f"gravity = {self.quoted(*(['0'] * (axes - 1) + ['-' + self.g]))}\n" if rng.random() < 0.6 else "")
        text += f'[parameters]\n{self.m1} = {value("kg")}\n{self.m2} = {value("kg")}\n{L} = {value("m")}\n{self.g} = {value("m/s^2")}\n'
        text += f'{self.k} = {value("J")}\n{T} = {value("s")}\n{self.a} = {value("", 0.3, 1.4)}\n{self.b} = {value("", -2, 2)}\n'
        text += f'[define]\ndefined = "{self.defined}"\n' if self.defined else ""
        text += f'[inputs]\n{self.inputs[0]} = {rng.choice(["-1.3", "0.7"])}\n'
        if rng.random() < 0.15:
            spline = rng.random() < 0.5
            text += f'{self.inputs[1]} = {{file = "samples.csv", column = "w"{", interpolation = " + chr(34) + "spline" + chr(34) if spline else ""}}}\n'
            self.samples = "time,w\n" + "".join(f"{i / 4},{rng.uniform(-1, 1):.3f}\n" for i in range(24))
        else:
            text += f'{self.inputs[1]} = "{self.a}*sin(3*t/{T}) - 0.2"\n'
        text += energy + "".join(self.parts)
        if self.prescribed:
            text += "[prescribed]\n" + "".join(self.prescribed)
        moving = [name for name, _ in self.coordinates if not any(one.startswith(name + " ") for one in self.prescribed)]
        guess = {name: rng.uniform(-1, 1) for name in moving} | {e: rng.uniform(0.2, 1) for e in self.quaternion}
        if rng.random() < 0.6:
            guess |= {name + "'": rng.uniform(-1, 1) for name in moving}
        text += "[initial]\nguess = {" + ", ".join(f'"{name}" = {x:.3f}' for name, x in guess.items()) + "}\n"
        c = rng.choice(self.coordinates)
        self.outputs.append(f"({self.ex()}) + {self.rate(*c)}^2")
        if self.loads:
            self.outputs.append(f"lambda({self.loads[0][0]})")
        if self.rng.random() < 0.4:
            self.outputs += [f"2*integral(({self.ex()})*{self.rate(*c)}) + {self.outputs[0]}", f"integral({self.outputs[0]})"]
        return text + "[outputs]\n" + "".join(f'{self.take()} = "{one}"\n' for one in self.outputs)
