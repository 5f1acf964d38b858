class InputError(ValueError):
    """Something the user gave cannot be used; the message says what, and what to do."""
