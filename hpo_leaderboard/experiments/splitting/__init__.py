"""An experiment in parts: what it would cost, shards of it, and an end before which it has to be over."""
