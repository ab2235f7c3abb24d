// SPDX-License-Identifier: Apache-2.0
// Every diagnostic code with its long text. A code keeps its meaning for ever: users search for it.
#include <algorithm>
#include <iterator>

#include "dalembert/base/diagnostic.h"

namespace dalembert {
namespace {

struct Text {
  std::string_view code, text;
};

constexpr Text kTexts[] = {
    // Files and TOML.
    {"E0001",
     R"(The model file cannot be read: it does not exist, is a folder, may not be read, or is larger than 512 MB.
`dalembert models` lists the models that come with the program; their names may be used instead of a path.)"},
    {"E0002",
     R"(A model is a TOML 1.0 file (toml.io), and this one breaks TOML's own rules: a string that is not closed, a key that is
given twice, a comma before a closing brace. Only the first such place is reported; what follows was not read.

    name = "crank        wrong: the quote is not closed
    name = "crank")"},
    {"E0003",
     R"(A model file is UTF-8. This one holds a byte that UTF-8 does not allow, so it is in another encoding or not a text
at all. Save it as UTF-8; editors call this the encoding or character set of the file.)"},
    {"E0004", R"(A model needs at least one generalized coordinate.

    coordinates = [{name = "theta", unit = "rad"}]

The line belongs at the top of the file: after a [section] it would be a key of that section.)"},
    {"E0005",
     R"(No key is ignored: one that is not known is an error, so that a slip of the pen cannot silently change a model. The
message names the nearest known key. A key of the top of the file that follows a [section] belongs to that section.
Every section and key: `dalembert explain format` (docs/model-format.md).)"},
    {"E0006",
     R"(The value has the wrong type: text where a number is needed, one expression where a list is, or a list of the wrong
length. Numbers may be used where expressions may; quantities are numbers or strings with a unit ("0.15 m").)"},
    {"E0007", "A key without which the entry means nothing is missing. The message names the key and what it holds."},
    {"E0008",
     R"(Two things have one name. Coordinates, parameters, inputs, integers and definitions share one set of names;
points, frames, bodies, constraints and outputs have one each. An initial value may be given once.)"},
    {"E0010", "The file has a section that is not known. The message names the nearest one."},
    {"E0011",
     R"(Names are made of letters (a-z, A-Z), digits and `_`, and begin with a letter or `_`. Words that mean something in
expressions (t, pi, sin, if, sum, lambda, …) cannot be names. A Greek letter is spelled out: theta; `latex` says how it is printed.)"},
    {"E0012",
     R"(The entry gives several alternatives of which only one may be used, or none of them. A constraint is exactly one of holonomic,
pfaffian, coincide, distance, no_slip, no_skid; a force one of at, body, coordinate, power; a body has a frame or a position.)"},
    // Expressions.
    {"E0101", R"(The expression cannot be read. Some habits from elsewhere:

    2x          a product needs its sign: 2*x
    x**2        powers are written x^2
    a && b      conditions are joined by `and`, `or`, `not`
    θ           names are ASCII: theta
    if a > 0 …  if(a > 0, value, otherwise)
    9,81 m      a decimal point, and a space before the unit: 9.81 m

The whole language: `dalembert explain format` (docs/model-format.md).)"},
    {"E0102",
     R"(A name that nothing declares. Every name is declared: coordinates in `coordinates`, constants in [parameters], functions
of time in [inputs], named expressions in [define], points in [[point]]. The time derivative of a coordinate theta is theta' or
dot(theta). A name that is wrong in many places is reported once.)"},
    {"E0103",
     R"(There is no such function. Known are sin cos tan asin acos atan atan2 sinh cosh tanh erf exp log sqrt abs sign
floor mod min max hypot, and if, sum, dot, lambda; in [outputs] and [[event]] integral. `log` is the natural logarithm. A name before `(` is always a call: a product needs its `*`.)"},
    {"E0104",
     "The function takes another number of arguments. min and max take two or more; if takes a condition and two "
     "values."},
    {"E0105",
     R"(A definition, point or frame contains itself, directly or through others; the message shows the way round. Break the
cycle by writing one of them in terms of coordinates and parameters.)"},
    {"E0106",
     R"(The text is nested too deeply: more than 200 levels of parentheses in an expression, or more than 64 parts in a
key. Give parts of it names in [define].)"},
    {"E0107", "The expression divides by zero whatever the state is: the divisor is 0 after constants are combined."},
    {"E0108",
     R"(A number is too large, too small or not a number. Expressions are exact, but in the end they are computed in double
precision, which ends near 1e308.)"},
    {"E0109",
     R"(An integer is needed here, in a range `i in 1..N` or between braces `{i-1}`: numbers, indices and names of
[structure], joined by + - * and divisions without remainder. A range holds at most 100000 values; `1..0` is the empty range, and
one that runs further backwards is taken for a slip. Ranges multiply, so what they repeat is counted while it is read: at most
3 000 000 numbers, names and operations in one sum, and 10 000 000 of them in all expressions of a model together.)"},
    {"E0110",
     R"(dot(…) takes expressions of coordinates, velocities, parameters and t. Inputs and multipliers are known only when the
motion is computed, so their time derivatives are not available, nor is that of an acceleration.)"},
    {"E0111",
     R"(A program gave the model an expression without a value: a default-constructed Expr, or one that was built from it.
Begin with the symbols that coordinate(), parameter() and input() return, or with constant().)"},
    {"E0112",
     R"(An expression of one model was given to another, or made of the symbols of two. Each model has its own symbols: state
it by those that its own coordinate(), parameter() and input() returned. Formulas that solve_closed_form returned, and what
is made of them, have a graph of their own: a model cannot take them.)"},
    // Units and physics.
    {"E0113",
     R"(Equations that were derived hold for the model as it was. State everything first, then look at equations, compile or run;
or state a second model.)"},
    {"E0201",
     R"(The unit cannot be read. Units are products, quotients and powers of names: kg*m^2, m/s^2, N*m, deg/s. SI prefixes
come before the names that take them (mm, kN, ms).)"},
    {"E0202",
     R"toml(A number with an optional unit is needed here: 0.15, "0.15 m", "30 deg"; or a formula of such numbers, pi and sqrt:
"2*pi/3", "2*pi rad/s". A unit after a divisor may be that of the divisor or of the whole: write "(2*pi/3) s" or
"2*pi/(3 s)".)toml"},
    {"E0203",
     R"(The dimensions do not fit: terms of a sum differ, the argument of a function is not a pure number, or an expression
is not in the unit of its place (energies in J, powers in W, forces in J per unit of their coordinate).

A unit that is not written is worked out from the formulas. A number in a term without parameters and inputs takes whatever unit
makes the term fit, so `x - 0.5` and `0.1*sin(2*t)` are good; beside parameters numbers are pure: in `2*L1` the 2 has no unit. A
function of t counts as a number. A number with a unit may be used anywhere: `x - 60 mm`. A file without any unit is not checked.)"},
    {"E0210", "Accelerations are results of the equations. They may be used in [outputs] only."},
    {"E0211",
     R"(Inputs act through forces. In an energy or a constraint the equations would need their time derivatives. Write the
function of t itself, perhaps under a name in [define]; or let the input act in a [[force]]. Samples from a file have time
derivatives as a spline: `s = {file = "s.csv", column = "s", interpolation = "spline"}`. Two of them, s' and s'': what the equations
differentiate twice, positions and holonomic constraints, may contain s; what they differentiate once, energies and Pfaffian
constraints, s and s'; forces all three.)"},
    {"E0212",
     R"(A velocity is used where only positions may be. A constraint on velocities is written `pfaffian = …`; a velocity in the
potential energy belongs to `kinetic`, `dissipation` or `lagrangian`.)"},
    {"E0213",
     R"(Multipliers are results of the equations: `lambda(…)` may be used in [outputs], in [[force]] and as the `normal` of a
[[friction]]; `friction(…)` and `actuation(…)` in [outputs]; what contacts do, energies and `integral(…)` in [outputs] and [[event]].)"},
    {"E0214", "Masses and inertias are constants, made of numbers and parameters."},
    {"E0215",
     R"(An input is a function of t and parameters. What depends on the state is a force: write it in [[force]], where
coordinates, velocities and inputs may be used together.)"},
    {"E0216", "Vectors have 2 or 3 components, all vectors of a model the same number."},
    {"E0217",
     R"(Coordinates are in SI units, so that formulas mean one thing: `unit = "rad"`, not deg; m, not mm. Values may carry
any unit: `position = {theta = "30 deg"}`.)"},
    {"E0218",
     R"(`lagrangian` gives L = T − V whole. Bodies, springs and other energies would be added to T and V, which are not there
then. Write the Lagrangian's parts as `kinetic` and `potential` instead. `dissipation` and dampers may be used with `lagrangian`.)"},
    {"E0219", "A damper acts along the line between its two points; these two are the same."},
    {"E0220",
     "The kinetic energy is not quadratic in the velocities. Give the whole as `lagrangian`, where any dependence is "
     "allowed."},
    {"E0221",
     R"(The force that belongs to a power P is ∂P/∂q̇, and that is right only while P is linear in the velocities. For a
damper P = −c θ'² would give twice the force. Write `dissipation = "c/2*theta'^2"`, a `[[damper]]`, or the force itself:
`coordinate = "theta"`, `value = "-c*theta'"`.)"},
    {"E0222",
     R"(A Pfaffian constraint is affine in the velocities: W(q,t) q̇ + a(q,t) = 0. Other dependence on velocities has no
multiplier form.)"},
    {"E0223",
     R"(A constraint restricts coordinates. One without any either always holds, and says nothing, or never holds.)"},
    {"E0224",
     "A torque turns a body, and this one has no angle: give it `angle` with `inertia`, or a frame that rotates."},
    {"E0225",
     R"(In the plane a frame turns by one angle, `rotate = "theta"`, and a body has one moment of inertia. In space a frame turns about
axes, one after the other, each an axis of the frame as turned so far: `rotate = [["z", "psi"], ["x", "theta"]]`; a body that
turns has `inertia = ["Ixx", "Iyy", "Izz"]` or a symmetric matrix of 3 by 3, along the axes of its `frame`, about its centre of mass.)"},
    {"E0230",
     R"(The name does not denote an entry of the equations. Entries are

    T  V  L  E                      energies
    B[theta]  G[theta]  F[theta]    by coordinate; also p (momentum), qdd (acceleration), eom (equation of motion)
    gamma[pin.x]  a[pin.x]          by constraint row; also h, lambda
    M[theta,phi]  W[pin.x,theta]    by both; also Wdot

Numbers from 1 may be used for names, in the order of the model: M[1,2].)"},
    {"E0231",
     R"(Accelerations and multipliers follow from a linear system. It has no solution as a formula where rows of W depend on
each other or M alone is singular, and for large systems the formula would fill pages. The entries M, B, G, F, W and gamma
always exist; `dalembert eval` gives qdd and lambda as numbers.)"},
    {"E0240",
     R"x(An equation is claimed where a value should be. Only `eom[…]` is about a whole equation:

    entry = "B[phi]"        equals = "2*m2*L1*L2*theta'^2*sin(theta - phi)"
    entry = "eom[theta]"    equals = "m*L^2*theta'' + m*g*L*sin(theta) = 0")x"},
    {"E0241",
     R"(An equation of `given` must tell one of its symbols by the others: `r = L`, `dot(r) = 0`, `y' = x'*tan(theta)`, `x^2 + y^2 = L^2`. This
one cannot be solved for any symbol by the rules of the audit, or only by dividing by what the other conditions make 0.
Write it with the symbol alone on its left. The claim is undecided; the other claims of the file are judged all the same.)"},
    {"E0242",
     R"(The equations of `given` contradict each other: by the earlier ones this one would read 1 = 0. This claim is
not judged; the other claims of the file are.)"},
    {"E0243",
     R"x(Two models are compared by the names of what they are made of. One of them must have all coordinates of the other,
and what the equations of the one contain, inputs and multipliers, must be in the other. Parameters that only one of
them has are taken with their values. Where the coordinates differ, a map says what those of the other are: --map "x=x_c - b*cos(theta)".)x"},
    {"E0250",
     R"(No body has such a tensor of inertia: its principal moments are sums of squares times masses, so none is below 0, and none is more
than the sum of the two others. A thin rod has [0, I, I], a thin plate [Ix, Iy, Ix + Iy]. The tensor is taken about the centre of mass, along the
axes of the body's frame; the entry Ixy of the matrix is minus the integral of x*y.)"},
    {"E0251",
     R"x(A frame in space may be turned by a unit quaternion: `quaternion = ["e0", "e1", "e2", "e3"]`, four coordinates that are declared in a row and
belong to no other frame, the scalar first. Its velocities are not e0', e1', … but the angular velocity along the frame's axes: of a frame `top`

    [initial]
    position = {e0 = 0.8, e1 = 0.6}
    velocity = {"top.omega.x" = "1 rad/s", "top.omega.z" = "50 rad/s"}

A start that is not of norm 1 is divided by its norm (W0105); norm 0 is no attitude.)x"},
    {"E0252",
     R"x(A rim is that of a disk in space about the origin of its frame: `rim = {frame = "wheel", axis = [0, 1, 0], radius = "r"}`, the axis
normal to the disk, along the frame's axes, the radius positive. In the plane a wheel touches the ground below its centre: `at = ["x", 0]`.)x"},
    {"E0260",
     R"(A quasi-velocity is v = y1(q,t) q1' + y2(q,t) q2' + … + y0(q,t): affine in the velocities, as u = dot(x)*cos(theta) +
dot(y)*sin(theta). Squares and products of velocities have no S with q' = S v + s0.)"},
    {"E0261",
     R"(Quasi-velocities and constraints together determine the velocities: there are as many quasi-velocities as velocities less
independent constraint rows. The message names velocities that would complete them, or those that are too many.)"},
    {"E0262",
     R"(A quasi-velocity follows from the constraints and the others, so it says nothing new and some velocity remains
undetermined. State another one in its place: the message names one.)"},
    {"E0263",
     R"(The equations without multipliers, M_r v' + b = 0, are formulas, and these would fill pages. `derive` prints those with
multipliers; `simulate --formulation reduced` eliminates multipliers in numbers. Where nothing can move there are none.)"},
    {"E0270", R"x(A force may depend on multipliers, and then it must be linear in them: `value = "-mu*lambda(rod)"`;
so must the `normal` of a [[friction]], whose coefficients must not contain any. The absolute value of a normal force is not linear;
a [[friction]] takes it, and finds the sign that is consistent with its own result.)x"},
    {"E0271",
     R"(The `velocity` of a [[friction]] is the speed at which two bodies slide on each other: w1(q,t)*q1' + … + w0(q,t), affine in
the velocities, and it contains one. Friction in a plane has two of them, in perpendicular directions.)"},
    {"E0272",
     R"(Forces that depend on multipliers, which include friction, are not supported by the analysis that the message names.
Leave them out, or look at the motion with simulate.)"},
    {"E0273",
     R"(A linearisation or an equilibrium needs a motion that is smooth near the state. There a friction is at a
limit: it sticks with all the force that it has, is about to slide, or carries no load, so that neighbours move in another
way. Name a state at which each friction slides, or sticks with force to spare.)"},
    {"E0274",
     R"(The coefficients of a [[friction]] are not negative, and `static`, that of sticking, is not below `coefficient`, that of
sliding. A friction that holds with less than it slides with has no consistent state: it would neither stick nor slide. Where
both are the same, leave `static` out: it follows `coefficient`, after --set as well. Only values of numbers and parameters are
looked at; what depends on the state is known along the motion.)"},
    {"E0275",
     R"(`latex` is the symbol that formulas print for a name: letters, accents, fonts, signs, indices and fractions, as LaTeX with
amsmath and amssymb, MathJax and KaTeX know them alike. It reads no files, defines no commands and ends no formula: a model may
come from someone else, and its formulas are pasted into documents. `%`, `$`, `#`, `&` are written `\%`, `\$`, `\#`, `\&`.)"},
    {"E0281",
     R"(An event sets coordinates and velocities of the motion, by name: `set = {x = "0", "theta'" = "-e*theta'"}`; of a frame turned by a
quaternion its angular velocity, `"top.omega.x"`. What is prescribed follows its function of time and cannot be set.)"},
    {"E0282", R"(`where` of an [[event]] is a condition, without which nothing happens: `where = "x > 0 and v < 1"`.)"},
    {"E0283",
     R"(`when` of an [[event]] is an expression of the motion, and the event happens where it passes 0: `when = "y"` with
`direction = "down"` where y falls below 0. An expression that is always 0, or does not change, passes nothing; a condition such as
`y < 0` is written as the difference that passes 0.)"},
    {"E0284",
     R"(A one-sided constraint has a gap h(q, t) >= 0, so it is stated at the level of positions: `holonomic = "y - r"` with
`unilateral = true`, `distance = {between, at_most}` or `at_least`, or `contact`. `restitution` says what an impact leaves of the speed,
and only one-sided constraints have impacts. A constraint of velocities has no gap. What is one-sided among speeds, a one-way clutch, is a
[[friction]] whose `normal` is half of the clutch's capacity, together with a force of that size: the model `one-way-clutch`.)"},
    {"E0285",
     R"(Newton's coefficient of restitution e is between 0 and 1: an impact turns the rate ḣ < 0 of the gap into -e ḣ. 0 means that
the contact stays closed, 1 that the energy is kept.)"},
    {"E0286",
     R"(While contacts open and close, the number of freedoms changes, so that no fixed list of quasi-velocities fits.)"},
    {"E0287",
     R"(`friction = "mu"` beside a `contact` knows how the contact slides: what is fixed in its `frame`, or its point itself, against the line or
plane. In space it needs two directions in the plane, so a component of the normal is 0 everywhere, or the normal consists of numbers and
parameters. Where a constraint is stated in another way, a [[friction]] says its sliding speed, `velocity = "x'"`, in space two speeds in
perpendicular directions, and its normal force, from the multiplier of the contact.)"},
    {"E0288",
     R"(`integral(e)` is the integral of the number e over the time of a run, from its start on. A condition becomes a number by
`if(x > 0, 1, 0)`. The integrand is a function of the motion at each instant, not of what the run has summed up so far, so it contains
no other integral.)"},
    {"E0289",
     R"(A Pfaffian constraint restricts velocities: W(q,t) q̇ + a(q,t) = 0. Without a velocity, as in `pfaffian = "x - y"`, it says something of
positions, which is a holonomic constraint: `holonomic = "x - y"`.)"},
    // States and runs.
    {"E0301",
     R"(The velocities given in [initial] contradict a velocity-level constraint, W q̇ + a = 0. Hold fewer of them, or move
some from `velocity` to `guess`, where assembly may change them.)"},
    {"E0302",
     R"(No position near the given one satisfies all constraints while the values in `position` are held. Hold fewer
coordinates, or give better guesses. Where constraints outnumber the free coordinates in them, the message names the last
of those that contradict each other: it is one too many.)"},
    {"E0303",
     "A term of the equations is infinite or not a number at this state: a division by zero, the root of a negative "
     "number."},
    {"E0304",
     R"(The run stopped before its end. The message says why; what was computed so far is kept. Where the mass matrix is
singular a coordinate has no inertia: its equation is algebraic, and is stated as a constraint (docs/model-format.md,
[energy]).)"},
    {"E0307",
     "linearize needs unique accelerations at the state: every motion that the constraints allow must have inertia "
     "there."},
    {"E0308",
     R"(From this state Newton's method found neither an equilibrium nor a steady motion, in which only coordinates change that
nothing depends on. There may be none, as with a body in free fall, or it is far away: name a state near it with --at.
Where the equations depend on time there is none at all, but for coordinates that are driven at a constant rate, psi = "w*t",
and are in nothing else; hold an input at a value by --set.)"},
    {"E0310",
     R"(A phase plane shows the motion of two states: a coordinate and its rate where there is one freedom, or two velocities that
determine their own rates. The equations must not depend on time.)"},
    {"E0321",
     R"(A prescribed coordinate contradicts the rest of the model, or repeats it: the start holds
it elsewhere, or the constraints and the other prescribed coordinates determine its velocity. Then its actuation has no
unique value. Leave out the initial value, the prescription, or the constraint that says the same.)"},
    {"E0322",
     R"(The displacement of a cycle cannot be computed: the constraints leave no motion, or leave more than the shape
determines, at some shape along the cycle. The message names the time, and the formula that vanishes at such shapes where it
is known. `dalembert derive MODEL --only kinematic` prints it.)"},
    {"E0323",
     R"(A prescribed coordinate has a position and a velocity that are continuous. `if`, `abs`, `sign`, `floor`, `min` and `max` may
be in its expression where they leave both so: `abs(t + 1)` from t = 0 on, or `max(0, t - 1)^2`, whose acceleration alone jumps.)"},
    // The command line.
    {"E0324",
     R"(Contacts push, they do not pull: at this state no accelerations satisfy the one-sided constraints that are closed together with the
others, such as a prescribed motion into the ground.)"},
    {"E0401", "There is no such verb. `dalembert --help` lists them."},
    {"E0402", "The verb has no such option. `dalembert VERB --help` lists them."},
    {"E0403", "The option does not take this value. The message names the values it takes."},
    {"E0404", "The model is neither a file nor one of the reference models that `dalembert models` lists."},
    {"E0405",
     "`--set` takes NAME=VALUE: a parameter, an input, an initial value (theta, theta') or an integer of [structure]."},
    {"E0406",
     R"(A state file is JSON: {"t": 0, "q": {…}, "qd": {…}, "inputs": {…}, "parameters": {…}}, numbers in SI units.)"},
    {"E0407", "This version of the program does not do that yet."},
    {"E0408", "The verb needs other operands. `dalembert VERB --help` shows its usage."},
    {"E0409", "There is no error or warning of that code. `dalembert explain --all` lists them."},
    {"E0410", "[simulation] in the model file names a method or a formulation that does not exist."},
    {"E0411",
     R"(--deny makes an error of a warning, or of all of them with `--deny warnings`: the warning is above, and nothing was
run. Leave the option out to go on in spite of it.)"},
    {"E0412",
     R"(The run has no series of that name, or several that the short name may mean. Series are named as in the header of the file:
`q/theta`, `v/theta`, `lambda/pin[1]`, `energy/total`; with a dot instead of the slash; or shortly where that is clear: `theta`,
`theta'`, `pin[1]`. * and ? make patterns: 'lambda.*'.)"},
    {"E0413",
     R"(Where the equations depend on time, a motion can repeat itself only after a multiple of the period of what drives it, which a formula
does not tell: give it, `--period "2*pi/w"` as a number with a unit. What comes back after another time goes on otherwise, and is no such motion.)"},
    {"E0420",
     R"(A measure is one number of a run: final(e), max(e), min(e), mean(e), integral(e), at(e, t), time(NAME), count(NAME), or what is
computed from these and parameters. None of these is taken of another one: `max(x - mean(x))` is `max(x) - mean(x)`. Its name is a column of the
result: letters, digits and `_`.)"},
    {"E0421",
     R"(A study changes parameters and initial values: `L1`, `theta`, `theta'`. Values are FROM:TO:COUNT or a list; distributions are
normal(mean, sd), uniform(a, b), lognormal(median, sd of the logarithm), triangular(a, mode, b). Numbers may have units.)"},
    {"E0422",
     "The study as a whole makes no sense: nothing changes, a quantity changes twice, or the number of runs is wrong."},
    {"E0423",
     R"(The output of the sweep exists, and holds rows of another study: another model, other options, other values, or of another version
of this program. `--restart` replaces it.)"},
    {"E0424", "Another process writes this output of a sweep at the moment."},
    {"E0425",
     R"(`sweep --merge` joins files that `sweep --shard` wrote for one study. Each run must be in exactly one of them. Shards that are not
finished yet have their rows in FILE.parts.)"},
    {"E0426",
     R"(In a NetCDF file the columns of a study are variables, beside `holds`, `status`, `error`, `reason` and the dimension `sample` or `run`. Their names
differ from these and from each other, and have no `/`. A CSV file takes any names.)"},
    {"E0427",
     R"(`linearize --lqr` and `--kalman` take weights: `Q = theta:10, x:1; R = f:0.1`. Q weighs states, coordinates, velocities and outputs (of an
estimator: noise of states and inputs), R inputs (of an estimator: noise of the outputs that are measured). Where no gains exist, the
message says which motion no input moves, or no output shows. Round-off hides gains where motions are so far apart, in speed or size, that 16 digits do not
decide them.)"},
    {"E0430",
     R"(`fit` searches for parameters and initial values, `--free k,c,theta`, which it compares with columns of the data, `--measure
"angle=theta"`. Bounds are FROM:TO, priors normal(mean, sd) or lognormal(median, sd of the logarithm), both of what is free; standard deviations,
`--sigma "angle=0.5 deg"`, are of measured columns.)"},
    {"E0431",
     R"(The data of a fit are CSV: a line of names, each perhaps with a unit, `time,angle [deg]`, then lines of numbers. Times are in the column
`time`, else in the first one; they do not go back, and do not begin before the model does. An empty cell or `nan` is no sample. The place of
what is wrong is in the message.)"},
    {"E0432",
     R"(A fit begins at the values of the model, and no run exists there, it ends before the last sample, or its derivatives are unknown. The message says
why. `--set` gives other values to begin with. Later trials without a run are not taken, and are counted.)"},
    {"E0433",
     R"(Least squares are found by Ceres Solver, in a module of its own, dalembert-ceres.so. It lies in lib/dalembert of the installation, or beside
the Python module; DALEMBERT_MODULES names another folder. It needs Debian's libceres3.)"},
    {"E0434",
     R"x(`audit MODEL --against OTHER --map "x=x_c - b*cos(theta)"` says what a coordinate of OTHER is, as a formula of the coordinates, points and parameters of
MODEL and of t; in Python map={"x": "x_c - b*cos(theta)"}. Every coordinate of OTHER is named once, unless MODEL has one with its name that is the same.)x"},
    {"E0435",
     R"(`optimize` takes one of --minimize and --maximize with a measure, a number of a whole run such as `max(abs(lambda(pin)))`; --free "L1=0.1 m:0.3 m" for
each quantity, from its smallest to its largest value; and --subject-to "max(x) >= 0.5 m" for each constraint, two measures with <=, >= or == between
them.)"},
    {"E0436",
     R"(`-o FILE.toml` writes the model file as it was, with new numbers of parameters and initial values. That needs an entry for each of them: one that
`for` repeats, or that stands for several values, cannot have one new number. What was set by --set must be such a value too. The model with the
new numbers must be one that can be loaded: a restitution above 1 cannot be written.)"},
    {"E0437",
     R"x(A map from one model's coordinates to another's must tell motions apart: with x = r*cos(phi) alone nobody knows how fast phi turns. So the velocities
that the constraints of MODEL leave free must give that many independent velocities of OTHER. Polar coordinates of a point have full rank,
"x=r*cos(phi)" and "y=r*sin(phi)"; a pendulum's angle has none for a point that may leave the circle.)x"},
    {"E0438",
     R"(`optimize` uses NLopt, a library that is opened when it is needed. Debian has it as libnlopt0: `apt install libnlopt0`. A build of dalembert without
its header (-DDALEMBERT_NLOPT=OFF) cannot optimise.)"},
    {"E0440",
     R"(`simulate --gradient-of` takes numbers of a run: names of outputs, as [outputs] states them, for their values at the end, and formulas such as
`final(x)`, `integral(F^2)` and `max(abs(lambda(pin)))`. A name alone must be that of an output; the message names the nearest.)"},
    {"E0441",
     R"(The function find_gradients() of the library goes back along the run with exact derivatives of the accelerations. Models whose
derivatives would take too many operations at each point have none: those of some hundred coordinates that constraints or inertia couple. RunGradients, which the command uses,
carries derivatives along their runs instead (W0330).)"},
    {"E0442",
     R"(`export --precision single` writes code whose numbers are of the type `float`, for processors that compute nothing else, in C and C++. Code in the other
languages is of double precision, which JavaScript, FMI and CasADi prescribe: `--to c --precision single` is what a microcontroller takes.)"},
    {"E0443",
     R"(Single precision has seven digits and sizes from 1.2e-38 to 3.4e+38. A model is refused where a parameter or a number of its equations is outside, where
two times of samples of an input become one, and where the accelerations at its start are lost on the way: with masses of 1e30 kg and distances of
1e11 m, m*r^2 = 1e52 is infinite. The message names which. Other units help, since only ratios matter: masses in those of the sun and lengths in
those of an orbit are near to 1. Otherwise double precision is needed.)"},
    {"E0444",
     R"(`export --only accelerations,step` writes these functions of a model's code alone, and what they need. Which functions there are depends on the model:
one without constraints has no `project`, one without friction no `friction_states`. The message lists them; docs/export.md says what each gives.)"},
    {"E0445",
     R"(`export --only` chooses among the functions of code in C, C++, Python, MATLAB and JavaScript. An FMU has those that its standard names, a CasADi
function those of its interface, and LaTeX has none.)"},
    {"E0446",
     R"(One-sided constraints open and close, and impacts make jumps. The formulation `reduced` eliminates the multipliers, which decide when
a contact opens; and a run backwards in time would have to know the state before an impact from the one after it, which is the same for many.)"},
    {"E0448",
     R"(dalembert-mpi is the command for sweeps by several processes, which mpirun starts: `mpirun -n 4 dalembert-mpi sweep MODEL -o study.csv`. Everything
else, `plot` of such a file too, is done by `dalembert`.)"},
    {"E0449",
     R"(A process of dalembert-mpi makes runs for process 0, which writes them. It has heard nothing from there for a minute, so process 0 has ended, or
its machine has. The rows that came to it are kept: the same mpirun goes on.)"},
    // Other files.
    {"E0501",
     "The file cannot be written. The message gives the system's reason. No existing file was overwritten unless it "
     "says so."},
    {"E0502", "The file cannot be read, or does not hold what it should. The place is where reading stopped."},
    {"E0503",
     R"(The CSV file has no column of that name, or several. Its first line names the columns, each perhaps with its unit: `time [ms],f [kN]`. A
column is asked for with its unit or without.)"},
    {"E0504",
     R"(The samples of an input must be in the order of time: each time later than the one before. Time is the column `time`,
or else the first column. Between samples the input is linear; before and after it keeps its first and last value. With
`interpolation = "spline"` it is the cubic spline through them, of which there must be two or more.)"},
    {"E0505",
     "A cell of the CSV file is not a number, or its line has fewer cells than are needed, or more than the header."},
    {"E0506",
     R"(The samples of an input with `interpolation = "spline"` do not cover the run, or the time that is asked for. Constraints and
energies may contain such an input, so it must have a rate and a second derivative everywhere, and samples say nothing of them
outside. Give samples for the whole run, or end it with them: `--until`.)"},
    {"E0507",
     R"(SVG figures become PDF and PNG by the program `rsvg-convert` of Debian's package librsvg2-bin, films GIF and MP4 by `ffmpeg` of the
package of that name besides; both must be found on PATH. One of them is missing, or gave up: the message repeats what it said. `.svg`
needs no other program, and neither does `.html`.)"},
    {"E0508",
     R"(An FMU holds a library of machine code, which the C compiler of this machine makes: the program that CC names, else `cc`, `gcc` or
`clang`. It was found, but did not succeed; what it said is above. Often a header is missing: `apt-get install gcc libc6-dev`.)"},
    {"E0509",
     R"(A model may read files in its own folder and below it, wherever links lead: it may come from someone else, and what a file holds may
be shown in messages. Copy the file beside the model. `--allow-files`, in Python `allow_files=True`, trusts the model with any file.)"},
    {"E0510",
     R"(NetCDF files (.nc) are read and written by the library libnetcdf, which is opened when one is asked for. It is not there, or this program was
built without it. `apt-get install libnetcdf19` installs Debian's; CSV files need no library.)"},
    {"E0520",
     R"(A picture shows where things are, and this model places nothing: it has energies, but no body, no point and no frame. Add
what moves, and what to show of it; nothing in the equations changes.

    [[point]]
    name = "P"
    at = ["x", "y"]

    [draw]
    circles = [{at = "P", radius = "0.1 m"}])"},
    {"E0521",
     R"(A file of results holds numbers and their names, not the model that they belong to. `--model MODEL` says which it is; without it
NAME.toml beside NAME.csv is taken, or the reference model NAME. The file must have a series `q/…` for each of its coordinates.)"},
    {"E0522",
     R"(The multiplier of a constraint says how large its force is. Along which axes that force has components depends on where it acts, and
this constraint is a formula of coordinates that belong to no point: give the points and bodies that it is about, or take the
multipliers of its rows as they are. `derive` says in words what each of them is.)"},
    {"E0532",
     R"(Where all velocities and constraint rows are coupled with each other, formulas for the linear system would fill pages, and generated
code solves it as a dense matrix; it does so for up to 120 velocities and rows together. Models whose coordinates are those of each body
are solved by formulas, in loops, at any size. With friction, forces that depend on multipliers, contacts, or events that set something, the
matrix is dense.)"},
    {"E0535",
     R"(An FMU has no events but those of contacts, friction and [[event]]: its right-hand side is smooth otherwise. Samples have corners, so
they are not in it; they can be connected to an input of the FMU: `--set NAME=0` makes it one.)"},
    {"E0536",
     R"(Exported code decides contacts together with friction, but with no other forces that depend on multipliers: a complementarity problem has no
place for them. `--to latex` and `derive` write the equations.)"},
    {"E0901", "There was not enough memory."},
    {"E0902", "The program met a state it should never be in. Please report this, with the model."},
    {"E0903",
     R"(A signal (Ctrl-C, SIGTERM, SIGHUP) ended the program before it had an answer; the exit status is 130. Of a run that has
begun more is left: the first signal stops it and saves what there is (W0302), only a second one ends at once.)"},
    {"E0904",
     R"(The task would take more than a few seconds or 500 MB. It was not begun, or was given up early. The message has
the size of the model and the limit, and what still works. Limits are counted in parts of formulas, entries of matrices and
multiplications, not in seconds: the same model is refused on every machine, or on none.

Most models are too large because all their velocities are coupled: a chain of bodies in the angles of its joints has a full
mass matrix, and formulas that grow with its square or worse. The same chain in the coordinates of each body, with
constraints at the joints, stays sparse, and 10,000 links can be checked, derived and simulated.)"},
    // Warnings.
    {"W0101", "A parameter is declared and nothing depends on it: perhaps a formula has another name for it."},
    {"W0102",
     R"(A coordinate in rad starts at more than a full turn, and the number has no unit: perhaps degrees are meant. Values carry
their unit in quotes: theta = "60 deg". A wheel that has turned ten times is written "62.8 rad", and nothing is said.)"},
    {"W0103",
     R"(The file gives the parameter with a unit, and --set gives a number alone, which is in SI: `--set r=50` is 50 m, also where
the file says "30 mm". Write the unit: --set "r=50 mm". Beside a unit that is not that of SI a number is doubted if it would be nearer to the value of the file in
the unit of the file: 50 beside "30 mm", and not 0.05; 80 beside "60 deg", and not 0.5. Where studies, fits and optimisations take numbers (--vary, --sample,
--bounds, --prior, --free and [study]), nothing is said of quantities that the file states in a unit of SI.)"},
    {"W0104",
     R"(A mass or an inertia is negative, or a body has neither. Formulas can be computed with such values, and the motion they
give is that of no mechanism: where the kinetic energy is not positive, speeds may grow without bound while the energy is
conserved. Leave out a body that has no mass; its frame and points need none.)"},
    {"W0105", "A unit quaternion was given with a norm other than 1. It is normalised, which keeps its direction."},
    {"W0106",
     R"(A parameter or an initial value is not 0 and less than 2.2e-308. Such a number is subnormal: it has the fewer digits the
smaller it is, and 1 divided by it may be infinite. Large models (a chain of 50 rods) are computed as if it were 0, because
processors take up to a hundred times as long for it. Perhaps an exponent is wrong; for nothing at all, write 0.)"},
    {"W0205",
     R"(Some rows of the constraints depend on others at this state. Where they follow from them the motion is unique all the same, but
their multipliers are not; those reported are of least norm. Rows may also agree at this state alone: x' - y = 0 and x' - y - y^2 = 0 hold together
only where y is 0, and a run stops where they contradict each other.)"},
    {"W0206",
     R"(The constraints have a lower rank at the start than nearby, as those of a parallelogram in its flat position: motions
branch there. The velocities choose one of them; a start from rest chooses none. Start near such a position, or give
velocities along one of the motions that the message lists. Where there is no other position nearby, as with two bars in
line between fixed points exactly that far apart, nothing can move, and a small load makes large reactions.)"},
    {"W0207",
     R"(The loops of the model close in more than one way with the held values, and the start that was found is not the nearest
to the guesses, or no guess chooses between them. `dalembert assemble` lists the others; [initial] guess chooses.)"},
    {"W0208",
     R"(No assembly is near a guess, or the search went elsewhere: an angle of the start is more than 1 rad from its guess, or
another coordinate by more than half of its size.)"},
    {"W0209",
     R"(A row of the constraints differs very little from a combination of the rows before it. Runs treat rows that differ by
less than 1e-10 of their length as one; beyond that, multipliers are large and badly determined. The row is independent all
the same, and takes a freedom. If it should not, state it as that combination, or leave it out.)"},
    {"W0220",
     R"(The kinetic or potential energy jumps where a condition, sign or floor changes. Forces are derivatives of the energy,
and at a jump there is none: the motion goes on as if nothing was there, and its energy is not conserved. A ramp over a
short distance has a force. (A kink, as of `max(0, x)^2` or `abs(x)`, is no jump.))"},
    {"W0221",
     R"(A holonomic constraint `alpha - f(t)` gives a coordinate as a function of time. The run is right, and the multiplier
is the force that drives it. [prescribed] says the same better: alpha starts where f says, with its rate, the constraint
is not counted among the others, and actuation(alpha), with its power, is a result by that name.)"},
    {"W0240", "The model has no [[claim]], so there is nothing to audit. `dalembert explain E0240` shows two."},
    {"W0241",
     R"(A claim could not be decided. What is made of sums, products, quotients, sines and cosines is decided exactly; between
roots, exponentials and other functions only the obvious relations are known. Such a claim was compared at random points
and agreed there, which is evidence and no proof. Large formulas are given up too. A formula that has no value where the
conditions of `given` hold, such as sin(x)/x at x = 0, is neither right nor wrong there: write its limit in its place.)"},
    {"W0301",
     "Accelerations and multipliers do not exist at this state, or are not unique: see the message for the cause."},
    {"W0302", "The run was interrupted. What was computed so far is kept."},
    {"W0303",
     R"(The run reached its end, but its own checks do not hold: a residual, the energy or power balance, or the rank. The
numbers are in the verdict. Smaller tolerances help most often.)"},
    {"W0304",
     R"(A run with the same output was killed before it could save. Its rows were on disk, in OUTPUT.partial, and are kept
under the name in the message, which no later run takes.)"},
    {"W0305",
     R"(The end of the run, --until or [simulation] until, lies before its start. Equations of motion can be followed backwards,
but a system that loses energy then gains it.)"},
    {"W0306",
     R"(eval shows every term at the state it is given. There a constraint does not hold, so the multipliers and accelerations are
not those of a possible motion. `eval --assemble` brings the state onto the constraints first; so does `assemble`.)"},
    {"W0307",
     R"(Some runs of the sweep failed, or their verdict does not hold. Each has its reason in the last column of its row; numbers of runs that failed are
`nan`. `simulate --set` with the values of such a row shows more.)"},
    {"W0308",
     R"(The data of a fit are the same for many values of the unknowns: what changes along such a combination is not determined, and the values that
are given are those near which the search began. A product, quotient or sum is named where runs at a distance confirm it; "near the
solution" says that this was decided there alone. A combination counts as not determined where the data change by less than ten times the
noise of their derivatives, or 1e-8 of the most that they change. Leave a quantity out of the free ones, give it a prior, or measure something else.)"},
    {"W0309",
     R"(No state was given, so linearize took the start of the model. Away from an equilibrium or a steady motion eigenvalues say
how neighbours separate for a moment, and nothing about stability. --settle goes to the nearest one first.)"},
    {"W0310",
     R"(An output that has no finite derivative at the state, such as the root of something that is 0 there, has no row in C and D.
The rest of the linearisation does not depend on it.)"},
    {"W0311",
     R"(analyze looks for equilibria in every combination of what the frictions do: each sticks, or slides either way with a normal
force of either sign. That is 5 states for each of them, and it tries 125 combinations at most. `linearize --at STATE.json` takes a state that is known.)"},
    {"W0312",
     R"(Some values of a series that is plotted are missing, NaN or infinite. Its curve has gaps there; everything else is drawn.)"},
    {"W0313",
     R"(The equations of the model's quasi-velocities stand alone, so linearize takes them without the coordinates, and without
constraints. An output that cannot be written in quasi-velocities and time alone, as a place in the plane, has no row there. Nor has one that
reads an integral over a run, `integral(…)`, which is more than a function of the state.)"},
    {"W0314",
     R"(A condition, abs, sign, min, max or floor changes exactly at this state, and the equations have another derivative on each side.
The matrices are those of one side. A verdict about stability takes all sides into account, or says that it is not decided.)"},
    {"W0315",
     R"(Equilibria are looked for from 60 starts, by Newton's method on the equations and their derivatives. Where those are so long,
or the matrices so large, that this would take more than some seconds, fewer starts are tried, or none. What is not found may exist.)"},
    {"W0316",
     R"(An analysis and a linearisation are of the system as its contacts are at the state: those that are closed with forces as constraints,
those that are open left out. Where a small motion would open or close one, as where a closed contact carries no force, they do not tell
what follows.)"},
    {"W0322",
     "The shape does not end where it began, so the displacement is not that of a closed cycle. --period says how long "
     "one "
     "takes."},
    {"W0323",
     R"(Some runs of the optimisation failed, or their verdict does not hold. Such points cannot be the answer; the search goes around them. `simulate --set` with such
values shows more. Bounds of --free that leave them out save work.)"},
    {"W0324",
     R"(The search ended at a point that is not shown to be an optimum. Where no point that was tried satisfies the constraints, the answer is the one that comes nearest.
Wider bounds of --free, more --starts or weaker constraints may help, and whether any better point exists is not decided. Where the conditions of first order
hold to a few digits only, the objective may have a corner there, as abs and min have, or derivatives are unknown: the message says which.)"},
    {"W0325",
     R"(`fit --plot FILE --degrees` draws samples and curves of angles and their rates in degrees, and no column of this fit is one: the unit of what `--measure` computes
decides. The figure is in SI. Leave the option out; to fit an angle, measure it: `--measure "angle=theta"`.)"},
    {"W0326",
     R"(A claim may have constants whose values the audit finds: equals = "c*theta" with constant = "c". One that is not in the formula, or cancels out of it,
as in c - c, may have any value. Leave it out of `constant`.)"},
    {"W0327",
     R"(A measure reads an output at an instant, at(e, 5 s), that is before the start or after the end of every run of the study, so it is `nan` in each row. --until,
or `until` in [simulation], says when runs end. Where an event ends some of the runs earlier, those alone are `nan`, and nothing is said.)"},
    {"W0328",
     R"(A number before the name of a unit is a quantity: `x*3 L` in [outputs] is x times three litres, also where the model has a length `L`. In most places
units decide: what does not fit is an error. Nothing states the unit of a product in [outputs], or in a definition that outputs alone use, so
there the quantity and the product with `L` would both fit. Write `x*3*L` for the product, or `x*(3 L)` for the quantity.)"},
    {"W0329",
     R"(`sweep --merge` compares what the log of each FILE, FILE.log, says: that all are of one study, and how many runs it has. Without logs the
headers of the columns alone are compared: rows of another model, of other options or of another seed are joined with the rest, and runs that are missing after
the last one are not missed. The merged file has no log either, so a sweep does not go on from it.)"},
    {"W0330",
     R"(A gradient by many quantities is cheapest by the adjoint of the run, which goes back along it with exact derivatives of the accelerations. Models
whose derivatives would take too many operations at each point have none: those of some hundred coordinates that constraints or inertia couple. The gradient is found all the same,
from a derivative by each parameter and each held initial value that goes along the run, which takes time in proportion to their number.
`simulate --sensitivity k,theta` differentiates by a few quantities alone.)"},
    {"W0331",
     R"(A statement has no effect on the motion. `gravity` adds −m g·r to V for each [[body]]; T and V that are given as formulas contain their own
weight, `potential = "m*g*y"`. A force f at a point r adds (∂r/∂q)ᵀ f to the generalized forces, which is 0 where r contains no coordinate.)"},
    {"W0332",
     R"(The values that `fit` found are the best: the sum of squares falls no further from there. But they are at an edge, within 1e-6 of values whose runs fail,
as a restitution of 1 is. Beyond the edge there is no sum to compare with, and standard errors are those of a sum that goes on there as it does before. Where
the sum still falls towards the edge, the search has found no least sum: it is said not to converge, and bounds that end at the edge make that value an answer.)"},
    {"W0333",
     R"(The derivative of a constraint is 0 wherever it holds: (x^2 + y^2 - L^2)^2 = 0 is such a square, and x^2 + y^2 = 0 a sum of squares.
Its row of W is 0 there, so that no force holds it and no multiplier is known; a run that has nothing else to keep it stops. State what is squared,
x^2 + y^2 - L^2 = 0; of a sum of squares state that each of them is 0. abs(x) = 0 has no derivative
at all where it holds: state x = 0.)"},
    {"W0334",
     R"(An option changes nothing. A sweep gives what it varies a value for each run, in place of the one that `--set` gives: leave out one of the two, `--set k=7`,
or `k` among what --vary, --sample, --runs-from or [study] name. `--seed` and `--sampling` say how samples are drawn, and a grid has none; in a fit `--seed` says which
other starts are tried, and without `--starts` there are none.)"},
    {"W0431",
     R"(A sample of a fit lies so far beyond those before it that the data, and with them each run, last 100 times as long or more.
Such a time is often a slip: a wrong exponent, or milliseconds among seconds. If it is meant, nothing is wrong.)"},
    {"W0432",
     R"(The data of a fit have a time more than once. Repeated measurements are taken as they are, each with its own weight; a line that
was copied twice by mistake counts twice as well.)"},
    {"W0446",
     R"(A process of dalembert-mpi takes no part in the sweep, for the reason that is given: it cannot read the model there, or reads another one. Each process loads
the model by itself, so the file is on each machine, the same, and so is the program. The other processes have made all runs.)"},
    {"W0447",
     R"(A process of dalembert-mpi was killed, its machine has failed, or it is so busy that it does not hear the end within five seconds. The other processes have
made all runs, and the result is what it always is. Open MPI ends all processes when one dies, unless `mpirun --enable-recovery` is said.)"},
    {"W0504",
     R"(The run begins before the first sample of an input or ends after the last one. Before and after its samples an input keeps
its first and last value, which is rarely what a measurement means: give samples for the whole run, or end it with them.)"},
    {"W0505",
     R"(The FMU has been written with its sources alone. Few simulators compile an FMU by themselves; most need a library for their machine in
it. Install a C compiler (`apt-get install gcc`) and export again, on the kind of machine on which it is to run.)"},
    {"W0601", "Circles of [draw] whose radius is zero, negative or not finite are left out of the picture."},
    {"W0602",
     R"(The picture finds rigid bodies by comparing several configurations that satisfy the constraints. Here none but the start was found, so
it shows only what is stated. `[draw]` with `lines` says which points are joined.)"},
    {"W0603",
     R"(A spring or damper on a coordinate has no place unless a block moves along with that coordinate. State it between two points
(`between = ["O", "P"]`) to see it.)"},
};

}  // namespace

std::string explain(std::string_view code) {
  const auto found = std::ranges::find(kTexts, code, &Text::code);
  return found == std::end(kTexts) ? std::string() : std::string(found->text);
}

std::vector<std::string> diagnostic_codes() {
  std::vector<std::string> codes;
  for (const Text& text : kTexts) codes.emplace_back(text.code);
  return codes;
}

}  // namespace dalembert
