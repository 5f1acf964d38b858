"""A corpus: documents as numbers, and the words that the numbers stand for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bittern._core.threads import imap_threads
from bittern._core.validation import are_indices, is_integer
from bittern.corpus.metadata import parse_labels, parse_times, strings
from bittern.errors import InputError
from bittern.text.preprocessing import TextOptions, tokenize
from bittern.text.tokens import (
    WORD_LISTS,
    Tokens,
    document_frequency,
    encode,
    renumber,
    word_indices,
)

CHUNK = 100_000  # documents that are tokenized together


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents over a vocabulary.

    Document d is `tokens[indptr[d]:indptr[d + 1]]`: its words in their order, as places in
    `vocabulary`. Where the order is unknown, `counts` says how often each of them comes. `ids`
    are the rows of the input: a document without words is still there.
    """

    vocabulary: list[str]
    indptr: NDArray[np.int64]
    tokens: NDArray[np.int32]
    counts: NDArray[np.float32] | None
    ids: NDArray[np.int64]
    times: pl.Series | None = None
    labels: pl.Series | None = None
    options: TextOptions | None = None
    """How the texts became words; None if they came as words or counts."""
    texts: pl.Series | None = None
    """The texts themselves, where they were to be kept."""

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str | None],
        *,
        times: Iterable[Any] | None = None,
        labels: Iterable[Any] | None = None,
        vocabulary: Sequence[str] | None = None,
        keep_texts: bool = False,
        **options: Any,
    ) -> "Corpus":
        """A corpus of texts; the options are those of `bittern.text.TextOptions`.

        With a `vocabulary`, only its words are kept; with `keep_texts`, the texts, too.
        """
        how = TextOptions(**options)
        series = strings(texts)
        chunks = (series.slice(i, CHUNK) for i in range(0, len(series), CHUNK))
        tokens = list(tokenize_chunks(chunks, how))
        corpus = assemble(tokens, how, vocabulary, times, labels)
        return replace(corpus, texts=series if keep_texts else None)

    @classmethod
    def from_tokens(
        cls,
        documents: Iterable[Iterable[str]],
        *,
        times: Iterable[Any] | None = None,
        labels: Iterable[Any] | None = None,
        vocabulary: Sequence[str] | None = None,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
    ) -> "Corpus":
        """A corpus of documents that are lists of words already."""
        how = TextOptions(None, min_df=min_df, max_df=max_df, max_features=max_features)
        lists = [document if document is None else list(document) for document in documents]
        if any(isinstance(document, str) for document in documents):
            raise InputError("from_tokens takes lists of words: for texts there is from_texts")
        try:
            tokens = encode(pl.Series(lists, dtype=WORD_LISTS))
        except (TypeError, pl.exceptions.PolarsError) as error:
            raise InputError(f"documents must be lists of strings: {error}") from None
        corpus = assemble([tokens], how, vocabulary, times, labels)
        return replace(corpus, options=None)

    @classmethod
    def from_indices(
        cls,
        vocabulary: Sequence[str],
        lengths: NDArray[np.int64],
        tokens: NDArray[np.int32],
        *,
        times: Iterable[Any] | None = None,
        labels: Iterable[Any] | None = None,
    ) -> "Corpus":
        """A corpus of words that are numbers already: places in the vocabulary.

        `lengths` says how many of the `tokens` each document has.
        """
        if lengths.min(initial=0) < 0 or lengths.sum() != len(tokens):
            raise InputError(f"{len(tokens)} tokens but lengths that add up to {lengths.sum()}")
        if not are_indices(tokens, len(vocabulary)):
            raise InputError("a token is not a place in the vocabulary")
        _check_different(vocabulary)
        return cls(
            vocabulary=list(vocabulary),
            indptr=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
            tokens=tokens.astype(np.int32, copy=False),
            counts=None,
            ids=np.arange(len(lengths)),
            times=parse_times(times, len(lengths)),
            labels=parse_labels(labels, len(lengths)),
        )

    @classmethod
    def from_counts(
        cls,
        matrix: Any,
        vocabulary: Sequence[str] | None = None,
        *,
        times: Iterable[Any] | None = None,
        labels: Iterable[Any] | None = None,
    ) -> "Corpus":
        """A corpus of word counts, a (sparse) matrix with a row for each document."""
        from scipy.sparse import csr_array

        try:
            rows = csr_array(matrix, dtype=np.float64, copy=True)
        except (TypeError, ValueError) as error:
            raise InputError(f"this is no matrix of word counts: {error}") from None
        if rows.ndim != 2:
            raise InputError("word counts must be a matrix with a row for each document")
        if not np.isfinite(rows.data).all():
            raise InputError("word counts must be finite: there is a NaN or an infinity")
        if (rows.data < 0).any():
            raise InputError("word counts must not be negative")
        rows.sum_duplicates()
        rows.eliminate_zeros()
        names = list(map(str, range(rows.shape[1]) if vocabulary is None else vocabulary))
        _check_different(names)
        if len(names) != rows.shape[1]:
            raise InputError(f"{rows.shape[1]} columns but {len(names)} words in the vocabulary")
        return cls(
            names,
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int32),
            rows.data.astype(np.float32),
            np.arange(rows.shape[0]),
            parse_times(times, rows.shape[0]),
            parse_labels(labels, rows.shape[0]),
        )

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __repr__(self) -> str:
        return (
            f"<Corpus: {len(self):,} documents, {len(self.vocabulary):,} words, "
            f"{len(self.tokens):,} tokens>"
        )

    @property
    def nbytes(self) -> int:
        """The memory that it takes, about: a word is counted with a hundred bytes."""
        arrays = (self.indptr, self.tokens, self.ids, self.counts)
        return sum(a.nbytes for a in arrays if a is not None) + 100 * len(self.vocabulary)

    @property
    def shape(self) -> tuple[int, int]:
        """Documents and words: what the shape of its count matrix would be."""
        return len(self), len(self.vocabulary)

    def __getitem__(self, index: Any) -> "Corpus":
        """Some of the documents: a slice, a mask, or their numbers."""
        rows = np.arange(len(self))[index]
        if rows.ndim == 0:
            raise InputError("a corpus is indexed by a slice, a mask or a list of numbers")
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], lengths)
        return replace(
            self,
            indptr=indptr,
            tokens=self.tokens[places],
            counts=None if self.counts is None else self.counts[places],
            ids=self.ids[rows],
            times=None if self.times is None else self.times.gather(rows),
            labels=None if self.labels is None else self.labels.gather(rows),
            texts=None if self.texts is None else self.texts.gather(rows),
        )

    def with_times(self, times: Iterable[Any]) -> "Corpus":
        """The same documents with these times: dates, datetimes, or strings such as 2024-05-31."""
        return replace(self, times=parse_times(times, len(self)))

    def with_labels(self, labels: Iterable[Any] | None) -> "Corpus":
        """The same documents with these labels, or without."""
        return replace(self, labels=parse_labels(labels, len(self)))

    def drop_unused_words(self) -> "Corpus":
        """The same documents over the words that they have."""
        used = np.bincount(self.tokens, minlength=len(self.vocabulary)) > 0
        return self.with_vocabulary([self.vocabulary[word] for word in np.flatnonzero(used)])

    def split(self, test_size: float, rng: np.random.Generator) -> tuple["Corpus", "Corpus"]:
        """Documents to learn from and documents to test on, at random."""
        train, test = random_split(len(self), test_size, rng)
        return self[train], self[test]

    def with_vocabulary(self, vocabulary: Sequence[str]) -> "Corpus":
        """The same documents over another vocabulary; words that are not in it are left out."""
        if list(vocabulary) == self.vocabulary:
            return self
        place = {word: i for i, word in enumerate(vocabulary)}
        new = np.array([place.get(word, -1) for word in self.vocabulary], np.int32)[self.tokens]
        known = new >= 0
        before = np.concatenate([[0], np.cumsum(known)])
        return replace(
            self,
            vocabulary=list(vocabulary),
            indptr=before[self.indptr],
            tokens=new[known],
            counts=None if self.counts is None else self.counts[known],
        )


