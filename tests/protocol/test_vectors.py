"""The vectors in seeds/messages: read, written, and witnessed by another MessagePack library."""

import json
import zlib
from typing import Any

import msgpack
import msgspec
import pytest
from jsonschema import Draft202012Validator

from saleroom_protocol.canonical import canonical, check
from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import ClientMessage, ServerMessage
from tests.golden.files import MESSAGES, SCHEMAS
from tests.golden.vectors import PATCHES


def load(name: str) -> Any:
    return json.loads((MESSAGES / name).read_text("utf-8"))


VECTORS = load("messages.json")
every_message = pytest.mark.parametrize(
    "vector", VECTORS, ids=lambda vector: f"{vector['from']}: {vector['name']}"
)


def read(vector: dict[str, Any], codec: Any, frame: bytes) -> Any:
    if vector["from"] == "client":
        return codec.read_request(frame, Limits())
    return codec.read_told(frame)


@every_message
def test_a_message_is_read_and_written_to_the_same_bytes(vector: dict[str, Any]) -> None:
    frame = bytes.fromhex(vector["msgpack"])
    assert MSGPACK.encode(read(vector, MSGPACK, frame)) == frame


@every_message
def test_another_library_reads_what_we_write_and_we_read_what_it_writes(
    vector: dict[str, Any],
) -> None:
    assert msgpack.unpackb(bytes.fromhex(vector["msgpack"])) == vector["message"]
    theirs = read(vector, MSGPACK, msgpack.packb(vector["message"]))
    assert MSGPACK.encode(theirs).hex() == vector["msgpack"]


@every_message
def test_json_carries_the_same_message(vector: dict[str, Any]) -> None:
    written = JSON.encode(read(vector, JSON, json.dumps(vector["message"]).encode()))
    assert json.loads(written) == vector["message"]


@every_message
def test_a_message_fits_the_published_schema(vector: dict[str, Any]) -> None:
    schema = json.loads((SCHEMAS / f"{vector['from']}.json").read_text("utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(vector["message"])) == []


def test_every_message_there_is_has_a_vector() -> None:
    def types(union: Any) -> set[str]:
        return {kind.__struct_config__.tag for kind in union.__args__}

    found = {
        side: {vector["message"]["type"] for vector in VECTORS if vector["from"] == side}
        for side in ("client", "server")
    }
    assert found == {"client": types(ClientMessage), "server": types(ServerMessage)}


@pytest.mark.parametrize("vector", load("canonical.json"), ids=lambda vector: vector["name"])
def test_canonical_form_and_check(vector: dict[str, Any]) -> None:
    packed = bytes.fromhex(vector["msgpack"])
    assert canonical(vector["value"]) == packed
    assert check(vector["value"]) == vector["check"] == zlib.crc32(packed)
    assert msgpack.unpackb(packed) == vector["value"]


def test_the_merge_patch_vectors_are_those_cases() -> None:
    cases = [(case["original"], case["patch"], case["result"]) for case in load("merge_patch.json")]
    assert cases == list(PATCHES)


def test_schemas_are_schemas() -> None:
    for path in SCHEMAS.glob("*.json"):
        Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))


def test_no_reference_in_a_schema_leads_nowhere_or_to_itself() -> None:
    def references(value: Any) -> list[str]:
        if isinstance(value, dict):
            own = [value["$ref"]] if "$ref" in value else []
            return own + [found for part in value.values() for found in references(part)]
        return (
            [found for part in value for found in references(part)]
            if isinstance(value, list)
            else []
        )

    for path in SCHEMAS.glob("*.json"):
        schema = json.loads(path.read_text("utf-8"))
        for reference in references(schema):
            name = reference.removeprefix("#/$defs/")
            assert schema["$defs"][name] != {"$ref": reference}


def test_json_and_messagepack_hold_the_same_maps() -> None:
    for vector in VECTORS:
        assert msgspec.msgpack.decode(bytes.fromhex(vector["msgpack"])) == vector["message"]
