// SPDX-License-Identifier: Apache-2.0
// The types of a report document, written from its schema.
import { readFileSync } from "node:fs";

const pascal = (name) => name[0].toUpperCase() + name.slice(1);

function comment({ description, oneOf, items }, indent) {
  const text = [{ description }, ...(oneOf ?? []), items ?? {}].find((one) => one.description !== undefined)?.description;
  return text === undefined ? "" : `${indent}/** ${text} */\n`;
}

function type_of(schema, indent) {
  const { $ref, oneOf, type, items, prefixItems, properties } = schema;
  const values = "const" in schema ? [schema.const] : schema.enum;
  if ($ref !== undefined) return pascal($ref.replace("#/$defs/", ""));
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (oneOf !== undefined) return oneOf.map((one) => type_of(one, indent)).join(" | ");
  if (prefixItems !== undefined) return `[${prefixItems.map((one) => type_of(one, indent)).join(", ")}]`;
  if (type === "array") {
    const item = type_of(items, indent);
    return item.includes(" | ") && !item.endsWith("}") ? `(${item})[]` : `${item}[]`;
  }
  if (type === "object") return object_of(properties, indent);
  if (Array.isArray(type)) return type.map((one) => (one === "integer" ? "number" : one)).join(" | ");
  if (type === "integer") return "number";
  if (["string", "number", "boolean", "null"].includes(type)) return type;
  throw new Error(`no type is known for ${JSON.stringify(schema)}`);
}

function object_of(properties, indent) {
  const inside = indent + "  ";
  const members = Object.entries(properties).map(([name, one]) => `${comment(one, inside)}${inside}${name}: ${type_of(one, inside)};\n`);
  return `{\n${members.join("")}${indent}}`;
}

export function document_types(path) {
  const schema = JSON.parse(readFileSync(path, "utf8"));
  const types = Object.entries({ ...schema.$defs, reportDocument: schema })
    .map(([name, one]) => `${comment(one, "")}export type ${pascal(name)} = ${type_of(one, "")};\n`);
  return `// SPDX-License-Identifier: Apache-2.0\n// Made by build.mjs of report-document.schema.json.\n\n${types.join("\n")}`;
}
