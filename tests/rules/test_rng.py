"""Draws, against the text of PROTOCOL.md written out once more, and against the vectors."""

import hashlib
import hmac
from collections import Counter
from io import StringIO
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from saleroom_rules.rng import Draw, Rng, TracingRng, commitment, game_seed, seed_of
from tests.golden.files import MESSAGES

VECTORS: dict[str, Any] = msgspec.json.decode((MESSAGES / "draws.json").read_bytes())


def lp(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


def word(seed: bytes, domain: str, n: int) -> int:
    digest = hashlib.sha256(seed + lp(domain.encode()) + n.to_bytes(8, "big")).digest()
    return int.from_bytes(digest[:8], "big")


def test_the_vectors_follow_from_the_text() -> None:
    secret = bytes.fromhex(VECTORS["server_seed"])
    assert hashlib.sha256(secret).hexdigest() == VECTORS["commitment"]
    text = b"saleroom/1" + lp(VECTORS["room"].encode())
    for share in VECTORS["contributions"]:
        text += lp(bytes.fromhex(share))
    seed = hmac.new(secret, text, "sha256").digest()
    assert seed.hex() == VECTORS["game_seed"]
    counts: Counter[str] = Counter()
    for draw in VECTORS["draws"]:
        domain, bound = draw["domain"], int(draw["bound"])
        fair = 2**64 // bound * bound
        for _ in range(draw["words"] - 1):
            assert word(seed, domain, counts[domain]) >= fair, "this word was to be rejected"
            counts[domain] += 1
        assert counts[domain] == draw["n"]
        assert word(seed, domain, draw["n"]) < fair
        assert word(seed, domain, draw["n"]) % bound == int(draw["value"])
        counts[domain] += 1
    pile = list(VECTORS["shuffle"]["of"])
    for n, last in enumerate(range(len(pile) - 1, 0, -1)):
        other = word(seed, "pictures", n) % (last + 1)
        pile[last], pile[other] = pile[other], pile[last]
    assert pile == VECTORS["shuffle"]["top_first"]
    die = VECTORS["die"]
    assert die["value"] == 1 + word(seed, die["domain"], die["n"]) % 6


def test_the_rng_draws_the_vectors() -> None:
    rng = Rng(bytes.fromhex(VECTORS["game_seed"]))
    for draw in VECTORS["draws"]:
        before = rng.counts.get(draw["domain"], 0)
        value, rng = rng.draw(draw["domain"], int(draw["bound"]))
        assert (value, rng.counts[draw["domain"]]) == (int(draw["value"]), before + draw["words"])
    pile, rng = rng.shuffle(VECTORS["shuffle"]["domain"], VECTORS["shuffle"]["of"])
    assert list(pile) == VECTORS["shuffle"]["top_first"]
    assert rng.die(VECTORS["die"]["domain"])[0] == VECTORS["die"]["value"]


def test_the_vectors_reject_a_word_somewhere() -> None:
    assert any(draw["words"] > 1 for draw in VECTORS["draws"])


def test_commitment_and_seed_come_from_a_records_header() -> None:
    contributions = {"1": VECTORS["contributions"][1], "2": VECTORS["contributions"][2]}
    made = seed_of(VECTORS["server_seed"], VECTORS["room"], 3, contributions)
    assert tuple(part.hex() for part in made) == (VECTORS["commitment"], VECTORS["game_seed"])


def test_every_part_of_a_seed_matters() -> None:
    secret, shares = bytes(32), [b"", b"ab"]
    seeds = {
        game_seed(secret, "r1", shares),
        game_seed(b"\1" + secret[1:], "r1", shares),
        game_seed(secret, "r2", shares),
        game_seed(secret, "r1", [b"ab", b""]),
        game_seed(secret, "r1", [b"a", b"b"]),
        game_seed(secret, "r1", [b"", b"ab", b""]),
        commitment(secret),
    }
    assert len(seeds) == 7


@given(st.binary(max_size=32), st.integers(1, 2**64))
def test_a_draw_is_below_its_bound_and_counted(seed: bytes, bound: int) -> None:
    value, rng = Rng(seed).draw("d", bound)
    assert 0 <= value < bound
    assert rng.counts["d"] >= 1


@given(st.binary(max_size=32), st.lists(st.integers(), max_size=30))
def test_a_shuffle_keeps_every_item_and_uses_one_domain(seed: bytes, items: list[int]) -> None:
    pile, rng = Rng(seed).shuffle("d", items)
    assert sorted(pile) == sorted(items)
    assert set(rng.counts) == {"d"}


def test_a_shuffle_is_the_draws_it_says_it_is() -> None:
    pile, _ = Rng(b"s").shuffle("d", "abcd")
    rng, items = Rng(b"s"), list("abcd")
    for last in (3, 2, 1):
        other, rng = rng.draw("d", last + 1)
        items[last], items[other] = items[other], items[last]
    assert tuple(items) == pile


def test_one_domains_draws_do_not_move_anothers() -> None:
    rng = Rng(b"s")
    alone, _ = rng.draw("b", 1000)
    _, rng = rng.draw("a", 1000)
    after, _ = rng.draw("b", 1000)
    assert alone == after


def test_the_same_rng_draws_the_same_again() -> None:
    rng = Rng(b"s")
    assert rng.draw("d", 1000) == rng.draw("d", 1000)


def test_a_die_shows_one_to_six() -> None:
    rng, seen = Rng(b"s"), set()
    for _ in range(100):
        eyes, rng = rng.die("d")
        seen.add(eyes)
    assert seen == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("bound", [0, -1, 2**64 + 1])
def test_a_bound_out_of_range_is_an_error(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        Rng(b"s").draw("d", bound)


def test_a_tracing_rng_draws_alike_and_writes_every_accepted_draw_down() -> None:
    trace: list[Draw] = []
    traced, plain = TracingRng(b"s", trace=trace), Rng(b"s")
    assert traced.shuffle("d", range(5))[0] == plain.shuffle("d", range(5))[0]
    value, after = traced.draw("e", 7)
    again, _ = after.draw("e", 2)
    assert [(draw.domain, draw.bound) for draw in trace] == [
        *(("d", bound) for bound in (5, 4, 3, 2)),
        ("e", 7),
        ("e", 2),
    ]
    assert [draw.value for draw in trace[-2:]] == [value, again]
    assert [draw.n for draw in trace[-2:]] == [0, 1]


def test_the_seed_is_in_no_printed_form() -> None:
    shown = StringIO()
    for rng in (Rng(b"tell nobody"), TracingRng(b"tell nobody")):
        Console(file=shown).print(rng, [rng], {"rng": rng})
        shown.write(f"{rng!r} {rng}")
    assert "tell nobody" not in shown.getvalue()
    assert "counts" in shown.getvalue()
