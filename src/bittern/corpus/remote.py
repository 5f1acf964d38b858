"""Files at addresses: in the stores that Polars scans, and on web servers.

Polars is imported inside functions: the command line lists the formats in its help, which must not
wait for Polars.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from bittern.errors import InputError

if TYPE_CHECKING:
    from http.client import HTTPResponse

    from _typeshed import WriteableBuffer

CREDENTIALS = {  # stores, and what they need in the environment
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    **dict.fromkeys(("gs", "gcs"), "GOOGLE_APPLICATION_CREDENTIALS"),
    **dict.fromkeys(
        ("az", "azure", "adl", "abfs", "abfss"),
        "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    ),
    "hf": "HF_TOKEN",
}
SERVERS = ("http", "https")
TIMEOUT = 60  # seconds without an answer
BUFFER_SIZE = 1 << 20

MISSING = re.compile(r"\b404\b|NotFound|expanded paths were empty", re.IGNORECASE)
DENIED = re.compile(
    r"\b40[13]\b|Unauthori[sz]ed|Forbidden|AccessDenied|credential|SignatureDoesNotMatch|"
    r"latest/api/token|metadata",  # a machine in the cloud has these
    re.IGNORECASE,
)
NOT_UTF8 = re.compile(r"utf-?8", re.IGNORECASE)


def is_stored(path: object) -> bool:
    """Return whether Polars scans an address where it is: s3://, gs://, az://, hf:// and others."""
    return _scheme(path) in CREDENTIALS


def is_served(path: object) -> bool:
    """Return whether an address is on a web server."""
    return _scheme(path) in SERVERS


def is_remote(path: object) -> bool:
    """Return whether a path is an address."""
    return is_stored(path) or is_served(path)


def has_pattern(source: object) -> bool:
    """Return whether Polars finds the files of a source; other paths are the names of files."""
    return is_stored(source) and not set("*?[").isdisjoint(str(source))


def path_of(address: str) -> str:
    """Return the path on a web server, without a query; other addresses as they are."""
    return urlsplit(address).path if is_served(address) else address


@contextmanager
def open_served(address: str) -> Iterator[io.BufferedReader]:
    """Open a file on a web server.

    Parameters
    ----------
    address : str
        Starts with https:// or http://.

    Yields
    ------
    io.BufferedReader
        What the server sends.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    InputError
        If the server cannot be reached, or refuses to send the file.
    """
    try:
        request = Request(address, headers={"User-Agent": "bittern"})
        response = urlopen(request, timeout=TIMEOUT)
    except HTTPError as error:
        error.close()
        if error.code in (404, 410):
            raise FileNotFoundError(f"{address} does not exist") from None
        reason = f"the server answers {error.code} {error.reason}".strip()
        raise InputError(f"{address}: {reason}; download the file and give its path") from None
    except (OSError, ValueError) as error:
        reason = str(error.reason if isinstance(error, URLError) else error)
        raise _unreachable(address, reason) from None
    with response:
        yield io.BufferedReader(_Body(response, address), BUFFER_SIZE)


def explain_stored(address: str, error: Exception) -> Exception | None:
    """Return the error for an address that cannot be read; None if it can, but its data is wrong.

    Parameters
    ----------
    address : str
        An address in a store.
    error : Exception
        What Polars raised.

    Returns
    -------
    Exception or None
        An error in one line.
    """
    message = str(error)
    if isinstance(error, FileNotFoundError) or MISSING.search(message):
        return FileNotFoundError(f"{address} does not exist, or not for this user")
    if NOT_UTF8.search(message):
        return InputError(f"{address}: not UTF-8; download the file, or convert it")
    if not isinstance(error, OSError):
        return None
    if isinstance(error, PermissionError) or DENIED.search(message):
        names = CREDENTIALS[_scheme(address)]
        return InputError(f"{address}: access denied; set {names} in the environment")
    return _unreachable(address, message.strip().splitlines()[-1].strip())


class _Body(io.RawIOBase):
    """The body of a response. It has no descriptor to wait for, and no silent end."""

    def __init__(self, response: "HTTPResponse", address: str) -> None:
        self._response, self._address = response, address

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        try:
            n = self._response.readinto(buffer)
        except OSError as error:
            raise _unreachable(self._address, str(error)) from None
        if n == 0 and self._response.length:
            raise _unreachable(self._address, "the connection ended early")
        return n


def _scheme(path: object) -> str:
    """Return the scheme of an address; "" if it is none."""
    scheme, mark, _ = path.partition("://") if isinstance(path, str) else ("", "", "")
    return scheme.lower() if mark else ""


def _unreachable(address: str, reason: str) -> InputError:
    """Return the error for a store or a server that does not answer."""
    return InputError(
        f"{address}: cannot be reached ({' '.join(reason.split())}); check the address and the "
        "network"
    )
