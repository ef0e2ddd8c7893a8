"""Questions that the paper leaves open, on its record: our default rule, calibration, and stops that come too early."""
