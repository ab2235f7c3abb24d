# SPDX-License-Identifier: Apache-2.0
"""Random formulas of t and of parameters with the command's values of them, and texts that it takes or refuses as an input in N."""
import concurrent.futures
import csv
import json
import random
import subprocess

MODEL = r'''
name = "formulas"
coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "1.7 kg"
k = "20 N/m"
L = "0.1 m"
mu = 0.3
[inputs]
f = "%s"
[energy]
kinetic = "m/2*x'^2"
potential = "(k/2 + mu*(1 N/m))*(x - L)^2"
[[force]]
coordinate = "x"
value = "f"
[simulation]
until = "3 s"
'''
PARAMETERS = {"m": (1.7, "kg"), "k": (20, "N/m"), "L": (0.1, "m"), "mu": (0.3, "")}
# Of an input in N.
TEXTS = """
2 N*sin(3*t)|2*t|k*t|sin(k)|L+m|t > 1|if(t, 1, 2)|if(1 N,1,2)|2 t|2 mm*k|2k|20mm|3 kN|foo(1)|LL|1 < t < 2|hypot(L, m)|atan2(L, 2 m)|mod(t, 1)|2 Nm|min(1)|exp(t)
k*L+1|2 L*k|sqrt(L)|erf(1,2)|2 − 1|1 = 2|1 != 2|k*L && 2|x|2**3|1e999|30 deg|3 N + 1 deg|min(k*L, 5)|if(not t < 1 or t==3, k*L, 1 kg)|if(not t < 1 or t==3, k*L, 1 N)
2*m|exp(m)|exp(t*k)|t|2+t|1 s+t|sin(1 s)|floor(t)|2^m|sign(m)|sign(m)*L|max(t,1)*k|if(t < 1 kg, 1, 2)|if(t > 1, k*L, 0)|5*m/m|(2 kg)*t|floor(L)|t*t|3*t*m|3 L|(3 L)|2 m
1e-3 t|2 h|2 N/m*L|2 N/s*t|sqrt(4 N^2)|3 N*2 t|m'|2(t)|(1)(2)|5%|µ|2·t|30°|t²|1,5|1,5*t|sin t|and|max(t,)|()|pi()|t(2)|lambda(x)|dot(x)|integral(t)|2*t + 3 N|t + 3 N|t^2 + 1 N
sin(3*t) + 1 N|2*t*k|2*sin(k*t^2/m)|2*sin(5 rad/s*t)|sin(30 deg)|m/m*3 N|2*m/m + 3 N|3*t + 2*L|2^t*L|1/t*L|sqrt(t)*k|max(t, L)|mod(L, 1)*k|L*pi*k + 3|if(t<1, 2, L)|2 N*s*t|mu*t|mu*3 N
4 N*m/L/2|1 kg*m/s^2|5 N/m|(5 N/m)*L|(5 N)/L|-3 N|+3 N|--3|2^-1|2*-3|t > 1 and t < 2|if(t > 1 and t < 2, 1 N, 0)|if((t > 1), 1, 2)|if(t > 1 and 2, 1, 2)|abs(k*L)|-abs(-k*L)
erf(t)|tan(mu)*k*L|k*L^2/L|k*L*(2+3)|(k*L|k*L)||   |2 rpm*t|300 rpm*t*m|sin(300 rpm*t)*2 N|1 N + 1 lbf|1 N + 1 lb|2 N m|2 1/m|2 kg m/s^2|2 N·m/m|mod(t)|min(1, 2, 3)|not t > 1|1 == 1
""".replace("\n", "|").split("|")


def random_formula(rng, depth):
    """A formula whose values are neither large nor undefined, and not at a jump: pi alone would give zeros that are known exactly to the command."""
    inner = lambda: random_formula(rng, depth - 1)  # noqa: E731
    if depth == 0:
        return rng.choice(["t", "mu", "m", "pi*0.37", f"{rng.uniform(0, 3):.3g}", f"{rng.uniform(0, 90):.2g} deg", f"{rng.uniform(0, 9):.2g} mm", "L"])
    number = rng.randrange(16)
    one = rng.choice(["sin", "cos", "atan", "tanh", "erf", "abs", "sign", "floor"])
    two = rng.choice(["atan2", "min", "max", "hypot"])
    compare = rng.choice(["<", "<=", ">", ">="])
    return [lambda: f"{one}({inner()})", lambda: f"{two}({inner()}, {inner()})", lambda: f"({inner()} + {inner()})", lambda: f"({inner()} - {inner()})",
            lambda: f"tanh({inner()})*({inner()})", lambda: f"({inner()})/(1.5 + abs({inner()}))", lambda: f"sqrt(0.2 + abs({inner()}))",
            lambda: f"log(1.1 + abs({inner()}))", lambda: f"exp(-abs({inner()}))", lambda: f"mod({inner()}, 0.7)", lambda: f"(0.5 + tanh({inner()})^2)^sin({inner()})",
            lambda: f"if({inner()} {compare} {inner()}, {inner()}, {inner()})", lambda: f"if(not {inner()} < {inner()} and t > 1, {inner()}, {inner()})",
            lambda: f"if(t > 2 or {inner()} {compare} {inner()} and not t == 1, {inner()}, {inner()})", lambda: f"-{inner()}",
            lambda: f"sinh(tanh({inner()})) + cosh(sin({inner()})) - asin(sin({inner()})/2)*acos(tanh({inner()})/2) + tan(tanh({inner()}))"][number]()


def command_values(program, folder, texts):
    """The columns of the formulas as outputs, which are of no unit in a model that compares none."""
    model = MODEL % "0"
    for _, unit in PARAMETERS.values():
        model = model.replace(f' {unit}"', '"') if unit else model
    model = model.replace("*(1 N/m)", "").replace(', unit = "m"', "")
    path = folder / "formulas.toml"
    path.write_text(model + "[outputs]\n" + "".join(f'o{i} = "{text}"\n' for i, text in enumerate(texts)), encoding="utf-8")
    done = subprocess.run([program, "simulate", str(path), "--every", "0.373", "--quiet", "-o", str(folder / "formulas.csv")], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr[:2000])
    with open(folder / "formulas.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    times = [float(row["time"]) for row in rows]
    return [{"text": text, "t": times, "value": [float(row[f"output/o{i}"]) for row in rows]} for i, text in enumerate(texts)]


def is_taken(program, folder, number, text):
    path = folder / f"taken-{number}.toml"
    path.write_text(MODEL % text, encoding="utf-8")
    done = subprocess.run([program, "check", str(path), "--quiet"], capture_output=True, text=True)
    return {"text": text, "ok": done.returncode == 0}


def write_formulas(program, folder, seed=1):
    """formulas.json for web/tests/formulas.test.mjs."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    texts = [text for text in (random_formula(rng, 1 + k % 4) for k in range(260)) if len(text) < 480]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        taken = list(pool.map(lambda case: is_taken(program, folder, *case), enumerate(TEXTS)))
    names = [{"name": name, "unit": unit} for name, (_, unit) in PARAMETERS.items()]
    path = folder / "formulas.json"
    path.write_text(json.dumps({"values": command_values(program, folder, texts), "taken": taken, "names": names,
                                "parameters": [value for value, _ in PARAMETERS.values()]}), encoding="utf-8")
    return path
