// SPDX-License-Identifier: Apache-2.0
// Documents to test the page with. Motions are computed here from closed forms.
import { pack } from "./page.mjs";

const kTurn = 2 * Math.PI;

export function empty_document(title) {
  return {
    format: "dalembert-report", version: 1, generator: "dalembert 0.1.0", title, description: "", reference: "",
    command: `dalembert report ${title} -o ${title}.html`, degrees: false, notices: [], chips: [], source: { name: "", text: "", sha256: "" },
    symbols: [], bodies: [], constraints: [], equations: [], equations_text: "", structure: [], equilibria: [], run: null, series: null, scene: null,
    scene_note: "", live: null, live_note: "",
  };
}

export function empty_run() {
  return {
    status: "ok", reason: "", summary: [], verdict: { holds: true, rows: [], warnings: [] }, peaks: [], events: [],
    steps: null, singular: [],
  };
}

function series_of(time, columns) {
  return {
    rows: time.length, kept: time.length, decimated: false, note: "", time: pack(time),
    columns: columns.map(({ name, latex, unit = "", meaning = "", values }) => ({
      name, latex, unit, meaning, data: pack(values),
    })),
  };
}

function peaks_of(time, columns) {
  return columns.map(({ name, values }) => {
    const low = values.indexOf(Math.min(...values)), high = values.indexOf(Math.max(...values));
    return { series: name, min: values[low], t_min: time[low], max: values[high], t_max: time[high] };
  });
}

/** Positions by frame and track, forces by frame and force. */
function frames_of(time, positions, forces) {
  return { count: time.length, time: pack(time), positions: pack(positions.flat(2)), forces: pack(forces.flat(2)) };
}

const sampled = (count, until) => Array.from({ length: count }, (_, k) => until * k / (count - 1));

