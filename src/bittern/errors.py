class InputError(ValueError):
    """Invalid input from the user; the message names the problem and the remedy."""


class UnknownWordsWarning(UserWarning):
    """Documents have no word that the model knows; filter it by this class."""


class CopiesWarning(UserWarning):
    """A few texts make up much of the texts to train on; filter it by this class."""


class EncodingGuessWarning(UserWarning):
    """A file is not UTF-8, and its encoding was guessed; filter it by this class."""
