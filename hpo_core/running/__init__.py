"""The run loop: an optimizer against a benchmark on a simulated clock, and the record of that."""
