"""Kernel and Parzen density estimates, for TPE and BOHB."""
