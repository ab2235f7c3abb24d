// SPDX-License-Identifier: Apache-2.0
// The command line as a table: every verb with its options and examples.
#include "apps/dalembert/verbs.h"

#include <fmt/format.h>

#include "apps/dalembert/arguments.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/codegen/export_code.h"
#include "dalembert/report/equations_text.h"

namespace dalembert::app {
namespace {

Option output_option(const std::string& value, const std::string& text) { return {"--output", value, text, {}, "-o"}; }

// An option for each setting of [simulation], followed by `others`.
std::vector<Option> settings_and(std::initializer_list<Option> others) {
  std::vector<Option> options;
  for (const bool of_rows : {false, true})
    for (const Setting& setting : kSettings)
      if (setting.of_rows == of_rows)
        options.push_back(
            {std::string(setting.option), std::string(setting.value), std::string(setting.text), choices_of(setting)});
  options.insert(options.end(), others);
  return options;
}

// The same without what the data say.
std::vector<Option> settings_of_data_and(std::initializer_list<Option> others) {
  std::vector<Option> options = settings_and(others);
  std::erase_if(options, [](const Option& one) { return one.name == "--until" || one.name == "--every"; });
  return options;
}

std::vector<std::string> export_targets() {
  std::vector<std::string> names = code_language_names();
  names.insert(names.end(), {"casadi", "latex", "fmu"});
  return names;
}

// The table is made by the first call of verbs(): if memory were lacking before main(), no message could say so.
constexpr auto make_verbs = [] {
  const Option view{"--view", "AZIMUTH,ELEVATION", "of the camera about a spatial model, in degrees (-48,24)"};
  std::vector<Verb> verbs{
      {.name = "new",
       .operands = "NAME",
       .summary = "writes a commented starter model, NAME.toml",
       .details = "An existing file is never overwritten.",
       .examples = {"dalembert new pendulum", "dalembert new pendulum --output models/first.toml"},
       .options = {output_option("FILE", "where to write it; `-` is standard output")},
       .operand = Operand::kNewName,
       .run = run_new},
      {.name = "models",
       .operands = "[show NAME]",
       .summary = "lists the reference models, or prints one",
       .details = R"(Wherever a verb takes MODEL, one of these names works as well as a file.
With --quiet only the names are listed.)",
       .examples = {"dalembert models", "dalembert models show slider-crank",
                    "dalembert models show slider-crank > mine.toml"},
       .operand = Operand::kModels,
       .min_operands = 0,
       .max_operands = 2,
       .run = run_models},
      {.name = "check",
       .summary = "parses, checks units, symbols, freedoms, consistency; says what is wrong and where",
       .examples = {"dalembert check slider-crank", "dalembert check mine.toml --json",
                    "dalembert check n-link-chain --set N=30"},
       .waits = true,
       .run = run_check},
      {.name = "derive",
       .summary = "equations of motion: M q'' + B + G = F + W^T lambda, W q' + a = 0",
       .examples = {"dalembert derive slider-crank", "dalembert derive slider-crank --only M,W --format latex",
                    "dalembert derive slider-crank --standalone -o equations.tex",
                    "dalembert derive cart-pendulum --form expanded -o equations.txt"},
       .options = {{"--format",
                    "FORMAT",
                    "notation (text, or what the suffix of --output stands for)",
                    {"text", "latex", "json", "html"}},
                   {"--steps", "", "the trail of the derivation instead of its result"},
                   {"--form", "FORM", "how entries are written (canonical)", {"canonical", "expanded", "as-derived"}},
                   {"--only", "PARTS",
                    fmt::format("only these parts, with commas between: {}", fmt::join(equation_parts(), ","))},
                   {"--unicode", "",
                    "text: formulas for people, \u03b8\u0307\u00b2 for theta'^2, in lines of the terminal's width "
                    "(what a UTF-8 terminal gets)"},
                   {"--ascii", "", "text: formulas as model files have them, also on a terminal"},
                   {"--standalone", "", "LaTeX: a document for pdflatex instead of a fragment"},
                   {"--width", "EM", "LaTeX: the widest line (38)"},
                   output_option("FILE", "writes there instead of to standard output")},
       .waits = true,
       .run = run_derive},
      {.name = "audit",
       .summary = "decides every [[claim]]: is a formula that someone derived right?",
       .details =
           R"(A claim is proved, disproved (with the correct formula, the difference and a point where they differ), or
undecided. Exit status 4 when any is disproved; undecided ones are warned of. Examples: audits/NAME below models/.)",
       .examples = {"dalembert audit mine.toml", "dalembert audit audits/slider-crank-misprints",
                    "dalembert audit mine.toml --json", "dalembert audit mine.toml --against rolling-sphere",
                    "dalembert audit chaplygin-sleigh --against chaplygin-sleigh-contact "
                    "--map \"x=x - b*cos(theta)\" --map \"y=y - b*sin(theta)\""},
       .options = {{"--against", "MODEL",
                    "instead of claims: does this model say the same of the motion, and where not?"},
                   {.name = "--map",
                    .value = "COORDINATE=FORMULA",
                    .text = "a coordinate of the model of --against as a formula of the coordinates of MODEL",
                    .repeatable = true}},
       .waits = true,
       .run = run_audit},
      {.name = "eval",
       .summary = "every term as a number, at one state",
       .details = R"(The state is taken as it is, and a warning says where it is not consistent; --assemble moves it.
STATE.json: {"t": 0, "q": {"theta": 1}, "qd": {}, "inputs": {}, "parameters": {}}, SI units; what is left
out comes from the model. Where no unique acceleration exists, qdd and lambda are null, and a warning says why.)",
       .examples = {"dalembert eval slider-crank", "dalembert eval slider-crank --at state.json --json",
                    "dalembert eval slider-crank --set \"theta=30 deg\""},
       .options = {{"--at", "STATE.json", "the state; `-` reads standard input (the model's initial values)"},
                   {"--assemble", "", "brings the state onto the constraints first, held values exactly"}},
       .waits = true,
       .run = run_eval},
      {.name = "assemble",
       .summary = "a consistent start: what was held, what moved, what is left",
       .examples = {"dalembert assemble slider-crank",
                    "dalembert assemble four-bar -o start.json && dalembert eval four-bar --at start.json"},
       .options = {output_option("STATE.json", "writes the state for `eval --at`")},
       .run = run_assemble},
      {.name = "analyze",
       .summary = "freedoms, redundancy, integrability, conserved quantities, equilibria and their stability",
       .details =
           R"(Equilibria and steady motions are looked for from many starts; what is not found may exist. Of a family one member is
shown for each verdict.)",
       .examples = {"dalembert analyze chaplygin-sleigh", "dalembert analyze four-bar --json"},
       .options = {{"--at", "STATE.json", "the state for ranks, and the first start; `-` reads standard input"}},
       .waits = true,
       .run = run_analyze},
      {.name = "linearize",
       .summary = "A, B, C, D of the constrained motion at a state; eigenvalues, modes, stability",
       .details =
           R"(At the model's start or the state of --at, brought onto the constraints; what the file says is held. The states of A
are coordinates of the constraint manifold. Zero eigenvalues are explained before anything is called stable.)",
       .examples = {"dalembert linearize cart-pendulum --set \"theta=0\"",
                    "dalembert linearize four-bar --settle --json",
                    "dalembert linearize cart-pendulum --set \"theta=180 deg\" --vary c=0:10:0.5",
                    "dalembert linearize cart-pendulum --set theta=0 --lqr \"Q = theta:10, x:1; R = f:0.1\""},
       .options = {{"--at", "STATE.json", "the state; `-` reads standard input (the model's initial values)"},
                   {"--settle", "", "goes to the nearest equilibrium or steady motion first"},
                   {"--formulas", "",
                    "Jacobian, characteristic polynomial, Routh-Hurwitz conditions; up to four states"},
                   {"--lqr", "WEIGHTS",
                    "gains of u = -K z of the least cost, \"Q = theta:10, x:1; R = f:0.1\"; what inputs cannot move"},
                   {"--kalman", "NOISE",
                    "gains of an estimator, \"Q = f:1; R = angle:1e-4\" of inputs, states; of measured outputs"},
                   output_option("FILE.c", "of --lqr and --kalman: the gains as C, functions of the model's q and v"),
                   {"--discrete", "TIME", "samples: A and B for inputs that are constant for TIME, gains for these"},
                   {"--vary", "NAME=FROM:TO:STEP",
                    "follows eigenvalues as a parameter, coordinate or velocity changes, in SI"}},
       .waits = true,
       .run = run_linearize},
      {.name = "gait",
       .summary = "displacement by a cycle of the shape; connection, curvature, momentum",
       .details =
           R"(Of kinematic systems (as many constraint rows as coordinates that nothing drives) and of those that keep a
momentum, from rest. The displacement is in body axes where the model has such. Effort is the integral of the
squares of the shape's rates; sensitivities are those by the Fourier coefficients of the shape, exact.)",
       .examples = {"dalembert gait three-link-snake",
                    "dalembert gait snakeboard --cycle \"psi=0.7*sin(t), phi=0.3*sin(t)\" --json",
                    "dalembert gait snakeboard --optimize --harmonics 2"},
       .options = {{"--cycle", "SHAPE",
                    "what coordinates follow: \"alpha=0.3*sin(t), beta=0.3*cos(t)\" ([prescribed])"},
                   {"--period", "TIME", "of a cycle (that of its sines and cosines)"},
                   {"--cycles", "NUMBER", "number of cycles, one after the other (1)"},
                   {"--harmonics", "NUMBER", "of the Fourier series that is varied (1)"},
                   {"--optimize", "", "looks for the series with the most distance per effort"}},
       .waits = true,
       .run = run_gait},
      {.name = "cycle",
       .summary = "a motion that repeats itself: its period, multipliers, whether neighbours come closer",
       .details =
           R"(From the model's start or the state of --at, by Newton's method for the return map; from where a run ends, if that
fails. Motions may be smooth, switch, stick or strike. Without --section and --period the period is found as well. Coordinates on which
nothing depends need not come back. Exit status 3, with the nearest return, where none is found.)",
       .examples = {"dalembert cycle block-on-belt", "dalembert cycle mine.toml --section heel --json",
                    "dalembert cycle mine.toml --period 2 --at state.json"},
       .options = {{"--at", "STATE.json",
                    "the state to start from; `-` reads standard input (the model's initial values)"},
                   {"--section", "EVENT",
                    "the state right after this event, or after an impact of this contact, comes back"},
                   {"--period", "TIME", "of the motion; needed where the equations depend on time (found)"},
                   {"--turns", "NUMBER", "returns to the section after which the motion repeats itself (1)"}},
       .waits = true,
       .run = run_cycle},
      {.name = "simulate",
       .summary = "the motion, and how far it can be trusted",
       .details = R"(Options that are not given come from the model's [simulation], then from the values in parentheses.
Ctrl-C stops the run and saves what there is; a second one aborts. While it runs, the rows are in FILE.partial.)",
       .examples = {"dalembert simulate slider-crank",
                    "dalembert simulate slider-crank --until 2 --every 0.01 -o run.csv",
                    "dalembert simulate slider-crank --set \"L1=20 cm\" --rtol 1e-11 --json"},
       .options = settings_and(
           {{"--max-steps", "NUMBER", "most steps that are tried (1e6; 1e9 with --every)"},
            {"--cross-check", "", "compare every row with a second, tighter run"},
            {"--sensitivity", "NAMES",
             "derivatives of the run by parameters `k`, initial positions `theta` and velocities `theta'`"},
            {"--gradient-of", "NUMBERS",
             "derivatives by every parameter and held initial value of outputs (their last values) and formulas: "
             "`integral(F^2)`, `max(abs(lambda(pin)))`"},
            {"--no-jit", "", "interpret the equations instead of compiling them"},
            {"--report", "FILE.html", "a page that shows the run, beside other output"},
            {"--units", "", "with --output FILE: the units of its series, in FILE.units.json"},
            output_option("FILE", "writes every series as .csv or .json; `-` writes CSV to standard output")}),
       .run = run_simulate},
      {.name = "sweep",
       .operands = "MODEL | --merge FILE...",
       .summary = "many runs: a grid or samples of parameters and initial values, a row of numbers for each",
       .details =
           R"(Measures are numbers of a run: final(e), max(e), min(e), mean(e), integral(e), at(e, 1 s) of any expression of outputs,
time(NAME) and count(NAME) of an event or a contact, and what is computed from them. Without --measure: the outputs at the end.
Rows are saved as they are made: after Ctrl-C or a crash the same command goes on. A run that fails is a row that says so. Digits and
order follow from the study alone. What is not given comes from the model's [study]. Exit status 4 where a run failed or a verdict
does not hold.)",
       .examples =
           {"dalembert sweep slider-crank --vary \"L1=0.1 m:0.2 m:11\" --measure \"peak=max(abs(lambda(pin[1])))\"",
            "dalembert sweep slider-crank --sample \"L1~normal(0.15,0.001)\" --runs 1000 --seed 7 -o study.csv",
            "dalembert sweep mine.toml --shard 2/7 -o part2.csv",
            "dalembert sweep --merge part1.csv part2.csv -o study.csv"},
       .options = settings_and(
           {{"--vary",
             "NAME=FROM:TO:COUNT",
             "a quantity of the grid; or its values, NAME=1,2,5; the last one changes fastest",
             {},
             {},
             true},
            {"--sample",
             "NAME~DISTRIBUTION",
             "a random quantity: normal(mean,sd), uniform(a,b), lognormal(median,sd of ln), triangular(a,mode,b)",
             {},
             {},
             true},
            {"--runs", "NUMBER", "number of samples"},
            {"--seed", "NUMBER", "which of all random sequences (0)"},
            {"--sampling", "METHOD", "random, lhs (Latin hypercube) or sobol (random)", {"random", "lhs", "sobol"}},
            {"--runs-from", "FILE.csv",
             "values from a file instead: a header of names, perhaps with units (L1 [cm]), and a row for each run"},
            {"--measure", "NAME=EXPR", "a number of each run, such as \"peak=max(abs(lambda(pin[1])))\"", {}, {}, true},
            {"--shard", "I/N", "makes every Nth run, from the Ith on"},
            {"--merge", "", "joins the CSV files of all shards to one file, CSV or NetCDF"},
            {"--threads", "NUMBER", "at most so many at once (one for each processor)"},
            {"--restart", "", "forgets what an earlier sweep left in --output"},
            {"--max-steps", "NUMBER", "most steps that are tried in a run (1e6)"},
            {"--cross-check", "", "compare every row of a run with a second, tighter run"},
            {"--no-jit", "", "interpret the equations instead of compiling them"},
            output_option("FILE",
                          "writes the rows as .csv or .nc (NetCDF-4), and FILE.log (a table in the terminal)")}),
       .max_operands = 100'000,
       .run = run_sweep},
      {.name = "fit",
       .operands = "MODEL DATA.csv [DATA.csv...]",
       .summary =
           "parameters and initial values from measurements: values, standard errors, what the data do not tell apart",
       .details =
           R"(A DATA file has a line of names, each perhaps with its unit, `time,theta [deg]`, and lines of numbers; times are in the column
time, else in the first one. Empty cells and NaN are no samples. Each file is a run of its own. The search begins at the values of
the model, or of --set, and ends at the least sum of (model - sample)^2 / sigma^2; a trial whose run fails is not taken. Without --sigma the
residuals tell how large the errors of the samples are. Of several starts the likeliest fit is the answer, and other minima are said. Exit status 3,
with the best so far, where it does not converge.)",
       .examples = {"dalembert fit pendulum-friction swing.csv --free c,mu --measure \"angle=theta\"",
                    "dalembert fit mine.toml run1.csv run2.csv --free k,x --per-file x --measure \"x=x\" --measure "
                    "\"f=lambda(rod)\"",
                    "dalembert fit mine.toml run.csv --free k --bounds \"k=0 N/m:50 N/m\" --measure \"x=x\" -o "
                    "fitted.toml --json"},
       .options = settings_of_data_and(
           {{"--free",
             "NAMES",
             "the unknowns, with commas between: parameters `k`, initial values `theta`, `theta'`",
             {},
             {},
             true},
            {"--measure",
             "COLUMN=EXPR",
             "what a column measures, \"theta=theta\", \"f=lambda(pin[1])\", \"x=q/x\"",
             {},
             {},
             true},
            {"--bounds", "NAME=FROM:TO", "limits of an unknown; one side may be empty", {}, {}, true},
            {"--prior",
             "NAME~normal(MEAN,SD)",
             "what is known of an unknown already; or lognormal(median,sd of ln)",
             {},
             {},
             true},
            {"--sigma",
             "COLUMN=SIZE",
             "standard deviation of a sample, or the column that has it (estimated)",
             {},
             {},
             true},
            {"--per-file", "NAMES", "unknowns that have a value for each file, theta[1], theta[2]", {}, {}, true},
            {"--offset", "", "the clock of each file is shifted by an unknown: model time = file time + offset"},
            {"--starts", "NUMBER", "searches, from the model's values and from others in the bounds or priors (1)"},
            {"--seed", "NUMBER", "which others (0)"},
            {"--iterations", "NUMBER", "most iterations of a search (200)"},
            {"--threads", "NUMBER", "at most so many at once (one for each processor)"},
            {"--plot", "FILE", "samples, fitted curves and residuals, as .svg, .pdf or .png"},
            {"--degrees", "", "with --plot: angles and their rates in degrees"},
            {"--max-steps", "NUMBER", "most steps that are tried in a run (1e6)"},
            {"--no-jit", "", "interpret the equations instead of compiling them"},
            output_option("FILE.toml", "writes the model with the fitted values")}),
       .min_operands = 2,
       .max_operands = 1000,
       .run = run_fit},
      {.name = "optimize",
       .summary = "values of parameters for which a number of the run is least or greatest",
       .details =
           R"(The objective and both sides of a constraint are measures, as those of `sweep`: final(e), max(e), min(e), mean(e), integral(e),
at(e, 1 s), time(NAME), count(NAME) and what is computed from them. The search follows gradients along the run, from the model's own values
and from other starts; the answer is the best point of all searches. A point counts only if its run reaches its end and its verdict holds.
Exit status 4, with the best point, where nothing shows that it is an optimum or the constraints cannot be met; 3 where no run counts.)",
       .examples =
           {"dalembert optimize slider-crank --minimize \"max(abs(lambda(pin[1])))\" --free \"L1=0.1 m:0.2 m\"",
            "dalembert optimize mine.toml --maximize \"final(x)\" --free a=0:1 --free \"theta'=0:5\" --subject-to "
            "\"max(F) <= 30 N\" -o better.toml"},
       .options = settings_and(
           {{"--minimize", "EXPR", "the measure that is to be least"},
            {"--maximize", "EXPR", "the measure that is to be greatest"},
            {"--free",
             "NAME=FROM:TO",
             "a parameter or an initial value, `theta` or `theta'`, and its bounds",
             {},
             {},
             true},
            {"--subject-to", "EXPR<=EXPR", "a constraint, with <=, >= or ==: \"max(x) >= 0.5 m\"", {}, {}, true},
            {"--starts", "NUMBER", "searches, from the model's values and from other points (8)"},
            {"--seed", "NUMBER", "which other points (0)"},
            {"--max-points", "NUMBER", "most points that are tried from a start (300)"},
            {"--threads", "NUMBER", "at most so many at once (one for each processor)"},
            {"--max-steps", "NUMBER", "most steps that are tried in a run (1e6)"},
            {"--cross-check", "", "compare every row of a run with a second, tighter run"},
            {"--no-jit", "", "interpret the equations instead of compiling them"},
            output_option("FILE.toml", "the model file with the new values")}),
       .run = run_optimize},
      {.name = "plot",
       .operands = "RUN [RUN...] | STUDY | MODEL",
       .summary = "curves of runs; measures of many runs; the phase plane of a motion with two states",
       .details =
           R"(RUN is a file of `simulate -o`. Series are named as in the file, with / or . after the group, or shortly where that is
clear: theta, theta', lambda.pin.x, patterns such as 'lambda.*'. Without -y: coordinates and multipliers. Units come from
.json runs, from what `simulate --units` wrote, or from --model; each unit has a panel. Without -o the curves are drawn in the terminal.
Of a STUDY, a file of `sweep`, --map draws a measure over what was varied: colours over two quantities, lines over one (-x), a histogram of
samples, points over a sampled quantity (-x). Runs that failed and verdicts that do not hold are marked.
Of a MODEL, --phase draws directions, trajectories, stable equilibria solid and unstable ones dashed, level curves of the
energy where it is constant. The states are a coordinate and its rate (one freedom), or two velocities that determine
their own rates.)",
       .examples = {"dalembert plot run.csv", "dalembert plot run.csv -y theta,'lambda.*' --annotate peaks -o fig.pdf",
                    "dalembert plot a.csv b.csv -y theta -o both.svg", "dalembert plot study.nc --map peak -o map.svg",
                    "dalembert plot run.csv --phase \"theta,theta'\" -o loop.png",
                    "dalembert plot polar-pendulum --phase \"theta,theta'\" -o phase.svg",
                    "dalembert plot four-bar --phase \"theta1,dot(theta1)\" --y-range -20:20 -o phase.svg"},
       .options =
           {{"--y",
             "NAMES",
             "of a run: the series, with commas between, and patterns with * and ?; of a map: the quantity up",
             {},
             "-y",
             true},
            {"--x", "NAME", "of a run: the series to the right (time); of a study: the quantity", {}, "-x"},
            {"--map", "NAME", "of a study: the measure that is drawn"},
            {"--phase", "X,Y", "the two states, or series of a run, to the right and up"},
            {"--annotate", "WHAT", "of a run: marks where curves are highest and lowest, with the numbers", {"peaks"}},
            {"--log-y", "", "of a run or study: the magnitude on a logarithmic axis or scale"},
            {"--model", "MODEL", "of a run: the model that was run, for units that the file does not have"},
            {"--degrees", "", "angles and their rates in degrees, on axes and in a scale of colours"},
            {"--x-range", "FROM:TO", "of the axis to the right, in SI or degrees (all; around the equilibria)"},
            {"--y-range", "FROM:TO", "of the axis up; of a map: of its colours"},
            {"--ascii", "", "of a run, in the terminal: letters that every font has"},
            {"--at", "STATE.json", "of a model: where the motion is assembled from; `-` reads standard input"},
            output_option(
                "FILE",
                "where to write it, .svg, .pdf or .png, of a STUDY .html too; `-` writes SVG to standard output")},
       .max_operands = 16,
       .run = run_plot},
      {.name = "draw",
       .summary = "a picture of the mechanism at its start or at a state: SVG, PDF, PNG",
       .details =
           R"(What is drawn follows from points, bodies, springs, constraints and forces, or from [draw]. Without --output the
picture is written to NAME.svg, unless there is such a file.)",
       .examples = {"dalembert draw slider-crank -o slider-crank.svg", "dalembert draw four-bar --forces -o forces.pdf",
                    "dalembert draw ur5 --view 30,15 -o ur5.png"},
       .options = {{"--at", "STATE.json", "the state, brought onto the constraints; `-` reads standard input"},
                   {"--forces", "", "reactions too, every force with its value and unit"},
                   view,
                   output_option("FILE", "where to write it: .svg, .pdf, .png; `-` is standard output")},
       .run = run_draw},
      {.name = "animate",
       .operands = "RUN|MODEL",
       .summary = "a moving picture of a run, or of a model's own motion: SVG that plays by itself, a page, GIF, MP4",
       .details =
           R"(A RUN is a .csv or .json file of `simulate`; its model is that of --model, else NAME.toml beside NAME.csv, else the
reference model NAME. The film lasts as long as the motion, where that is 4 to 12 s, else it is slower or faster.)",
       .examples = {"dalembert animate slider-crank -o slider-crank.svg",
                    "dalembert animate run.csv --model four-bar --forces -o run.mp4"},
       .options = {{"--model", "MODEL", "the model of a RUN"},
                   {"--until", "TIME", "end of the motion of a MODEL ([simulation], or 10 s)"},
                   {"--seconds", "TIME", "length of the film"},
                   {"--fps", "NUMBER", "frames a second (25)"},
                   {"--forces", "", "reactions too"},
                   view,
                   output_option("FILE",
                                 "where to write it: .svg, .html, .gif, .mp4; `-` writes SVG to standard output")},
       .run = run_animate},
      {.name = "report",
       .operands = "RUN|STUDY|MODEL",
       .summary = "one page that shows and explains: the mechanism in motion, equations, curves, why it can be trusted",
       .details =
           R"(The page is one HTML file that opens anywhere, without a network. Of a MODEL it shows its motion from the start or from
--at; a RUN is a .csv or .json file of `simulate`, whose model is that of --model, else NAME.toml beside NAME.csv, else
the reference model NAME. Of a STUDY, a file of `sweep`, it shows every measure, and the runs that failed with their reasons.)",
       .examples = {"dalembert report slider-crank -o slider-crank.html",
                    "dalembert report run.csv --model four-bar -o run.html", "dalembert report study.csv -o study.html",
                    "dalembert simulate slider-crank --until 2 --report run.html"},
       .options = {{"--model", "MODEL", "the model of a RUN"},
                   {"--until", "TIME", "end of the motion of a MODEL ([simulation], or 10 s)"},
                   {"--at", "STATE.json", "where the motion of a MODEL begins; `-` reads standard input"},
                   {"--cross-check", "", "compare every row with a second, tighter run"},
                   {"--degrees", "", "the page begins with angles in degrees"},
                   output_option("FILE", "where to write it: .html; `-` is standard output")},
       .run = run_report},
      {.name = "export",
       .summary =
           "code that computes the model without this program: C, C++, Python, MATLAB, JavaScript; CasADi, LaTeX, FMU",
       .details =
           R"(Accelerations and multipliers, terms, energies, outputs, Jacobian, projection onto the constraints, steps of fixed
length, and a self-test with reference values. C allocates nothing and needs <math.h> alone. An FMU (FMI 2.0) holds
the model for system simulators, for model exchange and co-simulation (docs/export.md).)",
       .examples = {"dalembert export slider-crank --to c -o crank",
                    "cc -std=c99 crank/*.c -lm -o selftest && ./selftest",
                    "dalembert export slider-crank --only accelerations --to c -o crank",
                    "dalembert export slider-crank --precision single --to c -o crank",
                    "dalembert export n-link-chain-maximal --set N=1000 --to c -o chain",
                    "dalembert export slider-crank --to fmu -o crank.fmu"},
       .options = {{"--to", "LANGUAGE", "the language", export_targets()},
                   {"--only", "FUNCTIONS",
                    "only these functions and what they need, with commas between: accelerations,step (all)"},
                   {"--precision",
                    "PRECISION",
                    "what numbers are in C and C++: double, or single for processors that compute `float` (double)",
                    {"double", "single"}},
                   output_option("DIR|FILE.fmu",
                                 "the folder of the files, made where there is none (the current one)")},
       .run = run_export},
      {.name = "bench",
       .summary = "what this model costs here: parse, derive, compile, evaluate",
       .details = "Times are medians of 21 blocks, at states along the motion from the model's start. Run it on an "
                  "idle machine.",
       .examples = {"dalembert bench slider-crank", "dalembert bench n-link-chain-maximal --set N=100 --json"},
       .run = run_bench},
      {.name = "explain",
       .operands = "CODE|format|schema|man",
       .summary =
           "the long text of an error or warning, or the reference or JSON Schema of the model file, or the man page",
       .examples = {"dalembert explain E0102", "dalembert explain --all", "dalembert explain format | less",
                    "dalembert explain schema > model.schema.json"},
       .options = {{"--all", "", "lists every code"}},
       .operand = Operand::kCode,
       .min_operands = 0,
       .run = run_explain},
      {.name = "lsp",
       .operands = "",
       .summary = "a language server for editors: diagnostics while typing, hover, completion, rename, quick fixes",
       .details =
           R"(Speaks the Language Server Protocol 3.17 on standard input and output, until `exit` or the end of its input.
TOML files that are no models are left alone: those without a line `coordinates =` or `#:schema …model.schema.json`.
The folder editors/ of the sources has a client for VS Code and the lines for Neovim, Helix, Emacs and Zed.)",
       .examples = {"dalembert lsp"},
       .operand = Operand::kNewName,
       .min_operands = 0,
       .max_operands = 0,
       .run = run_lsp},
      {.name = "completion",
       .operands = "bash|zsh|fish",
       .summary = "a completion script for the shell",
       .examples = {"source <(dalembert completion bash)", "dalembert completion zsh > \"${fpath[1]}/_dalembert\"",
                    "dalembert completion fish > ~/.config/fish/completions/dalembert.fish"},
       .operand = Operand::kShell,
       .run = run_completion}};
  // Append the options that every verb with a model takes.
  for (Verb& verb : verbs)
    if (verb.operand == Operand::kModel)
      verb.options.insert(
          verb.options.end(),
          {{"--set", "NAME=VALUE", "overrides a parameter, input, initial value or [structure] integer", {}, {}, true},
           {"--deny", "WHAT", "exit status 1 on these warnings: a code such as W0102, or `warnings`", {}, {}, true},
           {"--allow-files", "", "the model may read files outside of its folder"}});
  return verbs;
};

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = make_verbs();
  return table;
}

const std::vector<Option>& common_options() {
  static const std::vector<Option> options{
      {"--json", "", "one JSON document on standard output, and nothing else"},
      {"--quiet", "", "no progress, no notes; of check and simulate only the last word", {}, "-q"},
      {"--no-color", "", "no colour (NO_COLOR does the same)"},
      {"--help", "", "this text", {}, "-h"}};
  return options;
}

std::vector<Option> all_options(const Verb& verb) {
  std::vector<Option> options = verb.options;
  options.insert(options.end(), common_options().begin(), common_options().end());
  return options;
}

}  // namespace dalembert::app
