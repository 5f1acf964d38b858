"""Analysis of a fitted model and a corpus: documents, quality, topics over time."""