/** A crank that turns steadily: q, λ of the pin from the slider's acceleration, all in closed form. */
export function slider_crank() {
  const r = 0.3, l = 0.7, m = 1.2, w = kTurn / 1.5, time = sampled(241, 3);
  const at = time.map((t) => {
    const theta = w * t, phi = Math.asin(-r * Math.sin(theta) / l) + Math.PI;
    const x = r * Math.cos(theta) - l * Math.cos(phi);
    return { theta, phi: Math.PI - phi, x };
  });
  const slope = (values, k) => {
    const a = Math.max(0, k - 1), b = Math.min(time.length - 1, k + 1);
    return (values[b] - values[a]) / (time[b] - time[a]);
  };
  const curve = (of) => at.map(of), rate = (values) => values.map((_, k) => slope(values, k));
  const theta = curve((q) => q.theta), phi = curve((q) => q.phi), x = curve((q) => q.x);
  const vx = rate(x), ax = rate(vx), vphi = rate(phi);
  const lambda_x = ax.map((a) => m * a), lambda_y = at.map((q, k) => lambda_x[k] * Math.tan(q.phi) + 9.81 * m);
  const kinetic = vx.map((v) => 0.5 * m * v * v + 0.4), potential = at.map((q) => 1.4 * Math.sin(q.theta));
  const columns = [
    { name: "q/theta", latex: "\\theta", unit: "rad", meaning: "angle of the crank", values: theta },
    { name: "q/phi", latex: "\\phi", unit: "rad", meaning: "angle of the rod", values: phi },
    { name: "q/x", latex: "x", unit: "m", meaning: "place of the slider", values: x },
    { name: "v/theta", latex: "\\dot{\\theta}", unit: "rad/s", values: time.map(() => w) },
    { name: "v/phi", latex: "\\dot{\\phi}", unit: "rad/s", values: vphi },
    { name: "v/x", latex: "\\dot{x}", unit: "m/s", values: vx },
    { name: "a/x", latex: "\\ddot{x}", unit: "m/s^2", values: ax },
    { name: "energy/kinetic", latex: "T", unit: "J", values: kinetic },
    { name: "energy/potential", latex: "V", unit: "J", values: potential },
    { name: "energy/total", latex: "E", unit: "J", values: kinetic.map((value, k) => value + potential[k]) },
    { name: "lambda/pin.x", latex: "\\lambda_{\\mathrm{pin},x}", unit: "N", meaning: "along x", values: lambda_x },
    { name: "lambda/pin.y", latex: "\\lambda_{\\mathrm{pin},y}", unit: "N", meaning: "along y", values: lambda_y },
    { name: "residual/pin.x", latex: "c_x", unit: "m", values: time.map((t) => 1e-13 * Math.sin(40 * t)) },
    { name: "residual/pin.y", latex: "c_y", unit: "m",
      values: time.map((t, k) => (k % 5 === 0 ? NaN : 3e-14 * t * t)) },
  ];
  const positions = at.map((q) => [
    [0, 0], [r * Math.cos(q.theta), r * Math.sin(q.theta)], [q.x, 0],
    [0.5 * r * Math.cos(q.theta), 0.5 * r * Math.sin(q.theta)],
    [0.5 * (r * Math.cos(q.theta) + q.x), 0.5 * r * Math.sin(q.theta)],
  ]);
  const shape = (kind, tracks, name = "", direction = []) => ({ kind, tracks, name, size: 0, direction });
  const series = series_of(time, columns);
  return {
    ...empty_document("slider-crank"),
    description: "A slider-crank of two thin rods and a slider, in three coordinates with the closure of the loop as " +
      "two equations. The rod's angle is that of the vector from the slider to the crank pin.",
    reference: "J. García de Jalón, E. Bayo, Kinematic and Dynamic Simulation of Multibody Systems, Springer 1994",
    chips: [
      { label: "freedoms", value: "1", level: "neutral" }, { label: "consistent", value: "yes", level: "ok" },
      { label: "redundant rows", value: "0", level: "ok" }, { label: "drift", value: "2e-13 m", level: "ok" },
    ],
    source: { name: "slider-crank.toml", text: kSliderCrankSource, sha256: "0123456789abcdef".repeat(4) },
    symbols: [
      { name: "theta", latex: "\\theta", unit: "rad", value: "0.6", meaning: "angle of the crank", kind: "coordinate" },
      { name: "phi", latex: "\\phi", unit: "rad", value: "2.9", meaning: "angle of the rod", kind: "coordinate" },
      { name: "x", latex: "x", unit: "m", value: "0.94", meaning: "place of the slider", kind: "coordinate" },
      { name: "L1", latex: "L_1", unit: "m", value: "0.15", meaning: "half length of the crank", kind: "parameter" },
      { name: "m3", latex: "m_3", unit: "kg", value: "1.2", meaning: "mass of the slider", kind: "parameter" },
      { name: "lambda/pin.x", latex: "\\lambda_{\\mathrm{pin},x}", unit: "N", value: "", kind: "multiplier",
        meaning: "force that the crank exerts on the rod, along x" },
    ],
    constraints: [
      { name: "pin.x", latex: "2 L_1 \\cos\\theta - 2 L_2 \\cos\\phi - x = 0", kind: "holonomic", unit: "m",
        meaning: "force in the crank pin along x", multiplier: "lambda/pin.x",
        symbol: "\\lambda_{\\mathrm{pin,1}}" },
      { name: "pin.y", latex: "2 L_1 \\sin\\theta - 2 L_2 \\sin\\phi = 0", kind: "holonomic", unit: "m",
        meaning: "force in the crank pin along y", multiplier: "lambda/pin.y",
        symbol: "\\lambda_{\\mathrm{pin,2}}" },
    ],
    equations: kSliderCrankEquations,
    structure: [
      { label: "Coordinates", value: "3" }, { label: "Constraints", value: "2 holonomic" },
      { label: "Freedoms", value: "1" }, { label: "Redundant rows", value: "none" },
    ],
    equilibria: [
      { kind: "isolated", stability: "stable", at: [{ name: "theta", value: -1.5708 }, { name: "phi", value: 3.58 }],
        eigenvalues: [[0, 7.21], [0, -7.21]], family: [] },
      { kind: "isolated", stability: "unstable", at: [{ name: "theta", value: 1.5708 }, { name: "phi", value: 2.7 }],
        eigenvalues: [[6.9, 0], [-6.9, 0]], family: [] },
    ],
    bodies: [{ name: "crank", mass: "m_1", inertia: "I_1", position: "\\left(L_1 \\cos\\theta,\\ L_1 \\sin\\theta\\right)",
               angle: "\\theta" }, { name: "slider", mass: "m_3", inertia: "", position: "\\left(x,\\ 0\\right)", angle: "" }],
    run: {
      ...empty_run(),
      steps: { each: 2, from: pack([0, 1, 2]), to: pack([1, 2, 3]), shortest: pack([0.01, 0.02, 0.01]),
               longest: pack([0.04, 0.05, 0.02]) },
      singular: [{ t: 1.5, rank: 1, of: 2 }],
      summary: [
        { label: "Method", value: "Dormand–Prince 5(4), projected" }, { label: "Steps", value: "412, 9 rejected" },
        { label: "Tolerance", value: "1e-9" }, { label: "Time", value: "0 to 3 s" },
      ],
      verdict: {
        holds: true, warnings: [],
        rows: [
          { label: "largest residual of position", value: "9.9e-14 m", level: "ok" },
          { label: "energy drift", value: "3.1e-12 J", level: "ok" },
          { label: "a second run with half the tolerance differs by", value: "4.0e-10", level: "ok" },
        ],
      },
      peaks: peaks_of(time, columns.filter(({ name }) => name.startsWith("lambda/"))),
      events: [{ name: "dead centre", t: 0.75 }],
    },
    series,
    scene: {
      space: 2, size: 1.3, up: 1, gravity: [0, -1], floor: null, simplified: false,
      tracks: [
        { name: "O", label: true }, { name: "A", label: true }, { name: "P", label: true },
        { name: "crank", label: false }, { name: "rod", label: false },
      ],
      shapes: [
        shape("rail", [2], "", [1, 0]), shape("block", [2], "slider", [1, 0]), shape("bar", [0, 1], "crank"),
        shape("bar", [1, 2], "rod"), shape("support", [0], "O"), shape("pin", [1], "A"), shape("pin", [2], "P"),
        shape("center", [3], "crank"), shape("center", [4], "rod"),
      ],
      traces: [4],
      forces: [{ name: "pin", track: 1, opposite: null, unit: "N", turns: false, series: ["lambda/pin.x", "lambda/pin.y"],
                 formula: "\\vec{F}_{\\mathrm{pin}} = \\lambda_x\\,\\vec{e}_x + \\lambda_y\\,\\vec{e}_y" }],
      frames: frames_of(time, positions, time.map((_, k) => [[lambda_x[k], lambda_y[k]]])),
    },
  };
}

