"""The report: an HTML page to explore topics; it needs no network."""

from bittern.report.report import Report, check_page, make_report

__all__ = ["Report", "check_page", "make_report"]
