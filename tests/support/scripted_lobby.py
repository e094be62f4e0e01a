"""A scripted HTTP server: it answers with what it was given, first to last, and notes requests."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Request:
    """What was asked."""

    method: str
    path: str
    key: str | None
    token: str | None
    body: Any


@dataclass(frozen=True)
class Answer:
    """What is answered; status 0 breaks the connection instead."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


def problem(status: int, reason: str, **facts: Any) -> Answer:
    """Return problem details, RFC 9457."""
    body = {"type": "about:blank", "title": "Refused", "status": status, "reason": reason}
    return Answer(status, body | {"detail": "Scripted.", "facts": facts})


BROKEN = Answer(0)


class LobbyServer(ThreadingHTTPServer):
    """A server with a script.

    Attributes:
        answers: to come.
        requests: so far.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.answers: list[Answer] = []
        self.requests: list[Request] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Asked(BaseHTTPRequestHandler):
    server: LobbyServer

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        self.server.requests.append(self._read())
        answer = self.server.answers.pop(0)
        if answer.status == 0:
            return
        written = (
            answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        )
        body = b"" if answer.body is None else written
        self.send_response(answer.status)
        for name, value in (answer.headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _read(self) -> Request:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return Request(
            self.command,
            self.path,
            self.headers.get("Idempotency-Key"),
            self.headers.get("Authorization"),
            json.loads(body) if body else None,
        )

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@contextmanager
def lobby_server() -> Iterator[LobbyServer]:
    """Serve on a port of the loopback."""
    with LobbyServer() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
