#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make docs/cheat-sheet.html, one page to print, of docs/cheat-sheet.md.

    make_cheat_sheet.py            writes it
    make_cheat_sheet.py --check    only says whether it is what would be written

The page of Markdown has a title, a block of TOML, and headings with tables of two columns; the paragraph below its title is left out.
Exit status: 0 done or current, 1 not.
"""

import argparse
import html
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>dalembert: cheat sheet</title><style>
@page { size: A4 landscape; margin: 7mm }
body { font: 8.1pt/1.25 "DejaVu Sans", sans-serif; margin: 0; color: #111; columns: 3; column-gap: 5mm; column-rule: 0.3pt solid #bbb }
h1 { font-size: 14pt; margin: 0 0 1mm } h2 { font-size: 9pt; margin: 2mm 0 0.5mm; border-bottom: 0.5pt solid #999; break-after: avoid }
table { border-collapse: collapse; width: 100% } td { vertical-align: top; padding: 0.25mm 1mm 0.25mm 0 }
tr { break-inside: avoid } code, pre { font-family: "DejaVu Sans Mono", monospace; font-size: 7pt } pre { margin: 0; white-space: pre-wrap }
@media screen { body { max-width: 283mm; margin: 7mm auto } }
</style></head><body>
"""


def inline(text):
    """Text with `code`, as HTML."""
    parts = re.split(r"`([^`]*)`", text.replace("\\|", "|"))
    return "".join(f"<code>{html.escape(part)}</code>" if k % 2 else html.escape(part) for k, part in enumerate(parts))


def page_of(markdown):
    out, code, table = [HEAD], False, False
    for line in markdown.splitlines():
        if line.startswith("```"):
            out.append("</pre>" if code else "<pre>")
            code = not code
            continue
        row = re.fullmatch(r"\| (.*?) \| (.*?) ?\|", line)
        if table and not line.startswith("|"):
            out.append("</table>")
            table = False
        if code:
            out.append(html.escape(line))
        elif line.startswith("# "):
            out.append(f"<h1>dalembert: {html.escape(line[2:].lower())}</h1>")
        elif line.startswith("## "):
            out.append(f"<h2>{html.escape(line[3:])}</h2>")
        elif row:
            if not table:
                out.append("<table>")
                table = True
            out.append(f"<tr><td>{inline(row[1])}</td><td>{inline(row[2])}</td></tr>")
    if table:
        out.append("</table>")
    return "\n".join(out) + "\n</body></html>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the page is current")
    options = parser.parse_args()
    text, target = page_of((DOCS / "cheat-sheet.md").read_text(encoding="utf-8")), DOCS / "cheat-sheet.html"
    if not options.check:
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        print("docs/cheat-sheet.html is not what tools/make_cheat_sheet.py makes of docs/cheat-sheet.md: run it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
