"""Training of a meta-model: the encoder of tasks, the networks, and both together."""
