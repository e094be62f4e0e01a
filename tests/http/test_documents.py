"""The documents for machines: OpenAPI 3.1 of the lobby, AsyncAPI 3.0 of the sockets."""

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from saleroom_protocol.codec import CODECS
from saleroom_protocol.errors import Reason
from saleroom_server.http.operations import OPERATIONS
from saleroom_server.http.routes import ROUTES
from tests.golden.files import ROOT
from tests.http.served import Served, told

FOR_MACHINES = re.compile(r"/v1/(schemas/.*|openapi\.json|asyncapi\.json)")
PROTOCOL = (ROOT / "protocol/PROTOCOL.md").read_text(encoding="utf-8")


async def _openapi(served: Served) -> Any:
    return told(await served.client.get("/v1/openapi.json"), 200)


async def _asyncapi(served: Served) -> Any:
    return told(await served.client.get("/v1/asyncapi.json"), 200)


def _operations(document: Any) -> Iterator[tuple[str, str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _within(node: Any) -> Iterator[Any]:
    """Yield every map in a document."""
    if isinstance(node, dict):
        yield node
        for inner in node.values():
            yield from _within(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _within(inner)


def _resolves(document: Any, reference: str) -> bool:
    assert reference.startswith("#/")
    node = document
    for part in reference[2:].split("/"):
        node = node.get(part) if isinstance(node, dict) else None
    return node is not None


def _check_references(document: Any) -> None:
    references = {node["$ref"] for node in _within(document) if isinstance(node.get("$ref"), str)}
    assert references
    for reference in references:
        assert _resolves(document, reference), reference


async def test_openapi_is_of_version_3_1_and_says_whose(served: Served) -> None:
    document = await _openapi(served)
    assert document["openapi"].startswith("3.1.")
    assert document["info"].keys() >= {"title", "version"}
    assert document.keys() <= {"openapi", "info", "paths", "components"}


async def test_its_references_lead_somewhere(served: Served) -> None:
    _check_references(await _openapi(served))


async def test_its_schemas_are_schemas(served: Served) -> None:
    document = await _openapi(served)
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    found = [node["schema"] for node in _within(document["paths"]) if "schema" in node]
    assert found
    for schema in found:
        Draft202012Validator.check_schema(schema)


async def test_every_request_of_the_lobby_is_in_it_and_no_other(served: Served) -> None:
    told_of = {(method, path) for method, path, _ in _operations(await _openapi(served))}
    served_paths = {
        (method, path)
        for method, path, _ in ROUTES
        if path.startswith("/v1/") and not FOR_MACHINES.fullmatch(path)
    }
    assert told_of == served_paths


async def test_every_request_of_the_protocol_is_served(served: Served) -> None:
    section = PROTOCOL.partition("## HTTP")[2].partition("## Frames")[0]
    rows = re.findall(r"^\| `(GET|POST|DELETE) ([^ `?]+)", section, re.MULTILINE)
    known = {(method, path) for method, path, _ in ROUTES}
    assert not {row for row in rows if row not in known}
    assert len(rows) == 15


async def test_every_operation_has_a_name_of_its_own_and_answers(served: Served) -> None:
    operations = list(_operations(await _openapi(served)))
    names = [operation["operationId"] for _, _, operation in operations]
    assert len(set(names)) == len(names)
    for method, _, operation in operations:
        assert operation["summary"]
        assert all(re.fullmatch("[1-5][0-9]{2}", status) for status in operation["responses"])
        assert any(status < "400" for status in operation["responses"])
        assert all(answer["description"] for answer in operation["responses"].values())
        assert not (method in ("GET", "DELETE") and "requestBody" in operation)


async def test_every_parameter_is_declared_once_and_those_of_the_path_are_required(
    served: Served,
) -> None:
    for _, path, operation in _operations(await _openapi(served)):
        parameters = operation["parameters"]
        named = [(parameter["in"], parameter["name"]) for parameter in parameters]
        assert len(set(named)) == len(named)
        in_path = {name for place, name in named if place == "path"}
        assert in_path == set(re.findall(r"\{(\w+)\}", path))
        for parameter in parameters:
            assert parameter["required"] == (parameter["in"] == "path")
            assert parameter["schema"]["type"] in ("string", "integer")


async def test_security_is_told_where_a_token_counts(served: Served) -> None:
    document = await _openapi(served)
    schemes = document["components"]["securitySchemes"]
    for _, path, operation in _operations(document):
        for requirement in operation["security"]:
            assert requirement.keys() <= schemes.keys()
        may_be_refused = "401" in operation["responses"]
        assert may_be_refused == bool(operation["security"]), path


async def test_a_key_may_come_with_every_post_with_a_token(served: Served) -> None:
    for method, path, operation in _operations(await _openapi(served)):
        names = {parameter["name"] for parameter in operation["parameters"]}
        expected = method == "POST" and path != "/v1/players"
        assert ("Idempotency-Key" in names) == expected


def test_a_request_is_refused_for_reasons_that_http_knows() -> None:
    for operation in OPERATIONS:
        assert all(reason.status for reason in operation.reasons)
        assert len(set(operation.reasons)) == len(operation.reasons)
    told_of = {reason for operation in OPERATIONS for reason in operation.reasons}
    assert told_of == {reason for reason in Reason if reason.status}


def test_a_body_is_required_where_something_in_it_is() -> None:
    required = {operation.name for operation in OPERATIONS if operation.needs_body}
    assert required == {"make_player", "make_room", "add_bot", "mute"}


async def test_asyncapi_is_of_version_3_and_has_the_one_channel(served: Served) -> None:
    document = await _asyncapi(served)
    assert document["asyncapi"].startswith("3.0.")
    assert document["info"].keys() >= {"title", "version"}
    assert all(name in document["info"]["description"] for name in CODECS)
    assert [channel["address"] for channel in document["channels"].values()] == ["/v1/play"]


async def test_its_references_lead_somewhere_too(served: Served) -> None:
    _check_references(await _asyncapi(served))


async def test_its_operations_are_asking_and_telling(served: Served) -> None:
    document = await _asyncapi(served)
    actions = {operation["action"] for operation in document["operations"].values()}
    assert actions == {"receive", "send"}
    for operation in document["operations"].values():
        assert _resolves(document, operation["channel"]["$ref"])
        for message in operation["messages"]:
            assert message["$ref"].startswith("#/channels/play/messages/")


async def test_its_payloads_are_every_message_there_is(served: Served) -> None:
    document = await _asyncapi(served)
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    messages = document["channels"]["play"]["messages"]
    asked = {one["$ref"].rpartition("/")[2] for one in messages["asked"]["payload"]["anyOf"]}
    told_of = {one["$ref"].rpartition("/")[2] for one in messages["told"]["payload"]["anyOf"]}
    assert {"Hello", "Join", "Act"} <= asked
    assert {"Welcome", "View", "Update"} <= told_of
    assert not any("discriminator" in node for node in _within(document))  # it has another
