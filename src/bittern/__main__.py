"""The program `bittern`."""

import os
import signal
import sys
from typing import NoReturn

INTERRUPTED, TERMINATED = 130, 143  # exit codes, as shells have them after Ctrl-C and SIGTERM


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
        if end.code in (INTERRUPTED, TERMINATED):
            _leave(end.code)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
        raise


def _leave(code: int = INTERRUPTED) -> NoReturn:
    """End the process without waiting for threads, which may be busy for long."""
    os._exit(code)


if __name__ == "__main__":
    main()
