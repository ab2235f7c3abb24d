#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Resolve what comments and pages cite.

Reported, one per line as FILE:LINE: message:
  - a page (`notation.md`), or a numbered section of one (`theory §2`), that does not exist;
  - a file or folder of the tree (`derive/momenta.h`, `tests/dynamics`) that does not exist;
  - a decision (`record 0007`) or a diagnostic (`E0102`) that does not exist;
  - a book or paper that docs/sources.md does not list, and a source there that nothing cites or that has no DOI, ISBN or address;
  - a case of docs/cases.md that nothing tests.
A citation of a source is known by its edition, its year, its section or its DOI; several are separated by semicolons.
Exit status: 0 clean, 1 something reported.
"""

import argparse
import ast
import os
import re
import sys
import tokenize
from pathlib import Path

SKIPPED = {"build", "out", "node_modules", ".git", "__pycache__"}
TOP = "docs|tests|dalembert|apps|bench|fuzz|models|tools|cmake|examples"
SOURCES, CASES, EXPLAIN = "docs/sources.md", "docs/cases.md", "dalembert/base/explain.cpp"

PAGE = re.compile(r"((?:[\w.-]+/)*[\w-]+(?:\.[\w-]+)*\.md)\b(?:\]\([^)]*\))?(?:,? ?(?:§|section )([0-9]+[a-z]?))?")
SECTION = re.compile(r"\b(theory|notation|cases),? §+ ?([0-9]+)")
FILE = re.compile(r"(?<![\w.*<>…{/-])((?:[\w.-]+/)*[\w-]+\.(?:h|cpp|py|cmake|toml))\b(?![*>]|\.\w)")
FOLDER = re.compile(rf"(?<![\w./-])((?:{TOP})/[\w/.-]*\w)")
RECORD = re.compile(r"\b(?:[Rr]ecord |decisions/)([0-9]{4})\b")
CODE = re.compile(r"\b([EW][0-9]{4})\b")
PLACEHOLDER = re.compile(r"^(?:out|build)/|\bNN_|(?<![A-Z])(?:NAME|FILE|NN|NNNN|MODEL|STATE|LAYER|FOLDER|PATH)(?![A-Z])")
CITATION = re.compile(r"\bSources?:|\bCoefficients:|\bdoi:|\bed\.|§|\((?:18|19|20)[0-9]{2}\)"
                      r"|[A-Z][A-Za-z.]+,? (?:1[89][0-9]{2}|20[0-2][0-9])\b(?! [a-z])")
# Files that a user or a test makes, not files of the tree.
MADE = {"first.toml", "mine.toml", "crane.toml", "m.toml"}


def files(root):
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED]  # a folder of builds has far more files than the tree
        found += [Path(folder, name) for name in names]
    for path in sorted(found):
        if path.is_file():
            yield path.relative_to(root).as_posix(), path


def cpp_comments(text):
    """(line number, text) of each // comment."""
    for number, line in enumerate(text.splitlines(), 1):
        quoted = False
        for i, c in enumerate(line):
            if c == '"' and (i == 0 or line[i - 1] != "\\"):
                quoted = not quoted
            elif line.startswith("//", i) and not quoted:
                yield number, line[i:].lstrip("/<! ")
                break


def python_comments(text):
    """(line number, text) of comments and docstrings."""
    lines = text.splitlines()
    found = {}
    for token in tokenize.generate_tokens(iter(text.splitlines(True)).__next__):
        if token.type == tokenize.COMMENT:
            found[token.start[0]] = token.string.lstrip("#! ")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            for number in range(node.body[0].lineno, node.body[0].end_lineno + 1):
                found[number] = lines[number - 1].strip().strip('"')
    return sorted(found.items())


