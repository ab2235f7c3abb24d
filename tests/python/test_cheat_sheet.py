# SPDX-License-Identifier: Apache-2.0
"""docs/cheat-sheet.md: what it says can be typed, and it prints on one page."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(dalembert.__file__).parents[2] / "bin" / "dalembert"
SHEET = (ROOT / "docs" / "cheat-sheet.md").read_text(encoding="utf-8")
MODEL = re.search(r"^```toml m\.toml\n(.*?)^```", SHEET, re.S | re.M)[1]


def section(title):
    """[(left, right)] of a table, without the empty heading."""
    body = SHEET.split(f"## {title}\n")[1].split("\n## ")[0]
    return [row for row in re.findall(r"^\| (.*?) \| (.*?) ?\|$", body, re.M)]


def code(text):
    return re.findall(r"`([^`]*)`", text)


def test_the_printed_page_is_current():
    done = subprocess.run([sys.executable, ROOT / "tools" / "make_cheat_sheet.py", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_each_command_runs(tmp_path):
    if not COMMAND.exists():
        pytest.skip("the command is not built")
    (tmp_path / "m.toml").write_text(MODEL, encoding="utf-8")
    commands = [code(left)[0] for left, _ in section("Commands")]
    assert len(commands) > 15
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "dalembert"
        done = subprocess.run([COMMAND, *words[1:]], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        if "E0438" in done.stderr:  # built without NLopt
            continue
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        if "-o" in words:
            assert (tmp_path / words[words.index("-o") + 1]).exists(), command
    # The options that are named beside the commands are options of theirs.
    for left, right in section("Commands"):
        help_text = subprocess.run([COMMAND, shlex.split(code(left)[0])[1], "--help"], capture_output=True, text=True, check=True).stdout
        for option in code(right):
            assert not option.startswith("--") or option.split()[0] in help_text, (left, option)


def test_each_line_of_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.toml").write_text(MODEL, encoding="utf-8")
    names = {"dalembert": dalembert}
    lines = section("Python")
    assert len(lines) >= 5
    for left, right in lines:
        exec(code(left)[0], names)
        for one in code(right):
            if one.startswith(("run[", "run.", "model.", "dalembert.")):
                eval(one, names)


def test_keys_are_those_of_the_schema():
    schema = (ROOT / "docs" / "model.schema.json").read_text(encoding="utf-8")
    known = set(re.findall(r'"(\w+)"', schema))
    for title in ("Sections of a model", "Constraints", "Forces"):
        for left, right in section(title):
            for text in code(left + right):
                for name in re.findall(r"^\[*(\w+)\]*", text):
                    assert name in known or name in ("for", "file"), (title, text)


def test_it_prints_on_one_page(tmp_path):
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("chromium is not installed")
    target = tmp_path / "sheet.pdf"
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={tmp_path}/profile",
                    f"--print-to-pdf={target}", (ROOT / "docs" / "cheat-sheet.html").as_uri()], capture_output=True, timeout=120, check=False)
    if not target.exists():
        pytest.skip("chromium does not print here")
    assert re.findall(rb"/Type /Pages\s*/Count (\d+)|/Count (\d+)", target.read_bytes())[0] in ((b"1", b""), (b"", b"1"))
