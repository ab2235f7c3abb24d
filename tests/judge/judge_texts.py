#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts of a stranger's model, in all that `dalembert` writes: they stay texts.

    judge_texts.py --program BINARY [--cases 200] [--seed 1] [--case I]

Each case is one small model whose free texts (name, description, reference, meanings, comments, names of springs and forces,
sources of claims, a column and its file, the model's own file) are made of what ends comments, strings, elements, lines
and words somewhere. What is written of it has to have the structure of what is written of the same model with tame texts:

code     the tokens outside of comments and strings, as the compiler's preprocessor, Python's tokenizer, or the standards'
         rules for JavaScript and MATLAB find them
markup   elements, names of attributes, and all that refers to something, of pages, SVG and the FMU's description; where
         Chromium is installed, some pages are opened, and nothing of the texts may have run
LaTeX    the control words, braces, dollars and per cents
json     one document, in which the name is the model's to the letter
shell    the words of each command that is proposed are those that were meant
terminal no control character
"""

import argparse
import collections
import html.parser
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
import xml.etree.ElementTree
import zipfile

PIECES = ["*/", "/*", "//", "#", "%", "%{", "%}", "...", "\\", "\\\\", "??/", "'", '"', "`", "${BROKEN}", "'''", '"""', "\n", "\r", "\r\n", "\f",
          "\v", "\x85", "\u2028", "\u2029", "\u202e", "\x1b[2J", "\x1b]0;x\x07", "\x9b31m", "\x08", "\x7f", "<b>", "</b>", "</script>", "<script>",
          "<!--", "-->", "--!>", "]]>", "<![CDATA[", "<?x ?>", "&", "&lt;", "&#0;", "<img src=x onerror=BROKEN>", "\"onload=\"BROKEN", "javascript:BROKEN",
          "data:text/html,BROKEN", "file:///etc/passwd", "https://e.org/\"onclick=BROKEN", "<svg onload=BROKEN>", "</title>", "</textarea>", "</style>", "@@DOCUMENT@@", "{", "}", "$", "^^M", "^^5c", "_", "~",
          "\\input{BROKEN}", "\\write18{BROKEN}", "\\end{document}", "\\begin{verbatim}", "\\]", "\\)", "$$", "$(BROKEN)", "`BROKEN`", ";BROKEN;", "&&BROKEN",
          "|BROKEN", ">BROKEN", "-BROKEN", "!BROKEN", "*", "?", "~root", " ", "  ", "\t", "BROKEN", "BROKEN=1", "BROKEN()", "end", "é", "🦄", "שלום", "\ufeff", "{i}",
          "{0}", "%s", "%n", "x" * 120, "= 1", ",", "[x]", "(x)", ":", "\\u000aBROKEN", "\\x0aBROKEN", "\\nBROKEN", "\\N{LINE FEED}", "\\", "0"]
# A page in which one of the texts has become code says so.
RUNS = ["document.documentElement.setAttribute('broken', 1)"]
SHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

MODEL = """name = {name}
description = {description}
reference = {reference}
coordinates = [{{name = "x", unit = "m"}}, {{name = "y", unit = "m", latex = "\\\\eta"}}]
[parameters]
a = {{value = "1 m", meaning = {meaning}}}
m = "1 kg"  # {comment}
k = "3 N/m"
[inputs]
u = {input}
[[point]]
name = "O"
at = ["0", "0"]
[[point]]
name = "P"
at = ["x", "y"]
[[body]]
name = "bob"
mass = "m"
position = ["x", "y"]
[[spring]]
name = {spring}
coordinate = "x"
stiffness = "k"
[[force]]
name = {force}
coordinate = "x"
value = "u"
[[constraint]]
name = "rod"
distance = {{between = ["O", "P"], value = "a"}}
[[claim]]
source = {source}
entry = "V"
equals = "k*x^2/2"
[[claim]]
source = {source}
entry = "T"
equals = "m*x'^2"
[initial]
position = {{x = "0.6 m"}}
guess = {{y = "0.8 m"}}
velocity = {{x = "1 m/s"}}
[simulation]
until = "0.1 s"
"""
TEXTS = ["name", "description", "reference", "meaning", "comment", "spring", "force", "source", "column", "samples", "file"]


def hostile(rng):
    text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 7)))
    return text.replace("BROKEN", rng.choice(RUNS + ["BROKEN"] * 2))


def quoted(text):
    """A basic string of TOML."""
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else f"\\u{ord(c):04x}" for c in text) + '"'


