"""Generated benchmarks: the home of meta-models that sample new tasks. It holds none yet."""
