"""Arbitrary bodies, paths and headers: only documented answers, and never a secret in them."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from httpx import Response
from hypothesis import given, settings
from hypothesis import strategies as st

from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.settings import Settings
from tests.http.served import Guest, Served

NOWHERE = "raaaaaaaaaaaa"


class Standing:
    """A server that stays the same for many examples, with a room of each kind."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        # Many rooms are made, and most of the requests for more are refused.
        limits = OwnerLimits(rooms_per_player=8)
        self.served = runner.run(Served.open(Settings(owner=limits)))
        self.ada, self.bob = runner.run(self.served.guests(2))
        self.public = self._room(autostart=False)
        self.private = self._room(visibility="private", bots=[{"level": "easy"}])
        self.secrets = [
            str(room[name]) for room in (self.public, self.private) for name in ("invite", "watch")
        ]
        self.secrets += [self.ada.token, self.bob.token]

    def _room(self, **fields: Any) -> Any:
        return self._runner.run(self.served.room(self.ada, **fields))

    def ask(self, *request: Any, **how: Any) -> Response:
        return self._runner.run(self.served.ask(*request, **how))

    def close(self) -> None:
        self._runner.run(self.served.close())


@pytest.fixture(scope="module")
def standing() -> Iterator[Standing]:
    with asyncio.Runner() as runner:
        server = Standing(runner)
        yield server
        server.close()


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**60, max_value=2**200)
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=50),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=12), inner, max_size=5)
    ),
    max_leaves=20,
)
# What each field of any body may well be.
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "name": st.sampled_from(["Ada", "x" * 41, "\n"]),
    "kind": st.sampled_from(["person", "bot", "house"]),
    "game": st.sampled_from(["kunstmarkt", "chess"]),
    "seats": st.integers(2, 6),
    "options": st.fixed_dictionaries({}, optional={"hidden_cash": st.booleans() | anything}),
    "pace": st.sampled_from(["relaxed", "standard", "quick", "untimed"]),
    "visibility": st.sampled_from(["public", "private"]),
    "take_seat": st.booleans(),
    "bots": st.lists(
        st.fixed_dictionaries({"level": st.just("easy")}, optional={"seat": st.integers(0, 9)})
    ),
    "autostart": st.booleans(),
    "entropy": st.sampled_from(["00" * 16, "00" * 40, "zz"]),
    "seat": st.integers(-1, 10),
    "invite": st.text(max_size=120),
    "level": st.sampled_from(["easy", "steady", "hard"]),
    "player": st.sampled_from(["p" + "a" * 16, "house1", ""]),
    "muted": st.booleans(),
}
OF_BODY = {
    "/v1/players": ["name", "kind"],
    "/v1/players/me/token": [],
    "/v1/rooms": [*FIELDS][2:11],
    "/v1/rooms/{room}/seats": ["seat", "invite", "entropy"],
    "/v1/rooms/{room}/bots": ["seat", "level"],
    "/v1/rooms/{room}/start": [],
    "/v1/rooms/{room}/mutes": ["player", "muted"],
}
keys = st.none() | st.text(st.characters(codec="latin-1"), max_size=110)
some_text = st.text(min_size=1, max_size=30).filter(lambda text: text not in (".", ".."))


def bodies(names: list[str]) -> st.SearchStrategy[bytes]:
    """Return bodies that are nearly right, those that are JSON at least, and any bytes."""
    nearly = st.fixed_dictionaries(
        {}, optional={name: FIELDS[name] | anything for name in names} | {"more": anything}
    )
    right = st.fixed_dictionaries({}, optional={name: FIELDS[name] for name in names})
    return (right | nearly | anything).map(lambda body: json.dumps(body).encode()) | st.binary()


@pytest.mark.parametrize("path", OF_BODY)
@settings(max_examples=60)
@given(data=st.data())
def test_any_body_gets_a_documented_answer(
    standing: Standing, path: str, data: st.DataObject
) -> None:
    rooms = [standing.public["room"], standing.private["room"], NOWHERE]
    room = data.draw(st.sampled_from(rooms) | some_text, "room")
    body = data.draw(bodies(OF_BODY[path]), "body")
    by: Guest | None = data.draw(st.sampled_from([standing.ada, standing.bob, None]), "by")
    key = data.draw(keys, "key")
    template = path.replace("{room}", quote(room, safe=""))
    response = standing.ask("POST", template, body, by=by, key=key)
    assert response.status_code < 500 or _says(response) == "full"
    if response.status_code >= 400:
        _tells_no_secret(standing, response)


@settings(max_examples=150)
@given(data=st.data())
def test_any_path_gets_a_documented_answer(standing: Standing, data: st.DataObject) -> None:
    known = [standing.public["room"], standing.private["room"], "rooms", "record", "seats", "v1"]
    part = st.sampled_from([*known, "games", "kunstmarkt", "editions", "1"]) | some_text
    parts = data.draw(st.lists(part, max_size=6), "path")
    query = data.draw(st.dictionaries(st.sampled_from(["watch", "limit", "after"]), some_text))
    asked = "&".join(f"{name}={quote(value)}" for name, value in query.items())
    path = "/".join(["/v1", *(quote(part, safe="") for part in parts)])
    by = data.draw(st.sampled_from([standing.bob, None]), "by")
    method = data.draw(st.sampled_from(["GET", "POST", "DELETE"]), "method")
    response = standing.ask(method, f"{path}?{asked}", by=by)
    assert response.status_code < 500
    _tells_no_secret(standing, response)


@settings(max_examples=60)
@given(header=st.text(st.characters(codec="latin-1"), max_size=60))
def test_any_authorization_but_the_right_one_is_refused(standing: Standing, header: str) -> None:
    for value in (header, f"Bearer {header}"):
        response = standing.ask("POST", "/v1/rooms", {}, headers={"Authorization": value})
        assert response.status_code == 401


def _says(response: Response) -> str:
    reason: str = response.json()["reason"]
    return reason


def _tells_no_secret(standing: Standing, response: Response) -> None:
    told = response.text + str(response.headers)
    assert "Traceback" not in told
    assert not any(secret in told for secret in standing.secrets)