def texts_of(rng):
    """Hostile ones, in some of the places."""
    texts = {place: hostile(rng) if rng.random() < 0.7 else f"tame {place}" for place in TEXTS}
    for place in ("samples", "file"):  # names of files, at most 255 bytes with what is added to them
        texts[place] = texts[place].replace("/", "_").encode()[:180].decode("utf-8", "ignore") or "_"
    # Of the name becomes that of routines: it has to be none of the others of the code.
    at = rng.randint(0, len(texts["name"]))
    texts["name"] = texts["name"][:at] + "unlike" + texts["name"][at:]
    # A comment of a TOML file is one line without control characters.
    texts["comment"] = "".join(c for c in texts["comment"] if c == "\t" or c >= " " and c not in "\x7f")
    # A column is a field of CSV, quoted; a line end within it is none of this judge's subjects.
    texts["column"] = " ".join(re.sub("[\n\r\f\v\x85\u2028\u2029\x00]", " ", texts["column"]).split()) or "c"
    if texts["column"] == "time":
        texts["column"] = "times"
    return texts


def write(folder, texts, sampled):
    folder.mkdir()
    given = {place: quoted(text) for place, text in texts.items()}
    given["comment"] = texts["comment"]
    given["input"] = f'{{file = {quoted(texts["samples"] + ".csv")}, column = {given["column"]}}}' if sampled else "1.5"
    if sampled:
        field = texts["column"].replace('"', '""')
        (folder / (texts["samples"] + ".csv")).write_text(f'time,"{field}"\n0,1\n1,2\n', encoding="utf-8", newline="")
    path = folder / (texts["file"] + ".toml")
    path.write_text(MODEL.format(**given), encoding="utf-8", newline="")
    return path


# ------------------------------------------------------------------------------------------------------------ structure


def c_tokens(text):
    """What GCC's preprocessor leaves of a file whose directives and comments are those of C99, trigraphs included."""
    ran = subprocess.run(["gcc", "-std=c99", "-fpreprocessed", "-fdirectives-only", "-E", "-P", "-x", "c", "-"], input=text.encode(), capture_output=True)
    left = ran.stdout.decode("utf-8", "replace")
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '"s"', left).split() + ran.stderr.decode("utf-8", "replace").splitlines()


def python_tokens(text):
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
    return ["s" if token.type == tokenize.STRING else token.string
            for token in tokenize.tokenize(io.BytesIO(text.encode()).readline) if token.type not in skipped]


LEXERS = {
    "js": re.compile("//[^\n\r\u2028\u2029]*|/\\*.*?\\*/|'(?:[^'\\\\\n\r]|\\\\.)*'|\"(?:[^\"\\\\\n\r]|\\\\.)*\"|`(?:[^`\\\\]|\\\\.)*`|\\w+|\\s+|.", re.S),
    # A quote is a string's where no value stands before it; lines end with any of what Octave and MATLAB take for an end.
    "matlab": re.compile("%[^\n\r\f\v\x85\u2028\u2029]*|\\.\\.\\.[^\n\r]*|(?<![\\w\\])}.'])'(?:[^'\n\r]|'')*'|\"(?:[^\"\n\r]|\"\")*\"|\\w+|\\s+|.", re.S),
}


def lexed(language, text):
    tokens = []
    for match in LEXERS[language].finditer(text):
        token = match.group()
        if token.isspace() or token.startswith(("//", "/*", "%", "...")):
            continue
        tokens.append("s" if len(token) > 1 and token[0] in "'\"`" else token)
    return tokens


REFERS = {"href", "src", "action", "data", "xlink:href", "style", "class", "id", "name", "content", "http-equiv", "rel", "type"}


