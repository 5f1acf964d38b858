"""The settings of the experiments: section 4.1 of the paper, and what goes beyond it."""

from dataclasses import asdict, dataclass
from typing import Any

from bittern._core.validation import check_integer, check_number
from bittern.algorithms import CVB0, SCVB0, SDM, Algorithm, Gibbs, IncrementalBTM, OnlineBTM, Prior
from bittern.errors import InputError

COMPARED_ALGORITHMS: dict[str, Algorithm[Any]] = {
    "SDM": SDM.paper(),
    "SDM with cool-down": SDM.paper(cooldown=0.3),
    "SCVB0": SCVB0(tau=1000, kappa=0.8),
    "iBTM": IncrementalBTM(rejuvenation=10),
    "oBTM": OnlineBTM(sweeps=10, slices=10),
}
"""The algorithms of the paper's figures, with its settings; the second is bittern's own variant."""

KAPPAS = (0.51, 0.6, 0.7, 0.8, 0.9, 1.0)
COOLDOWNS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7)
ALPHAS = (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0)
EPOCHS = (1, 2, 4, 8, 16)
DEFAULT = "bittern's default"
PRIORS = FIXED, ADAPTIVE = ("0.01", "adaptive")
"""Word priors that are compared on new texts: the paper's, and one that adapts to the corpus."""
ORDERS = SHUFFLED_BITERMS, SHUFFLED_DOCUMENTS, FILE_ORDER = (
    "biterms shuffled",
    "documents shuffled",
    "as in the file",
)


@dataclass(frozen=True)
class Protocol:
    """The settings of a study.

    Parameters
    ----------
    topics : tuple of int
        Numbers of topics (K) to compare the algorithms at.
    focus : int
        Number of topics for the learning curves and ablations; one of `topics`.
    repeats : int
        Number of times each algorithm is trained, each time on another split and from another
        random start.
    side_repeats : int
        Maximum number of repeats of reference algorithms and ablations.
    window : int or None
        Two words form a biterm if they are less than this many positions apart; None is the whole
        document.
    test_size : float
        Fraction of the biterms that is held out.
    test_texts : float
        Fraction of the texts that is held out where new texts are predicted.
    word_prior : float
        Prior of words in a topic (beta). The prior of topics (gamma) is 50 / K.
    max_updates : float
        Reference algorithms that need more updates than this run once, with `focus` topics; larger
        numbers of epochs are left out.
    gibbs_sweeps : int
        Sweeps of the Gibbs reference.
    cvb0_sweeps : int
        Sweeps of the CVB0 reference.
    seed : int
        Random seed. The same seed gives the same study, except for times.

    Examples
    --------
    >>> from bittern.study import Protocol
    >>> protocol = Protocol(topics=(20, 50), focus=50, repeats=3)
    >>> protocol.prior(50).topic
    1.0
    """

    topics: tuple[int, ...] = (20, 50, 100, 150, 200)
    focus: int = 100
    repeats: int = 10
    side_repeats: int = 5
    window: int | None = None
    test_size: float = 0.2
    test_texts: float = 0.1
    word_prior: float = 0.01
    max_updates: float = 2e8
    gibbs_sweeps: int = 50
    cvb0_sweeps: int = 30
    seed: int = 0

    def __post_init__(self) -> None:
        for n_topics in (*self.topics, self.focus):
            check_integer("the number of topics", n_topics, 2)
        if len(set(self.topics)) < len(self.topics):
            raise InputError(f"topics must be distinct, not {', '.join(map(str, self.topics))}")
        if self.focus not in self.topics:
            raise InputError(
                f"focus must be one of the topics ({', '.join(map(str, self.topics))}), "
                f"not {self.focus}"
            )
        check_integer("repeats", self.repeats, 2)
        check_integer("side_repeats", self.side_repeats, 2)
        check_number("test_size", self.test_size, 0.01, 0.99)
        check_number("test_texts", self.test_texts, 0.01, 0.99)
        check_integer("seed", self.seed, 0)

    def prior(self, n_topics: int) -> Prior:
        """Return gamma and beta."""
        return Prior(50 / n_topics, self.word_prior)

    def references(self) -> dict[str, Gibbs | CVB0]:
        """Return the batch algorithms, which see all biterms many times."""
        return {"Gibbs": Gibbs(sweeps=self.gibbs_sweeps), "CVB0": CVB0(sweeps=self.cvb0_sweeps)}

    def run_settings(self) -> dict[str, Any]:
        """Return the settings that the result of a single run depends on.

        Those that only decide which runs there are may change when a study is resumed.
        """
        selection = ("topics", "focus", "repeats", "side_repeats", "max_updates")
        return {name: value for name, value in asdict(self).items() if name not in selection}

    def n_held_out(self, n_biterms: int) -> int:
        """Return the number of held-out biterms."""
        return round(self.test_size * n_biterms)


QUICK = Protocol(
    topics=(10, 20, 40),
    focus=20,
    repeats=3,
    side_repeats=2,
    max_updates=3e7,
    gibbs_sweeps=20,
    cvb0_sweeps=20,
)
"""All experiments at a small scale: a minute or two on a small corpus."""