def tokenize_chunks(chunks: Iterable[pl.Series], options: TextOptions) -> Iterator[Tokens]:
    """Tokenize chunk after chunk, on all cores; in one thread where the tokenizer is the user's."""
    work = partial(tokenize, options=options)
    return imap_threads(work, chunks) if options.tokenizer is None else map(work, chunks)


def assemble(
    chunks: list[Tokens],
    options: TextOptions,
    vocabulary: Sequence[str] | None = None,
    times: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
) -> Corpus:
    """A corpus of tokens that came in chunks, each with its own numbering of the words.

    The chunks are used up.
    """
    n_documents = sum(len(chunk.lengths) for chunk in chunks)
    if vocabulary is None:
        vocabulary = _choose_words(chunks, options, n_documents)
    else:
        _check_different(vocabulary)
    indptr = np.zeros(n_documents + 1, np.int64)
    tokens = np.empty(sum(len(chunk.codes) for chunk in chunks), np.int32)
    document = token = 0
    all_places = _places(chunks, vocabulary)
    while chunks:
        lengths, codes = renumber(chunks.pop(0), all_places.pop(0))
        indptr[document + 1 : document + 1 + len(lengths)] = lengths
        tokens[token : token + len(codes)] = codes
        document += len(lengths)
        token += len(codes)
    tokens.resize(token, refcheck=False)
    return Corpus(
        vocabulary=list(vocabulary),
        indptr=np.cumsum(indptr, out=indptr),
        tokens=tokens,
        counts=None,
        ids=np.arange(n_documents),
        times=parse_times(times, n_documents),
        labels=parse_labels(labels, n_documents),
        options=options,
    )


