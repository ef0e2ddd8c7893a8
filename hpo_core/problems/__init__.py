"""Problems: what stands behind a benchmark, functions with known optima, and wrappers."""
