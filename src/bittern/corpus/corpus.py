"""The corpus: documents as indices into a vocabulary."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from bittern._core.forks import check_not_forked
from bittern._core.threads import imap_threads
from bittern._core.validation import (
    are_indices,
    check_list,
    check_words,
    is_integer,
    is_number,
    shorten,
)
from bittern.corpus.duplicates import first_copies
from bittern.corpus.metadata import parse_labels, parse_texts, parse_times
from bittern.errors import InputError
from bittern.text.detection import adapt_options
from bittern.text.options import TextOptions
from bittern.text.preprocessing import join_phrases, tokenize
from bittern.text.tokens import (
    Tokens,
    document_frequency,
    encode,
    renumber,
    word_indices,
    word_lists,
)

NO_WORDS = "no known words"
CHUNK = 100_000  # documents that are tokenized together
MIN_COUNT, MAX_COUNT = 1e-6, 1e7  # of a word in a document: float32 has all integers, and products
MAX_REASON = 200  # characters of the message of another library
WORD_SIZE = 100  # bytes that a word of the vocabulary takes, roughly


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents over a vocabulary.

    Create a corpus with `bittern.read`, `Corpus.from_texts`, `Corpus.from_tokens` or
    `Corpus.from_counts`. Document d is ``tokens[indptr[d]:indptr[d + 1]]``.

    Attributes
    ----------
    vocabulary : list of str
        The words, the most frequent first if bittern chose them.
    indptr : array of int64
        Where each document starts in `tokens`, and the end of the last one.
    tokens : array of int32
        The words of all documents in order, as indices into `vocabulary`.
    counts : array of float32 or None
        How often each token occurs, where only counts are known; None where the order is known.
    ids : array of int64
        The row of each document in the input. Documents without words are kept.
    times, labels : polars.Series or None
        The time and the label of each document; labels from a column keep its name.
    options : TextOptions or None
        How texts were split into words; None if the input was not texts.
    texts : polars.Series or None
        The raw texts, if they were kept.
    table : polars.DataFrame or None
        All columns of the input, if they were kept.
    skipped : array of uint8 or None
        Why texts were not split into words: 1 if a text is empty, 2 if it is in another language
        than `options.language`, 3 if it is an answer without content such as "n/a", otherwise 0.

    Examples
    --------
    >>> from bittern import Corpus
    >>> corpus = Corpus.from_texts(["A late train", "The late, late train", None])
    >>> corpus
    <Corpus: 3 documents, 2 words, 5 tokens>
    >>> corpus.vocabulary
    ['late', 'train']
    >>> corpus.tokens.tolist(), corpus.indptr.tolist()
    ([0, 1, 0, 0, 1], [0, 2, 5, 5])
    """

    vocabulary: list[str]
    indptr: NDArray[np.int64]
    tokens: NDArray[np.int32]
    counts: NDArray[np.float32] | None
    ids: NDArray[np.int64]
    times: pl.Series | None = None
    labels: pl.Series | None = None
    options: TextOptions | None = None
    texts: pl.Series | None = None
    table: pl.DataFrame | None = None
    skipped: NDArray[np.uint8] | None = None

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str | None],
        *,
        times: Iterable[object] | None = None,
        time_format: str | None = None,
        labels: Iterable[object] | None = None,
        vocabulary: Sequence[str] | None = None,
        keep_texts: bool = False,
        verbose: int = 0,
        **options: Any,
    ) -> "Corpus":
        """Create a corpus from texts.

        Parameters
        ----------
        texts : iterable of str
            The texts; None or NaN is a document without words.
        times : iterable or None
            The time of each text: dates, datetimes, or strings such as "2024-05-31".
        time_format : str or None
            Format of times that are strings, such as "%d.%m.%Y", as for `datetime.strptime`.
        labels : iterable or None
            The label of each text, to compare topics with.
        vocabulary : list of str or None
            Keep only these words.
        keep_texts : bool
            Keep the raw texts in `Corpus.texts`.
        verbose : int
            1 prints the language that `language="auto"` finds.
        **options
            Options of `bittern.text.TextOptions`, such as `stop_words` and `min_df`.

        Returns
        -------
        Corpus
            One document for each text, in order.

        Raises
        ------
        InputError
            If a text is not a string, or a time or an option is not valid.

        Examples
        --------
        >>> from bittern import Corpus
        >>> corpus = Corpus.from_texts(["new york trains", "trains to new york"], ngrams=2)
        >>> "new york" in corpus.vocabulary
        True
        """
        check_not_forked()
        text_options = TextOptions.from_arguments(options)
        series = parse_texts(texts)
        times = parse_times(times, len(series), time_format)
        text_options = adapt_options(text_options, series, verbose, is_new=vocabulary is None)
        chunks = (series.slice(i, CHUNK) for i in range(0, len(series), CHUNK))
        tokens = list(tokenize_chunks(chunks, text_options))
        corpus = assemble(tokens, text_options, vocabulary, times, labels)
        return replace(corpus, texts=series if keep_texts else None)

    @classmethod
    def from_tokens(
        cls,
        documents: Iterable[Iterable[str] | None],
        *,
        times: Iterable[object] | None = None,
        time_format: str | None = None,
        labels: Iterable[object] | None = None,
        vocabulary: Sequence[str] | None = None,
        min_df: int | float | Literal["auto"] = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
    ) -> "Corpus":
        """Create a corpus from documents that are lists of words.

        Parameters
        ----------
        documents : iterable of iterables of str
            The words of each document; no stop words are dropped, nothing is lowercased.
        times : iterable or None
            The time of each document.
        time_format : str or None
            Format of times that are strings, such as "%d.%m.%Y", as for `datetime.strptime`.
        labels : iterable or None
            The label of each document.
        vocabulary : list of str or None
            Keep only these words.
        min_df : int or float
            Drop words that occur in fewer documents than this; a float is a fraction of them.
        max_df : int or float
            Drop words that occur in more documents than this; a float is a fraction of them.
        max_features : int or None
            Keep only this many words, the most frequent ones.

        Returns
        -------
        Corpus
            One document for each list, in order.

        Raises
        ------
        InputError
            If a document is a string, or a word is not.

        Examples
        --------
        >>> from bittern import Corpus
        >>> Corpus.from_tokens([["late", "train"], ["dirty", "seats"]])
        <Corpus: 2 documents, 4 words, 4 tokens>
        """
        text_options = TextOptions(min_df=min_df, max_df=max_df, max_features=max_features)
        items = _documents(documents)
        times = parse_times(times, len(items), time_format)
        tokens = encode(word_lists(items))
        corpus = assemble([tokens], text_options, vocabulary, times, labels)
        return replace(corpus, options=None)

    @classmethod
    def from_indices(
        cls,
        vocabulary: Sequence[str],
        lengths: NDArray[np.int64],
        tokens: NDArray[np.int32],
        *,
        times: Iterable[object] | None = None,
        time_format: str | None = None,
        labels: Iterable[object] | None = None,
    ) -> "Corpus":
        """Create a corpus from words that are indices into a vocabulary.

        Parameters
        ----------
        vocabulary : list of str
            The words.
        lengths : array of int
            The number of words in each document.
        tokens : array of int
            The words of all documents, one document after the other.
        times : iterable or None
            The time of each document.
        time_format : str or None
            Format of times that are strings, such as "%d.%m.%Y", as for `datetime.strptime`.
        labels : iterable or None
            The label of each document.

        Returns
        -------
        Corpus
            One document for each length, in order.

        Raises
        ------
        InputError
            If the lengths do not add up to the number of tokens, or a token is not an index.

        Examples
        --------
        >>> import numpy as np
        >>> from bittern import Corpus
        >>> Corpus.from_indices(["late", "train"], np.array([2, 1]), np.array([0, 1, 1]))
        <Corpus: 2 documents, 2 words, 3 tokens>
        """
        vocabulary = check_words("vocabulary", vocabulary)
        lengths, tokens = _index_array("lengths", lengths), _index_array("tokens", tokens)
        if lengths.min(initial=0) < 0 or lengths.sum() != len(tokens):
            raise InputError(
                f"lengths must be 0 or more and add up to the {len(tokens)} tokens, "
                f"not to {lengths.sum()}"
            )
        if not are_indices(tokens, len(vocabulary)):
            raise InputError(
                f"tokens must be indices into the vocabulary, from 0 to {len(vocabulary) - 1}"
            )
        return cls(
            vocabulary=vocabulary,
            indptr=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
            tokens=tokens.astype(np.int32, copy=False),
            counts=None,
            ids=np.arange(len(lengths)),
            times=parse_times(times, len(lengths), time_format),
            labels=parse_labels(labels, len(lengths)),
        )

    @classmethod
    def from_counts(
        cls,
        matrix: object,
        vocabulary: Sequence[str] | None = None,
        *,
        times: Iterable[object] | None = None,
        time_format: str | None = None,
        labels: Iterable[object] | None = None,
    ) -> "Corpus":
        """Create a corpus from a matrix of word counts.

        Parameters
        ----------
        matrix : array or sparse matrix of shape (n_documents, n_words)
            How often each word occurs in each document.
        vocabulary : list of str or None
            The words of the columns; by default their numbers.
        times : iterable or None
            The time of each document.
        time_format : str or None
            Format of times that are strings, such as "%d.%m.%Y", as for `datetime.strptime`.
        labels : iterable or None
            The label of each document.

        Returns
        -------
        Corpus
            One document for each row, in order.

        Raises
        ------
        InputError
            If a count is negative, not finite, above 10 million, or not 0 but below 0.000001, or
            the vocabulary does not match the columns.

        Examples
        --------
        >>> from bittern import Corpus
        >>> corpus = Corpus.from_counts([[2, 0], [1, 3]], ["late", "train"])
        >>> corpus.counts.tolist()
        [2.0, 1.0, 3.0]
        """
        from scipy.sparse import csr_array

        try:
            rows = csr_array(matrix, dtype=np.float64, copy=True)
        except (TypeError, ValueError) as error:
            reason = str(error).splitlines()[0][:MAX_REASON]
            raise InputError(f"not a matrix of word counts: {reason}") from None
        if rows.ndim != 2:
            raise InputError("word counts must be a matrix with one row for each document")
        if not np.isfinite(rows.data).all():
            raise InputError("word counts must be finite; replace NaN and infinity")
        if (rows.data < 0).any():
            raise InputError("word counts must not be negative")
        rows.sum_duplicates()
        rows.eliminate_zeros()
        lowest, highest = rows.data.min(initial=1), rows.data.max(initial=1)
        if lowest < MIN_COUNT or highest > MAX_COUNT:
            count = lowest if lowest < MIN_COUNT else highest
            raise InputError(
                f"word counts must be 0, or from {MIN_COUNT:g} to {MAX_COUNT:g}, not {count:g}; "
                "multiply all of them by the same number"
            )
        names = range(rows.shape[1]) if vocabulary is None else vocabulary
        words = check_words("vocabulary", list(map(str, check_list("vocabulary", names))))
        if len(words) != rows.shape[1]:
            raise InputError(
                f"the matrix has {rows.shape[1]} columns but the vocabulary has {len(words)} words"
            )
        return cls(
            words,
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int32),
            rows.data.astype(np.float32),
            np.arange(rows.shape[0]),
            parse_times(times, rows.shape[0], time_format),
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
        """Approximate memory in bytes, without texts, times and labels."""
        arrays = (self.indptr, self.tokens, self.ids, self.counts, self.skipped)
        return sum(a.nbytes for a in arrays if a is not None) + WORD_SIZE * len(self.vocabulary)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and number of words, the shape of the count matrix."""
        return len(self), len(self.vocabulary)

    @property
    def has_words(self) -> NDArray[np.bool_]:
        """Whether each document has a word of the vocabulary."""
        return np.diff(self.indptr) > 0

    def missing_reasons(self) -> pl.Series:
        """Return why each document has no known words; null if it has some.

        Returns
        -------
        polars.Series
            "empty", "no content" (an answer such as "n/a" or "don't know"), "in another language"
            or "no known words".

        Examples
        --------
        >>> from bittern import Corpus
        >>> corpus = Corpus.from_texts(["late train", " ", "N/A", "seats"], vocabulary=["late"])
        >>> corpus.missing_reasons().to_list()
        [None, 'empty', 'no content', 'no known words']
        """
        check_not_forked()
        reasons = pl.Series([NO_WORDS, "empty", "in another language", "no content"])
        skipped = np.zeros(len(self), np.uint8) if self.skipped is None else self.skipped
        return pl.select(
            pl.when(~pl.Series(self.has_words)).then(reasons.gather(skipped)).alias("reason")
        ).to_series()

    def __getitem__(self, index: slice | ArrayLike) -> "Corpus":
        """Select documents by a slice, a mask or an array of indices."""
        try:
            rows = np.arange(len(self))[index]  # type: ignore[index]
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(f"invalid index of documents: {error}") from None
        if rows.ndim != 1:
            raise InputError(
                "a corpus is indexed by a slice, a mask or a list of indices; "
                "use corpus[i : i + 1] for one document"
            )
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        positions = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], lengths)
        return replace(
            self,
            indptr=indptr,
            tokens=self.tokens[positions],
            counts=None if self.counts is None else self.counts[positions],
            ids=self.ids[rows],
            times=None if self.times is None else self.times.gather(rows),
            labels=None if self.labels is None else self.labels.gather(rows),
            texts=None if self.texts is None else self.texts.gather(rows),
            table=None if self.table is None else self.table[rows],
            skipped=None if self.skipped is None else self.skipped[rows],
        )

    def with_times(
        self, times: Iterable[object] | None, time_format: str | None = None
    ) -> "Corpus":
        """Return the same documents with other times.

        Parameters
        ----------
        times : iterable or None
            The time of each document: dates, datetimes, or strings such as "2024-05-31" and
            "2024-05-31T12:00"; None removes the times.
        time_format : str or None
            Format of times that are strings, such as "%d.%m.%Y", as for `datetime.strptime`.

        Returns
        -------
        Corpus
            The documents with these times.

        Raises
        ------
        InputError
            If a value is not a date or time, or there is not one for each document.

        Examples
        --------
        >>> from bittern import Corpus
        >>> corpus = Corpus.from_texts(["late train"]).with_times(["2024-05-31"])
        >>> corpus.times.to_list()
        [datetime.date(2024, 5, 31)]
        """
        return replace(self, times=parse_times(times, len(self), time_format))

    def with_labels(self, labels: Iterable[object] | None) -> "Corpus":
        """Return the same documents with other labels.

        Parameters
        ----------
        labels : iterable or None
            The label of each document; None removes the labels.

        Returns
        -------
        Corpus
            The documents with these labels.

        Examples
        --------
        >>> from bittern import Corpus
        >>> Corpus.from_texts(["late train"]).with_labels(["complaint"]).labels.to_list()
        ['complaint']
        """
        return replace(self, labels=parse_labels(labels, len(self)))

    def drop_empty(self) -> "Corpus":
        """Return the documents that have words.

        Returns
        -------
        Corpus
            The other documents, with their ids, times, labels and texts.

        Examples
        --------
        >>> from bittern import Corpus
        >>> len(Corpus.from_texts(["late train", "-"]).drop_empty())
        1
        """
        has_words = self.has_words
        return self if has_words.all() else self[has_words]

    def first_copies(self) -> NDArray[np.int64]:
        """Return the index of the first document with the same words in the same order as each.

        Returns
        -------
        array of int64
            An index for each document; its own if no earlier document has the same words. In a
            corpus of word counts, the counts are the same, too.

        Examples
        --------
        >>> from bittern import Corpus
        >>> corpus = Corpus.from_texts(["late train", "dirty seats", "A late train!"])
        >>> corpus.first_copies().tolist()
        [0, 1, 0]
        """
        return first_copies(self.indptr, self.tokens, self.counts)

    def drop_duplicates(self) -> "Corpus":
        """Return the documents that are not copies: one of those with the same words in order.

        Returns
        -------
        Corpus
            The first document of each kind, with its id, time, label and text.

        Examples
        --------
        >>> from bittern import Corpus
        >>> len(Corpus.from_texts(["late train", "dirty seats", "A late train!"]).drop_duplicates())
        2
        """
        is_first = self.first_copies() == np.arange(len(self))
        return self if is_first.all() else self[is_first]

    def drop_unused_words(self) -> "Corpus":
        """Return the same documents over the words that occur in them.

        Returns
        -------
        Corpus
            The documents over a smaller vocabulary.

        Examples
        --------
        >>> from bittern import Corpus
        >>> corpus = Corpus.from_texts(["late train", "dirty seats"])
        >>> corpus[:1].drop_unused_words().vocabulary
        ['late', 'train']
        """
        used = np.bincount(self.tokens, minlength=len(self.vocabulary)) > 0
        return self.with_vocabulary([self.vocabulary[word] for word in np.flatnonzero(used)])

    def split(self, test_size: float, rng: np.random.Generator) -> tuple["Corpus", "Corpus"]:
        """Split the documents into random training and test sets.

        Parameters
        ----------
        test_size : float
            Fraction of the documents in the test set, between 0 and 1.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        train, test : Corpus
            The two sets, over the same vocabulary.

        Examples
        --------
        >>> import numpy as np
        >>> from bittern import Corpus
        >>> corpus = Corpus.from_texts(["late train"] * 8)
        >>> train, test = corpus.split(0.25, np.random.default_rng(0))
        >>> len(train), len(test)
        (6, 2)
        """
        train, test = random_split(len(self), test_size, rng)
        return self[train], self[test]

    def with_vocabulary(self, vocabulary: Sequence[str]) -> "Corpus":
        """Return the same documents over another vocabulary; other words are dropped.

        Parameters
        ----------
        vocabulary : list of str
            The new vocabulary.

        Returns
        -------
        Corpus
            The documents over the new vocabulary.

        Examples
        --------
        >>> from bittern import Corpus
        >>> corpus = Corpus.from_texts(["late train"]).with_vocabulary(["train", "seat"])
        >>> corpus.tokens.tolist()
        [0]
        """
        vocabulary = check_list("vocabulary", vocabulary)
        if vocabulary == self.vocabulary:
            return self
        check_words("vocabulary", vocabulary)
        index = {word: i for i, word in enumerate(vocabulary)}
        codes = np.array([index.get(word, -1) for word in self.vocabulary], np.int32)[self.tokens]
        known = codes >= 0
        n_known = np.concatenate([[0], np.cumsum(known)])
        return replace(
            self,
            vocabulary=vocabulary,
            indptr=n_known[self.indptr],
            tokens=codes[known],
            counts=None if self.counts is None else self.counts[known],
        )


def tokenize_chunks(
    chunks: Iterable[pl.Series], options: TextOptions, ahead: bool = True
) -> Iterator[Tokens]:
    """Tokenize chunks of texts, some of them ahead of their use on all cores.

    A custom tokenizer runs in one thread.
    """
    check_not_forked()
    if options.tokenizer is not None:
        return _tokenize_in_order(chunks, options)
    function = partial(tokenize, options=options)
    return imap_threads(function, chunks) if ahead else map(function, chunks)


def _tokenize_in_order(chunks: Iterable[pl.Series], options: TextOptions) -> Iterator[Tokens]:
    """Tokenize chunks of texts one after the other, counting the rows for messages."""
    row = 0
    for chunk in chunks:
        yield tokenize(chunk, options, row)
        row += len(chunk)


def assemble(
    chunks: list[Tokens],
    options: TextOptions,
    vocabulary: Sequence[str] | None = None,
    times: Iterable[object] | None = None,
    labels: Iterable[object] | None = None,
) -> Corpus:
    """Join chunks of tokens, each with its own words, to a corpus; empties `chunks`."""
    if options.finds_phrases:
        chunks[:], phrases = join_phrases(chunks, options)
        options = replace(options, phrases=phrases)
    n_documents = sum(len(chunk.lengths) for chunk in chunks)
    if vocabulary is None:
        vocabulary = choose_words(count_words(chunks), options, n_documents)
    else:
        vocabulary = check_words("vocabulary", vocabulary)
    indptr = np.zeros(n_documents + 1, np.int64)
    codes_of_all = np.empty(sum(len(chunk.codes) for chunk in chunks), np.int32)
    document = token = 0
    new_codes = _vocabulary_indices(chunks, vocabulary)
    skipped = np.zeros(n_documents, np.uint8)
    while chunks:
        if chunks[0].skipped is not None:
            skipped[document : document + len(chunks[0].lengths)] = chunks[0].skipped
        lengths, codes = renumber(chunks.pop(0), new_codes.pop(0))
        indptr[document + 1 : document + 1 + len(lengths)] = lengths
        codes_of_all[token : token + len(codes)] = codes
        document += len(lengths)
        token += len(codes)
    codes_of_all.resize(token, refcheck=False)
    return Corpus(
        vocabulary=list(vocabulary),
        indptr=np.cumsum(indptr, out=indptr),
        tokens=codes_of_all,
        counts=None,
        ids=np.arange(n_documents),
        times=parse_times(times, n_documents),
        labels=parse_labels(labels, n_documents),
        options=options,
        skipped=skipped if skipped.any() else None,
    )


def random_split(
    n: int, test_size: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split the indices below n at random; the second part has the fraction `test_size`."""
    if not is_number(test_size) or not 0 < test_size < 1:
        raise InputError(f"test_size must be between 0 and 1, not {shorten(test_size)}")
    order = rng.permutation(n)
    n_train = n - round(test_size * n)
    return order[:n_train], order[n_train:]


