"""The passenger survey: the file `answers.csv` that the documentation uses.

The railway and the passengers are fictional. Their answers to "What could we do better?", from
January to December 2025, were written with patterns that real surveys have, too:

- a burst of complaints about air conditioning in a heat wave, July 14 to 20;
- a burst of complaints about prices after fares increased on April 1;
- more and more complaints about the app since a new one was introduced on June 2;
- passengers under 30 write more about wifi and outlets, those over 60 more about staff and about
  stairs, steps and elevators; passengers in the East write more about delays;
- some answers are missing, say nothing ("-", "n/a"), or occur more than once.
"""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from bittern._core.atomic import atomic_path
from bittern.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def survey() -> "pl.DataFrame":
    """Load a passenger survey: answers to "What could we do better?".

    Returns
    -------
    polars.DataFrame
        A row for each answer, with the columns answer, date, age (such as 18-29) and region.
        Missing answers are null.

    Examples
    --------
    >>> from bittern import BTM
    >>> from bittern.datasets import survey
    >>> answers = survey()
    >>> answers.columns
    ['answer', 'date', 'age', 'region']
    >>> model = BTM(10, random_state=0).fit(answers["answer"])
    >>> model.document_info(answers["answer"]).height == len(answers)
    True
    """
    import polars as pl

    return pl.read_csv(_contents(), try_parse_dates=True)


def save_survey(path: str | Path = "answers.csv") -> Path:
    """Write the passenger survey to a csv file, to run the examples of the documentation.

    The survey may already be there, but no other file is replaced.

    Parameters
    ----------
    path : str or Path
        The file to write.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        If there is another file of this name.

    Examples
    --------
    >>> import bittern
    >>> from bittern.datasets import save_survey
    >>> path = save_survey()
    >>> corpus = bittern.read(path, text="answer", time="date", label="age")
    """
    path, contents = Path(path), _contents()
    if not _has_contents(path, contents):
        with atomic_path(path) as temporary:
            temporary.write_bytes(contents)
    return path


def _contents() -> bytes:
    """Return the contents of the file."""
    return files("bittern.datasets").joinpath("answers.csv").read_bytes()


def _has_contents(path: Path, contents: bytes) -> bool:
    """Return whether a file exists and has these contents; raise InputError if it has others."""
    if not path.exists() and not path.is_symlink():
        return False
    if path.is_file() and path.stat().st_size == len(contents) and path.read_bytes() == contents:
        return True
    raise InputError(f"{path} exists and is another file; rename it, or use another directory")
