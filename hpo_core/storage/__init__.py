"""Files that are whole or not there, and that are checked before they are trusted."""
