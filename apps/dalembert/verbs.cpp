// SPDX-License-Identifier: Apache-2.0
// The command line as a table: every verb with its options and examples.
#include "apps/dalembert/verbs.h"

#include "apps/dalembert/arguments.h"
#include "dalembert/codegen/export_code.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/report/equations_text.h"

namespace dalembert::app {
namespace {

const Option kSet{"--set", "",  "NAME=VALUE", "overrides a parameter, input, initial value or [structure] integer",
                  {},      true};

const Option kDeny{"--deny", "",  "WHAT", "exit status 1 on these warnings: a code such as W0102, or `warnings`",
                   {},       true};

const Option kAllowFiles{"--allow-files", "", "", "the model may read files outside of its folder", {}, false};

Option output_option(const std::string& value, const std::string& text) {
  return {"--output", "-o", value, text, {}, false};
}

std::string join_with_commas(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

Verb new_verb() {
  Verb verb;
  verb.name = "new";
  verb.operands = "NAME";
  verb.summary = "writes a commented starter model, NAME.toml";
  verb.details = "An existing file is never overwritten.";
  verb.examples = {"dalembert new pendulum", "dalembert new pendulum --output models/first.toml"};
  verb.options = {output_option("FILE", "where to write it; `-` is standard output")};
  verb.operand = Operand::kNewName;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_new;
  return verb;
}

Verb models_verb() {
  Verb verb;
  verb.name = "models";
  verb.operands = "[show NAME]";
  verb.summary = "lists the reference models, or prints one";
  verb.details =
      "Wherever a verb takes MODEL, one of these names works as well as a file.\nWith --quiet only the names are "
      "listed.";
  verb.examples = {"dalembert models", "dalembert models show slider-crank",
                   "dalembert models show slider-crank > mine.toml"};
  verb.operand = Operand::kModels;
  verb.max_operands = 2;
  verb.run = run_models;
  return verb;
}

Verb check_verb() {
  Verb verb;
  verb.name = "check";
  verb.operands = "MODEL";
  verb.summary = "parses, checks units, symbols, freedoms, consistency; says what is wrong and where";
  verb.examples = {"dalembert check slider-crank", "dalembert check mine.toml --json",
                   "dalembert check n-link-chain --set N=30"};
  verb.options = {kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_check;
  return verb;
}

Verb derive_verb() {
  Verb verb;
  verb.name = "derive";
  verb.operands = "MODEL";
  verb.summary = "equations of motion: M q'' + B + G = F + W^T lambda, W q' + a = 0";
  verb.examples = {"dalembert derive slider-crank", "dalembert derive slider-crank --only M,W --format latex",
                   "dalembert derive slider-crank --standalone -o equations.tex",
                   "dalembert derive cart-pendulum --form expanded -o equations.txt"};
  verb.options = {
      {"--format",
       "",
       "FORMAT",
       "notation (text, or what the suffix of --output stands for)",
       {"text", "latex", "json", "html"},
       false},
      {"--steps", "", "", "the trail of the derivation instead of its result", {}, false},
      {"--form", "", "FORM", "how entries are written (canonical)", {"canonical", "expanded", "as-derived"}, false},
      {"--only",
       "",
       "PARTS",
       "only these parts, with commas between: " + join_with_commas(equation_parts()),
       {},
       false},
      {"--unicode",
       "",
       "",
       "text: formulas for people, \u03b8\u0307\u00b2 for theta'^2, in lines of the terminal's width (what a UTF-8 "
       "terminal gets)",
       {},
       false},
      {"--ascii", "", "", "text: formulas as model files have them, also on a terminal", {}, false},
      {"--standalone", "", "", "LaTeX: a document for pdflatex instead of a fragment", {}, false},
      {"--width", "", "EM", "LaTeX: the widest line (38)", {}, false},
      output_option("FILE", "writes there instead of to standard output"),
      kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_derive;
  return verb;
}

Verb audit_verb() {
  Verb verb;
  verb.name = "audit";
  verb.operands = "MODEL";
  verb.summary = "decides every [[claim]]: is a formula that someone derived right?";
  verb.details =
      "A claim is proved, disproved (with the correct formula, the difference and a point where they differ), or\n"
      "undecided. Exit status 4 when any is disproved; undecided ones are warned of. Examples: audits/NAME below "
      "models/.";
  verb.examples = {"dalembert audit mine.toml", "dalembert audit audits/slider-crank-misprints",
                   "dalembert audit mine.toml --json", "dalembert audit mine.toml --against rolling-sphere"};
  verb.options = {{"--against",
                   "",
                   "MODEL",
                   "instead of claims: does this model say the same of the motion, and where not?",
                   {},
                   false},
                  kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_audit;
  return verb;
}

Verb eval_verb() {
  Verb verb;
  verb.name = "eval";
  verb.operands = "MODEL";
  verb.summary = "every term as a number, at one state";
  verb.details =
      "The state is taken as it is, and a warning says where it is not consistent; --assemble moves it.\n"
      "STATE.json: {\"t\": 0, \"q\": {\"theta\": 1}, \"qd\": {}, \"inputs\": {}, \"parameters\": {}}, SI units; what "
      "is left\n"
      "out comes from the model. Where no unique acceleration exists, qdd and lambda are null, and a warning says why.";
  verb.examples = {"dalembert eval slider-crank", "dalembert eval slider-crank --at state.json --json",
                   "dalembert eval slider-crank --set \"theta=30 deg\""};
  verb.options = {
      {"--at", "", "STATE.json", "the state; `-` reads standard input (the model's initial values)", {}, false},
      {"--assemble", "", "", "brings the state onto the constraints first, held values exactly", {}, false},
      kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_eval;
  return verb;
}

Verb assemble_verb() {
  Verb verb;
  verb.name = "assemble";
  verb.operands = "MODEL";
  verb.summary = "a consistent start: what was held, what moved, what is left";
  verb.examples = {"dalembert assemble slider-crank",
                   "dalembert assemble four-bar -o start.json && dalembert eval four-bar --at start.json"};
  verb.options = {output_option("STATE.json", "writes the state for `eval --at`"), kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_assemble;
  return verb;
}

Verb gait_verb() {
  Verb verb;
  verb.name = "gait";
  verb.operands = "MODEL";
  verb.summary = "displacement by a cycle of the shape; connection, curvature, momentum";
  verb.details =
      "Of kinematic systems (as many constraint rows as coordinates that nothing drives) and of those that keep a\n"
      "momentum, from rest. The displacement is in body axes where the model has such. Effort is the integral of the\n"
      "squares of the shape's rates; sensitivities are those by the Fourier coefficients of the shape, exact.";
  verb.examples = {"dalembert gait three-link-snake",
                   "dalembert gait snakeboard --cycle \"psi=0.7*sin(t), phi=0.3*sin(t)\" --json",
                   "dalembert gait snakeboard --optimize --harmonics 2"};
  verb.options = {{"--cycle",
                   "",
                   "SHAPE",
                   "what coordinates follow: \"alpha=0.3*sin(t), beta=0.3*cos(t)\" ([prescribed])",
                   {},
                   false},
                  {"--period", "", "TIME", "of a cycle (that of its sines and cosines)", {}, false},
                  {"--cycles", "", "NUMBER", "so many cycles one after the other (1)", {}, false},
                  {"--harmonics", "", "NUMBER", "of the Fourier series that is varied (1)", {}, false},
                  {"--optimize", "", "", "looks for the series with the most distance per effort", {}, false},
                  kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_gait;
  return verb;
}

Verb simulate_verb() {
  Verb verb;
  verb.name = "simulate";
  verb.operands = "MODEL";
  verb.summary = "the motion, and how far it can be trusted";
  verb.details =
      "Options that are not given come from the model's [simulation], then from the values in parentheses.\n"
      "Ctrl-C stops the run and saves what there is; a second one aborts. While it runs, the rows are in FILE.partial.";
  verb.examples = {"dalembert simulate slider-crank",
                   "dalembert simulate slider-crank --until 2 --every 0.01 -o run.csv",
                   "dalembert simulate slider-crank --set \"L1=20 cm\" --rtol 1e-11 --json"};
  verb.options = {
      {"--until", "", "TIME", "end of the run (10 s)", {}, false},
      {"--rtol", "", "NUMBER", "allowed error in each step, relative (1e-9)", {}, false},
      {"--atol", "", "NUMBER", "and absolute (1e-12)", {}, false},
      {"--max-step", "", "TIME", "longest step (no bound)", {}, false},
      {"--method", "", "METHOD", "integrator; radau for stiff systems, auto finds out (dop853)", method_names(), false},
      {"--formulation",
       "",
       "NAME",
       "index1: multipliers solved for; reduced: eliminated, fewer numbers of state (index1)",
       {"index1", "reduced"},
       false},
      {"--every", "", "TIME", "one output row each TIME (every step)", {}, false},
      {"--max-steps", "", "NUMBER", "tries after which the run is given up (1e6; 1e9 with --every)", {}, false},
      {"--cross-check", "", "", "compare every row with a second, tighter run", {}, false},
      {"--no-jit", "", "", "interpret the equations instead of compiling them", {}, false},
      {"--report", "", "FILE.html", "a page that shows the run, beside other output", {}, false},
      {"--units", "", "", "with --output FILE: the units of its series, in FILE.units.json", {}, false},
      output_option("FILE", "writes every series as .csv or .json; `-` writes CSV to standard output"),
      kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_simulate;
  return verb;
}

Verb analyze_verb() {
  Verb verb;
  verb.name = "analyze";
  verb.operands = "MODEL";
  verb.summary = "freedoms, redundancy, integrability, conserved quantities, equilibria and their stability";
  verb.details =
      "Equilibria and steady motions are looked for from many starts; what is not found may exist. Of a family one "
      "member is\n"
      "shown for each verdict.";
  verb.examples = {"dalembert analyze chaplygin-sleigh", "dalembert analyze four-bar --json"};
  verb.options = {
      {"--at", "", "STATE.json", "the state for ranks, and the first start; `-` reads standard input", {}, false},
      kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_analyze;
  return verb;
}

Verb linearize_verb() {
  Verb verb;
  verb.name = "linearize";
  verb.operands = "MODEL";
  verb.summary = "A, B, C, D of the constrained motion at a state; eigenvalues, modes, stability";
  verb.details =
      "At the model's start or the state of --at, brought onto the constraints; what the file says is held. The states "
      "of A\n"
      "are coordinates of the constraint manifold. Zero eigenvalues are explained before anything is called stable.";
  verb.examples = {"dalembert linearize cart-pendulum --set \"theta=0\"",
                   "dalembert linearize four-bar --settle --json",
                   "dalembert linearize cart-pendulum --set \"theta=180 deg\" --vary c=0:10:0.5"};
  verb.options = {
      {"--at", "", "STATE.json", "the state; `-` reads standard input (the model's initial values)", {}, false},
      {"--settle", "", "", "goes to the nearest equilibrium or steady motion first", {}, false},
      {"--formulas",
       "",
       "",
       "Jacobian, characteristic polynomial, Routh-Hurwitz conditions; up to four states",
       {},
       false},
      {"--vary",
       "",
       "NAME=FROM:TO:STEP",
       "follows eigenvalues as a parameter, coordinate or velocity changes, in SI",
       {},
       false},
      kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_linearize;
  return verb;
}

Verb plot_verb() {
  Verb verb;
  verb.name = "plot";
  verb.operands = "RUN [RUN...] | MODEL";
  verb.summary = "curves of runs; the phase plane of a motion with two states";
  verb.details =
      "RUN is a file of `simulate -o`. Series are named as in the file, with / or . after the group, or shortly where "
      "that "
      "is\n"
      "clear: theta, theta', lambda.pin.x, patterns such as 'lambda.*'. Without -y: coordinates and multipliers. Units "
      "come "
      "from\n"
      ".json runs, or from what `simulate --units` wrote; each unit has a panel. Without -o the curves are drawn in "
      "the "
      "terminal.\n"
      "Of a MODEL, --phase draws directions, trajectories, stable equilibria solid and unstable ones dashed, level "
      "curves "
      "of the\n"
      "energy where it is constant. The states are a coordinate and its rate (one freedom), or two velocities that "
      "determine\n"
      "their own rates.";
  verb.examples = {"dalembert plot run.csv",
                   "dalembert plot run.csv -y theta,'lambda.*' --annotate peaks -o fig.pdf",
                   "dalembert plot a.csv b.csv -y theta -o both.svg",
                   "dalembert plot run.csv --phase \"theta,theta'\" -o loop.png",
                   "dalembert plot polar-pendulum --phase \"theta,theta'\" -o phase.svg",
                   "dalembert plot four-bar --phase \"theta1,dot(theta1)\" --y-range -20:20 -o phase.svg"};
  verb.options = {
      {"--y", "-y", "NAMES", "of a run: the series, with commas between, and patterns with * and ?", {}, true},
      {"--x", "-x", "NAME", "of a run: the series to the right (time)", {}, false},
      {"--phase", "", "X,Y", "the two states, or series of a run, to the right and up", {}, false},
      {"--annotate",
       "",
       "WHAT",
       "of a run: marks where curves are highest and lowest, with the numbers",
       {"peaks"},
       false},
      {"--log-y", "", "", "of a run: the magnitude on a logarithmic axis", {}, false},
      {"--x-range", "", "FROM:TO", "of the axis to the right, in SI (all; around the equilibria)", {}, false},
      {"--y-range", "", "FROM:TO", "of the axis up", {}, false},
      {"--ascii", "", "", "of a run, in the terminal: letters that every font has", {}, false},
      {"--at", "", "STATE.json", "of a model: where the motion is assembled from; `-` reads standard input", {}, false},
      output_option("FILE", "where to write it, .svg, .pdf or .png; `-` writes SVG to standard output"),
      kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = 1;
  verb.max_operands = 16;
  verb.run = run_plot;
  return verb;
}

const Option kView{"--view", "",   "AZIMUTH,ELEVATION", "of the camera about a spatial model, in degrees (-48,24)",
                   {},       false};

Verb draw_verb() {
  Verb verb;
  verb.name = "draw";
  verb.operands = "MODEL";
  verb.summary = "a picture of the mechanism at its start or at a state: SVG, PDF, PNG";
  verb.details =
      "What is drawn follows from points, bodies, springs, constraints and forces, or from [draw]. Without --output "
      "the\n"
      "picture is written to NAME.svg, unless there is such a file.";
  verb.examples = {"dalembert draw slider-crank -o slider-crank.svg", "dalembert draw four-bar --forces -o forces.pdf",
                   "dalembert draw ur5 --view 30,15 -o ur5.png"};
  verb.options = {
      {"--at", "", "STATE.json", "the state, brought onto the constraints; `-` reads standard input", {}, false},
      {"--forces", "", "", "reactions too, every force with its value and unit", {}, false},
      kView,
      output_option("FILE", "where to write it: .svg, .pdf, .png; `-` is standard output"),
      kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_draw;
  return verb;
}

Verb animate_verb() {
  Verb verb;
  verb.name = "animate";
  verb.operands = "RUN|MODEL";
  verb.summary = "a moving picture of a run, or of a model's own motion: SVG that plays by itself, a page, GIF, MP4";
  verb.details =
      "A RUN is a .csv or .json file of `simulate`; its model is that of --model, else NAME.toml beside NAME.csv, else "
      "the\n"
      "reference model NAME. The film lasts as long as the motion, where that is 4 to 12 s, else it is slower or "
      "faster.";
  verb.examples = {"dalembert animate slider-crank -o slider-crank.svg",
                   "dalembert animate run.csv --model four-bar --forces -o run.mp4"};
  verb.options = {
      {"--model", "", "MODEL", "the model of a RUN", {}, false},
      {"--until", "", "TIME", "end of the motion of a MODEL ([simulation], or 10 s)", {}, false},
      {"--seconds", "", "TIME", "length of the film", {}, false},
      {"--fps", "", "NUMBER", "frames a second (25)", {}, false},
      {"--forces", "", "", "reactions too", {}, false},
      kView,
      output_option("FILE", "where to write it: .svg, .html, .gif, .mp4; `-` writes SVG to standard output"),
      kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_animate;
  return verb;
}

Verb report_verb() {
  Verb verb;
  verb.name = "report";
  verb.operands = "RUN|MODEL";
  verb.summary = "one page that shows and explains: the mechanism in motion, equations, curves, why it can be trusted";
  verb.details =
      "The page is one HTML file that opens anywhere, without a network. Of a MODEL it shows its motion from the start "
      "or "
      "from\n"
      "--at; a RUN is a .csv or .json file of `simulate`, whose model is that of --model, else NAME.toml beside "
      "NAME.csv, "
      "else\n"
      "the reference model NAME.";
  verb.examples = {"dalembert report slider-crank -o slider-crank.html",
                   "dalembert report run.csv --model four-bar -o run.html",
                   "dalembert simulate slider-crank --until 2 --report run.html"};
  verb.options = {{"--model", "", "MODEL", "the model of a RUN", {}, false},
                  {"--until", "", "TIME", "end of the motion of a MODEL ([simulation], or 10 s)", {}, false},
                  {"--at", "", "STATE.json", "where the motion of a MODEL begins; `-` reads standard input", {}, false},
                  {"--cross-check", "", "", "compare every row with a second, tighter run", {}, false},
                  output_option("FILE", "where to write it: .html; `-` is standard output"),
                  kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_report;
  return verb;
}

Verb export_verb() {
  Verb verb;
  verb.name = "export";
  verb.operands = "MODEL";
  verb.summary = "code that computes the model without this program: C, C++, Python, MATLAB, JavaScript; LaTeX, FMU";
  verb.details =
      "Accelerations and multipliers, terms, energies, outputs, Jacobian, projection onto the constraints, steps of "
      "fixed\n"
      "length, and a self-test with reference values. C allocates nothing and needs <math.h> alone. An FMU (FMI 2.0) "
      "holds\n"
      "the model for system simulators, for model exchange and co-simulation (docs/export.md).";
  verb.examples = {"dalembert export slider-crank --to c -o crank",
                   "cc -std=c99 crank/*.c -lm -o selftest && ./selftest",
                   "dalembert export n-link-chain-maximal --set N=1000 --to c -o chain",
                   "dalembert export slider-crank --to fmu -o crank.fmu"};
  std::vector<std::string> languages = code_language_names();
  languages.insert(languages.end(), {"latex", "fmu"});
  verb.options = {{"--to", "", "LANGUAGE", "the language", languages, false},
                  output_option("DIR|FILE.fmu", "the folder of the files, made where there is none (the current one)"),
                  kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_export;
  return verb;
}

Verb bench_verb() {
  Verb verb;
  verb.name = "bench";
  verb.operands = "MODEL";
  verb.summary = "what this model costs here: parse, derive, compile, evaluate";
  verb.details =
      "Times are medians of 21 blocks, at states along the motion from the model's start. Run it on an idle machine.";
  verb.examples = {"dalembert bench slider-crank", "dalembert bench n-link-chain-maximal --set N=100 --json"};
  verb.options = {kSet};
  verb.operand = Operand::kModel;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_bench;
  return verb;
}

Verb explain_verb() {
  Verb verb;
  verb.name = "explain";
  verb.operands = "CODE|format";
  verb.summary = "the long text of an error or warning, or the reference of the model file";
  verb.examples = {"dalembert explain E0102", "dalembert explain --all", "dalembert explain format | less"};
  verb.options = {{"--all", "", "", "lists every code", {}, false}};
  verb.operand = Operand::kCode;
  verb.max_operands = 1;
  verb.run = run_explain;
  return verb;
}

Verb completion_verb() {
  Verb verb;
  verb.name = "completion";
  verb.operands = "bash|zsh|fish";
  verb.summary = "a completion script for the shell";
  verb.examples = {"source <(dalembert completion bash)", "dalembert completion zsh > \"${fpath[1]}/_dalembert\"",
                   "dalembert completion fish > ~/.config/fish/completions/dalembert.fish"};
  verb.operand = Operand::kShell;
  verb.min_operands = verb.max_operands = 1;
  verb.run = run_completion;
  return verb;
}

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = [] {
    std::vector<Verb> all{new_verb(),      models_verb(),   check_verb(),   derive_verb(),    audit_verb(),
                          eval_verb(),     assemble_verb(), analyze_verb(), linearize_verb(), gait_verb(),
                          simulate_verb(), plot_verb(),     draw_verb(),    animate_verb(),   report_verb(),
                          export_verb(),   bench_verb(),    explain_verb(), completion_verb()};
    for (Verb& verb : all)
      if (verb.operand == Operand::kModel) verb.options.insert(verb.options.end(), {kDeny, kAllowFiles});
    return all;
  }();
  return table;
}

const std::vector<std::string>& later_verbs() {
  static const std::vector<std::string> names{"sweep", "serve"};
  return names;
}

const std::vector<Option>& common_options() {
  static const std::vector<Option> options{
      {"--json", "", "", "one JSON document on standard output, and nothing else", {}, false},
      {"--quiet", "-q", "", "no progress, no notes; of check and simulate only the last word", {}, false},
      {"--no-color", "", "", "no colour (NO_COLOR does the same)", {}, false},
      {"--help", "-h", "", "this text", {}, false}};
  return options;
}

}  // namespace dalembert::app
