"""Tokens: what is ours is read, everything else is `bad_token` and nothing worse."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous.encoding import base64_encode

from saleroom_protocol.errors import Reason
from saleroom_server.rooms.commands import Caller, Refusal
from saleroom_server.tokens import Claims, Tokens
from tests.support.nodes import PEOPLE

NOW = 1_790_000_000_000
TOKENS = Tokens(b"a key", 1_000)
GOOD = TOKENS.issue(PEOPLE[0], NOW).token


def is_bad(token: str) -> bool:
    with pytest.raises(Refusal) as refused:
        TOKENS.read_expired(token)
    return refused.value.reason is Reason.BAD_TOKEN


@given(st.text(max_size=24), st.sampled_from(["person", "bot"]))
def test_a_token_says_what_it_was_issued_for(name: str, kind: str) -> None:
    caller = msgspec.convert({"player": "p" + "z" * 16, "name": name, "kind": kind}, Caller)
    issued = TOKENS.issue(caller, NOW)
    assert (issued.player, issued.name, issued.kind) == (caller.player, name, kind)
    assert issued.expires_at == NOW + 1_000
    assert TOKENS.read(issued.token, NOW).caller == caller
    assert issued.token.isascii()
    assert not set(issued.token) & set(" /+&?#%")


def test_a_token_is_good_until_it_is_too_old_and_can_still_be_read_then() -> None:
    assert TOKENS.read(GOOD, NOW + 999).caller == PEOPLE[0]
    with pytest.raises(Refusal) as refused:
        TOKENS.read(GOOD, NOW + 1_000)
    assert refused.value.reason is Reason.BAD_TOKEN
    assert TOKENS.read_expired(GOOD).caller == PEOPLE[0]


def test_a_token_of_another_key_is_bad() -> None:
    assert is_bad(Tokens(b"another key", 1_000).issue(PEOPLE[0], NOW).token)


@pytest.mark.parametrize("place", range(0, len(GOOD), 3))
def test_a_token_that_was_tampered_with_is_bad(place: int) -> None:
    other = "A" if GOOD[place] != "A" else "B"
    assert is_bad(GOOD[:place] + other + GOOD[place + 1 :])
    assert is_bad(GOOD[:place])


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_garbage_is_bad(token: str) -> None:
    assert is_bad(token)


@pytest.mark.parametrize("token", ["\ud800", "é.é", ".", "..", GOOD + ".", "." + GOOD, GOOD * 2])
def test_odd_garbage_is_bad(token: str) -> None:
    assert is_bad(token)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"!",
        b"A",
        base64_encode(b"\xc1"),
        base64_encode(msgspec.msgpack.encode({"player": "p"})),
        base64_encode(msgspec.msgpack.encode(Claims("p", "n", "person", NOW))[:-3]),
        base64_encode(msgspec.msgpack.encode({"player": 1, "name": 2, "kind": 3, "expires_at": 4})),
    ],
)
def test_what_another_version_signed_is_bad_if_it_cannot_be_read(payload: bytes) -> None:
    assert is_bad(TOKENS._signer.sign(payload).decode())


@pytest.mark.parametrize("part", [0, 1])
def test_a_token_has_one_spelling(part: int) -> None:
    parts = GOOD.split(".")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    alike = [parts[part][:-1] + letter for letter in letters]
    alike += [parts[part] + "=", parts[part] + "==", parts[part] + "\n", " " + parts[part]]
    alike += [parts[part].replace("-", "+").replace("_", "/")]
    for spelling in {*alike} - {parts[part]}:
        parts[part] = spelling
        assert is_bad(".".join(parts)), spelling
