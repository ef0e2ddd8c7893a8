"""The compiled part of the FC-Net trainer; needs numba."""
