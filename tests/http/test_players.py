"""PROTOCOL.md, "HTTP": guests and their tokens."""

import pytest

from saleroom_protocol.errors import Reason
from saleroom_server.settings import Settings
from tests.http.served import Guest, Served, refused, told

DAY = 24 * 3_600_000
LIFETIME = Settings().token_lifetime_ms
PLAYERS, RENEWAL = "/v1/players", "/v1/players/me/token"


async def test_a_guest_gets_an_id_and_a_token_good_for_thirty_days(served: Served) -> None:
    made = told(await served.post(PLAYERS, {"name": "Ada", "kind": "bot"}), 201)
    assert (made["name"], made["kind"]) == ("Ada", "bot")
    assert made["expires_at"] == served.clock.now() + 30 * DAY


async def test_a_guest_is_a_person_unless_they_say_otherwise(served: Served) -> None:
    assert told(await served.post(PLAYERS, {"name": "Ada"}), 201)["kind"] == "person"


async def test_no_two_guests_are_the_same(served: Served) -> None:
    guests = await served.guests(20)
    assert len({guest.player for guest in guests}) == 20


@pytest.mark.parametrize(
    "name",
    ["A", "x" * 40, "Grüße, Łucja 🎨", "山田　太郎", "می\u200cروم", "👩\u200d🎨", "कि", "\u3164A"],
)
async def test_names_of_all_scripts_are_welcome(served: Served, name: str) -> None:
    assert told(await served.post(PLAYERS, {"name": name}), 201)["name"] == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x" * 41,
        " ",
        "　",
        "\u200d",
        "\u3164",
        "\u115f\u1160\uffa0",
        "\u2800\u2800",
        "\U0001d159",
        "\u0301\u034f",
        "\ufe0f",
        "\u17b4\u180b",
        "\u2062\ufeff",
        "a\u2066b",
        "a\u061cb",
        "a\nb",
        "a\tb",
        "a\x00b",
        "a\x7fb",
        "a\x85b",
        "a\u2028b",
        "a\u202eb",
        "\ue000",
        None,
        7,
        ["Ada"],
    ],
)
async def test_a_name_that_cannot_be_shown_is_refused(served: Served, name: object) -> None:
    refused(await served.post(PLAYERS, {"name": name}), Reason.MALFORMED, field="name")


async def test_what_is_not_a_guest_is_refused_by_its_field(served: Served) -> None:
    refused(await served.post(PLAYERS, {}), Reason.MALFORMED, field="name")
    refused(await served.post(PLAYERS), Reason.MALFORMED)
    wrong = {"name": "Ada", "kind": "house"}
    refused(await served.post(PLAYERS, wrong), Reason.MALFORMED, field="kind")
    more = {"name": "Ada", "age": 36}
    refused(await served.post(PLAYERS, more), Reason.UNKNOWN_FIELD, field="age")


async def test_an_idempotency_key_makes_no_difference_to_a_new_guest(served: Served) -> None:
    first = await served.post(PLAYERS, {"name": "Ada"}, key="k")
    second = await served.post(PLAYERS, {"name": "Ada"}, key="k")
    assert told(first, 201)["player"] != told(second, 201)["player"]
    told(await served.post(PLAYERS, {"name": "Bob"}, key="k" * 1000), 201)
    assert not served.kept.answers


async def test_a_renewed_token_speaks_for_the_same_player(served: Served, ada: Guest) -> None:
    await served.clock.passes(DAY)
    fresh = told(await served.post(RENEWAL, by=ada), 201)
    assert fresh["expires_at"] == served.clock.now() + 30 * DAY
    again = Guest(ada.player, ada.name, fresh["token"])
    assert (await served.room(again))["host"] == ada.player


async def test_a_token_is_good_until_its_last_millisecond(served: Served, ada: Guest) -> None:
    await served.clock.passes(LIFETIME - 1)
    told(await served.post(RENEWAL, by=ada), 201)
    await served.clock.passes(1)
    refused(await served.post(RENEWAL, by=ada), Reason.BAD_TOKEN)
    refused(await served.post("/v1/rooms", {}, by=ada), Reason.BAD_TOKEN)


async def _with_seat() -> tuple[Served, Guest, str]:
    """Return a server whose waiting rooms are very patient."""
    settings = Settings()
    patient = type(settings.room)(waiting_ms=1000 * DAY)
    served = await Served.open(Settings(room=patient))
    ada = await served.guest()
    return served, ada, (await served.room(ada))["room"]