def _documents(documents: Iterable[Iterable[str] | None]) -> list[Iterable[str] | None]:
    """Return documents that are lists of words as a list."""
    if isinstance(documents, str):
        documents = [documents]
    items = check_list("documents", documents)
    if any(isinstance(document, str) for document in items):
        raise InputError("from_tokens expects lists of words, not texts; use Corpus.from_texts")
    return items


def _index_array(name: str, values: object) -> NDArray[Any]:
    """Return an array of integers, or raise InputError."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        array = np.array(None)
    if array.ndim != 1 or (array.size > 0 and array.dtype.kind not in "iu"):
        raise InputError(f"{name} must be an array of integers, not {shorten(values)}")
    return array if array.size > 0 else array.astype(np.int64)


def _vocabulary_indices(
    chunks: Sequence[Tokens], vocabulary: Sequence[str]
) -> list[NDArray[np.int32]]:
    """Return the index of each chunk's words in the vocabulary; -1 if a word is not in it."""
    if not chunks:
        return []
    indices = word_indices(pl.concat(chunk.words for chunk in chunks), vocabulary)
    return np.split(indices, np.cumsum([len(chunk.words) for chunk in chunks])[:-1])


def count_words(chunks: Sequence[Tokens]) -> pl.DataFrame:
    """Return how often each word occurs (count) and in how many documents (documents)."""
    words = [
        pl.DataFrame(
            {
                "word": chunk.words,
                "count": np.bincount(chunk.codes, minlength=len(chunk.words)).astype(np.uint32),
                "documents": document_frequency(chunk).astype(np.uint32),
            }
        )
        for chunk in chunks
    ]
    schema = {"word": pl.String, "count": pl.UInt32, "documents": pl.UInt32}
    return (
        pl.concat([pl.DataFrame(schema=schema), *words])
        .lazy()
        .group_by("word")
        .agg(pl.col("count", "documents").cast(pl.Int64).sum())
        .collect()
    )


def choose_words(counted: pl.DataFrame, options: TextOptions, n_documents: int) -> list[str]:
    """Return the words to keep, the most frequent first."""
    minimum = options.minimum_documents(n_documents)
    maximum = options.max_df if is_integer(options.max_df) else options.max_df * n_documents
    kept = (
        counted.lazy()
        .filter(pl.col("count") > 0, pl.col("documents").is_between(minimum, maximum))
        .sort("count", "word", descending=[True, False])
        .head(min(options.max_features or counted.height, counted.height))
    )
    return kept.collect()["word"].to_list()
