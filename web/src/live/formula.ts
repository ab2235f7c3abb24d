// SPDX-License-Identifier: Apache-2.0
// What a reader types for a value or an input, in the language of model files (docs/model-format.md): read, its units compared.
import { function_of, kOfOne, kOfTwo, type Tree } from "./tree";
import { is_unit, kPure, kTime, same, times, unit_name, unit_of, type Dimension } from "./units";

/** A parameter that formulas may name. */
export interface Name { name: string; unit: string; }
/** What formulas are read with. */
export interface Scope { names: Name[]; others: string[]; compares: boolean; }
/** `plain`: of numbers and the time alone; its unit is that of the place where it stands. */
export interface Formula { tree: Tree; plain: boolean; }

// As dimensions of model files: a number in front is in whatever unit fits, which `free` says; `loose`: may be so with a number in front.
interface Term { tree: Tree; dimension: Dimension; free: boolean; loose: boolean; plain: boolean; }

const kLongest = 500;  // characters
const kDeepest = 200;  // brackets in each other, as in model files
const kNames = [...Object.keys(kOfOne), ...Object.keys(kOfTwo), "if"];
const kWords = ["and", "or", "not"];
// Characters that are not of the language, and what to write.
const kInstead: Record<string, string> = {
  "−": "-", "–": "-", "·": "*", "×": "*", "÷": "/", "²": "^2", "³": "^3", "≤": "<=", "≥": ">=", "°": "deg", "π": "pi", "√": "sqrt(…)",
  "!": "not", ";": ",", "%": "/100", "**": "^", "&&": "and", "||": "or", "!=": "not (a == b)", "=": "==",
};
const kNumber = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i, kName = /^[A-Za-z_]\w*/;
const kUnitTail = /^ *([*/]) *([A-Za-z]+)(?![\w(])( *\^ *-?\d{1,2}(?!\d))?/;

class Parser {
  private place = 0;
  private depth = 0;
  constructor(private readonly text: string, private readonly scope: Scope) {}

  whole(): Term {
    const quantity = this.quantity_alone();
    if (quantity !== null) return quantity;
    const term = this.number(this.either());
    const next = this.next();
    if (next === "") return term;
    if (/^,\d/.test(this.text.slice(this.place)) && /\d$/.test(this.text.slice(0, this.place))) this.fail("a comma is no decimal point: write “.”");
    if (/^[A-Za-z_\d(.]/.test(next)) this.missing_sign();
    this.unexpected();
  }

  private fail(why: string): never { throw new Error(why); }
  private next(): string {
    while (this.text[this.place] === " ") ++this.place;
    return this.text[this.place] ?? "";
  }
  private unexpected(): never {
    const next = this.next(), two = this.text.slice(this.place, this.place + 2), sign = two in kInstead ? two : next;
    if (sign === "") this.fail("it ends too early");
    this.fail(sign in kInstead ? `“${sign}” is not of the language: write ${kInstead[sign]}`
      : `“${this.text.slice(this.place, this.place + 12)}” is not expected there`);
  }
  private missing_sign(): never {
    const before = /[\w.]*$/.exec(this.text.slice(0, this.place).trimEnd())![0], after = /^[\w.]*/.exec(this.text.slice(this.place))![0];
    this.fail(`an operator is missing: write ${(before || "(…)").slice(-20)}*${(after || "(…)").slice(0, 20)} for a product`);
  }
  private take(mark: string): boolean {
    this.next();
    if (!this.text.startsWith(mark, this.place) || (mark === "*" && this.text[this.place + 1] === "*")) return false;
    this.place += mark.length;
    return true;
  }
  private word(pattern: RegExp): string | null {
    this.next();
    const found = pattern.exec(this.text.slice(this.place))?.[0] ?? null;
    this.place += found?.length ?? 0;
    return found;
  }

  // --- dimensions

  // What a sum, a choice or a comparison of both is, but for its tree.
  private compared(what: string, a: Term, b: Term): Omit<Term, "tree"> {
    if (a.free || b.free) {
      const fixed = a.free ? b : a;
      return { dimension: fixed.dimension, free: a.free && b.free, loose: a.loose && b.loose, plain: a.plain && b.plain };
    }
    if (this.scope.compares && !same(a.dimension, b.dimension))
      this.fail(`cannot ${what} ${unit_name(a.dimension)} and ${unit_name(b.dimension)}`);
    return { dimension: a.dimension, free: false, loose: a.loose && b.loose, plain: a.plain && b.plain };
  }
  private pure(what: string, { dimension, plain }: Term) {
    if (this.scope.compares && !plain && !same(dimension, kPure)) this.fail(`${what} must be a pure number, not in ${unit_name(dimension)}`);
  }
  private scaled(tree: Tree, a: Term, b: Term, power = 1): Term {
    return { tree, dimension: times(a.dimension, b.dimension, power), free: (a.free && b.loose) || (b.free && a.loose),
             loose: a.loose && b.loose, plain: a.plain && b.plain };
  }

  // --- conditions and numbers: a condition has no dimension

  private number(term: Term | Tree): Term {
    return typeof term === "object" && "tree" in term ? term : this.fail("a condition where a number is expected: write if(…, 1, 0)");
  }
  private condition(term: Term | Tree): Tree {
    return typeof term === "object" && "tree" in term ? this.fail("a number where a condition is expected: compare it by <, <=, >, >= or ==") : term;
  }
  private deeper<T>(read: () => T): T {
    if (++this.depth > kDeepest) this.fail(`it has more than ${kDeepest} brackets in each other`);
    const found = read();
    --this.depth;
    return found;
  }
  private either(): Term | Tree {
    return this.deeper(() => {
      let term = this.conjunction();
      while (this.word(/^or\b/) !== null) term = ["or", this.condition(term), this.condition(this.conjunction())];
      return term;
    });
  }
  private conjunction(): Term | Tree {
    let term = this.negation();
    while (this.word(/^and\b/) !== null) term = ["and", this.condition(term), this.condition(this.negation())];
    return term;
  }
  private negation(): Term | Tree {
    let count = 0;
    while (this.word(/^not\b/) !== null) ++count;
    const term = this.comparison();
    return count === 0 ? term : count % 2 === 1 ? ["not", this.condition(term)] : this.condition(term);
  }
  private comparison(): Term | Tree {
    const left = this.sum(), mark = this.word(/^(?:<=|>=|==|<|>)/);
    if (mark === null) return left;
    const a = this.number(left), b = this.number(this.sum());
    this.compared("compare", a, b);
    if (/^[<>]|^==/.test(this.text.slice(this.place).trimStart())) this.fail("comparisons cannot be chained: write a < b and b < c");
    return mark[0] === ">" ? [mark.replace(">", "<"), b.tree, a.tree] : [mark, a.tree, b.tree];
  }

  private sum(): Term | Tree {
    const first = this.product();
    let term: Term | null = null;
    for (;;) {
      const minus = this.take("-");
      if (!minus && !this.take("+")) return term ?? first;
      const a: Term = term ?? this.number(first), b: Term = this.number(this.product());
      term = { ...this.compared("add", a, b), tree: ["+", a.tree, minus ? ["*", -1, b.tree] : b.tree] };
    }
  }
  private product(): Term | Tree {
    const first = this.signed();
    let term: Term | null = null;
    for (;;) {
      const over = this.take("/");
      if (!over && !this.take("*")) return term ?? first;
      const a: Term = term ?? this.number(first), b: Term = this.number(this.signed());
      if (b.tree === 0 && over) this.fail("it divides by 0");
      term = this.scaled([over ? "/" : "*", a.tree, b.tree], a, b, over ? -1 : 1);
    }
  }
  private signed(): Term | Tree {
    let signs = 0, minus = false;
    for (;; ++signs) {
      if (this.take("-")) minus = !minus;
      else if (!this.take("+")) break;
    }
    const term = this.power();
    if (signs === 0) return term;
    const value = this.number(term);
    return minus ? { ...value, tree: typeof value.tree === "number" ? -value.tree : ["*", -1, value.tree] } : value;
  }
  private power(): Term | Tree {
    const base = this.primary();
    if (!this.take("^")) return base;
    const a = this.number(base), b = this.deeper(() => this.number(this.signed()));
    this.pure("an exponent", b);
    const tree: Tree = ["^", a.tree, b.tree], constant = constant_of(b.tree);
    if (constant === null && !a.loose) this.pure("what has a power that is no number", a);
    return { tree, dimension: constant === null ? kPure : times(kPure, a.dimension, constant), free: a.free && b.loose, loose: a.loose && b.loose,
             plain: a.plain && b.plain };
  }

  // --- numbers with units, names, calls

  private quantity(value: number, text: string): Term {
    const unit = unit_of(text)!, scaled = value * unit.factor;
    if (!Number.isFinite(scaled) || (scaled === 0 && value !== 0)) this.fail(`${value} ${text} is out of range in SI units`);
    return { tree: scaled, dimension: unit.dimension, free: false, loose: false, plain: false };
  }
  // The whole text, or all of what is between brackets: then it is no product with a parameter of that name.
  private quantity_alone(): Term | null {
    const rest = this.text.slice(this.place), inner = this.place === 0 ? rest : /^[^()]*(?=\))/.exec(rest)?.[0] ?? "";
    const [all = "", sign, number = "", unit = ""] = /^ *([+-]?) *((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?) *([A-Za-z°µμ%(1].*?) *$/i.exec(inner) ?? [];
    if (all === "" || (unit.startsWith("1") && !unit.startsWith("1/")) || unit_of(unit) === null) return null;
    const first = kName.exec(unit)?.[0];
    if (this.place === 0 && first !== undefined) this.one_meaning(number, unit, first, true);
    this.place += all.length;
    return this.quantity((sign === "-" ? -1 : 1) * Number(number), unit);
  }
  private one_meaning(number: string, unit: string, name: string, first: boolean) {
    const known = this.scope.names.find((one) => one.name === name);
    if (known === undefined) return;
    const of_model = this.dimension_of(known);
    if (first && this.scope.compares && known.unit !== "" && !same(of_model, unit_of(name)!.dimension)) return;
    this.fail(`${name} is a unit, and a name in this model: write (${number} ${unit}) for the quantity` + (first ? `, ${number}*${name} for the product` : ""));
  }
  private dimension_of({ unit }: Name): Dimension { return unit_of(unit)?.dimension ?? kPure; }

  private literal(number: string): Term {
    const value = Number(number);
    if (!Number.isFinite(value)) this.fail(`the number ${number.slice(0, 20)} is out of range`);
    const rest = this.text.slice(this.place), start = /^ *([A-Za-z]+)(?![\w(])( *\^ *-?\d{1,2}(?!\d))?/.exec(rest);
    if (start === null || !is_unit(start[1]!)) return { tree: value, dimension: kPure, free: true, loose: true, plain: true };
    let unit = start[0], names = [start[1]!];
    for (let tail; (tail = kUnitTail.exec(rest.slice(unit.length))) !== null && is_unit(tail[2]!);) {
      unit += tail[0];
      names.push(tail[2]!);
    }
    names.forEach((name, k) => this.one_meaning(number, unit.trim(), name, k === 0));
    this.place += unit.length;
    return this.quantity(value, unit);
  }
  private primary(): Term | Tree {
    if (this.take("(")) {
      const term = this.quantity_alone() ?? this.either();
      this.close();
      return term;
    }
    const number = this.word(kNumber);
    if (number !== null) return this.literal(number);
    const name = this.word(kName);
    if (name === null) this.unexpected();
    if (kWords.includes(name)) this.fail(`“${name}” is not expected there`);
    if (this.take("(")) return this.called(name);
    if (kNames.includes(name)) this.fail(`${name} is a function: its argument follows in brackets`);
    if (name === "t") return { tree: ["t"], dimension: kTime, free: false, loose: true, plain: true };
    if (name === "pi") return { tree: Math.PI, dimension: kPure, free: true, loose: true, plain: true };
    const place = this.scope.names.findIndex((one) => one.name === name);
    if (place >= 0) return { tree: ["p", place], dimension: this.dimension_of(this.scope.names[place]!), free: false, loose: false, plain: false };
    this.unknown(name);
  }
  private unknown(name: string): never {
    if (this.scope.others.includes(name)) this.fail(`${name.slice(0, 40)} depends on the motion: a formula here is of t and of parameters`);
    const near = [...this.scope.names.map((one) => one.name), ...kNames].find((one) => one.toLowerCase() === name.toLowerCase());
    this.fail(`${name.slice(0, 40)} is not known: ${near === undefined ? "t, pi and parameters are" : `did you mean ${near}?`}`);
  }

  private called(name: string): Term {
    if (!kNames.includes(name)) this.fail(`${name.slice(0, 40)} is no function: ${kNames.join(", ")} are`);
    const args: (Term | Tree)[] = [];
    do args.push(this.either()); while (this.take(","));
    this.close();
    const wanted = name === "if" ? 3 : name in kOfTwo ? 2 : 1, open = name === "min" || name === "max";
    if (args.length !== wanted && !(open && args.length > wanted))
      this.fail(`${name} takes ${wanted} argument${wanted === 1 ? "" : "s"}${open ? " or more" : ""}, not ${args.length}` +
        (name === "if" ? ": write if(condition, value, otherwise)" : name === "atan2" ? ": write atan2(y, x)" : ""));
    if (name === "if") {
      const when = this.condition(args[0]!), a = this.number(args[1]!), b = this.number(args[2]!);
      return { ...this.compared("choose between", a, b), tree: ["if", when, a.tree, b.tree] };
    }
    const terms = args.map((one) => this.number(one));
    if (wanted === 2) return terms.reduce((a, b) => {
      const both = this.compared(`use ${name} on`, a, b), tree: Tree = [name, a.tree, b.tree];
      return name === "atan2" ? { ...both, tree, dimension: kPure } : { ...both, tree };
    });
    return this.of_one(name, terms[0]!);
  }
  private of_one(name: string, x: Term): Term {
    const tree: Tree = [name, x.tree];
    if (name === "abs") return { ...x, tree };
    if (name === "sqrt") return { ...x, tree, dimension: times(kPure, x.dimension, 0.5) };
    if (name !== "sign") this.pure(`the argument of ${name}`, x);
    return { tree, dimension: kPure, free: x.plain, loose: true, plain: x.plain };
  }
  private close() {
    if (this.take(")")) return;
    if (this.next() === "") this.fail("a bracket is not closed");
    if (/^[A-Za-z_\d(]/.test(this.next())) this.missing_sign();
    this.unexpected();
  }
}

// Of a tree without names and time; null: it has some.
function constant_of(tree: Tree): number | null {
  const fixed = (one: Tree): boolean => typeof one === "number" || (one.length > 1 && one[0] !== "p" && (one.slice(1) as Tree[]).every(fixed));
  return fixed(tree) ? function_of(tree, [])(0) : null;
}

/** The formula of the text, for a place with this unit. Throws an Error with a sentence's end for the reader. */
export function formula_of(text: string, scope: Scope, unit: string): Formula {
  if (text.length > kLongest) throw new Error(`it has ${text.length} characters, more than ${kLongest}`);
  const { tree, dimension, free, plain } = new Parser(text, scope).whole(), wanted = unit_of(unit)?.dimension ?? kPure;
  if (scope.compares && !free && !plain && !same(dimension, wanted))
    throw new Error(`it must be ${unit === "" ? "a pure number" : `in ${unit}`}, not ${same(dimension, kPure) ? "a pure number" : `in ${unit_name(dimension)}`}`);
  return { tree, plain };
}
