// SPDX-License-Identifier: Apache-2.0
// Long aligned equations in pieces: each is typeset by itself, and a printed page can end between them.

const kBegin = "\\begin{aligned}", kEnd = "\\end{aligned}";
const kRows = 16;  // of a piece

/** What is not one aligned environment with many rows stays whole. */
export function pieces(latex: string): string[] {
  const text = latex.trim();
  if (!text.startsWith(kBegin) || !text.endsWith(kEnd)) return [latex];
  const rows = rows_of(text.slice(kBegin.length, -kEnd.length));
  if (rows === null || rows.length <= kRows + 4) return [latex];
  const parts = [];
  for (let k = 0; k < rows.length; k += kRows)
    parts.push(`${kBegin}${rows.slice(k, k + kRows).join("\\\\")}${kEnd}`);
  return parts;
}

// Row ends of inner environments and groups are not ends of rows. Null: they are not paired.
function rows_of(text: string): string[] | null {
  const rows = [];
  let depth = 0, from = 0;
  for (const mark of text.matchAll(/\\\\(?:\[[^\]]*\])?|\\begin\b|\\end\b|\\.|[{}]/gs)) {
    const [found] = mark;
    if (found === "\\begin" || found === "{") ++depth;
    else if (found === "\\end" || found === "}") --depth;
    if (depth < 0) return null;
    if (depth > 0 || !found.startsWith("\\\\")) continue;
    rows.push(text.slice(from, mark.index));
    from = mark.index + found.length;
  }
  rows.push(text.slice(from));
  return depth === 0 ? rows : null;
}
