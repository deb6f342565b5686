"""An HTTP server that scores."""
