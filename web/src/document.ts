// SPDX-License-Identifier: Apache-2.0
// The report document, version 1: all that the page shows. Its types are made of report-document.schema.json.
import type { Packed, ReportDocument, Scene } from "./document_types";

export type {
  Labelled as LabelledValue, Levelled as LevelledValue, Live as LiveBlock, Packed, ReportDocument, Run, Scene as SceneBlock, Series as SeriesBlock,
} from "./document_types";
export type NoticeEntry = ReportDocument["notices"][number];
export type SymbolEntry = ReportDocument["symbols"][number];
export type SymbolKind = SymbolEntry["kind"];
export type ConstraintEntry = ReportDocument["constraints"][number];
export type BodyEntry = ReportDocument["bodies"][number];
export type EquationEntry = ReportDocument["equations"][number];
export type Column = NonNullable<ReportDocument["series"]>["columns"][number];
export type Shape = Scene["shapes"][number];
export type ShapeKind = Shape["kind"];
export type Force = Scene["forces"][number];

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
