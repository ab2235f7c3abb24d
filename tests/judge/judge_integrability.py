#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dalembert analyze` says of the integrability of random constraints whose growth vector is known by how they are made.

    judge_integrability.py --program BINARY [--cases 200] [--seed 1]

Rows are made of
  exact forms      dy_i + dg_i, each with a coordinate y_i of its own: integrable, whatever g_i is
  a distribution   of known growth in other coordinates: chained forms (2, 3, ..., n), contact forms (2k, 2k+1), the flat (2, 3, 5)
                   and (3, 6), cars with trailers (2, 3, ..., n)
and disguised by what changes no growth vector: coordinates X_i = c x_i + f(x_1 ... x_{i-1}), invertible combinations of rows with
functions as factors, factors that are nowhere 0, and terms that are 0 by an identity between functions. Dimensions of
free coordinates add to each entry. No answer of the program is used as a reference.

right      kind, number of integrable combinations and growth are as made
undecided  said so, and what is said of the rest is true
refused    the program ended with another status
wrong      anything else; its model is printed, and the exit status is 1
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter


class Made:
    """Rows over coordinates x1 ... xn, with what they must be found to be."""

    def __init__(self, rng):
        self.rng = rng
        self.names, self.forms, self.start = [], [], {}
        self.growth, self.integrable, self.kind_of_case = [], 0, ""
        self.holonomic = []

    def coordinate(self):
        self.names.append(f"x{len(self.names) + 1}")
        return self.names[-1]


def number(rng):
    return rng.choice(["2", "3", "1/2", "0.4", "1.7", "-1", "-2/3", "5", "0.25"])


def smooth(rng, variables, depth=2):
    """A function of some of the variables that has a value everywhere."""
    if not variables:
        return number(rng)
    a = rng.choice(variables)
    if depth == 0:
        return a
    inner = smooth(rng, variables, depth - 1)
    kind = rng.randrange(13)
    if kind < 2:
        return f"{number(rng)}*{a}*{rng.choice(variables)}"
    if kind == 2:
        return f"{a}^{rng.choice([2, 3])}"
    if kind == 3:
        return f"exp({rng.choice(['', '-', '2*', '0.5*'])}{a})"
    if kind == 4:
        return f"sin({a} + {rng.choice(variables)})"
    if kind == 5:
        return f"cos({rng.choice(['', '2*', '3*'])}{a})"
    if kind == 6:
        return f"atan({a})"
    if kind == 7:
        return f"log(1 + {a}^2)"
    if kind == 8:
        return f"sqrt(1 + {a}^2)"
    if kind == 9:
        return f"({inner})/(2 + {rng.choice(['sin', 'cos'])}({a}))"
    if kind == 10:
        return f"{a}*exp({rng.choice(variables)})"
    if kind == 11:
        return f"{rng.choice(['sinh', 'tanh', 'cosh'])}({a})"
    return f"({inner}) + {number(rng)}*{a}"


def positive(rng, variables):
    a = rng.choice(variables)
    return rng.choice([f"exp({a})", f"(2 + sin({a}))", f"(1 + {a}^2)", f"sqrt(3 + {a}^2)", "2", f"cosh({a})", f"(3 + atan({a}))"])


def nothing(rng, variables):
    """0, by an identity."""
    a, b = rng.choice(variables), rng.choice(variables)
    return rng.choice([
        f"exp(2*{a}) - exp({a})^2",
        f"sin(2*{a}) - 2*sin({a})*cos({a})",
        f"exp({a} + {b}) - exp({a})*exp({b})",
        f"cosh({a})^2 - sinh({a})^2 - 1",
        f"log((2 + sin({a}))*(1 + {b}^2)) - log(2 + sin({a})) - log(1 + {b}^2)",
        f"exp(log(2 + sin({a}))) - 2 - sin({a})",
        f"sqrt(1 + {a}^2)^2 - 1 - {a}^2",
        f"sqrt(4 + 4*{a}^2) - 2*sqrt(1 + {a}^2)",
        f"cos(atan({a}))^2*(1 + {a}^2) - 1",
        f"sin(atan({a})) - {a}/sqrt(1 + {a}^2)",
        f"tan({a})*cos({a}) - sin({a})",
        f"tanh({a})*cosh({a}) - sinh({a})",
        f"exp(0.5*{a})^2 - exp({a})",
        f"log(exp({a})) - {a}",
        f"cos({a} + pi/3) - cos({a})/2 + sqrt(3)/2*sin({a})",
        f"exp({a}*({b} + 1)) - exp({a}*{b})*exp({a})",
        f"sqrt((1 + {a}^2)^2) - 1 - {a}^2",
        f"(1 + {a}^2)^1.5 - (1 + {a}^2)*sqrt(1 + {a}^2)",
        f"sqrt(1 + {a}^2)*sqrt(2 + {b}^2) - sqrt((1 + {a}^2)*(2 + {b}^2))",
    ])


