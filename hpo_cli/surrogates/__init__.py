"""`hpo surrogate`: what trains surrogates of recorded evaluations, and what looks into them."""
