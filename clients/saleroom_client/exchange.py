"""One HTTP request and its answer, blocking; all that is known of `http.client` is here."""

import ssl
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult, urlencode, urlsplit

import msgspec

from saleroom_client.errors import Refused
from saleroom_protocol.http import Problem

SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
LOST = (OSError, HTTPException)  # what a connection that breaks can raise here

# An answer with one of these means: nothing was done; or, if something was, the key shows it.
PASSING = frozenset({429, 503})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request, as it is sent each time it is tried.

    Attributes:
        method: GET, POST or DELETE.
        path: under the server's root, from `/v1` on.
        query: its parameters; those that are None are left out.
        body: JSON, or None for none.
        headers: beside those about the body.
    """

    method: str
    path: str
    query: dict[str, str | int | None] = field(default_factory=dict)
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def target(self) -> str:
        """The path with its query."""
        given = {name: value for name, value in self.query.items() if value is not None}
        return f"{self.path}?{urlencode(given)}" if given else self.path


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        status: of HTTP.
        retry_after: seconds, if the server told.
        body: all of it.
    """

    status: int
    retry_after: float | None
    body: bytes

    @property
    def wait(self) -> float | None:
        """Seconds to wait before asking again, if the server told, in the header or the body."""
        told = self.refusal().facts.get("retry_after_ms")
        if self.retry_after is None and isinstance(told, int):
            return told / 1000
        return self.retry_after

    def refusal(self) -> Refused:
        """Return the exception that says what the problem details say. RFC 9457."""
        try:
            problem = msgspec.json.decode(self.body, type=Problem)
        except msgspec.DecodeError:  # of something between the server and here
            return Refused(f"http_{self.status}", {}, status=self.status)
        return Refused(problem.reason, problem.facts, problem.detail, status=self.status)


def root_of(url: str) -> SplitResult:
    """Return the parts of a server's root.

    Raises:
        ValueError: it is no address of a server.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise ValueError(f"not the address of a server: {url!r}")
    path = parts.path.rstrip("/").removesuffix("/v1/play")
    return SplitResult(SCHEMES[parts.scheme], parts.netloc, path, "", "")


def exchange(root: SplitResult, call: Call, timeout: float) -> Reply:
    """Send a request over a connection of its own and read the answer.

    Raises:
        OSError, HTTPException: the connection was refused or lost, or took longer than
            `timeout` seconds for a step.
    """
    connection = _connection(root, timeout)
    kind = {} if call.body is None else {"Content-Type": "application/json"}
    try:
        connection.request(call.method, root.path + call.target, call.body, call.headers | kind)
        response = connection.getresponse()
        wait = response.getheader("Retry-After", "")
        return Reply(response.status, float(wait) if wait.isdecimal() else None, response.read())
    finally:
        connection.close()


def _connection(root: SplitResult, timeout: float) -> HTTPConnection:
    host = root.hostname or ""
    if root.scheme == "http":
        return HTTPConnection(host, root.port, timeout=timeout)
    return HTTPSConnection(host, root.port, timeout=timeout, context=_trust())


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()
