"""Text preprocessing: from raw texts to tokens."""

from bittern.text.preprocessing import TextOptions, stop_word_languages, stop_word_list

__all__ = ["TextOptions", "stop_word_languages", "stop_word_list"]
