"""PROTOCOL.md tells the truth: its examples, its tables, its transcript, its first client."""

import asyncio
import hashlib
import json
import re
import sys
from random import Random
from typing import Any
from urllib.parse import urlsplit

import msgpack
import pytest
from jsonschema import Draft202012Validator
from msgspec import UNSET
from websockets.asyncio.server import serve

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_protocol.document import Document, RoomEvent
from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.games.forms import Form, fillings
from saleroom_protocol.games.record import AnyEntry
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import ClientMessage, Left, Refused, ServerMessage, Update
from saleroom_rules.games import GAMES
from saleroom_rules.rng import Rng
from saleroom_server.gateway.limits import GatewayLimits
from tests.golden.blocks import BLOCK, BLOCKS
from tests.golden.files import PROTOCOL, RECORDS, ROOT, SCHEMAS
from tests.support.event_source import read
from tests.support.scripted import SUBPROTOCOL, ScriptedRoom
from tests.support.witness import check, merged

TEXT = PROTOCOL.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```json\n(.*?)\n```", TEXT, re.DOTALL)
PROGRAMS = dict(re.findall(r"<!-- example: (\S+) -->\n```python\n(.*?)```", TEXT, re.DOTALL))
TRANSCRIPTS = {
    found["name"]: re.findall(r"^([<>]) (\{.*\})$", found["body"], re.MULTILINE)
    for found in BLOCK.finditer(TEXT)
    if found["name"].startswith("transcript")
}
STREAM = "stream of events"
SOCKET = "/v1/play"  # where `GET` is upgraded
CLIENT_TYPES = {kind.__struct_config__.tag for kind in ClientMessage.__args__}