class Elements(html.parser.HTMLParser):
    """Elements and attributes; nothing of what stands between them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, [(name, value if name in REFERS else "") for name, value in attrs]))

    def handle_endtag(self, tag):
        self.found.append(("/" + tag, []))

    def handle_comment(self, data):
        self.found.append(("comment", [(data, "")]))

    handle_decl = handle_pi = unknown_decl = handle_comment


SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script", re.S | re.I)


def page_structure(text):
    found = Elements(text).found
    for script in SCRIPT.findall(text):
        # After <!-- and <script an end of the script is none, the standard says.
        found.append(("script that may not end", re.findall(r"<!--|<script", script, re.I)))
    return found


def xml_structure(text):
    return [(element.tag, sorted((name, value if name in REFERS else "") for name, value in element.attrib.items()))
            for element in xml.etree.ElementTree.fromstring(text).iter()]


# Words by which characters are written that mean something to TeX.
WRITES = {"textbackslash", "backslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textquotesingle", "textquotedbl", "textasciigrave", "textbar",
          "char", "symbol", "ldots", "texttt", "allowbreak", "hspace", "textquotedblleft", "textquotedblright", "mbox", "text", "textit", "ge", "le", "'", "\"", "`", "^", "~"}
TEX = re.compile(r"\\([A-Za-z]+|.)|([{}$%])|(\^\^)", re.S)


def tex_structure(text):
    """Control words that may do something, and whether all that opens is closed."""
    words, depth, lowest, dollars, loose = collections.Counter(), 0, 0, 0, []
    for word, sign, carets in TEX.findall(text):
        if word:
            if word not in WRITES and word not in "{}$%&#_ ":
                words[word] += 1
        elif carets:
            loose.append("^^")
        elif sign == "%":
            loose.append("%")
        elif sign == "$":
            dollars += 1
        else:
            depth += 1 if sign == "{" else -1
            lowest = min(lowest, depth)
    return [sorted(words.items()), depth, lowest, dollars % 2, len(loose), len(re.findall(r"(?<!\\)(?:\\\\)*&", text))]


def structure(kind, text):
    try:
        return {"c": c_tokens, "python": python_tokens, "page": page_structure, "xml": xml_structure, "tex": tex_structure}[kind](text) \
            if kind not in LEXERS else lexed(kind, text)
    except (tokenize.TokenError, SyntaxError, xml.etree.ElementTree.ParseError) as problem:
        return [f"is not {kind}: {problem}"]


def first_difference(a, b):
    for i, (one, other) in enumerate(zip(a, b)):
        if one != other:
            return f"{other!r:.200} where {one!r:.200} stands, tame"
    return f"{len(b)} pieces for {len(a)}, tame: {(a + b)[min(len(a), len(b))]!r:.200}"


# ------------------------------------------------------------------------------------------------------------ judging


SUFFIXES = {".c": "c", ".h": "c", ".cpp": "c", ".hpp": "c", ".py": "python", ".m": "matlab", ".mjs": "js", ".tex": "tex", ".html": "page", ".svg": "xml", ".xml": "xml"}
OUTPUTS = [("export", "--to", language, "-o", f"to_{language}") for language in ("c", "c++", "python", "matlab", "js", "latex")] + [
    ("derive", "--format", "html", "-o", "equations.html"), ("derive", "--standalone", "-o", "equations.tex"),
    ("report", "-o", "report.html"), ("draw", "-o", "picture.svg"), ("animate", "-o", "moving.svg"), ("animate", "-o", "moving.html"),
    ("plot", "-o", "curves.svg")]
SAYS = [("check",), ("derive",), ("derive", "--unicode"), ("audit",), ("analyze",), ("eval",), ("assemble",), ("linearize",), ("simulate",),
        ("check", "--json"), ("derive", "--json"), ("audit", "--json"), ("simulate", "--json"), ("check", "--set", "nothing=1"), ("export", "--to", "basic")]


class Judge:
    def __init__(self, program, folder, chromium):
        self.program, self.folder, self.chromium = program, folder, chromium
        self.complaints, self.right = [], collections.Counter()

    def expect(self, subject, holds, complaint):
        if holds:
            self.right[subject] += 1
        else:
            self.complaints.append((subject, complaint))

    def command(self, path, words):
        ran = subprocess.run([self.program, words[0], f"./{path.name}", *words[1:]], cwd=path.parent, capture_output=True, timeout=300)
        return ran.returncode, ran.stdout.decode("utf-8", "replace"), ran.stderr.decode("utf-8", "replace")

    def files(self, path, words, texts):
        """What a command writes: kind and text of each file, under names that do not depend on the model's."""
        folder = path.parent / "out"
        folder.mkdir()
        status, _, err = self.command(path, [word if not ("." in word or word.startswith("to_")) else f"out/{word}" for word in words])
        found = {}
        for file in sorted(folder.rglob("*")):
            if file.suffix == ".fmu":
                with zipfile.ZipFile(file) as archive:
                    found |= {pathlib.Path(name).name: archive.read(name).decode() for name in archive.namelist() if pathlib.Path(name).suffix in SUFFIXES}
            elif file.is_file():
                found[file.name] = file.read_bytes().decode()
        if words[0] == "export":
            # The name of what is exported is the model's, made fit for the language; it stands in the code.
            stem = min((pathlib.Path(name).stem for name in found if name != "modelDescription.xml"), key=len, default="")
            for name in list(found):
                text = re.sub(rf"(?<![^\W_]){re.escape(stem)}(?![^\W_])", "model", found.pop(name))
                found["model" + name.removeprefix(stem) if name.startswith(stem) else name] = re.sub(rf"(?<![^\W_]){re.escape(stem.upper())}(?![^\W_])", "MODEL", text)
        pages = [file for file in folder.rglob("*.html")]
        if self.chromium and pages and texts:
            self.opened(pages[0])
        shutil.rmtree(folder)
        return status, err, {name: (SUFFIXES[pathlib.Path(name).suffix], text) for name, text in found.items()}

    def opened(self, page):
        ran = subprocess.run([self.chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom", page.as_uri()], capture_output=True, timeout=120)
        dom = ran.stdout.decode("utf-8", "replace")
        root = re.search(r"<html[^>]*>", dom)
        self.expect("browser", root and "broken" not in root.group(), f"{page.name}: a text has run: {root and root.group()}")
        refers = [value for _, attributes in Elements(dom).found for name, value in attributes if name in ("href", "src", "action", "xlink:href")]
        bad = [value for value in refers if value and not re.match(r"(https?:|#|data:(image|font|text/csv|application)|blob:)", value)]
        self.expect("browser", not bad, f"{page.name}: refers to {bad[:1]}")

    def case(self, rng):
        texts, sampled = texts_of(rng), rng.random() < 0.5
        tame = {place: f"tame{place}" for place in TEXTS}
        # Whether there is a text at all may decide what is written.
        tame |= {place: text for place, text in texts.items() if not text}
        paths = [write(self.folder / kind, given, sampled) for kind, given in (("tame", tame), ("hostile", texts))]
        outputs = OUTPUTS + ([] if sampled else [("export", "--to", "fmu", "-o", "model.fmu")])
        for words in rng.sample(outputs, 5):
            said = " ".join(words[:3])
            (status, _, expected), (other, err, found) = self.files(paths[0], words, None), self.files(paths[1], words, texts)
            self.expect("terminal", not SHOWN.search(err), f"{said}: a control character in {err!r:.200}")
            if status != other:
                self.expect("code", False, f"{said}: status {other} for {status}: {err:.300}")
                continue
            self.expect("code", expected.keys() == found.keys(), f"{said}: files {sorted(found)} for {sorted(expected)}")
            for name in expected.keys() & found.keys():
                kind = expected[name][0]
                before, after = structure(kind, expected[name][1]), structure(kind, found[name][1])
                subject = {"page": "markup", "xml": "markup", "tex": "LaTeX"}.get(kind, "code")
                if (page := re.search(r'id="document">(.*?)</script>', found[name][1], re.S)) and (proposed := json.loads(page[1]).get("command")):
                    self.proposed(said, proposed, paths[1])
                self.expect(subject, before == after, f"{said}: {name}: {'' if before == after else first_difference(before, after)}")
        for words in rng.sample(SAYS, 5):
            status, out, err = self.command(paths[1], words)
            said = " ".join(words)
            self.expect("terminal", not SHOWN.search(out + err), f"{said}: a control character: {SHOWN.search(out + err)}")
            if "--json" in words:
                self.document(said, words[0], out, texts)
            for line in re.findall(r"^next: (.*)$", out, re.M):
                self.proposed(said, line, paths[1])
        return texts

    def document(self, said, verb, out, texts):
        try:
            document = json.loads(out)
        except ValueError as problem:
            self.expect("json", False, f"{said}: {problem}")
            return
        if verb != "simulate":
            name = document.get("model", document.get("name"))
            self.expect("json", name == texts["name"], f"{said}: the name is {name!r} for {texts['name']!r}")

    def proposed(self, said, line, path):
        """Each command that is proposed is run by a shell in which `dalembert` shows its words."""
        folder = self.folder / "shell"
        folder.mkdir(exist_ok=True)
        script = 'dalembert() { printf "%s\\0" "$@"; printf "\\0"; }; PATH=; command_not_found_handle() { printf "ran %s\\0" "$*"; }\n' + line.replace("    dalembert ", "; dalembert ")
        ran = subprocess.run(["/bin/bash", "-c", script], cwd=folder, capture_output=True, timeout=20)
        words = ran.stdout.decode("utf-8", "surrogateescape").split("\0")
        models = [word for word in words if word.endswith(".toml")]
        meant = ran.returncode == 0 and models and all(word == f"./{path.name}" for word in models) and not any(word.startswith("ran ") for word in words)
        self.expect("shell", meant and not list(folder.iterdir()), f"{said}: {line!r} becomes {words!r:.200} {ran.stderr!r:.100}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DALEMBERT_TEST_SEED", "1")))
    parser.add_argument("--case", type=int, help="this one alone")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    chromium = shutil.which("chromium")
    table = collections.defaultdict(collections.Counter)
    for case in range(options.cases) if options.case is None else [options.case]:
        with tempfile.TemporaryDirectory() as folder:
            judge = Judge(program, pathlib.Path(folder), chromium if case % 4 == 0 else None)
            texts = judge.case(random.Random(f"{options.seed}/{case}"))
        for subject, complaint in judge.complaints:
            table[subject]["wrong"] += 1
            print(f"case {case}: {subject}: {complaint}\n    {texts!r}", flush=True)
        for subject, count in judge.right.items():
            table[subject]["right"] += count
    print(f"{'':14}{'right':>9}{'wrong':>9}")
    for subject in ("code", "markup", "browser", "LaTeX", "json", "shell", "terminal"):
        print(f"{subject:14}{table[subject]['right']:9}{table[subject]['wrong']:9}")
    return 1 if any(counts["wrong"] for counts in table.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
