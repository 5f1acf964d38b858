"""Text preprocessing: from raw texts to tokens."""

from bittern.text.preprocessing import TextOptions

__all__ = ["TextOptions"]
