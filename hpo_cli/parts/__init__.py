"""What the commands share: reading arguments, printing rows."""
