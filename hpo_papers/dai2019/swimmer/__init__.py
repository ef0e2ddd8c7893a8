"""A swimmer of three links, in place of the one of MuJoCo: its motion, and linear policies as a problem."""
