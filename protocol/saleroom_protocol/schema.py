"""JSON Schemas of everything on the wire, generated from the types. See protocol/schemas/."""

from typing import Any

import msgspec
from msgspec import Struct

from saleroom_protocol import http
from saleroom_protocol.document import Document, RoomAction, RoomEvent
from saleroom_protocol.games import VOCABULARIES, Vocabulary
from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Choice
from saleroom_protocol.games.record import AnyEntry, Closing, Drawn, Header
from saleroom_protocol.messages import ClientMessage, ServerMessage

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, dict[str, Any]]:
    """Return every schema by name.

    `client`, `server`: a message. `document`: a room as one viewer sees it, whatever the game.
    `action`, `event`: of the room. `form`: a field's choice. In `$defs`, by name: of `record` its
    header, entry and closing line; of `http` the bodies; of each game its action, event, table,
    you, options, catalogue and the facts of each kind of window.
    """
    made = {
        "client": _schema(ClientMessage),
        "server": _schema(ServerMessage),
        "document": _schema(Document),
        "action": _schema(RoomAction),
        "event": _schema(RoomEvent),
        "form": _schema(Choice),
        "record": _collection({"header": Header, "entry": AnyEntry | Drawn, "closing": Closing}),
        "http": _collection(_bodies()),
    }
    for key, vocabulary in VOCABULARIES.items():
        made[key] = _collection(_parts(vocabulary))
    return made


def encoded() -> dict[str, bytes]:
    """Return the files of protocol/schemas/ by name: indented, stable, ending in a newline."""
    return {
        f"{name}.json": msgspec.json.format(msgspec.json.encode(schema, order="sorted")) + b"\n"
        for name, schema in schemas().items()
    }


def _schema(wanted: Any) -> dict[str, Any]:
    return {"$schema": DIALECT, **msgspec.json.schema(wanted)}


def _collection(types: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that has each type under its own name in `$defs`."""
    found, components = msgspec.json.schema_components(
        tuple(types.values()), ref_template="#/$defs/{name}"
    )
    named = dict(zip(types, found, strict=True))
    return {"$schema": DIALECT, "$defs": {**named, **components}}


def _bodies() -> dict[str, type[Struct]]:
    return {
        name: body
        for name, body in vars(http).items()
        if isinstance(body, type) and issubclass(body, http.Asked | http.Answer)
    }


def _parts(vocabulary: Vocabulary) -> dict[str, Any]:
    """Name the parts of a vocabulary as PROTOCOL.md does."""
    return {
        "action": vocabulary.action,
        "event": vocabulary.event,
        "table": vocabulary.table,
        "you": _you(vocabulary),
        "options": vocabulary.options,
        "catalogue": vocabulary.catalogue,
        **{f"{kind}_facts": facts for kind, facts in vocabulary.facts.items()},
    }


def _you(vocabulary: Vocabulary) -> type[Struct]:
    """Return the document's `you`: the private part with `seat` and `anytime` beside it."""
    own = [
        (field.name, field.type) if field.required else (field.name, field.type, field.default)
        for field in msgspec.structs.fields(vocabulary.private)
    ]
    return msgspec.defstruct(
        "You", [("seat", Seat), ("anytime", list[dict[str, Any]]), *own], kw_only=True
    )
