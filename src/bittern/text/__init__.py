"""Text preprocessing: from raw texts to tokens."""

from bittern.text.options import TextOptions
from bittern.text.stop_words import stop_word_languages, stop_word_list

__all__ = ["TextOptions", "stop_word_languages", "stop_word_list"]
