#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the pages against the tree.

Reported, one per line as FILE:LINE: message:
  - a relative link, or its #heading, or a picture, that leads nowhere;
  - a layer of dalembert/ or a verb of ./dev that its page (docs/architecture.md, CONTRIBUTING.md) does not mention;
  - a decision record that docs/decisions/README.md does not list;
  - a shipped model whose picture docs/gallery.md does not show (./dev pictures); that it is there is a matter of links;
  - a picture there that is larger than 60 kB;
  - a summary of what is not released in CHANGELOG.md that is longer than 6 kB: each change has a line in a page of its own.
Exit status: 0 clean, 1 something reported.
"""

import argparse
import re
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
MAX_PICTURE = 60000  # bytes
MAX_UNRELEASED = 6000  # bytes
SKIPPED = {"build", "out", "node_modules", ".git"}


def anchors(text):
    """The names that the headings of a Markdown page can be linked by (GitHub's rule)."""
    names = set()
    for line in prose(text):
        match = re.match(r"#+\s+(.*)", line[1])
        if match:
            heading = re.sub(r"[^\w\- ]", "", match.group(1).strip().lower())
            names.add(heading.replace(" ", "-"))
    return names


def prose(text):
    """(line number, line) outside of fenced code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def check_links(root, page):
    problems = []
    for number, line in prose(page.read_text(encoding="utf-8")):
        for target in map("".join, LINK.findall(re.sub(r"`[^`]*`", "", line))):
            if re.match(r"[a-z]+:", target):
                continue
            where = f"{page.relative_to(root).as_posix()}:{number}"
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                problems.append(f"{where}: the link leads nowhere: {target}")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                problems.append(f"{where}: no such heading: {target}")
    return problems


def check_unreleased(root):
    """What CHANGELOG.md says of the next version is a summary that a user reads in a minute."""
    page = root / "CHANGELOG.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    match = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    size = len(match.group(1).encode()) if match else 0
    if size <= MAX_UNRELEASED:
        return []
    line = text.count("\n", 0, match.start()) + 1
    return [f"CHANGELOG.md:{line}: {size} bytes are unreleased, more than {MAX_UNRELEASED}: lines belong in docs/changes-….md"]


def check(root):
    problems = check_unreleased(root)
    for page in sorted(root.rglob("*.md")):
        if not SKIPPED & set(page.relative_to(root).parts):
            problems += check_links(root, page)

    def mention(page, names):
        text = (root / page).read_text(encoding="utf-8") if (root / page).is_file() else ""
        problems.extend(f"{page}:1: does not mention {name}" for name in names if name not in text)

    mention("docs/architecture.md", [f"`dalembert/{p.parent.name}`" for p in sorted(root.glob("dalembert/*/CMakeLists.txt"))])
    if (root / "dev").is_file():
        verbs = re.findall(r"^verb_([a-z]+)\(\)", (root / "dev").read_text(encoding="utf-8"), re.M)
        mention("CONTRIBUTING.md", [f"`./dev {verb}" for verb in verbs])
    mention("docs/decisions/README.md",
            [p.name for p in sorted(root.glob("docs/decisions/[0-9]*.md"))])
    mention("docs/gallery.md", [f"![{p.stem}](pictures/{p.stem}.svg)" for p in sorted(root.glob("models/*.toml"))])
    problems += [f"docs/pictures/{p.name}:1: {p.stat().st_size} bytes, more than {MAX_PICTURE}"
                 for p in sorted(root.glob("docs/pictures/*")) if p.stat().st_size > MAX_PICTURE]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the source tree")
    problems = check(parser.parse_args().root.resolve())
    for problem in problems:
        print(problem)
    print(f"check_docs: {len(problems)} problem{'' if len(problems) == 1 else 's'}" if problems else "check_docs: clean")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
