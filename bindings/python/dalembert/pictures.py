# SPDX-License-Identifier: Apache-2.0
"""Figures, films and pages: they show themselves in a notebook and are saved by their suffix."""

import os


def _suffix(path, kinds, what):
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in kinds:
        raise ValueError(f"{what} is saved as {', '.join(kinds[:-1])} or {kinds[-1]}, not as `{os.path.basename(path)}`"
                         if len(kinds) > 1 else f"{what} is saved as {kinds[0]}, not as `{os.path.basename(path)}`")
    return suffix


def _range(name, value, in_si=float):
    """Both ends of an axis as numbers; `in_si` reads texts, of an axis whose unit is known."""
    if value is None:
        return None
    try:
        low, high = (in_si(one) if isinstance(one, str) else float(one) for one in value)
    except (TypeError, ValueError) as wrong:
        if hasattr(wrong, "diagnostics"):
            raise
        raise TypeError(f"{name}= takes two numbers, (from, to), in the unit that the axis shows, not {value!r}") from None
    return low, high


def _write(path, text):
    """Beside the target and renamed in the end: nobody finds half a file."""
    part = f"{os.fspath(path)}.{os.getpid()}.part"
    try:
        with open(part, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise


def _program(name, package, path):
    import shutil

    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"`{path}`: the program `{name}`, which makes such files, is not there (apt-get install {package}); "
                                f"`{os.path.splitext(path)[0]}.svg` needs no other program")
    return found


def _run(words, data, path, part):
    import subprocess

    try:
        done = subprocess.run(words, input=data, capture_output=True, check=False)
        if done.returncode != 0:
            raise OSError(f"cannot write `{path}`: `{words[0]}` gave up: {done.stderr.decode(errors='replace').strip()}")
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.remove(part)


def _preformatted(text):
    """Of text in columns, for notebooks. JupyterLab 4, and pages of nbconvert 7, give `pre` the font of prose where it names none."""
    import html

    return f'<pre style="font-family: monospace">{html.escape(text)}</pre>'


def _image(svg):
    """Apart from the page, so that the styles of neither touch the other; it plays all the same."""
    import base64

    return f'<img alt="" src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}">'


class Picture:
    """A figure, of run.plot() and the like. `svg` is its text, `warnings` says what is not in it, to_dict() what the command's --json says."""

    def __init__(self, figure):
        self.svg, self.warnings, self._document = figure.svg, figure.warnings, figure.json

    def to_dict(self) -> "dict[str, object]":
        """What the command's --json says of it, numbers in what it shows: picture.to_dict()["series"]."""
        return self._document

    def save(self, path) -> None:
        """picture.save("fig.svg"); .pdf and .png by the program rsvg-convert, as the command does."""
        path = os.fspath(path)
        suffix = _suffix(path, (".svg", ".pdf", ".png"), "a figure")
        if suffix == ".svg":
            return _write(path, self.svg)
        part = f"{path}.{os.getpid()}.part"
        zoom = ["--zoom", "3.125"] if suffix == ".png" else []  # 300 pixels an inch
        _run([_program("rsvg-convert", "librsvg2-bin", path), "--unlimited", "--format", suffix[1:], *zoom, f"--output={part}"],
             self.svg.encode(), path, part)

    def _repr_html_(self):
        """As an image of its own: what nbconvert makes of a notebook has many pictures, whose styles and names would meet."""
        return _image(self.svg)

    def _repr_svg_(self):
        """For what shows no HTML: qtconsole, LaTeX."""
        return self.svg

    def __repr__(self):
        return f"<Picture, {len(self.svg)//1000} kB of SVG>"


class Film:
    """A moving picture, of run.animate(): frames, `seconds` long, of `duration` seconds of motion."""

    def __init__(self, film, page):
        self._film, self._page = film, page

    @property
    def seconds(self) -> float:
        """How long it plays, in s: film.seconds."""
        return self._film.seconds

    @property
    def duration(self) -> float:
        """Of how much motion, in s: film.duration."""
        return self._film.duration

    @property
    def svg(self) -> str:
        """Its text, film.svg; it plays by itself in a browser."""
        return self._film.svg

    def __len__(self):
        return len(self._film)

    def save(self, path) -> None:
        """film.save("film.svg"), as .html with controls, as .gif or .mp4 by the programs rsvg-convert and ffmpeg."""
        path = os.fspath(path)
        suffix = _suffix(path, (".svg", ".html", ".gif", ".mp4"), "a film")
        if suffix == ".svg":
            return _write(path, self.svg)
        if suffix == ".html":
            return _write(path, self._page())
        import subprocess

        converter, encoder = _program("rsvg-convert", "librsvg2-bin", path), _program("ffmpeg", "ffmpeg", path)
        frames = []
        for k in range(len(self)):
            done = subprocess.run([converter, "--unlimited", "--format", "png", "--zoom", "1.5"],
                                  input=self._film.frame(k).encode(), capture_output=True, check=False)
            if done.returncode != 0:
                raise OSError(f"cannot write `{path}`: `{converter}` gave up: {done.stderr.decode(errors='replace').strip()}")
            frames.append(done.stdout)
        part = f"{path}.{os.getpid()}.part"
        rate = f"{len(self)/self.seconds if self.seconds > 0 else 25:.6g}"
        kind = (["-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse", "-loop", "0", "-f", "gif"] if suffix == ".gif" else
                # Most players take an even number of pixels alone.
                ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p", "-movflags", "+faststart", "-f", "mp4"])
        _run([encoder, "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate", rate, "-c:v", "png", "-i", "-", *kind, f"file:{part}"],
             b"".join(frames), path, part)

    def _repr_html_(self):
        return _image(self.svg)

    def __repr__(self):
        return f"<Film, {len(self)} frames, {self.seconds:.3g} s of film for {self.duration:.3g} s of motion>"


class Report:
    """A page that explains a model and a run of it, of run.report(): one file that needs nothing else."""

    def __init__(self, html):
        self.html = html

    def save(self, path) -> None:
        """page.save("page.html")"""
        path = os.fspath(path)
        _suffix(path, (".html", ".htm"), "a report")
        _write(path, self.html)

    def _repr_html_(self):
        import html

        return f'<iframe srcdoc="{html.escape(self.html)}" style="width: 100%; height: 40em; border: 0"></iframe>'

    def __repr__(self):
        return f"<Report, {len(self.html)//1000} kB of HTML>"
