# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/python, cell by cell; what a cell ends with is shown as a notebook would show it."""

import ast
import json
import os
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "python").glob("*.ipynb"))
os.environ.setdefault("MPLBACKEND", "Agg")


def show(value):
    for how in ("_repr_latex_", "_repr_html_", "__repr__"):
        if hasattr(value, how):
            assert getattr(value, how)()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_cell_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells), "notebooks are kept without outputs"
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{path.name}:{number}", "exec"), names)
        if last is not None:
            show(eval(compile(ast.Expression(last.value), f"{path.name}:{number}", "eval"), names))


def test_there_are_five():
    assert len(NOTEBOOKS) >= 5
