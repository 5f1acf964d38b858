import sys

import pytest

from bittern import cli


@pytest.fixture
def call(monkeypatch, capsys):
    """Run bittern with these arguments: exit code, standard output, standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["bittern", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        return stop.value.code, *capsys.readouterr()

    return run
