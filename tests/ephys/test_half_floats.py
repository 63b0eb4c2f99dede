"""Every finite float16 is the same number as a float32."""

import numpy as np

from ncpgui.ephys.half_floats import widen


def test_all_finite_numbers_stay_what_they_are() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)].reshape(-1, 16)
    result = np.empty(finite.shape, np.float32)
    widen(finite, result)
    np.testing.assert_array_equal(result, finite.astype(np.float32))
    assert (np.signbit(result) == np.signbit(finite)).all()
    assert finite.size == 2 * 31 * 1024
