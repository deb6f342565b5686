"""Which address is answered by what."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Route
from starlette.types import ASGIApp

from foreword.serve.guard import OPEN, Guard
from foreword.serve.refusal import RefusedError, broken, gone, no_such_route, refused
from foreword.serve.service import Service


def make_app(service: Service) -> ASGIApp:
    """The whole server but the network, as ASGI knows it."""
    routes = [
        Route("/v1/completions", service.completions, methods=["POST"]),
        Route("/v1/score", service.score, methods=["POST"]),
        Route("/v1/models", service.models, methods=["GET"]),
        Route(OPEN, service.health, methods=["GET"]),
        Route("/metrics", service.metrics, methods=["GET"]),
    ]
    app = Starlette(
        routes=routes,
        lifespan=service.running,
        exception_handlers={
            RefusedError: refused,
            HTTPException: no_such_route,
            ClientDisconnect: gone,
            Exception: broken,
        },
    )
    return Guard(
        app,
        token=service.settings.token,
        meters=service.meters,
        routes=frozenset(route.path for route in routes),
    )
