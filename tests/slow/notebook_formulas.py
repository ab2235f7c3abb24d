#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""KaTeX in strict mode and MathJax 3 typeset what notebooks show of every shipped model.

Both are fetched by npm into the folder --cache. Where node, npm or the network is missing the test is skipped, aloud.
Exit status: 0 all is well, 1 something is not, 77 skipped.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import dalembert

PACKAGES = ["katex@0.19.1", "mathjax-full@3.2.2"]
SKIPPED = 77
LONGEST = 80_000  # characters; what is longer is not shown

PROGRAM = """
const katex = require('katex');
const {mathjax} = require('mathjax-full/js/mathjax.js'), {TeX} = require('mathjax-full/js/input/tex.js');
const {SVG} = require('mathjax-full/js/output/svg.js'), {liteAdaptor} = require('mathjax-full/js/adaptors/liteAdaptor.js');
const {RegisterHTMLHandler} = require('mathjax-full/js/handlers/html.js');
for (const part of ['base/Base', 'ams/Ams', 'boldsymbol/Boldsymbol']) require(`mathjax-full/js/input/tex/${part}Configuration.js`);
const adaptor = liteAdaptor();
RegisterHTMLHandler(adaptor);
const input = new TeX({packages: ['base', 'ams', 'boldsymbol'], maxBuffer: 200000});
const page = mathjax.document('', {InputJax: input, OutputJax: new SVG({fontCache: 'none'})});
const wrong = [];
for (const {label, tex} of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
  try { katex.renderToString(tex, {displayMode: true, throwOnError: true, strict: 'error', maxExpand: 1e5}); }
  catch (error) { wrong.push(`${label}: KaTeX: ${error.message} in ${tex.slice(0, 300)}`); }
  if (tex.length > 5000) continue;  // MathJax needs seconds for them
  const found = adaptor.outerHTML(page.convert(tex, {display: true})).match(/data-mjx-error="([^"]*)"/);
  if (found) wrong.push(`${label}: MathJax: ${found[1]} in ${tex.slice(0, 300)}`);
}
console.log(JSON.stringify(wrong));
"""


def skip(why):
    print(f"SKIPPED: {why}; KaTeX and MathJax were NOT tried", file=sys.stderr)
    return SKIPPED


def formulas(name):
    equations = dalembert.load(name).equations
    shown = re.findall(r"\$\$\n(.*?)\n\$\$", equations._repr_latex_(), re.S)
    if not shown:
        raise SystemExit(f"{name}: a notebook shows no formula")
    folded = [tex for _, displays, _ in equations._blocks() for tex in displays if len(tex) <= LONGEST]
    return [{"label": name, "tex": tex} for tex in dict.fromkeys(shown + folded)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="folder for what npm brings")
    cache = parser.parse_args().cache.resolve()
    if not shutil.which("node") or not shutil.which("npm"):
        return skip("node or npm is missing")
    cache.mkdir(parents=True, exist_ok=True)
    if not (cache / "node_modules" / "mathjax-full" / "package.json").exists():
        npm = ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(cache), *PACKAGES]
        try:
            done = subprocess.run(npm, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        except subprocess.TimeoutExpired:
            return skip("npm did not get them within 120 s")
        if done.returncode != 0:
            return skip("npm could not get them: " + done.stderr.strip()[-300:])
    everything = [one for name in dalembert.models() for one in formulas(name)]
    done = subprocess.run(["node", "-e", PROGRAM], input=json.dumps(everything), capture_output=True, text=True, cwd=cache, timeout=200)
    wrong = json.loads(done.stdout) if done.returncode == 0 else [done.stderr]
    for line in wrong:
        print(line)
    if not wrong:
        print(f"KaTeX and MathJax accepted {len(everything)} formulas")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
