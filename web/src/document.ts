// SPDX-License-Identifier: Apache-2.0
// The report document, version 1: all that the page shows. report-document.schema.json states the same as a schema.

/** Base64 of little-endian Float32; NaN is a gap. */
export type Packed = string;
export type Level = "ok" | "warning" | "error" | "neutral";

export interface LabelledValue { label: string; value: string; }
export interface LevelledValue extends LabelledValue { level: Level; }
export interface NoticeEntry { level: "error" | "warning" | "note"; text: string; }

export type SymbolKind =
  "coordinate" | "velocity" | "parameter" | "input" | "prescribed" | "multiplier" | "output";
export interface SymbolEntry {
  name: string; latex: string; unit: string; value: string; meaning: string; kind: SymbolKind;
}
export interface ConstraintEntry {
  name: string; latex: string; kind: string; unit: string; meaning: string;
  multiplier: string;  // of its row
  symbol: string;      // of that, LaTeX
}
/** LaTeX; empty where it has none. */
export interface BodyEntry { name: string; mass: string; inertia: string; position: string; angle: string; }
export interface EquationEntry {
  id: string; title: string; note: string; latex: string[]; text: string;
  operations: number;  // to evaluate it; 0: none, or not counted
}

export interface Equilibrium {
  kind: string; stability: string;
  at: { name: string; value: number }[];
  eigenvalues: [number, number][];
  family: string[];
}

export interface Run {
  status: "ok" | "stopped" | "failed"; reason: string;
  summary: LabelledValue[];
  verdict: { holds: boolean | null; rows: LevelledValue[]; warnings: string[] };
  peaks: { series: string; min: number; t_min: number; max: number; t_max: number }[];
  events: { name: string; t: number }[];
  /** Lengths of steps in s, in stretches of `each` steps. */
  steps: { each: number; from: Packed; to: Packed; shortest: Packed; longest: Packed } | null;
  singular: { t: number; rank: number; of: number }[];  // rows where constraints held less than elsewhere
}

export interface Column { name: string; latex: string; unit: string; meaning: string; data: Packed; }
export interface SeriesBlock {
  rows: number;  // of the run
  kept: number;  // of these, on the page
  decimated: boolean; note: string; time: Packed; columns: Column[];
}

export type ShapeKind =
  "bar" | "plate" | "pin" | "support" | "fixed" | "mass" | "center" | "block" | "rail" | "spring" | "damper" |
  "blade" | "circle" | "ring" | "disk" | "ellipsoid" | "dot";
export interface Shape { kind: ShapeKind; tracks: number[]; name: string; size: number; direction: number[]; }
export interface Force {
  name: string; track: number; unit: string;
  turns: boolean;    // a torque; in the plane its first component is all of it
  series: string[];  // of the multipliers; empty: an applied force
  formula: string;   // LaTeX, or empty
}
export interface SceneBlock {
  space: 2 | 3;
  size: number;  // m
  up: 1 | -1;
  gravity: number[];  // a unit vector, or zeros
  floor: number | null; simplified: boolean;
  tracks: { name: string; label: boolean }[];
  shapes: Shape[];
  traces: number[];
  forces: Force[];
  frames: { count: number; time: Packed; positions: Packed; forces: Packed };
}

/** The model as code, to be run again with other parameters. */
export interface LiveBlock {
  code: string;  // the body of a function that returns a Program (live/messages.ts)
  parameters: { name: string; latex: string; unit: string; value: number; meaning: string }[];
  start: { t: number; q: number[]; v: number[] };
  columns: ([string, number] | null)[];  // what computes each series
  forces: number[][];                    // of each of the scene's: its rows; empty: an applied force
}

export interface ReportDocument {
  format: "dalembert-report"; version: 1;
  generator: string; title: string; description: string; reference: string; command: string;
  notices: NoticeEntry[];
  chips: LevelledValue[];
  source: { name: string; text: string; sha256: string };
  symbols: SymbolEntry[];
  bodies: BodyEntry[];
  constraints: ConstraintEntry[];
  equations: EquationEntry[];
  equations_text: string;  // all of them as model files take formulas; empty: too long
  structure: LabelledValue[];
  equilibria: Equilibrium[];
  run: Run | null;
  series: SeriesBlock | null;
  scene: SceneBlock | null;
  scene_note: string;
  live: LiveBlock | null;
}

export function unpack(packed: Packed): Float32Array {
  const bytes = atob(packed);
  const count = bytes.length >> 2;
  const raw = new Uint8Array(4 * count);
  for (let i = 0; i < raw.length; ++i) raw[i] = bytes.charCodeAt(i);
  const little_endian = new DataView(raw.buffer), values = new Float32Array(count);
  for (let i = 0; i < count; ++i) values[i] = little_endian.getFloat32(4 * i, true);
  return values;
}

/** Of the page that it stands in. Throws a sentence for the reader when it cannot be shown. */
export function read_document(text: string): ReportDocument {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error("The report's data cannot be read: the file is incomplete.");
  }
  const { format, version } = (document ?? {}) as { format?: unknown; version?: unknown };
  if (format !== "dalembert-report") throw new Error("The report's data are not those of a dalembert report.");
  if (version !== 1) throw new Error(`The report's data have version ${String(version)}; this page shows version 1.`);
  return document as ReportDocument;
}
