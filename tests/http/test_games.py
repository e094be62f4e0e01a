"""PROTOCOL.md, "HTTP": the games there are, what their ids are, and the schemas."""

import msgspec
import pytest
from jsonschema import Draft202012Validator

from saleroom_protocol.errors import Reason
from saleroom_rules.games import GAMES
from tests.golden.files import ROOT
from tests.http.documented import named_validator
from tests.http.served import Served, refused, told

CATALOGUE = "/v1/games/kunstmarkt/editions/1/catalogue"
SCHEMAS = sorted((ROOT / "protocol/schemas").glob("*.json"))


async def test_every_game_is_listed_with_its_seats_and_options(served: Served) -> None:
    listed = told(await served.get("/v1/games"), 200)
    assert [game["game"] for game in listed] == list(GAMES)
    for game in listed:
        named_validator("GameInfo").validate(game)
        rules = GAMES[game["game"]]
        assert (game["title"], game["edition"]) == (rules.title, rules.edition)
        assert tuple(game["seats"]) == rules.seats


async def test_options_are_a_schema_that_knows_what_a_room_may_be_set_to(served: Served) -> None:
    (schema,) = (
        game["options"]
        for game in told(await served.get("/v1/games"), 200)
        if game["game"] == "kunstmarkt"
    )
    Draft202012Validator.check_schema(schema)
    options = Draft202012Validator(schema)
    assert options.is_valid({"hidden_cash": True})
    assert options.is_valid({})
    assert not options.is_valid({"hidden_cash": 1})
    assert not options.is_valid({"turbo": True})


async def test_the_catalogue_says_what_every_id_is(served: Served) -> None:
    response = await served.get(CATALOGUE)
    catalogue = told(response, 200)
    schema = msgspec.json.decode((ROOT / "protocol/schemas/kunstmarkt.json").read_bytes())
    Draft202012Validator({**schema, "$ref": "#/$defs/catalogue"}).validate(catalogue)
    assert (len(catalogue["pictures"]), len(catalogue["customers"])) == (48, 28)
    assert "immutable" in response.headers["cache-control"]


@pytest.mark.parametrize("had", ["{tag}", "W/{tag}", '"other", {tag}', "*"])
async def test_who_has_it_already_is_not_sent_it_again(served: Served, had: str) -> None:
    first = await served.get(CATALOGUE)
    condition = had.format(tag=first.headers["etag"])
    second = await served.get(CATALOGUE, headers={"If-None-Match": condition})
    assert (second.status_code, second.content) == (304, b"")
    for name in ("etag", "cache-control"):
        assert second.headers[name] == first.headers[name]


async def test_who_has_another_is_sent_this_one(served: Served) -> None:
    other = {"If-None-Match": '"kunstmarkt-2"'}
    assert (await served.get(CATALOGUE, headers=other)).status_code == 200


@pytest.mark.parametrize(
    ("game", "edition"),
    [("chess", "1"), ("kunstmarkt", "2"), ("kunstmarkt", "01"), ("kunstmarkt", "x"), ("%00", "1")],
)
async def test_an_unknown_game_or_edition_is_not_found(
    served: Served, game: str, edition: str
) -> None:
    response = await served.get(f"/v1/games/{game}/editions/{edition}/catalogue")
    refused(response, Reason.UNKNOWN_GAME, game="\x00" if game == "%00" else game)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: str(path.stem))
async def test_the_schemas_are_those_of_the_repository(served: Served, path: object) -> None:
    file = ROOT / str(path)
    response = await served.client.get(f"/v1/schemas/{file.name}")
    assert (response.status_code, response.content) == (200, file.read_bytes())
    assert response.headers["content-type"] == "application/schema+json"


async def test_a_schema_nobody_made_is_a_path_nobody_knows(served: Served) -> None:
    assert (await served.get("/v1/schemas/nothing.json")).status_code == 404
