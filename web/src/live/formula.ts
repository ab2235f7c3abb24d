// SPDX-License-Identifier: Apache-2.0
// Formulas of the time for inputs, in the language of model files: parsed, differentiated, evaluated. Nothing of a text is run as code.

type Eval = (t: number) => number;
type Condition = (t: number) => boolean;
interface Term { at: Eval; rate(): Term; }

const kLongest = 500;  // characters, and so the depth of a formula

const constant = (value: number): Term => ({ at: () => value, rate: () => zero });
const zero: Term = { at: () => 0, rate: () => zero };
const one = constant(1);
const time: Term = { at: (t) => t, rate: () => one };

const sum = (a: Term, b: Term): Term => ({ at: (t) => a.at(t) + b.at(t), rate: () => sum(a.rate(), b.rate()) });
const product = (a: Term, b: Term): Term => a === zero || b === zero ? zero : a === one ? b : b === one ? a :
  { at: (t) => a.at(t) * b.at(t), rate: () => sum(product(a.rate(), b), product(a, b.rate())) };
const minus = (a: Term): Term => product(constant(-1), a);
const quotient = (a: Term, b: Term): Term =>
  ({ at: (t) => a.at(t) / b.at(t), rate: () => quotient(sum(product(a.rate(), b), minus(product(a, b.rate()))), product(b, b)) });
const power = (a: Term, b: Term): Term => ({
  at: (t) => a.at(t) ** b.at(t),
  rate: () => b.rate() === zero ? product(product(b, power(a, sum(b, constant(-1)))), a.rate())
    : product(power(a, b), sum(product(b.rate(), call("log", [a])), product(b, quotient(a.rate(), a)))),
});
const choice = (when: Condition, a: Term, b: Term): Term => ({ at: (t) => (when(t) ? a : b).at(t), rate: () => choice(when, a.rate(), b.rate()) });

// Of one argument: the value, and the derivative by it.
const kFunctions: Record<string, [(x: number) => number, (x: Term) => Term]> = {
  sin: [Math.sin, (x) => call("cos", [x])],
  cos: [Math.cos, (x) => minus(call("sin", [x]))],
  tan: [Math.tan, (x) => quotient(one, power(call("cos", [x]), constant(2)))],
  asin: [Math.asin, (x) => quotient(one, call("sqrt", [sum(one, minus(power(x, constant(2))))]))],
  acos: [Math.acos, (x) => minus(quotient(one, call("sqrt", [sum(one, minus(power(x, constant(2))))])))],
  atan: [Math.atan, (x) => quotient(one, sum(one, power(x, constant(2))))],
  sinh: [Math.sinh, (x) => call("cosh", [x])],
  cosh: [Math.cosh, (x) => call("sinh", [x])],
  tanh: [Math.tanh, (x) => quotient(one, power(call("cosh", [x]), constant(2)))],
  exp: [Math.exp, (x) => call("exp", [x])],
  log: [Math.log, (x) => quotient(one, x)],
  sqrt: [Math.sqrt, (x) => quotient(constant(0.5), call("sqrt", [x]))],
  abs: [Math.abs, (x) => call("sign", [x])],
  sign: [Math.sign, () => zero],
  floor: [Math.floor, () => zero],
};
const kNames = [...Object.keys(kFunctions), "min", "max", "if"];

function call(name: string, args: Term[]): Term {
  const [value, slope] = kFunctions[name]!, x = args[0]!;
  return { at: (t) => value(x.at(t)), rate: () => product(slope(x), x.rate()) };
}

class Parser {
  private place = 0;
  constructor(private readonly text: string, private readonly names: Record<string, number>) {}

  whole(): Term {
    const term = this.sum();
    if (this.next() !== "") this.fail(`“${this.rest()}” is not expected there`);
    return term;
  }

