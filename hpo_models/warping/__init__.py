"""Gaussian processes whose inputs are warped, so that a function may change faster at one end of the unit interval."""
