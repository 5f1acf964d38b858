"""The program `bittern`."""

import os
import signal
import sys
from typing import NoReturn

INTERRUPTED = 130  # exit code, as shells have it after Ctrl-C


def main() -> None:
    """Run the command line; after Ctrl-C, leave at once with a message and one exit code."""
    try:
        from bittern.cli import main as run
    except KeyboardInterrupt:
        print("bittern: interrupted", file=sys.stderr)
        _leave()
    try:
        run()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _leave()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
        raise


def _leave() -> NoReturn:
    """End the process without waiting for threads, which may be busy for long."""
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
