"""What a page shows of a store: runs grouped, scored and with targets."""
