// SPDX-License-Identifier: Apache-2.0
// Light highlighting of TOML: comments, tables, keys, texts, numbers. Only text nodes are made.
import { h } from "../dom";

const kPieces: [string, RegExp][] = [
  ["comment", /#[^\n]*/y],
  ["text", /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?/y],
  ["table", /(?<=^|\n)[ \t]*\[\[?[^\]\n]*\]?\]?/y],
  ["key", /(?<=^|\n|[{,][ \t]*)[ \t]*[\w.'-]+(?=[ \t]*=)/y],
  ["number", /[+-]?\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\b(?:true|false)\b/y],
  ["plain", /[ \t]+|[\w.-]+|[\s\S]/y],
];
const kLongest = 400_000;

export function highlighted(text: string): HTMLElement {
  const code = h("code", { class: "toml" });
  if (text.length > kLongest) {
    code.textContent = text;
    return code;
  }
  let plain = "";
  const flush = () => {
    if (plain !== "") code.append(plain);
    plain = "";
  };
  for (let at = 0; at < text.length;) {
    for (const [kind, pattern] of kPieces) {
      pattern.lastIndex = at;
      const found = pattern.exec(text)?.[0];
      if (found === undefined || found === "") continue;
      at += found.length;
      if (kind === "plain") {
        plain += found;
      } else {
        flush();
        code.append(h("span", { class: `toml-${kind}` }, found));
      }
      break;
    }
  }
  flush();
  return code;
}