def distribution(made, most):
    """Rows of known growth in new coordinates; returns the names of those, and dimensions."""
    rng = made.rng
    kind = rng.choice(["chained", "chained", "contact", "flat 2 3 5", "flat 3 6"])
    if kind == "flat 3 6" and most < 6 or kind == "flat 2 3 5" and most < 5:
        kind = "chained"
    if kind == "chained":
        z = [made.coordinate() for _ in range(rng.randint(3, max(3, min(most, 6))))]
        return z, [f"dot({z[k + 1]}) - ({z[k]})*dot({z[0]})" for k in range(1, len(z) - 1)], list(range(2, len(z) + 1))
    if kind == "contact":
        pairs = rng.randint(1, max(1, min(2, (most - 1) // 2)))
        z = [made.coordinate() for _ in range(2 * pairs + 1)]
        return z, [f"dot({z[-1]})" + "".join(f" - ({z[2 * i]})*dot({z[2 * i + 1]})" for i in range(pairs))], [2 * pairs, 2 * pairs + 1]
    if kind == "flat 2 3 5":
        z = [made.coordinate() for _ in range(5)]
        return z, [f"dot({z[2]}) - ({z[0]})*dot({z[1]})", f"dot({z[3]}) - ({z[0]})^2/2*dot({z[1]})",
                   f"dot({z[4]}) - ({z[0]})*({z[1]})*dot({z[1]})"], [2, 3, 5]
    z = [made.coordinate() for _ in range(6)]
    return z, [f"dot({z[3 + k]}) - ({z[i]})*dot({z[j]})" for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)])], [3, 6]


def substitute(text, names, values):
    """All at once; names are x1 ... xn."""
    out, k = "", 0
    while k < len(text):
        word = ""
        while k < len(text) and (text[k].isalnum() or text[k] == "_"):
            word += text[k]
            k += 1
        if word:
            out += f"({values[names.index(word)]})" if word in names else word
        else:
            out += text[k]
            k += 1
    return out


def change_coordinates(made):
    rng = made.rng
    values = []
    for k, name in enumerate(made.names):
        before = made.names[:k]
        value = name
        if before and rng.random() < 0.5:
            value = f"{rng.choice(['', '2*', '-1/2*'])}{name} + {smooth(rng, before, 1)}"
        values.append(value)
    made.forms = [substitute(form, made.names, values) for form in made.forms]


def mix_rows(made):
    """Each row gets multiples of others, one after the other, which is invertible whatever the factors are."""
    rng = made.rng
    for _ in range(rng.randint(1, len(made.forms) + 1)):
        i, j = rng.randrange(len(made.forms)), rng.randrange(len(made.forms))
        if i != j:
            made.forms[i] = f"{made.forms[i]} + ({smooth(rng, made.names, 1)})*({made.forms[j]})"
        if max(map(len, made.forms)) > 1500:
            break
    for i in range(len(made.forms)):
        if rng.random() < 0.5:
            made.forms[i] = f"{positive(rng, made.names)}*({made.forms[i]})"


def disguise(made):
    rng = made.rng
    if rng.random() < 0.6:
        change_coordinates(made)
    if rng.random() < 0.85:
        mix_rows(made)
    if rng.random() < 0.4:
        i = rng.randrange(len(made.forms))
        made.forms[i] = f"{made.forms[i]} + ({nothing(rng, made.names)})*dot({rng.choice(made.names)})"


def exact_forms(made, count, over, with_time=False):
    for _ in range(count):
        y = made.coordinate()
        g = " + ".join(smooth(made.rng, over) for _ in range(made.rng.randint(1, 2)))
        if with_time:
            g += f" + sin({made.rng.choice(['', '2*'])}t)*{made.rng.choice(over)} + {made.rng.choice(['t^2', 'exp(-t)', 'cos(t)'])}"
        own = made.rng.choice([y, y, f"{y} + {y}^3", f"exp({y})"])
        made.forms.append(f"dot({own} + {g})")


def make_exact(rng):
    made = Made(rng)
    free = [made.coordinate() for _ in range(rng.randint(2, 4))]
    count = rng.randint(1, 3)
    made.kind_of_case = "exact forms"
    exact_forms(made, count, free, rng.random() < 0.2)
    made.growth, made.integrable = [len(free)], count
    disguise(made)
    return made


def make_mixed(rng):
    made = Made(rng)
    z, rows, growth = distribution(made, 6)
    free = [made.coordinate() for _ in range(rng.choice([0, 0, 1]))]
    made.forms = rows
    count = rng.choice([0, 1, 1, 2]) if len(made.names) < 6 else rng.choice([0, 1])
    made.kind_of_case = "a distribution" if count == 0 else "exact forms beside a distribution"
    exact_forms(made, count, z + free)
    made.growth, made.integrable = [d + len(free) for d in growth], count
    if count > 0 and rng.random() < 0.15:
        # An exact form as a constraint of position: the others do not know its coordinate.
        made.kind_of_case = "a constraint of position beside a distribution"
        made.holonomic = [form[len("dot("):-1] for form in made.forms[len(rows):]]
        made.forms = made.forms[:len(rows)]
        names, made.names = made.names, z + free
        disguise(made)
        made.names = names
        return made
    disguise(made)
    return made


