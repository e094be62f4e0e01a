"""Whatever is sent, the answer is one that is documented: no fault, no trace of one, no secret."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from saleroom_protocol.errors import Reason
from saleroom_protocol.limits import Limits
from tests.http.documented import check_problem
from tests.http.served import Guest, Served, refused, told

MOST = Limits().client_message_bytes
UNREADABLE = {
    "nothing but space": b" ",
    "cut off": b'{"name": "Ada"',
    "two values": b'{"name": "Ada"}{}',
    "trailing comma": b'{"name": "Ada",}',
    "single quotes": b"{'name': 'Ada'}",
    "not UTF-8": b'{"name": "\xff\xfe"}',
    "UTF-16": '{"name": "Ada"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"name": "Ada"}',
    "half a surrogate": rb'{"name": "\ud800"}',
    "a raw control character": b'{"name": "a\x00b"}',
    "NaN": b'{"name": NaN}',
    "MessagePack": b"\x81\xa4name\xa3Ada",
    "a form": b"name=Ada&kind=bot",
    "deep": b'{"name": ' + b"[" * 100 + b"]" * 100 + b"}",
    "very deep": b"[" * (MOST // 2) + b"]" * (MOST // 2),
    "deep and cut off": b'{"a":' * (MOST // 5),
    "wide": b'{"name": [' + b"1," * 300 + b"1]}",
    "many values": b"[" + b",".join([b"[" + b",".join([b"1"] * 200) + b"]"] * 20) + b"]",
    "large": b'{"name": "' + b"x" * MOST + b'"}',
}
OF_NO_MAP = [b"null", b"[]", b'"Ada"', b"7", b"true", b"1.5"]


async def _paths(served: Served, ada: Guest) -> list[str]:
    """Return every path that takes a body, of a room that takes any request."""
    room = (await served.room(ada, autostart=False))["room"]
    acts = ("seats", "bots", "start", "mutes")
    inner = [f"/v1/rooms/{room}/{act}" for act in acts]
    return ["/v1/players", "/v1/players/me/token", "/v1/rooms", *inner]


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
async def test_a_body_that_cannot_be_read_is_malformed(
    served: Served, ada: Guest, body: bytes
) -> None:
    refused(await served.post("/v1/players", body), Reason.MALFORMED)
    for path in await _paths(served, ada):
        for key in (None, "k"):
            reason = check_problem(await served.post(path, body, by=ada, key=key))
            # What stands before the place that cannot be read may have been one thing too many.
            assert reason in (Reason.MALFORMED, Reason.UNKNOWN_FIELD)
    assert not served.kept.answers


@pytest.mark.parametrize("body", OF_NO_MAP)
async def test_a_body_that_is_no_map_is_malformed(served: Served, ada: Guest, body: bytes) -> None:
    for path in await _paths(served, ada):
        refused(await served.post(path, body, by=ada), Reason.MALFORMED)


async def test_a_field_called_nothing_is_an_unknown_one(served: Served) -> None:
    refused(await served.post("/v1/players", {"": 1}), Reason.UNKNOWN_FIELD, field="")


async def test_of_a_field_given_twice_the_last_counts(served: Served) -> None:
    twice = b'{"name": "Ada", "name": "Bob"}'
    assert told(await served.post("/v1/players", twice), 201)["name"] == "Bob"


async def test_what_the_body_says_it_is_makes_no_difference(served: Served) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    told(await served.post("/v1/players", {"name": "Ada"}, headers=form), 201)


async def test_the_largest_body_is_read_and_no_byte_more(served: Served) -> None:
    name = b'{"name": "Ada"}'
    told(await served.post("/v1/players", name + b" " * (MOST - len(name))), 201)
    more = name + b" " * (MOST - len(name) + 1)
    refused(await served.post("/v1/players", more), Reason.MALFORMED)


async def test_a_body_without_end_is_not_read_to_its_end(served: Served) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1000
            yield b" " * 1000

    response = await served.client.post("/v1/players", content=endless())
    assert "content-length" not in response.request.headers
    refused(response, Reason.MALFORMED)
    assert sent <= MOST + 1000


async def test_a_body_in_pieces_is_one(served: Served) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for byte in b'{"name": "Ada"}':
            yield bytes([byte])

    told(await served.client.post("/v1/players", content=pieces()), 201)


async def test_who_goes_away_in_the_middle_of_a_body_leaves_nothing_behind(
    served: Served,
) -> None:
    sent: list[Any] = []
    said = [
        {"type": "http.request", "body": b'{"name"', "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Any:
        return said.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/players", "headers": []}
    await served.app({**scope, "query_string": b""}, receive, send)
    assert sent[0]["status"] == 422


@pytest.mark.parametrize(
    "query", ["?\xff", "?watch=%ff%00", "?watch", "?a=b=c&&&", "?" + "x" * 9_000]
)
async def test_any_query_will_do(served: Served, ada: Guest, query: str) -> None:
    raw = query.encode("latin-1")[1:]
    room = (await served.room(ada, visibility="private"))["room"]
    for method, path in (("GET", ""), ("GET", "/record"), ("POST", "/seats"), ("POST", "/start")):
        status = await _raw(served, method, f"/v1/rooms/{room}{path}", raw, (await served.guest()))
        assert status == 404
    assert (
        await _raw(served, "POST", "/v1/rooms", raw, ada, b'{"game": "kunstmarkt", "seats": 3}')
        == 201
    )


@pytest.mark.parametrize("host", [b"", b"[", b"[::1", b"a b", b"\xff", b"x:y", b"/@?#"])
async def test_any_host_will_do(served: Served, ada: Guest, host: bytes) -> None:
    body = b'{"game": "kunstmarkt", "seats": 3}'
    assert await _raw(served, "POST", "/v1/rooms", b"", ada, body, host=host) == 201


async def _raw(
    served: Served,
    method: str,
    path: str,
    query: bytes,
    by: Guest,
    body: bytes = b"",
    host: bytes = b"saleroom.example",
) -> int:
    """Ask with a query and a host no client of good manners would send; return the status."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [
        (b"host", host),
        (b"authorization", f"Bearer {by.token}".encode()),
        (b"idempotency-key", path.encode()[-50:]),
    ]
    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    await served.app({**scope, "query_string": query, "scheme": "http"}, receive, send)
    status: int = sent[0]["status"]
    return status