def hash_comments(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.search(r"(?:^|\s)#\s?(.*)", line)
        if match:
            yield number, match.group(1)


def prose(name, text):
    """(line number, text) of what people read in a file; pages without fenced code."""
    if name.endswith((".h", ".cpp", ".hpp", ".c")):
        return list(cpp_comments(text))
    if name.endswith(".py"):
        return list(python_comments(text))
    if name.endswith(".md"):
        lines, fenced = [], False
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced:
                lines.append((number, line))
        return lines
    return list(hash_comments(text))


def blocks(name, lines):
    """Lines that belong together, joined: (first line, text). Of a page a paragraph or one row of a table."""
    joined = []
    last = -1
    for number, line in lines:
        alone = name.endswith(".md") and (line.startswith(("|", "#", "- ")) or not line.strip())
        if joined and number == last + 1 and not alone:
            joined[-1][1].append(line)
        else:
            joined.append((number, [line]))
        last = number if not alone or line.startswith("- ") else -1
    return [(number, re.sub(r"[*`]", "", " ".join(text))) for number, text in joined]


class Tree:
    def __init__(self, root):
        self.root = root
        self.texts = {}
        for name, path in files(root):
            if name.endswith((".h", ".cpp", ".hpp", ".c", ".program", ".py", ".md", ".cmake", ".toml", "CMakeLists.txt")) or name in ("dev", ".ci/run"):
                self.texts[name] = path.read_text(encoding="utf-8")
        self.names = {name for name, _ in files(root)}
        self.folders = {"/".join(name.split("/")[:i]) for name in self.names for i in range(1, name.count("/") + 1)}
        self.by_name = {name.rsplit("/", 1)[-1] for name in self.names}
        self.codes = set(re.findall(r'\{"([EW]\d{4})"', self.texts.get(EXPLAIN, "")))
        self.records = {m.group(1) for m in (re.match(r"docs/decisions/(\d{4})-", n) for n in self.names) if m}
        self.sections = {name: set(re.findall(r"^#+ ([0-9]+[a-z]?)\b", text, re.M))
                         for name, text in self.texts.items() if name.endswith(".md")}
        self.sources, self.problems = {}, []  # short form -> line
        self.cited, self.cases_cited = set(), set()
        self.read_sources()

    def report(self, name, line, message):
        self.problems.append(f"{name}:{line}: {message}")

    def read_sources(self):
        for number, line in enumerate(self.texts.get(SOURCES, "").splitlines(), 1):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not line.startswith("|") or len(cells) < 2 or cells[0] in ("cited as", "---"):
                continue
            if not re.search(r"doi:10\.|ISBN [0-9]|https?://", cells[1]):
                self.report(SOURCES, number, f"no DOI, ISBN or address: {cells[0]}")
            for short in cells[0].split(";"):
                self.sources[short.strip()] = (number, cells[0])

    def find(self, cited, name, suffixes=True):
        """The path of a file that `name` cites by its path, by its path in a layer, or by its name alone."""
        folder = name.rsplit("/", 1)[0] if "/" in name else ""
        # Headers of a layer lie in two places.
        other = folder.removeprefix("include/") if folder.startswith("include/") else f"include/{folder}"
        for start in ("", folder, other, "include", "dalembert", "include/dalembert", "apps/dalembert", "apps", "tests", "docs"):
            path = f"{start}/{cited}" if start else cited
            parts = []
            for part in path.split("/"):
                if part == ".." and parts:
                    parts.pop()
                elif part not in (".", ""):
                    parts.append(part)
            path = "/".join(parts)
            if path in self.names or path in self.folders:
                return path
        if suffixes:
            return next((known for known in sorted(self.names) if known.endswith("/" + cited)), None)
        return None

    def check_places(self, name, number, line):
        for match in PAGE.finditer(line):
            page = self.find(match.group(1), name)
            if page is None:
                if not PLACEHOLDER.search(match.group(1)):
                    self.report(name, number, f"no such page: {match.group(1)}")
            elif match.group(2) and match.group(2) not in self.sections.get(page, ()):
                self.report(name, number, f"no such section: {page} §{match.group(2)}")
        for match in SECTION.finditer(line):
            page = f"docs/{match.group(1)}.md"
            if match.group(2) not in self.sections.get(page, ()):
                self.report(name, number, f"no such section: {page} §{match.group(2)}")
            elif page == CASES and name != CASES:
                self.cases_cited.add(match.group(2))
        for match in FILE.finditer(line):
            if match.group(1) not in MADE and not PLACEHOLDER.search(match.group(1)) and not self.find(match.group(1), name):
                self.report(name, number, f"no such file: {match.group(1)}")
        for match in FOLDER.finditer(line):
            if "." not in match.group(1).rsplit("/", 1)[-1] and not PLACEHOLDER.search(match.group(1)):
                cited = match.group(1)
                # `tape/tape` may be the beginning of file names (tape.h, tape.cpp).
                if not self.find(cited, name, False) and not any(known.startswith(cited) for known in self.names):
                    self.report(name, number, f"no such folder: {cited}")
        for record in RECORD.findall(line):
            if record not in self.records:
                self.report(name, number, f"no such decision: {record}")
        if self.codes:
            for code in CODE.findall(line):
                if code not in self.codes:
                    self.report(name, number, f"no such diagnostic: {code}")

    def known(self, text):
        return [short for short in self.sources if short in text and re.search(rf"(?<!\w){re.escape(short)}(?!\w)", text)]

    def check_sources(self, name, number, text):
        text = SECTION.sub("PAGE", PAGE.sub("PAGE", text))
        parts = text.split(";")
        for part, after in zip(parts, parts[1:] + [""]):
            short = self.known(part)
            self.cited.update(short)
            # What a source is for may come before it: "Source: … is eliminated; Golub & Van Loan".
            if "Source" in part and not short and self.known(after):
                continue
            if not short and CITATION.search(re.sub(r"Source: PAGE", "", part)):
                self.report(name, number, f"not in {SOURCES}: {' '.join(part.split())[:100]}")

    def check(self):
        for name, text in self.texts.items():
            lines = [(number, line) for number, line in prose(name, text) if "SPDX" not in line]
            # What changed is told of what there was, too.
            if name not in (SOURCES, "CHANGELOG.md") and not name.startswith("docs/changes-"):
                for number, line in lines:
                    self.check_places(name, number, line)
                if self.sources:
                    for number, block in blocks(name, lines):
                        if not name.startswith("docs/performance"):
                            self.check_sources(name, number, block)
            if not name.endswith(".md"):
                for number, line in enumerate(text.splitlines(), 1):
                    if name.startswith("models/") and self.sources:
                        reference = re.match(r'reference = "(.*)"', line)
                        for part in reference.group(1).split(";") if reference else ():
                            self.cited.update(self.known(part))
                            if not self.known(part):
                                self.report(name, number, f"not in {SOURCES}: {part.strip()[:100]}")
                    if not name.startswith("tests/tools/"):
                        for page in re.findall(r"\bdocs/[\w/.-]+\.md\b", line):
                            if page not in self.names:
                                self.report(name, number, f"no such page: {page}")
        cited_forms = {self.sources[short] for short in self.cited}
        for number, form in sorted(set(self.sources.values()) - cited_forms):
            self.report(SOURCES, number, f"nothing cites: {form}")
        for section in sorted(self.sections.get(CASES, set()) - self.cases_cited):
            self.report(CASES, 1, f"nothing cites case §{section}")
        return sorted(set(self.problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the source tree")
    problems = Tree(parser.parse_args().root.resolve()).check()
    for problem in problems:
        print(problem)
    count = f"{len(problems)} problem{'' if len(problems) == 1 else 's'}" if problems else "clean"
    print(f"check_citations: {count}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
