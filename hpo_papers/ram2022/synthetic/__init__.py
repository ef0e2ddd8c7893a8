"""The synthetic study of section 3.2 and appendix D: points, training paths, and what the heuristics make of them."""
