"""Stage: forecasts."""