def make_car(rng):
    made = Made(rng)
    trailers = rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 6])
    made.kind_of_case = f"a car with {trailers} trailers"
    x, y = made.coordinate(), made.coordinate()
    heading = [made.coordinate() for _ in range(trailers + 1)]
    at_x, at_y = x, y
    for k, h in enumerate(heading):
        if k > 0:
            length = rng.choice(["1", "2", "0.7", "3/2"])
            at_x += f" - {length}*cos({h})"
            at_y += f" - {length}*sin({h})"
        made.forms.append(f"-sin({h})*dot({at_x}) + cos({h})*dot({at_y})")
    made.growth = list(range(2, trailers + 4))
    for name in made.names:
        made.start[name] = round(rng.uniform(-1, 1), 2)
    if trailers < 3 and rng.random() < 0.5:
        mix_rows(made)
    return made


def model_of(made):
    names = ", ".join(f'"{name}"' for name in made.names)
    kinetic = " + ".join(f"{name}'^2/2" for name in made.names)
    text = f'name = "made"\ncoordinates = [{names}]\n[energy]\nkinetic = "{kinetic}"\n'
    for j, h in enumerate(made.holonomic):
        text += f'[[constraint]]\nname = "h{j}"\nholonomic = "{h}"\n'
    for j, form in enumerate(made.forms):
        text += f'[[constraint]]\nname = "c{j}"\npfaffian = "{form}"\n'
    start = {name: made.start.get(name, round(made.rng.uniform(-1, 1), 3)) for name in made.names}
    return text + "[initial]\nguess = {" + ", ".join(f"{k} = {v}" for k, v in start.items()) + "}\n"


def verdict(made, found):
    rows = len(made.forms) + len(made.holonomic)
    kind = "holonomic" if made.integrable == rows else "nonholonomic" if made.integrable == 0 else "mixed"
    growth = found["growth"]
    if found["kind"] == "undecided":
        so_far = len(growth) <= len(made.growth) and all(a <= b for a, b in zip(growth, made.growth))
        if found["exact"]:
            so_far = so_far and growth == made.growth[:len(growth)]
        bounds = not growth or found["integrable"] <= made.integrable <= found["integrable_at_most"]
        return "undecided" if so_far and bounds else "wrong"
    if (found["kind"], found["integrable"], growth) == (kind, made.integrable, made.growth):
        return "right" if found["exact"] else "right, by numbers"
    return "wrong" if found["exact"] else "wrong, by numbers"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--patience", type=float, default=60, help="seconds for each model: the rest of `analyze` takes long for long cars")
    parser.add_argument("--keep", help="a folder for models that are not found right")
    arguments = parser.parse_args()

    counts, kinds, slowest = Counter(), {}, (0, -1)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "made.toml"
        for case in range(arguments.cases):
            rng = random.Random(f"{arguments.seed} {case}")
            made = rng.choice([make_exact, make_exact, make_mixed, make_mixed, make_car])(rng)
            text = model_of(made)
            path.write_text(text)
            began = time.time()
            try:
                done = subprocess.run([arguments.program, "analyze", "--json", str(path)], capture_output=True, text=True,
                                      timeout=arguments.patience, check=False)
                if done.returncode != 0:
                    said, answer = "refused", done.stderr
                else:
                    answer = json.loads(done.stdout)["integrability"]
                    said = verdict(made, answer)
            except subprocess.TimeoutExpired:
                said, answer = "no answer", f"in {arguments.patience} s"
            slowest = max(slowest, (time.time() - began, case))
            counts[said] += 1
            kinds.setdefault(made.kind_of_case, Counter())[said] += 1
            if said not in ("right", "right, by numbers"):
                print(f"case {case}: {said}; made {made.integrable} integrable, growth {made.growth}\n  found {answer}", flush=True)
                if said.startswith("wrong"):
                    print(text)
                if arguments.keep:
                    (pathlib.Path(arguments.keep) / f"{said.split(',')[0]}_{arguments.seed}_{case}.toml").write_text(text)
    for kind, of_kind in sorted(kinds.items()):
        print(f"{kind:50} {', '.join(f'{n} {said}' for said, n in sorted(of_kind.items()))}")
    total = ", ".join(f"{n} {said}" for said, n in sorted(counts.items()))
    print(f"{arguments.cases} cases: {total}; the slowest took {slowest[0]:.1f} s (case {slowest[1]})")
    return 1 if any(said.startswith("wrong") for said in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