  private fail(why: string): never { throw new Error(why); }
  private next(): string {
    while (this.text[this.place] === " ") ++this.place;
    return this.text[this.place] ?? "";
  }
  private rest() { return this.text.slice(this.place, this.place + 12); }
  private take(mark: string): boolean {
    this.next();
    if (!this.text.startsWith(mark, this.place)) return false;
    this.place += mark.length;
    return true;
  }
  private word(pattern: RegExp): string | null {
    this.next();
    const found = pattern.exec(this.text.slice(this.place))?.[0] ?? null;
    this.place += found?.length ?? 0;
    return found;
  }

  private sum(): Term {
    for (let term = this.product(); ;) {
      if (this.take("+")) term = sum(term, this.product());
      else if (this.take("-") || this.take("−")) term = sum(term, minus(this.product()));
      else return term;
    }
  }
  private product(): Term {
    for (let term = this.factor(); ;) {
      if (this.take("*")) term = product(term, this.factor());
      else if (this.take("/")) term = quotient(term, this.factor());
      else return term;
    }
  }
  private factor(): Term {
    if (this.take("-") || this.take("−")) return minus(this.factor());
    if (this.take("+")) return this.factor();
    const base = this.primary();
    return this.take("^") ? power(base, this.factor()) : base;
  }
  private primary(): Term {
    if (this.take("(")) {
      const term = this.sum();
      this.close();
      return term;
    }
    const number = this.word(/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i);
    if (number !== null) return constant(Number(number));
    const name = this.word(/^[A-Za-z_]\w*/);
    if (name === null) this.fail(this.next() === "" ? "it ends too early" : `“${this.rest()}” is not expected there`);
    if (this.take("(")) return this.called(name);
    if (name === "t") return time;
    if (name === "pi") return constant(Math.PI);
    const value = Object.prototype.hasOwnProperty.call(this.names, name) ? this.names[name] : undefined;
    if (value === undefined)
      this.fail(kNames.includes(name) ? `${name} needs an argument in brackets` : `${name.slice(0, 40)} is not known: t, pi and parameters are`);
    return constant(value);
  }
  private called(name: string): Term {
    if (!kNames.includes(name)) this.fail(`${name.slice(0, 40)} is no function: ${kNames.join(", ")} are`);
    const when = name === "if" ? this.condition() : null, args: Term[] = [];
    if (when !== null && !this.take(",")) this.fail("after the condition of `if` is a comma");
    do args.push(this.sum()); while (this.take(","));
    this.close();
    if (when !== null) return args.length === 2 ? choice(when, args[0]!, args[1]!) : this.fail("if takes a condition and two values");
    if (name === "min" || name === "max") {
      if (args.length < 2) this.fail(`${name} takes two or more`);
      return args.reduce((a, b) => choice((t) => name === "min" ? a.at(t) <= b.at(t) : a.at(t) >= b.at(t), a, b));
    }
    return args.length === 1 ? call(name, args) : this.fail(`${name} takes one argument`);
  }
  private condition(): Condition {
    const a = this.sum(), mark = this.word(/^(?:<=|>=|<|>)/), b = mark === null ? this.fail("the condition of `if` compares by <, <=, > or >=") : this.sum();
    const holds: Record<string, (x: number, y: number) => boolean> = { "<": (x, y) => x < y, "<=": (x, y) => x <= y, ">": (x, y) => x > y, ">=": (x, y) => x >= y };
    return (t) => holds[mark!]!(a.at(t), b.at(t));
  }
  private close() { if (!this.take(")")) this.fail("a bracket is not closed"); }
}

/** The formula, or its derivative by the time. Throws an Error with a sentence's end for the reader. `names`: parameters. */
export function formula_of(text: string, names: Record<string, number>, derivative = 0): Eval {
  if (text.length > kLongest) throw new Error(`it has ${text.length} characters, more than ${kLongest}`);
  let term = new Parser(text, names).whole();
  for (let k = 0; k < derivative; ++k) term = term.rate();
  return term.at;
}
