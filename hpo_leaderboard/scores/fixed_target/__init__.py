"""Fixed-target scores: how long runs take to reach given losses."""