const kSliderCrankSource = `# A slider-crank.
name = "slider-crank"
coordinates = [{name="theta", unit="rad"}, {name="phi", unit="rad"}, {name="x", unit="m"}]
gravity = ["0", "-g"]

[parameters]
g  = "9.81 m/s^2"
L1 = "0.15 m"          # half lengths
L2 = "0.35 m"
steps = 12

[[constraint]]
name = "pin"
holonomic = ["2*L1*cos(theta) - 2*L2*cos(phi) - x", "2*L1*sin(theta) - 2*L2*sin(phi)"]
`;

function long_equation(rows) {
  const row = (_, k) => `z_{${k}} &= \\frac{${k}}{2} \\left(\\dot{x}^2 + L_1\\right)`;
  return `\\begin{aligned}${Array.from({ length: rows }, row).join(" \\\\[1ex] ")}\\end{aligned}`;
}

const kSliderCrankEquations = [
  { id: "terms", title: "Common terms", operations: 7, note: "", text: "z1 = ...", latex: [long_equation(40)] },
  { id: "mass", title: "Mass matrix", operations: 7, note: "", text: "M = [...]", latex: [
    "M = \\begin{bmatrix} \\left(m_1 + 4 m_2\\right) L_1^2 + I_1 & -2 m_2 L_1 L_2 \\cos(\\theta - \\phi) & 0 \\\\ " +
    "-2 m_2 L_1 L_2 \\cos(\\theta - \\phi) & m_2 L_2^2 + I_2 & 0 \\\\ 0 & 0 & m_3 \\end{bmatrix}"] },
  { id: "motion", title: "Equations of motion", operations: 7, text: "M q'' + B + G = F + W^T lambda", latex: [
    "\\begin{aligned} & \\left(\\left(m_1 + 4 m_2\\right) L_1^2 + I_1\\right) \\ddot{\\theta} - 2 m_2 L_1 L_2 " +
    "\\ddot{\\phi} \\cos(\\theta - \\phi) - 2 m_2 L_1 L_2 \\dot{\\phi}^2 \\sin(\\theta - \\phi) \\\\ &\\quad {} + " +
    "\\left(m_1 + 2 m_2\\right) g L_1 \\cos\\theta = -2 L_1 \\lambda_{\\mathrm{pin,1}} \\sin\\theta + 2 L_1 " +
    "\\lambda_{\\mathrm{pin,2}} \\cos\\theta + \\tau \\\\[1ex] & m_3 \\ddot{x} = -\\lambda_{\\mathrm{pin,1}} + f " +
    "\\end{aligned}"], note: "One line for each coordinate: M q̈ + B + G = F + Wᵀλ." },
];

