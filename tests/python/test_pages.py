# SPDX-License-Identifier: Apache-2.0
"""Every block of Python in the pages, run in order, as a reader would."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(page for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")] if "```python\n" in page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_run_as_they_stand(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.S | re.M))
    assert blocks
    names = {"__name__": "__main__"}
    for block in blocks:
        line = text[:block.start(1)].count("\n")
        exec(compile("\n"*line + block[1], os.fspath(page), "exec"), names)


def test_there_are_pages():
    assert {"python"} <= {page.stem for page in PAGES}
