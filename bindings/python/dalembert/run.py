# SPDX-License-Identifier: Apache-2.0
"""Runs: series by name, and the verdict."""

import os


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` is the run as far as it went."""

    def __init__(self, run):
        super().__init__(run.reason)
        self.run = run


class Verdict:
    """Whether a run can be trusted, and why. True where it holds."""

    def __init__(self, run):
        self.holds, self.text, self.warnings = run.holds, run.verdict_text, run.warnings

    def __bool__(self):
        return self.holds

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text


class Run:
    """A run. run["theta"], run["theta'"], run["lambda/pin[1]"] are arrays that look at the run's own numbers."""

    def __init__(self, run, model=None):
        self._run, self.model = run, model

    status = property(lambda self: self._run.status, doc="'ok', 'stopped' or 'failed'")
    reason = property(lambda self: self._run.reason, doc="why it did not reach its end; empty where it did")
    names = property(lambda self: self._run.series_names, doc="of all series, time first")
    events = property(lambda self: self._run.events, doc="[(what, when)]")
    steps = property(lambda self: self._run.steps)
    verdict = property(lambda self: Verdict(self._run))
    quality = verdict
    t = property(lambda self: self._run.series("time"))

    def __getitem__(self, name):
        return self._run.series(name)

    def __contains__(self, name):
        return self._run.has_series(name)

    def __len__(self):
        return len(self._run)

    def unit(self, name):
        """SI unit of a series; empty where the model gives none."""
        return self._run.unit(name)

    def final(self):
        """(q, v) of the last row."""
        state = self._run.final_state()
        return state.q, state.v

    def peaks(self, *names):
        """{name: (least, when, largest, when)} of multipliers and outputs, or of the series named."""
        t, peaks = self.t, {}
        for name in names or [n for n in self.names if n.startswith(("lambda/", "F/", "friction/", "output/"))]:
            values = self[name]
            low, high = int(values.argmin()), int(values.argmax())
            peaks[name] = float(values[low]), float(t[low]), float(values[high]), float(t[high])
        return peaks

    def to_dict(self):
        """What `simulate --json` prints."""
        return self._run.json

    def to_dataframe(self):
        """A pandas.DataFrame with a column for each series, indexed by time."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.names[1:]}, index=pandas.Index(self.t, name="time"))

    def save(self, path):
        """As CSV, which the command's plot, animate and report read."""
        if os.path.splitext(path)[1] != ".csv":
            raise ValueError(f"a run is saved as .csv, not as `{os.path.basename(path)}`")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self._run.csv())

    def __repr__(self):
        end = f"{len(self)} rows to t = {self.t[-1]:g} s" if len(self) else "no rows"
        return f"<Run of {self._run.model_name}: {self.status}, {end}, verdict {'holds' if self._run.holds else 'does not hold'}>"
