"""How the experiments are set: section 4.1 of the paper, and what goes beyond it."""

from dataclasses import asdict, dataclass
from typing import Any

from bittern._core.validation import check_integer, check_number
from bittern.algorithms import CVB0, SCVB0, SDM, Gibbs, IncrementalBTM, OnlineBTM, Prior
from bittern.errors import InputError

COMPARED: dict[str, Any] = {
    "SDM": SDM(kappa=0.51, cooldown=0, epochs=1),
    "SDM with cool-down": SDM(kappa=0.51, cooldown=0.3, epochs=1),
    "SCVB0": SCVB0(tau=1000, kappa=0.8),
    "iBTM": IncrementalBTM(rejuvenation=10),
    "oBTM": OnlineBTM(sweeps=10, slices=10),
}
"""The algorithms of the paper's figures with its settings; bittern's own variant is the second."""

KAPPAS = (0.51, 0.6, 0.7, 0.8, 0.9, 1.0)
COOLDOWNS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7)
ALPHAS = (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0)
EPOCHS = (1, 2, 4, 8, 16)
ORDERS = ("biterms shuffled", "documents shuffled", "as in the file")


@dataclass(frozen=True)
class Protocol:
    """What a study does.

    Parameters
    ----------
    topics : tuple of int
        The numbers of topics to compare at (K).
    focus : int
        The number of topics at which everything is looked at that is not compared over K.
    repeats : int
        How often each algorithm learns, each time from other biterms and another start.
    side_repeats : int
        The most repeats of reference lines and ablations.
    window : int or None
        Words make a biterm when they are less than that apart; None takes all of a document.
    test_size : float
        The share of the biterms that is held out.
    word_prior : float
        The prior of words in a topic (beta); that of topics (gamma) is 50 / K.
    most_updates : float
        Where reference lines would need more updates than that, they are run once, at the focus;
        more epochs are left out.
    gibbs_sweeps, cvb0_sweeps : int
        The sweeps of the reference lines.
    seed : int
        The same number gives the same study, but for its seconds.
    """

    topics: tuple[int, ...] = (20, 50, 100, 150, 200)
    focus: int = 100
    repeats: int = 10
    side_repeats: int = 5
    window: int | None = None
    test_size: float = 0.2
    word_prior: float = 0.01
    most_updates: float = 2e8
    gibbs_sweeps: int = 50
    cvb0_sweeps: int = 30
    seed: int = 0

    def __post_init__(self) -> None:
        for n_topics in (*self.topics, self.focus):
            check_integer("the number of topics", n_topics, 2)
        if len(set(self.topics)) < len(self.topics):
            raise InputError(f"a number of topics is there twice: {self.topics}")
        if self.focus not in self.topics:
            raise InputError(f"focus must be one of the topics, not {self.focus}")
        check_integer("repeats", self.repeats, 2)
        check_integer("side_repeats", self.side_repeats, 2)
        check_number("test_size", self.test_size, 0.01, 0.99)
        check_integer("seed", self.seed, 0)

    def prior(self, n_topics: int) -> Prior:
        """Gamma and beta."""
        return Prior(50 / n_topics, self.word_prior)

    def references(self) -> dict[str, Any]:
        """The batch algorithms, which see all biterms many times."""
        return {"Gibbs": Gibbs(sweeps=self.gibbs_sweeps), "CVB0": CVB0(sweeps=self.cvb0_sweeps)}

    def bits(self) -> dict[str, Any]:
        """What the numbers of a run depend on, beside its own settings: not how many there are."""
        of_the_whole = ("topics", "focus", "repeats", "side_repeats", "most_updates")
        return {name: value for name, value in asdict(self).items() if name not in of_the_whole}


QUICK = Protocol(
    topics=(10, 20, 40),
    focus=20,
    repeats=3,
    side_repeats=2,
    most_updates=3e7,
    gibbs_sweeps=20,
    cvb0_sweeps=20,
)
"""A look at everything, in a minute or two on a small corpus."""
