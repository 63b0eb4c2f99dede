"""Every finite float16 is the same number as a float32, and every float32 is rounded as NumPy rounds."""

import numpy as np

from ncpgui.ephys.half_floats import LARGEST, narrowed, widen


def test_all_finite_numbers_stay_what_they_are() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)].reshape(-1, 16)
    result = np.empty(finite.shape, np.float32)
    widen(finite, result)
    np.testing.assert_array_equal(result, finite.astype(np.float32))
    assert (np.signbit(result) == np.signbit(finite)).all()
    assert finite.size == 2 * 31 * 1024


def test_numbers_are_rounded_to_the_nearest_and_halves_to_even_as_by_numpy() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = np.sort(every[np.isfinite(every)].astype(np.float32))
    middle = (finite[1:] + finite[:-1]) / 2
    spread = np.arange(0, 1 << 32, 9973, dtype=np.uint64).astype(np.uint32).view(np.float32)
    above, below = (np.nextafter(middle, np.float32(end)) for end in (np.inf, -np.inf))
    for values in (finite, middle, above, below, spread[np.isfinite(spread)]):
        expected = np.clip(values, -LARGEST, LARGEST).astype(np.float16)
        np.testing.assert_array_equal(narrowed(values).view(np.uint16), expected.view(np.uint16))


def test_what_is_too_large_is_the_largest_number() -> None:
    assert narrowed(np.array([[7e4, -1e30], [65504, -65519]], np.float32)).tolist() == [
        [65504, -65504],
        [65504, -65504],
    ]
