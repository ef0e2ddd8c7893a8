"""What several methods of successive halving share."""
