"""Numbers about a running server, as Prometheus reads them, in a registry of the server's own."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Meters:
    """What is counted."""

    def __init__(self) -> None:
        self._registry = to = CollectorRegistry()
        by = ("route", "status")
        self.requests = Counter("foreword_requests", "Requests answered.", by, registry=to)
        self.request_seconds = Histogram(
            "foreword_request_seconds", "A request.", by[:1], buckets=_SECONDS, registry=to
        )
        self.held = Gauge("foreword_requests_held", "Requests that are here now.", registry=to)
        self.waiting = Gauge(
            "foreword_queue_sequences", "Sequences that wait for the model now.", registry=to
        )
        self.dropped = Counter(
            "foreword_sequences_dropped", "Not computed: their client left.", registry=to
        )
        self.tokens = Counter("foreword_tokens_scored", "Tokens scored.", registry=to)
        self.batch_sizes = Histogram(
            "foreword_batch_sequences", "Sequences scored together.", buckets=_SIZES, registry=to
        )
        self.batch_seconds = Histogram(
            "foreword_batch_seconds", "How long a batch took.", buckets=_SECONDS, registry=to
        )

    def shown(self) -> bytes:
        """All of them, in Prometheus' text format."""
        return generate_latest(self._registry)
