"""How functions of networks are compiled for a CPU: sums may change their order, nan and infinity stay."""

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.home import provide_home

provide_home()  # numba keeps what it compiles there, and compiles nothing where it finds no folder

FAST = {"contract", "reassoc", "nsz", "arcp"}
Array = NDArray[np.float32]
