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
from ._core import abs_ as abs
from ._core import acos, asin, atan, atan2, cos, cosh, exp, log, sign, sin, sinh, sqrt, tan, tanh
from .equations import Equations
from .functions import Functions
from .model import Audit, Model, load, models, parse
from .pictures import Film, Picture, Report
from .run import Interrupted, Peak, Reaction, Run
from .studies import Analysis, Equilibrium, Freedoms, Gait, Linearization, Variation
from .exchange import from_sympy, to_sympy

__all__ = [
    "Analysis", "Audit", "Coordinate", "Diagnostic", "Equations", "Equilibrium", "Expr", "Film", "Freedoms", "Functions", "Gait",
    "Interrupted", "Linearization", "Model", "ModelError", "Peak", "Picture", "Reaction", "Report", "Run", "Variation", "abs", "acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "explain", "from_sympy", "load", "log", "models", "parse",
    "sign", "sin", "sinh", "sqrt", "tan", "tanh", "to_sympy", "__version__",
]