def section(title: str, text: str = TEXT) -> str:
    """Return the text under a heading, down to the next of its level."""
    level = re.search(rf"^(#+) {title}$", text, re.MULTILINE)
    assert level is not None, title
    rest = text[level.end() :]
    end = re.search(rf"^#{{1,{len(level[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def tags(union: Any) -> set[str]:
    return {kind.__struct_config__.tag for kind in union.__args__}


def fields(types: Any) -> set[str]:
    return {name for kind in types for name in kind.__struct_encode_fields__}


def first_column(text: str) -> set[str]:
    """Return the words in code marks in the first column of a section's tables."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    return {word for row in rows for word in re.findall(r"`(?:\{[^}]*\"do\": \")?(\w+)\??", row)}


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_a_message_or_a_form(example: str) -> None:
    message = json.loads(example)
    if "choose" in message:
        written = JSON.encode(Form.read(message).wire())
        assert json.loads(written) == message
        return
    if message["type"] in CLIENT_TYPES:
        read = JSON.read_request(example.encode(), Limits())
        assert not isinstance(read, Refused), read
    else:
        told = JSON.read_told(example.encode())
        assert told is not None
        assert json.loads(JSON.encode(told)) == message


def test_every_message_is_described_and_no_other() -> None:
    def described(title: str) -> set[str]:
        return set(re.findall(r"\*\*`(\w+)`\*\*", section(title)))

    assert described("Client to server") == tags(ClientMessage)
    assert described("Server to client") == tags(ServerMessage)


@pytest.mark.parametrize(
    ("title", "union"), [("Client to server", ClientMessage), ("Server to client", ServerMessage)]
)
def test_every_field_of_every_message_is_named(title: str, union: Any) -> None:
    parts = re.split(r"(?=\*\*`\w+`\*\*)", section(title))
    for kind in union.__args__:
        described = [
            part for part in parts if part.startswith(f"**`{kind.__struct_config__.tag}`**")
        ]
        assert described
        for name in kind.__struct_encode_fields__:
            assert re.search(rf"`{name}\??`", described[0]), f"{kind.__name__}.{name}"


def test_every_field_of_the_document_is_named() -> None:
    assert first_column(section("The document")) == fields([Document])


def test_every_event_of_the_room_is_named_with_its_fields() -> None:
    text = section("The document")
    for kind in RoomEvent.__args__:
        named = rf"`{kind.__struct_config__.tag}`"
        if kind.__struct_fields__:
            named += rf"\s\{{{', '.join(kind.__struct_fields__)}\}}"
        assert re.search(named, text), named


def test_every_line_of_a_record_is_named_with_its_fields() -> None:
    rows = [line for line in section("Record").splitlines() if line.startswith("| `")]
    written = {row.split("|")[1].strip(): row.split("|")[2] for row in rows}
    for kind in AnyEntry.__args__:
        (row,) = [
            cells for name, cells in written.items() if f"`{kind.__struct_config__.tag}`" in name
        ]
        own = set(kind.__struct_fields__) - {"entry", "seq", "at"}
        named = set(re.findall(r"`(\w+)\??`", row))
        assert own <= named, kind


@pytest.mark.parametrize("key", list(VOCABULARIES))
def test_a_games_actions_events_and_table_are_those_of_its_vocabulary(key: str) -> None:
    vocabulary = VOCABULARIES[key]
    whole = section(re.escape(GAMES[key].title))
    assert whole.strip().startswith(f"Key `{key}`, edition {GAMES[key].edition},")
    assert first_column(section("Actions", whole)) == tags(vocabulary.action)
    assert first_column(section("Events", whole)) == tags(vocabulary.event)
    assert first_column(section("Table", whole)) == fields([vocabulary.table])
    for name in vocabulary.private.__struct_fields__:
        assert f"`{name}`" in section("Table", whole)
    for name in (*vocabulary.catalogue.__struct_fields__, *vocabulary.options.__struct_fields__):
        assert name in whole
    windows = first_column(section("Rules, in short", whole))
    assert windows == set(vocabulary.facts)


@pytest.mark.parametrize("key", list(VOCABULARIES))
def test_every_rule_that_can_be_broken_is_explained_once(key: str) -> None:
    rules = section("Rules, in short", section(re.escape(GAMES[key].title)))
    explained = re.findall(r"\b([A-Z]-[A-Z]+(?:-\d+)?):", rules)
    assert len(explained) == len(set(explained))
    assert {why.rule for why in VOCABULARIES[key].why} <= set(explained)


def test_every_game_has_a_section() -> None:
    assert set(re.findall(r"^Key `(\w+)`, edition", TEXT, re.MULTILINE)) == set(VOCABULARIES)


def test_every_generated_block_is_there_once() -> None:
    guide = (ROOT / "server" / "OPERATING.md").read_text(encoding="utf-8")
    assert sorted(found["name"] for found in BLOCK.finditer(TEXT + guide)) == sorted(BLOCKS)


def test_links_within_the_text_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors
    for path in re.findall(r"\]\(((?!#)[^)]+)\)", TEXT):
        assert (PROTOCOL.parent / path).exists(), path


# The transcripts


@pytest.fixture(params=["transcript", "transcript of a turn", "transcript of an exhibition"])
def lines(request: pytest.FixtureRequest) -> list[tuple[str, str]]:
    return TRANSCRIPTS[request.param]


def test_the_transcripts_are_found() -> None:
    assert [*TRANSCRIPTS] == ["transcript of a turn", "transcript of an exhibition", "transcript"]


def test_every_line_of_a_transcript_is_a_message(lines: list[tuple[str, str]]) -> None:
    assert len(lines) > 20
    for arrow, line in lines:
        frame = msgpack.packb(json.loads(line))
        if arrow == ">":
            assert not isinstance(MSGPACK.read_request(frame, Limits()), Refused)
        else:
            assert MSGPACK.read_told(frame) is not None


def test_a_transcripts_patches_lead_to_its_checks_and_its_requests_have_receipts(
    lines: list[tuple[str, str]],
) -> None:
    document: Any = {}
    seq, asked, answered = 0, set(), set()
    for arrow, line in lines:
        message = json.loads(line)
        if arrow == ">":
            asked |= {message["id"]} if "id" in message else set()
            continue
        if message["type"] == "view":
            document, seq = message["document"], message["seq"]
        elif message["type"] == "update":
            assert message["seq"] == seq + 1
            document, seq = merged(document, message["patch"]), seq + 1
        if "check" in message:
            assert check(document) == message["check"]
        answered |= {message["id"]} if "id" in message else set()
    assert asked == answered


def test_a_transcripts_documents_fit_the_schemas(lines: list[tuple[str, str]]) -> None:
    def validator(name: str, part: str | None = None) -> Draft202012Validator:
        schema = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
        return Draft202012Validator(schema | ({"$ref": f"#/$defs/{part}"} if part else {}))

    document: Any = {}
    for arrow, line in lines:
        message = json.loads(line)
        if arrow == "<" and message["type"] in ("view", "update"):
            document = message.get("document") or merged(document, message["patch"])
            game = document["game"]
            assert not list(validator("document").iter_errors(document))
            assert not list(validator(game, "table").iter_errors(document["table"]))
            assert not list(validator(game, "you").iter_errors(document["you"]))
            for event in message.get("events", ()):
                if event != {"event": "finished"}:
                    assert not list(validator(game, "event").iter_errors(event))


def test_the_transcript_of_a_turn_has_all_that_can_happen_to_a_counter() -> None:
    lines = TRANSCRIPTS["transcript of a turn"]
    updates = [json.loads(line) for arrow, line in lines if '"update"' in line]
    told = [event["event"] for update in updates for event in update["events"]]
    wanted = ("counter_placed", "objected", "stated", "challenged", "might_committed")
    assert [*dict.fromkeys(event for event in told if event in wanted)] == [*wanted]
    assert told[-3:] == ["works_shown", "works_paid", "fame_moved"]


def test_the_transcript_of_an_exhibition_has_every_step_of_a_turn() -> None:
    lines = TRANSCRIPTS["transcript of an exhibition"]
    messages = [(arrow, json.loads(line)) for arrow, line in lines]
    sent = [message for arrow, message in messages if arrow == ">"]
    wanted = ["trade", "arrange", "hold", "use_space", "claim", "favour_draw", "done", "discard"]
    assert [act["action"]["do"] for act in sent] == wanted
    assert [act["action"]["do"] for act in sent if "window" not in act] == ["arrange"]
    assert all("arrangement" not in act["action"] for act in sent)
    told = [message for _, message in messages if message["type"] == "update"]
    assert [
        update["patch"]["window"]["kind"]
        for update in told
        if "window" in update["patch"] and "kind" in update["patch"]["window"]
    ] == ["action", "bonus_space", "action", "discard", "trade"]


def test_windows_of_one_budget_share_a_clock_in_the_transcript_of_an_exhibition() -> None:
    document: Any = {}
    left: list[int] = []
    for _, line in TRANSCRIPTS["transcript of an exhibition"]:
        message = json.loads(line)
        if message["type"] in ("view", "update"):
            document = message.get("document") or merged(document, message["patch"])
            window = document["window"]
            if window["kind"] == "action":
                left.append(window["closes_at"] - window["opened_at"])
    assert left == [60_000, 60_000, 58_000, 57_000, 56_000]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("A turn, as the active player saw it", "transcript of a turn"),
        ("A turn with an exhibition", "transcript of an exhibition"),
    ],
)
def test_the_guide_to_a_turn_names_the_events_that_its_updates_tell(title: str, name: str) -> None:
    updates = [json.loads(line) for _, line in TRANSCRIPTS[name]]
    told = {
        update["seq"]: {event["event"] for event in update["events"]}
        for update in updates
        if update.get("events")
    }
    guide = section(title).partition("<!--")[0]
    items = re.findall(r"^- (\d+)(?: to (\d+))?: (.*(?:\n  .*)*)", guide, re.MULTILINE)
    events = {tag for words in VOCABULARIES.values() for tag in tags(words.event)}
    named = {
        seq: events & {*re.findall(r"`(\w+)`", item)}
        for first, last, item in items
        for seq in range(int(first), int(last or first) + 1)
    }
    assert {seq: some for seq, some in named.items() if some} == told


def test_the_transcripts_result_is_that_of_the_golden_record() -> None:
    lines = TRANSCRIPTS["transcript"]
    last = [json.loads(line) for arrow, line in lines if '"status":"finished"' in line][-1]
    data = (RECORDS / "kunstmarkt-3.jsonl").read_bytes()
    *body, closing = data.splitlines(keepends=True)
    assert last["patch"]["result"]["digest"] == hashlib.sha256(b"".join(body)).hexdigest()
    outcome = json.loads(closing)["outcome"]
    assert {**outcome, "digest": json.loads(closing)["digest"]} == last["patch"]["result"]


# The stream of events


def test_the_stream_is_what_a_page_reads_from_its_last_id_to_the_end() -> None:
    (asked, again), (answered, empty) = exchanges()
    events = read(answered.partition("\n\n")[2].encode() + b"\n\n")
    assert [event.kind for event in events] == ["update", "update", "update", "end"]
    ids = [event.id for event in events]
    epoch, _, seq = last_id(asked).partition(".")
    assert ids == [f"{epoch}.{int(seq) + number}" for number in (1, 2, 3, 3)]
    *updates, end = [JSON.read_told(event.data.encode()) for event in events]
    for told, event_id in zip(updates, ids, strict=False):
        assert isinstance(told, Update)
        assert (f"{told.epoch}.{told.seq}", told.check) == (event_id, UNSET)
    assert end == Left(room=asked.split("/")[3], reason="closed")
    assert (last_id(again), empty) == (ids[-1], "HTTP/1.1 204 No Content")


def test_the_stream_ends_as_the_transcript_does() -> None:
    _, (answered, _) = exchanges()
    last = json.loads(read(answered.encode())[2].data)
    seen = next(json.loads(line) for _, line in TRANSCRIPTS["transcript"] if "finished" in line)
    assert {name: last[name] for name in ("seq", "at", "events")} == {
        name: seen[name] for name in ("seq", "at", "events")
    }
    assert last["patch"]["result"] == seen["patch"]["result"]


def test_the_times_of_a_stream_are_the_servers() -> None:
    limits, text = GatewayLimits(), section("Server-sent events")
    assert f"every {limits.comment_ms // 1000} seconds" in text
    assert f"retry: {limits.retry_ms}\n" in text


def exchanges() -> tuple[list[str], list[str]]:
    """Return the requests and the answers of the stream."""
    (body,) = [found["body"] for found in BLOCK.finditer(TEXT) if found["name"] == STREAM]
    parts = re.split(r"^(?=GET |HTTP/)", body.strip("`\n"), flags=re.MULTILINE)[1:]
    told = [part.strip() for part in parts]
    return told[::2], told[1::2]


def last_id(request: str) -> str:
    return request.partition("Last-Event-ID: ")[2]


# The programs


def test_the_first_client_has_thirty_lines() -> None:
    lines = [line for line in PROGRAMS["client.py"].splitlines() if line.strip()]
    assert len(lines) <= 30


@pytest.mark.parametrize("seats", [3, 5])
async def test_the_first_client_plays_a_whole_game(seats: int, tmp_path: Any) -> None:
    program = tmp_path / "client.py"
    program.write_text(PROGRAMS["client.py"], encoding="utf-8")
    room = ScriptedRoom("kunstmarkt", seats, seed=seats)
    async with serve(room.serve, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL]) as server:
        port = server.sockets[0].getsockname()[1]
        client = await asyncio.create_subprocess_exec(
            sys.executable,
            program,
            f"ws://127.0.0.1:{port}",
            "t0ken",
            "rabcdefghijkl",
            stdout=asyncio.subprocess.PIPE,
        )
        printed, _ = await asyncio.wait_for(client.communicate(), 60)
    assert client.returncode == 0
    assert b"'places'" in printed
    assert room.accepted > 5


def test_the_first_client_is_called_with_the_socket_of_a_server() -> None:
    shown = section("A client in thirty lines").partition("<!--")[0]
    (url,) = re.findall(r"^python client\.py (\S+) TOKEN ROOM$", shown, re.MULTILINE)
    assert url.startswith("ws://")
    assert urlsplit(url).path == SOCKET


FORMS: list[dict[str, Any]] = [
    {"do": "pass"},
    {"do": "buy", "picture": "p07", "choose": {"discard": {"one_of": ["p02", "p11"]}}},
    {"do": "give", "choose": {"cards": {"some_of": ["a", "b", "c"]}, "to": {"one_of": [0, 2]}}},
    {"do": "give", "choose": {"cards": {"some_of": ["a", "b", "c"], "min": 1, "max": 2}}},
    {"do": "give", "choose": {"cards": {"some_of": []}}},
    {"do": "put", "choose": {"on": {"assign": {"x": [1, 2], "y": [2]}}}},
    {"do": "put", "choose": {"on": {"assign": {"x": [1, 2, 3], "y": [1, 2]}, "min": 2}}},
    {
        "do": "put",
        "choose": {"on": {"assign": {"x": [1, 2], "y": [1, 2]}, "distinct": True, "min": 1}},
    },
]


def test_the_program_that_fills_has_twelve_lines() -> None:
    assert len([line for line in PROGRAMS["fill.py"].splitlines() if line.strip()]) <= 12


@pytest.mark.parametrize("entry", FORMS)
def test_the_program_that_fills_finds_every_filling_and_nothing_else(entry: dict[str, Any]) -> None:
    names: dict[str, Any] = {}
    exec(PROGRAMS["fill.py"], names)
    names["random"] = Random(1)

    def written(action: dict[str, Any]) -> str:
        ordered = {k: sorted(v) if isinstance(v, list) else v for k, v in action.items()}
        return json.dumps(ordered, sort_keys=True)

    before = json.dumps(entry)
    every = fillings(Form.read(entry)) if "choose" in entry else [entry]
    assert {written(names["fill"](entry)) for _ in range(500)} == {*map(written, every)}
    assert json.dumps(entry) == before


def test_the_scale_of_fame_is_told_as_the_catalogue_has_it() -> None:
    rules = section("Rules, in short", section("Vernissage"))
    assert "space 0 is worth −100,000 and each further one 10,000 more" in rules
    assert "12 IN spaces, 31 to 42, which pay 10,000, 20,000 … 120,000" in rules.replace("\n", " ")
    catalogue: Any = GAMES["vernissage"].catalogue()
    assert list(catalogue.scale) == [-100_000 + 10_000 * space for space in range(31)]
    assert list(catalogue.in_scale) == [10_000 * (space - 30) for space in range(31, 43)]


def test_the_numbers_of_museum_pictura_are_told_as_the_catalogue_has_them() -> None:
    rules = section("Rules, in short", section("Museum Pictura")).replace("\n", " ")
    seen: Any = GAMES["pictura"].catalogue()
    (first, second), (low, *rest, high) = seen.start_points["2"], seen.start_points["3"]
    assert f"on {first} and {second} points, on {low}, {rest[0]} and {high}" in rules
    sizes = ", ".join(f"{n} give {points}" for n, points in enumerate(seen.sizes, seen.least))
    told = sizes.replace(" give ", " paintings give ", 1).replace(",", " points,", 1)
    assert f"{told}, each one more {seen.further} more" in rules
    *fewer, most = map(str, seen.exhibitions)
    assert f"{', '.join(fewer)} or {most} for 1 to {len(seen.exhibitions)} exhibitions" in rules
    assert f"more than {seen.hand} paintings ({seen.spaces['hand_limit']} with" in rules
    assert f"or {seen.favour_hand} favours" in rules
    assert f"reaches {', '.join(map(str, seen.track[:-1]))} and {seen.track[-1]}" in rules
    assert f"first has {seen.goal} points gets {seen.goal_bonus} more" in rules
    for space, amount in seen.spaces.items():
        assert re.search(rf"`{space}` \([^)]*\b{amount}\b|`{space}` \(hang one", rules), space


def test_the_program_that_draws_draws_as_the_rules_do() -> None:
    names: dict[str, Any] = {}
    exec(PROGRAMS["draw.py"], names)
    seed, rng, n = bytes(range(32)), Rng(bytes(range(32))), 0
    for bound in (2, 6, 48, 2**63 + 1, 2**63 + 1, 2**63 + 1, 5):
        expected, rng = rng.draw("d", bound)
        value, n = names["draw"](seed, "d", n, bound)
        assert (value, n) == (expected, rng.counts["d"])
