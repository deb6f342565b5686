"""Stage: report. An analysis with its cuts, forecasts and scores becomes one HTML file."""

from foreword.report.page import write_report

__all__ = ["write_report"]
