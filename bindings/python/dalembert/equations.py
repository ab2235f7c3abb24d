# SPDX-License-Identifier: Apache-2.0
"""The equations of a model, to be read and looked at."""

from . import _core


class Equations:
    """Shows itself: typeset in a notebook, as text when printed. Entries by name: equations["M[theta,phi]"]."""

    def __init__(self, model, only=()):
        self._model, self._only = model, list(only)

    def only(self, *parts):
        """The same with the named parts alone: equations.only("M", "lambda"); parts are those of `derive --only`."""
        _core.equations_text(self._model, "text", list(parts))  # a name that is none is told at once
        return Equations(self._model, parts)

    @property
    def latex(self):
        return _core.equations_text(self._model, "latex", self._only)

    @property
    def text(self):
        """In the language of model files: what the parser reads back."""
        return _core.equations_text(self._model, "text", self._only)

    def to_dict(self):
        """What `derive --json` prints."""
        return _core.equations_json(self._model, self._only)

    @property
    def motion(self):
        """The equations of motion as expressions that are 0, one for each velocity."""
        return [_core.entry(self._model, f"eom[{name}]") for name in self._model.coordinate_names]

    def __getitem__(self, entry):
        return _core.entry(self._model, entry)

    def __str__(self):
        return _core.equations_text(self._model, "unicode", self._only)

    def __repr__(self):
        return str(self)

    def _repr_latex_(self):
        return self.latex
