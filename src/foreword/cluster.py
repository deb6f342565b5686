"""The stages on a Ray cluster."""