async def test_a_seat_holder_may_renew_up_to_thirty_days_late() -> None:
    served, ada, room = await _with_seat()
    await served.clock.passes(LIFETIME + 30 * DAY - 1)
    fresh = told(await served.post(RENEWAL, by=ada), 201)
    again = Guest(ada.player, ada.name, fresh["token"])
    assert told(await served.post(f"/v1/rooms/{room}/seats", by=again), 200) == {"seat": 0}
    await served.clock.passes(1)
    refused(await served.post(RENEWAL, by=ada), Reason.BAD_TOKEN)
    await served.close()


async def test_so_may_a_seat_holder_whose_room_is_not_in_memory_yet() -> None:
    served, ada, _ = await _with_seat()
    await served.clock.passes(LIFETIME)
    await served.restart()
    told(await served.post(RENEWAL, by=ada), 201)
    await served.close()


async def test_whoever_holds_no_seat_may_not_renew_late(served: Served, ada: Guest) -> None:
    await served.room(ada, take_seat=False)
    await served.clock.passes(LIFETIME)
    refused(await served.post(RENEWAL, by=ada), Reason.BAD_TOKEN)


async def test_nor_may_whoever_gave_it_up_or_whose_room_has_ended() -> None:
    served, ada, room = await _with_seat()
    told(await served.delete(f"/v1/rooms/{room}/seats/0", by=ada), 204)
    await served.clock.passes(LIFETIME)
    refused(await served.post(RENEWAL, by=ada), Reason.BAD_TOKEN)
    await served.close()


async def test_a_seat_in_a_room_that_has_ended_is_none(served: Served, ada: Guest) -> None:
    room = (await served.room(ada))["room"]
    await served.clock.passes(LIFETIME)
    assert await served.status(room) == "closed"
    refused(await served.post(RENEWAL, by=ada), Reason.BAD_TOKEN)


async def test_renewing_has_nothing_to_say(served: Served, ada: Guest) -> None:
    told(await served.post(RENEWAL, {}, by=ada), 201)
    refused(await served.post(RENEWAL, {"days": 1}, by=ada), Reason.UNKNOWN_FIELD, field="days")
    refused(await served.post(RENEWAL, []), Reason.BAD_TOKEN)


async def test_another_servers_token_is_refused(served: Served) -> None:
    other = await Served.open()
    stranger = await other.guest()
    await other.close()
    refused(await served.post(RENEWAL, by=stranger), Reason.BAD_TOKEN)


async def test_a_token_outlives_the_server_that_made_it(served: Served, ada: Guest) -> None:
    await served.restart()
    told(await served.post(RENEWAL, by=ada), 201)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer  ",
        "Bearer x",
        "Bearer .",
        "Bearer a.b",
        "Basic QWRhOng=",
        "Bearer ÿþ.ÿ",
        "Bearer " + "x" * 9_000,
    ],
)
async def test_a_broken_authorization_is_a_bad_token_wherever_one_may_stand(
    served: Served, ada: Guest, header: str
) -> None:
    room = (await served.room(ada))["room"]
    broken = {"Authorization": header}
    for path in ("/v1/players/me/token", "/v1/rooms", f"/v1/rooms/{room}/start"):
        refused(await served.post(path, headers=broken), Reason.BAD_TOKEN)
    for path in (f"/v1/rooms/{room}", f"/v1/rooms/{room}/record"):
        refused(await served.get(path, headers=broken), Reason.BAD_TOKEN)
    refused(await served.delete(f"/v1/rooms/{room}/seats/0", headers=broken), Reason.BAD_TOKEN)


async def test_a_token_changed_in_one_character_is_refused(served: Served, ada: Guest) -> None:
    for place in range(0, len(ada.token) - 1, 7):  # of the last one not every bit counts
        other = "A" if ada.token[place] != "A" else "B"
        forged = Guest(ada.player, ada.name, ada.token[:place] + other + ada.token[place + 1 :])
        refused(await served.post(RENEWAL, by=forged), Reason.BAD_TOKEN)


async def test_the_scheme_may_be_written_in_any_case(served: Served, ada: Guest) -> None:
    headers = {"Authorization": f"bEARER  {ada.token} "}
    told(await served.post(RENEWAL, headers=headers), 201)


async def test_what_acts_for_a_player_needs_a_token(served: Served, ada: Guest) -> None:
    room = (await served.room(ada))["room"]
    for path in ("/v1/rooms", *(f"/v1/rooms/{room}/{what}" for what in ACTS)):
        refused(await served.post(path, {}), Reason.BAD_TOKEN)
    refused(await served.delete(f"/v1/rooms/{room}/seats/0"), Reason.BAD_TOKEN)


ACTS = ("seats", "bots", "start", "mutes")