/** A disc on a tilting axle above a floor: bodies turn by a quaternion. */
export function spatial() {
  const time = sampled(181, 6), n = 1.1;
  const turned = (t, v) => {
    const a = n * t, b = 0.5 + 0.2 * Math.sin(2 * t), c = 7 * t;
    const spin = [v[0] * Math.cos(c) - v[1] * Math.sin(c), v[0] * Math.sin(c) + v[1] * Math.cos(c), v[2]];
    const [x, y, z] = spin;
    const tilt = [x * Math.cos(b) + z * Math.sin(b), y, -x * Math.sin(b) + z * Math.cos(b)];
    return [tilt[0] * Math.cos(a) - tilt[1] * Math.sin(a), tilt[0] * Math.sin(a) + tilt[1] * Math.cos(a), tilt[2]];
  };
  const axle = 0.5, radius = 0.25;
  const positions = time.map((t) => {
    const center = turned(t, [0, 0, axle]), plus = (v) => turned(t, v).map((x, k) => x + center[k]);
    return [[0, 0, 0], center, plus([radius, 0, 0]), plus([0, radius, 0]), plus([0, 0, 0.2]),
      [0.6, 0, 0], plus([0.1, 0, 0.2]), plus([0, 0.07, 0.2]), plus([0, 0, 0.26])];
  });
  const z = positions.map((at) => at[1][2]), force = time.map((t) => [[2 * Math.sin(n * t), 0.4, 9 + Math.cos(2 * t)]]);
  const columns = [
    { name: "q/z", latex: "z", unit: "m", meaning: "height of the centre", values: z },
    { name: "v/z", latex: "\\dot{z}", unit: "m/s", values: time.map((t) => -0.2 * Math.cos(2 * t)) },
    { name: "lambda/pivot.z", latex: "\\lambda_{\\mathrm{pivot},z}", unit: "N", values: force.map(([f]) => f[2]) },
  ];
  const shape = (kind, tracks, size = 0, direction = []) => ({ kind, tracks, name: kind, size, direction });
  return {
    ...empty_document("gyroscope"), description: "A disc on an axle, free to turn about a fixed point.",
    run: empty_run(), series: series_of(time, columns),
    scene: {
      space: 3, size: 1, up: 1, gravity: [0, 0, -1], floor: 0, simplified: false,
      tracks: ["O", "C", "", "", "tip", "B", "", "", ""].map((name) => ({ name, label: name !== "" })),
      shapes: [
        shape("bar", [0, 4]), shape("disk", [1, 2, 3]), shape("ring", [4, 1], 0.1), shape("support", [0]),
        shape("ellipsoid", [4, 6, 7, 8]), shape("mass", [4]), shape("spring", [4, 5]), shape("fixed", [5]),
        shape("rail", [5], 0, [1, 0, 0]), shape("damper", [1, 5]), shape("circle", [5], 0.06), shape("dot", [5]),
        shape("plate", [0, 4, 5]),
      ],
      traces: [4],
      forces: [{ name: "pivot", track: 0, opposite: null, unit: "N", turns: false, series: ["lambda/pivot.z"], formula: "" },
               { name: "", track: 1, opposite: null, unit: "N", turns: false, series: [], formula: "" }],
      frames: frames_of(time, positions, force.map(([f]) => [f, [0, 0, -9.81]])),
    },
  };
}

