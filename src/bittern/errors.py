class InputError(ValueError):
    """Invalid input from the user; the message names the problem and the remedy."""
