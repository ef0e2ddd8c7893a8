"""Table 5 and the theorems, beside risks measured in the synthetic study."""
