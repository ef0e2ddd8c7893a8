"""Where runs are stopped: bounds of the 2021 model, the studies of section 5, and their violins."""
