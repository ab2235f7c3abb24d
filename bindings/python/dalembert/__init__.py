# SPDX-License-Identifier: Apache-2.0
"""Constrained Lagrangian mechanics: state the physics once, get equations, multipliers, motion and a verdict on it.

    import dalembert
    model = dalembert.load("slider-crank")          # a file, or a model that ships with dalembert
    print(model.equations)
    run = model.simulate(t=10.0)
    run["lambda/pin[1]"]                            # an array
    print(run.verdict)

All numbers are in SI units. Wrong input is a ModelError, which says what the command would say.
"""

from ._core import Coordinate, Diagnostic, Expr, ModelError, __version__, explain
from ._core import __all__ as _functions
from ._core import abs_ as abs
from ._core import *  # the functions
from ._core import atan2, hypot, if_, maximum, minimum, mod
from .equations import Equations
from .fit import FitResult
from .functions import Functions
from .model import Model, load, models, parse
from .model_file import ModelWarning
from .pictures import Film, Picture, Report
from .run import Event, Interrupted, Peak, Reaction, Run
from .studies import *
from .studies import __all__ as _studies
from .stepper import Stepper
from .optimize import Optimum
from .sweep import Study
from .exchange import from_sympy, to_sympy

__all__ = [
    "Coordinate", "Diagnostic", "Equations", "Event", "Expr", "Film", "FitResult", "Functions", "Interrupted", "Model", "ModelError", "ModelWarning", "Optimum", "Peak",
    "Picture", "Reaction", "Report", "Run", "Stepper", "Study", "abs", "atan2", "explain", "from_sympy", "hypot", "if_", "load", "maximum",
    "minimum", "mod", "models", "parse", "to_sympy", "__version__",
]
__all__ += _studies
__all__ += [name for name in _functions if name != "abs_"]
