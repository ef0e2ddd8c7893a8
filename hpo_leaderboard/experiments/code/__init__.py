"""What a run depends on besides its settings: code, what objects hold, libraries of linear algebra."""
