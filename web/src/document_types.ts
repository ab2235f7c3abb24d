// SPDX-License-Identifier: Apache-2.0
// Made by build.mjs of report-document.schema.json.

/** the model as code, to be run again with other parameters */
export type Live = {
  /** the body of a function that returns the model's functions */
  code: string;
  parameters: {
    name: string;
    latex: string;
    unit: string;
    value: number;
    meaning: string;
    /** must not be negative */
    mass: boolean;
  }[];
  inputs: {
    name: string;
    latex: string;
    unit: string;
    /** its formula, or how many samples */
    stated: string;
    /** among all numbers of inputs */
    place: number;
    /** how many of its derivatives follow it there */
    derivatives: number;
  }[];
  coordinates: {
    name: string;
    latex: string;
    unit: string;
    /** the start keeps its value */
    held: boolean;
    /** it follows a function of time */
    follows: boolean;
    guess: null | number;
    /** the velocities along which it is displaced */
    along: number[];
  }[];
  velocities: {
    name: string;
    latex: string;
    unit: string;
    held: boolean;
    follows: boolean;
  }[];
  /** from where the start is assembled */
  guess: {
    q: number[];
    v: number[];
    /** what of it formulas of parameters give, in the order of `initial_values` */
    formulas: (["q" | "v", number])[];
  };
  start: {
    t: number;
    q: number[];
    v: number[];
  };
  /** what numbers of `limits` must be, and what is said if they are not */
  limits: {
    rule: "share" | "positive" | "ordered";
    values: number[];
    /** each {} is one of the values */
    words: string;
  }[];
  /** what computes each series: an array of results and a place in it */
  columns: (null | ["q" | "v" | "a" | "lambda" | "friction" | "u" | "energy" | "output" | "level" | "rate" | "closed" | "gap" | "held", number])[];
  /** rows of each of the scene's forces; empty: an applied force */
  forces: number[][];
};

/** base64 of little-endian Float32; NaN is a gap */
export type Packed = string;

export type Labelled = {
  label: string;
  value: string;
};

export type Levelled = {
  label: string;
  value: string;
  level: "ok" | "warning" | "error" | "neutral";
};

export type Run = {
  status: "ok" | "stopped" | "failed";
  reason: string;
  summary: Labelled[];
  verdict: {
    holds: boolean | null;
    rows: Levelled[];
    warnings: string[];
  };
  peaks: {
    series: string;
    min: number;
    t_min: number;
    max: number;
    t_max: number;
  }[];
  events: {
    name: string;
    t: number;
  }[];
  /** lengths of steps in s, in stretches of `each` steps */
  steps: null | {
    each: number;
    from: Packed;
    to: Packed;
    shortest: Packed;
    longest: Packed;
  };
  /** rows where the constraints held fewer directions than elsewhere */
  singular: {
    t: number;
    rank: number;
    of: number;
  }[];
};

export type Series = {
  /** of the run */
  rows: number;
  /** of these, on the page */
  kept: number;
  decimated: boolean;
  note: string;
  time: Packed;
  columns: {
    name: string;
    latex: string;
    unit: string;
    meaning: string;
    data: Packed;
  }[];
};

export type Scene = {
  space: 2 | 3;
  /** m */
  size: number;
  up: 1 | -1;
  /** a unit vector, or zeros */
  gravity: number[];
  floor: number | null;
  simplified: boolean;
  tracks: {
    name: string;
    label: boolean;
  }[];
  shapes: {
    kind: "bar" | "plate" | "pin" | "support" | "fixed" | "mass" | "center" | "block" | "rail" | "surface" | "spring" | "damper" | "blade" | "circle" | "ring" | "disk" | "ellipsoid" | "dot";
    tracks: number[];
    name: string;
    size: number;
    direction: number[];
  }[];
  traces: number[];
  forces: {
    name: string;
    track: number;
    /** where the opposite force acts: the other end of a rod */
    opposite: number | null;
    unit: string;
    /** a torque; in the plane its first component is all of it */
    turns: boolean;
    /** of the multipliers; empty: an applied force */
    series: string[];
    /** LaTeX, or empty */
    formula: string;
  }[];
  frames: {
    count: number;
    time: Packed;
    positions: Packed;
    forces: Packed;
  };
};

/** All that the report page shows; the page is a pure function of it. */
export type ReportDocument = {
  format: "dalembert-report";
  version: 1;
  generator: string;
  title: string;
  description: string;
  reference: string;
  command: string;
  /** angles are shown in degrees at first */
  degrees: boolean;
  notices: {
    level: "error" | "warning" | "note";
    text: string;
  }[];
  chips: Levelled[];
  source: {
    name: string;
    text: string;
    sha256: string;
  };
  /** LaTeX but for the name; empty where it has none */
  bodies: {
    name: string;
    mass: string;
    inertia: string;
    position: string;
    angle: string;
  }[];
  symbols: {
    name: string;
    latex: string;
    unit: string;
    value: string;
    meaning: string;
    kind: "coordinate" | "velocity" | "parameter" | "input" | "prescribed" | "multiplier" | "output";
  }[];
  constraints: {
    name: string;
    latex: string;
    kind: string;
    unit: string;
    meaning: string;
    /** of its row */
    multiplier: string;
    /** of that, LaTeX */
    symbol: string;
  }[];
  equations: {
    id: string;
    title: string;
    note: string;
    latex: string[];
    text: string;
    /** to evaluate it; 0: none, or not counted */
    operations: number;
  }[];
  /** all of them as model files take formulas; empty: too long */
  equations_text: string;
  structure: Labelled[];
  equilibria: {
    kind: string;
    stability: string;
    at: {
      name: string;
      value: number;
    }[];
    eigenvalues: [number, number][];
    family: string[];
  }[];
  run: null | Run;
  series: null | Series;
  scene: null | Scene;
  scene_note: string;
  live: null | Live;
  /** why values cannot be changed on the page */
  live_note: string;
};
