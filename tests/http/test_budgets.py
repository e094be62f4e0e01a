"""How much may be asked: of an address, of a player, of new guests; and who pays for it."""

import pytest

from saleroom_protocol.errors import Reason
from saleroom_server.addresses import payer
from saleroom_server.http.budgets import Budgets
from saleroom_server.http.limits import LobbyLimits
from saleroom_server.metrics import Metrics
from saleroom_server.rooms.commands import Refusal
from saleroom_server.settings import Settings
from tests.http.served import Served
from tests.support.hand_clock import HandClock

LEAST = {"requests_at_once": 3, "requests_per_second": 1}


async def limited(**limits: int) -> Served:
    return await Served.open(Settings(lobby=LobbyLimits(**limits)))


async def test_an_address_may_ask_so_much_and_is_told_when_more() -> None:
    served = await limited(**LEAST)
    statuses = [(await served.ask("GET", "/v1/games")).status_code for _ in range(3)]
    refused = await served.ask("GET", "/v1/rooms")
    assert statuses == [200] * 3
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
    assert refused.json()["reason"] == "rate_limited"
    assert refused.json()["facts"] == {"retry_after_ms": 1_000}
    await served.clock.passes(1_000)
    assert (await served.ask("GET", "/v1/rooms")).status_code == 200
    await served.close()


async def test_whoever_watches_over_the_server_is_never_limited() -> None:
    served = await limited(**LEAST)
    for _ in range(10):
        for path in ("/healthz", "/readyz"):
            assert (await served.client.get(path)).status_code == 200
    await served.close()


async def test_new_guests_of_one_address_are_counted_by_themselves() -> None:
    served = await limited(guests_at_once=2, guests_per_second=1)
    statuses = [
        (await served.post("/v1/players", {"name": "Ada", "kind": "person"})).status_code
        for _ in range(3)
    ]
    assert statuses == [201, 201, 429]
    assert (await served.ask("GET", "/v1/games")).status_code == 200
    await served.close()


async def test_nobody_wears_a_room_out_by_coming_and_going() -> None:
    served = await limited(acts_at_once=6, acts_per_second=1)
    host, guest, other = [await served.guest(name) for name in ("Ada", "Bo", "Cy")]
    made = await served.ask("POST", "/v1/rooms", {"game": "kunstmarkt", "seats": 3}, by=host)
    seats = f"/v1/rooms/{made.json()['room']}/seats"
    statuses = []
    for _ in range(4):
        statuses.append((await served.ask("POST", seats, {}, by=guest)).status_code)
        statuses.append((await served.ask("DELETE", f"{seats}/1", by=guest)).status_code)
    assert statuses == [201, 204] * 3 + [429] * 2
    assert (await served.ask("POST", seats, {}, by=other)).status_code == 201, "others may"
    await served.close()


async def test_nobody_fills_the_store_with_tokens_renewed_under_ever_new_keys() -> None:
    served = await limited(acts_at_once=2, acts_per_second=1)
    ada = await served.guest("Ada")
    statuses = [
        (await served.ask("POST", "/v1/players/me/token", by=ada, key=f"k{number}")).status_code
        for number in range(3)
    ]
    assert statuses == [201, 201, 429]
    await served.close()


async def test_nobody_fills_the_store_with_answers_to_be_kept_but_who_asks_again_is_answered() -> (
    None
):
    served = await limited(keys_at_once=2, keys_per_second=1)
    guests = [await served.guest(name) for name in ("Ada", "Bo", "Cy")]
    renewal = "/v1/players/me/token"
    statuses = [(await served.ask("POST", renewal, by=one, key="k")).status_code for one in guests]
    assert statuses == [201, 201, 429]
    assert (await served.ask("POST", renewal, by=guests[0], key="k")).status_code == 201
    assert (await served.ask("POST", renewal, by=guests[2])).status_code == 201, "none is kept"
    await served.close()


@pytest.mark.parametrize(
    ("host", "pays"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
    ],
)
def test_a_whole_network_of_the_new_kind_pays_together(host: str, pays: str) -> None:
    assert payer(host) == pays


def test_of_too_many_the_one_asked_of_longest_ago_is_forgotten() -> None:
    limits = LobbyLimits(requests_at_once=1, requests_per_second=1, budgets=2)
    budgets = Budgets(HandClock(), limits, Metrics())
    for address in ("a", "b"):
        budgets.ask(address)
    with pytest.raises(Refusal) as refused:
        budgets.ask("a")
    assert refused.value.reason is Reason.RATE_LIMITED
    budgets.ask("c")
    budgets.ask("b")
    with pytest.raises(Refusal):
        budgets.ask("c")
    assert len(budgets._by_name["requests"]) == 2


async def test_who_may_ask_everything_again_is_forgotten() -> None:
    clock = HandClock()
    budgets = Budgets(clock, LobbyLimits(requests_at_once=4, requests_per_second=2), Metrics())
    budgets.ask("a")
    await clock.passes(1_500)
    budgets.ask("b")
    await clock.passes(501)
    budgets.sweep()
    assert len(budgets._by_name["requests"]) == 1
    await clock.passes(1_500)
    budgets.sweep()
    assert len(budgets._by_name["requests"]) == 0