/** A mass on a spring, x'' = -k/m x from x = 1 m, with the code that runs it again. */
export function spring() {
  const k = 9, m = 1, w = Math.sqrt(k / m), time = sampled(101, 4);
  const x = time.map((t) => Math.cos(w * t)), v = time.map((t) => -w * Math.sin(w * t));
  const columns = [
    { name: "q/x", latex: "x", unit: "m", values: x }, { name: "v/x", latex: "\\dot{x}", unit: "m/s", values: v },
    { name: "energy/total", latex: "E", unit: "J", values: time.map(() => k / 2) },
    { name: "balance/energy", latex: "|E - E_0|", unit: "J", values: time.map((t) => 1e-12 * t) },
    { name: "q/y", latex: "y", unit: "m", values: time.map((t) => 1e-17 * Math.sin(t)) },  // round-off beside x
    { name: "lambda/guide", latex: "\\lambda", unit: "N", values: time.map((t) => 1e-16 * Math.sin(t)) },
  ];
  const code = `const rate = (s, x) => -s.prepared[0] * x;
    function step(s, t, h, q, v) {
      if (!(s.prepared[0] >= 0)) return 1;
      const w = Math.sqrt(s.prepared[0]), c = Math.cos(w * h), d = w > 0 ? Math.sin(w * h) / w : h, x = q[0];
      q[0] = c * x + d * v[0];
      v[0] = c * v[0] - w * w * d * x;
      return 0;
    }
    return {
      nq: 1, nv: 1, nr: 0, nh: 0, np: 2, nu: 0, ny: 0, ne: 3, prepared: 1, step,
      prepare: (s) => { s.prepared[0] = s.p[0] / s.p[1]; }, project: () => 0, inputs: () => {},
      assemble: null, limits: null, initial_values: null, power_balance: () => 0,
      accelerations: (s, t, q, v, u, vdot) => { vdot[0] = rate(s, q[0]); return 0; },
      energy: (s, t, q, v, u, e) => {
        e[0] = s.p[1] / 2 * v[0] ** 2;
        e[1] = s.p[0] / 2 * q[0] ** 2;
        e[2] = e[0] + e[1];
      },
      outputs: null, position_residual: null, velocity_residual: null,
      scene: (s, t, q, v, lambda, u, out) => { out.set([0, 0, q[0], 0, -s.p[0] * q[0], 0]); },
    };`;
  const shape = (kind, tracks, direction = [0, 0, 0]) => ({ kind, tracks, name: kind, size: 0, direction });
  return {
    ...empty_document("spring"), run: empty_run(), series: series_of(time, columns),
    scene: {
      space: 2, size: 1, up: 1, gravity: [0, 0, 0], floor: null, simplified: false,
      tracks: [{ name: "O", label: true }, { name: "mass", label: true }],
      shapes: [shape("fixed", [0], [1, 0, 0]), shape("spring", [0, 1]), shape("rail", [1], [1, 0, 0]), shape("block", [1], [1, 0, 0])],
      traces: [1], forces: [{ name: "", track: 1, opposite: null, unit: "N", turns: false, series: [], formula: "" }],
      frames: frames_of(time, x.map((one) => [[0, 0], [one, 0]]), x.map((one) => [[-k * one, 0]])),
    },
    live: {
      code,
      parameters: [{ name: "k", latex: "k", unit: "N/m", value: k, meaning: "stiffness", mass: false },
                   { name: "m", latex: "m", unit: "kg", value: m, meaning: "", mass: true }],
      inputs: [], coordinates: [{ name: "x", latex: "x", unit: "m", held: true, follows: false, guess: null, along: [0] }],
      velocities: [{ name: "x'", latex: "\\dot{x}", unit: "m/s", held: true, follows: false }],
      start: { t: 0, q: [1], v: [0] }, guess: { q: [1], v: [0], formulas: [] }, limits: [], columns: [["q", 0], ["v", 0], ["energy", 2]], forces: [[]],
    },
  };
}