def _places(chunks: Sequence[Tokens], vocabulary: Sequence[str]) -> list[NDArray[np.int32]]:
    """For the words of each chunk their places in the vocabulary; -1 where they are not in it."""
    if not chunks:
        return []
    places = word_indices(pl.concat(chunk.words for chunk in chunks), vocabulary)
    return np.split(places, np.cumsum([len(chunk.words) for chunk in chunks])[:-1])


def _choose_words(chunks: Sequence[Tokens], options: TextOptions, n_documents: int) -> list[str]:
    """The words to keep, the most frequent first."""
    if not chunks:
        return []
    words = pl.concat(
        pl.DataFrame(
            {
                "word": chunk.words,
                "count": np.bincount(chunk.codes, minlength=len(chunk.words)).astype(np.uint32),
                "documents": document_frequency(chunk).astype(np.uint32),
            }
        )
        for chunk in chunks
    )
    least, most = (
        limit if is_integer(limit) else limit * n_documents
        for limit in (options.min_df, options.max_df)
    )
    kept = (
        words.lazy()
        .group_by("word")
        .agg(pl.col("count", "documents").cast(pl.Int64).sum())
        .filter(pl.col("count") > 0, pl.col("documents").is_between(least, most))
        .sort("count", "word", descending=[True, False])
        .head(options.max_features or words.height)
    )
    return kept.collect()["word"].to_list()


def _check_different(vocabulary: Sequence[str]) -> None:
    word, times = Counter(vocabulary).most_common(1)[0] if len(vocabulary) else ("", 1)
    if times > 1:
        raise InputError(f'the word "{word}" is {times} times in the vocabulary')


def random_split(
    n: int, test_size: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers below n in two random parts; the second holds the share `test_size` of them."""
    if not 0 < test_size < 1:
        raise InputError(f"test_size must be between 0 and 1, not {test_size}")
    order = rng.permutation(n)
    cut = n - round(test_size * n)
    return order[:cut], order[cut:]
