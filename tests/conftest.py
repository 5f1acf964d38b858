import shutil
import sys

import pytest

from bittern import cli

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def pytest_addoption(parser):
    parser.addoption("--pictures", action="store_true", help="store the documentation's pictures")


@pytest.fixture
def pictures(request):
    """Whether to store the pictures of the documentation."""
    return request.config.getoption("--pictures")


@pytest.fixture(scope="session")
def browser():
    """A real browser, where there is one."""
    sync_api = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no browser: install chromium to run the tests of pages")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def call(monkeypatch, capsys):
    """Run bittern with these arguments: exit code, standard output, standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["bittern", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        return stop.value.code, *capsys.readouterr()

    return run
