# SPDX-License-Identifier: Apache-2.0
"""The equations of a model, to be read and looked at."""

from . import _core


_LONG = 4000  # characters of LaTeX that a notebook shows at once


def _display(text):
    """A display of LaTeX as it may stand between $$: without its own brackets, and with environments for the inside of formulas."""
    text = text.strip()
    if text.startswith("\\[") and text.endswith("\\]"):
        text = text[2:-2].strip()
    return text.replace("{align*}", "{aligned}").replace("{gather*}", "{gathered}")


class Equations:
    """Of model.equations. Shows itself: typeset in a notebook, as text when printed. Entries by name: equations["M[theta,phi]"]."""

    def __init__(self, model, only=(), owner=None):
        # The owner checks what it states before anything is derived, so it lives as long as what derives.
        self._model, self._only, self._owner = model, list(only), owner

    def only(self, *parts) -> "Equations":
        """The same with the named parts alone: equations.only("M", "lambda"); parts are those of `derive --only`."""
        _core.equations_text(self._model, "text", list(parts))  # a name that is none is told at once
        return Equations(self._model, parts, self._owner)

    @property
    def latex(self) -> str:
        """A fragment for papers: model.equations.latex."""
        return _core.equations_text(self._model, "latex", self._only)

    @property
    def text(self) -> str:
        """In the language of model files, what the parser reads back: model.equations.text."""
        return _core.equations_text(self._model, "text", self._only)

    def to_dict(self) -> "dict[str, object]":
        """What `derive --json` prints: model.equations.to_dict()["W"]."""
        return _core.equations_json(self._model, self._only)

    @property
    def motion(self) -> "list[_core.Expr]":
        """The equations of motion as expressions that are 0, one for each velocity: model.equations.motion[0]."""
        return [_core.entry(self._model, f"eom[{name}]") for name in self._model.coordinate_names]

    def __getitem__(self, entry):
        return _core.entry(self._model, entry)

    def _ipython_key_completions_(self):
        """Entries by name; those of matrices where they are not too many."""
        q, rows = self._model.coordinate_names, self._model.row_names
        entries = [f"{part}[{name}]" for part in ("B", "G", "F", "p", "eom", "qdd") for name in q]
        entries += [f"{part}[{row}]" for part in ("lambda", "a", "gamma") for row in rows] + ["T", "V", "L", "E"]
        if len(q)*(len(q) + len(rows)) <= 1000:
            entries += [f"M[{a},{b}]" for a in q for b in q] + [f"W[{row},{a}]" for row in rows for a in q]
        return entries

    def __str__(self):
        return _core.equations_text(self._model, "unicode", self._only)

    def __repr__(self):
        return str(self)

    def _blocks(self):
        """(title, formulas that MathJax and KaTeX typeset, remark) of each part."""
        for title, displays, remark in _core.equation_blocks(self._model, self._only):
            formulas = [_display(one) for one in displays]
            if formulas or remark:
                yield title, formulas, remark

    def _repr_latex_(self):
        """For notebooks: what is long is left out, and says so; `latex` has all of it, as a document."""
        parts = []
        for title, formulas, remark in self._blocks():
            size = sum(map(len, formulas))
            text = f"{title}: {remark}" if remark else f"{title}:"
            if size > _LONG:
                parts.append(f"{text} {size} characters of LaTeX, in `.latex` and `print(…)`.")
            else:
                parts.append(" ".join([text, *(f"$$\n{formula}\n$$" for formula in formulas)]))
        return "\n\n".join(parts)

    def _html(self):
        """For pages with MathJax: what is long is folded."""
        import html

        parts = []
        for title, formulas, remark in self._blocks():
            size = sum(map(len, formulas))
            heading, body = html.escape(title), "".join(f"<div>$$\n{html.escape(formula)}\n$$</div>" for formula in formulas)
            if size > 20 * _LONG:
                body = f"<div>{size} characters of LaTeX, in <code>.latex</code></div>"
            note = f"<div>{html.escape(remark)}</div>" if remark else ""
            parts.append(f"<details><summary>{heading}</summary>{note}{body}</details>" if size > _LONG else f"<div><b>{heading}</b></div>{note}{body}")
        return "".join(parts)
