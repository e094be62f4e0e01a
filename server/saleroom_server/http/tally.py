"""Every request counted and logged, by its route's template: paths and queries name secrets."""

from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saleroom_server.clock import Clock
from saleroom_server.logs import logger
from saleroom_server.metrics import Metrics

log = logger("http")

METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "POST"})
OTHER = "other"  # a method, a route that is none of ours


class Tally:
    """ASGI middleware. An upgrade to a WebSocket counts as a request, answered 101 or refused."""

    def __init__(self, app: ASGIApp, metrics: Metrics, clock: Clock) -> None:
        self._app, self._metrics, self._clock = app, metrics, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and look at the status it is answered with."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        answered = self._once(scope)

        async def looking(message: Message) -> None:
            status = _status(message)
            if status is not None:
                answered(status)
            await send(message)

        try:
            await self._app(scope, receive, looking)
        except Exception:
            answered(500)
            raise

    def _once(self, scope: Scope) -> Callable[[int], None]:
        """Return what takes note of the first status there is."""
        began, noted = self._clock.now(), False

        def answered(status: int) -> None:
            nonlocal noted
            if not noted:
                noted = True
                self._note(scope, status, self._clock.now() - began)

        return answered

    def _note(self, scope: Scope, status: int, ms: int) -> None:
        route = getattr(scope.get("route"), "path", OTHER)
        given = scope.get("method", "GET")
        method = given if given in METHODS else OTHER
        self._metrics.requests[route, method, status].inc()
        log.debug("request_answered", route=route, method=method, status=status, ms=ms)


def _status(message: Message) -> int | None:
    """Return the HTTP status a message carries; None if it carries none."""
    match message["type"]:
        case "http.response.start" | "websocket.http.response.start":
            status: int = message["status"]
            return status
        case "websocket.accept":
            return 101
        case "websocket.close":
            return 403  # before it was accepted; later it does not count
    return None
