"""How functions of networks are compiled for a CPU: sums may change their order, nan and infinity stay."""

import numpy as np
from numpy.typing import NDArray

FAST = {"contract", "reassoc", "nsz", "arcp"}
Array = NDArray[np.float32]