/** Names and texts that try to break out, to run, or to break the page. */
export function hostile() {
  const document = slider_crank();
  const script = "</script><script>window.broken = true</script><img src=x onerror='window.broken = true'>";
  const long = "x".repeat(10_000), rtl = "שלום \u202eעולם مرحبا", emoji = "🦄🔥👩‍👩‍👧";
  const title = "</title><script>window.broken = true</script>";
  const all = [script, `"'\`&amp;<b>`, long, rtl, emoji, title, "@@DOCUMENT@@"];
  document.title = all.join(" ");
  document.description = all.join("\n");
  document.reference = document.command = script + long;
  document.chips = all.map((text) => ({ label: text, value: text, level: "warning" }));
  document.notices = all.map((text) => ({ level: "note", text }));
  document.source = { name: script, text: all.join("\n") + "\n\"\"\"\nopen " + script, sha256: "" };
  const latex = [
    "\\href{javascript:window.broken=true}{x}", "\\htmlClass{a}{x}", "\\includegraphics{http://example.org/x.png}",
    "\\def\\a{\\a\\a}\\a", "\\rule{1000em}{1000em}", "\\kern-1000em x", "{".repeat(3000), "{".repeat(120_000),
    script, long, "\\frac{", emoji,
    "\\newcommand{\\x}{\\x}\\x", "\\url{http://example.org}", "\\color{red}\\hspace{9999em}y",
  ];
  document.equations = latex.map((one, k) => ({ id: `e${k}"><script>`, title: all[k % all.length], note: all[k % 3],
                                                latex: [one], text: script, operations: k }));
  document.symbols = all.flatMap((name, k) => ["coordinate", "parameter"].map((kind) =>
    ({ name, latex: latex[k], unit: script, value: name, meaning: name, kind })));
  document.constraints = all.map((name, k) => ({ name, latex: latex[k + 3], kind: name, unit: name, meaning: name,
                                                 multiplier: name, symbol: "\\lambda" }));
  document.bodies = all.map((name, k) => ({ name, mass: latex[k], inertia: latex[k + 2], position: name, angle: "" }));
  document.live = { ...spring().live, parameters: all.map((name, k) => ({ name, latex: latex[k], unit: name, value: k, meaning: name, mass: k % 2 === 0 })) };
  document.live_note = script;
  document.structure = all.map((label) => ({ label, value: label }));
  document.series.note = long;
  document.series.columns.forEach((column, k) => {
    const group = column.name.slice(0, column.name.indexOf("/"));
    column.name = `${group}/${all[k % all.length]}${k}`;
    column.latex = latex[k % latex.length];
    column.meaning = script;
    column.unit = k % 2 === 0 ? script : rtl;
  });
  document.scene.tracks.forEach((track, k) => { track.name = all[k]; track.label = true; });
  document.scene.shapes.forEach((shape) => { shape.name = script; });
  document.scene.forces[0].name = script;
  document.scene.forces[0].series = [document.series.columns[10].name, "lambda/unknown"];
  document.run.peaks[0].series = script;
  document.run.events = all.map((name) => ({ name, t: 1 }));
  document.run.verdict.warnings = all;
  document.equilibria[0].kind = script;
  document.equilibria[0].at[0].name = long;
  document.equilibria[0].family = all;
  return document;
}

export function without_scene() {
  const document = { ...slider_crank(), scene: null };
  document.title = "no-scene";
  document.scene_note = "there is nothing to draw of `no-scene`: it states energies, and no body or point: add `[draw]` with `lines`";
  return document;
}

export function failed_run() {
  const document = slider_crank();
  document.title = "failed";
  const text = "The run stopped at t = 1.2 s: the constraint matrix lost a rank (E0501). What was computed is shown.";
  document.notices = [{ level: "error", text }];
  document.run.status = "failed";
  document.run.reason = "singular configuration";
  document.run.verdict = { holds: false, warnings: ["The last step was rejected 30 times."],
                           rows: [{ label: "residual", value: "3e-2 m", level: "error" }] };
  return document;
}

