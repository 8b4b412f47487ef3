"""Kernel: numbers whose sums do not depend on their order."""

import numpy as np

from dsgc._arrays import PerBlock

_STEP = 2.0**-52


def on_grid(values: PerBlock) -> PerBlock:
    """Round to multiples of `2**-52`, in place.

    Sums of such numbers are exact up to 2, so the support of a block does not depend on the order
    in which its dependents happen to stand.
    """
    values *= 1.0 / _STEP
    np.rint(values, out=values)
    values *= _STEP
    return values