/** A chain that waves. */
export function thousand_bodies() {
  const bodies = 1000, time = sampled(61, 3);
  const positions = time.map((t) => Array.from({ length: bodies + 1 }, (_, k) =>
    [k * 0.05, 2 * Math.sin(0.01 * k + 2 * t) * k / bodies]));
  const shapes = Array.from({ length: bodies }, (_, k) =>
    ({ kind: "bar", tracks: [k, k + 1], name: `link ${k}`, size: 0, direction: [] }));
  shapes.push({ kind: "support", tracks: [0], name: "O", size: 0, direction: [] });
  return {
    ...empty_document("chain-1000"), run: empty_run(),
    series: series_of(time, Array.from({ length: 40 }, (_, k) => ({
      name: `q/theta${k}`, latex: `\\theta_{${k}}`, unit: "rad", values: time.map((t) => Math.sin(t + 0.1 * k)),
    }))),
    scene: {
      space: 2, size: 50, up: 1, gravity: [0, -1], floor: null, simplified: true,
      tracks: positions[0].map((_, k) => ({ name: `p${k}`, label: false })), shapes, traces: [bodies], forces: [],
      frames: frames_of(time, positions, time.map(() => [])),
    },
  };
}

/** A model alone: one picture that does not move. */
export function without_run() {
  const document = { ...slider_crank(), run: null, series: null };
  document.title = "model-only";
  // An applied force that is zero: nothing has a size to scale arrows by.
  const force = { name: "", track: 0, opposite: null, unit: "N", turns: false, series: [], formula: "" };
  document.scene = { ...document.scene, traces: [], forces: [force], frames: first_frame(document) };
  return document;
}

function first_frame(document) {
  const values = Buffer.from(document.scene.frames.positions, "base64");
  const bytes = 4 * document.scene.tracks.length * 2;
  return { count: 1, time: pack([0]), positions: values.subarray(0, bytes).toString("base64"), forces: pack([0, 0]) };
}

/** A cart of two wheels that drives far away, and a torque on it: the camera goes with it. */
export function travelling() {
  const document = empty_document("travelling"), time = sampled(121, 6);
  const at = time.map((t) => ({ x: 3 * t, y: 0.4 * Math.sin(t), angle: 0.4 * Math.cos(t) }));
  const ends = (q) => [-0.5, 0.5].map((s) => [q.x + s * Math.cos(q.angle), q.y + s * Math.sin(q.angle)]);
  const columns = [
    { name: "q/x", latex: "x", unit: "m", values: at.map((q) => q.x) },
    { name: "q/theta", latex: "\\theta", unit: "rad", values: at.map((q) => q.angle) },
  ];
  return {
    ...document, run: { ...empty_run(), status: "stopped", reason: "interrupted at t = 6 s" },
    series: series_of(time, columns),
    equations_text: "T = 1/2*m*x'^2\n",
    equations: [{ id: "one", title: "Energy", note: "", latex: ["T = \\frac{1}{2} m \\dot{x}^{2}"], text: "", operations: 3 }],
    scene: {
      space: 2, size: 1, up: 1, gravity: [0, 0, 0], floor: null, simplified: false,
      tracks: [{ name: "rear", label: true }, { name: "front", label: true }],
      shapes: [{ kind: "bar", tracks: [0, 1], name: "body", size: 0, direction: [0, 0, 0] },
               { kind: "circle", tracks: [0], name: "wheel", size: 0.1, direction: [0, 0, 0] },
               { kind: "circle", tracks: [1], name: "wheel", size: 0.1, direction: [0, 0, 0] }],
      traces: [0],
      forces: [{ name: "motor", track: 0, opposite: null, unit: "N*m", turns: true, series: [], formula: "" }],
      frames: frames_of(time, at.map(ends), time.map((t) => [[Math.sin(t), 0]])),
    },
  };
}

/** A run of a million rows, of which 2,000 stretches are kept by their smallest and largest values. */
export function long_run() {
  const document = empty_document("long-run"), time = sampled(4000, 1e5);
  const columns = Array.from({ length: 20 }, (_, k) => ({
    name: `output/o${k}`, latex: `o_{${k}}`, unit: "N",
    values: time.map((_, i) => i === 1234 + k ? 1e3 : (i % 2 === 0 ? -1 : 1) * (k + 1 + Math.sin(0.01 * i))),
  }));
  return {
    ...document, run: empty_run(), scene_note: "nothing to draw",
    series: {
      ...series_of(time, columns), rows: 1_000_000, decimated: true, note: "1000000 rows are shown as 2000 stretches",
    },
  };
}

export const fixtures = {
  slider_crank, spatial, spring, hostile, without_scene, failed_run, thousand_bodies, without_run, travelling, long_run,
};
