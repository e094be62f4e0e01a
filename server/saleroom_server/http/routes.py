"""Every request the lobby answers, and who answers it. PROTOCOL.md, "HTTP"."""

from saleroom_server.http import (
    games,
    health,
    listing,
    openapi,
    players,
    records,
    rooms,
    streams,
)
from saleroom_server.http.lobby import Responder

# method, path, responder
ROUTES: tuple[tuple[str, str, Responder], ...] = (
    ("POST", "/v1/players", players.make_player),
    ("POST", "/v1/players/me/token", players.renew_token),
    ("GET", "/v1/games", games.list_games),
    ("GET", "/v1/games/{game}/editions/{edition}/catalogue", games.catalogue),
    ("POST", "/v1/rooms", rooms.make_room),
    ("GET", "/v1/rooms", listing.list_rooms),
    ("GET", "/v1/rooms/{room}", rooms.show_room),
    ("POST", "/v1/rooms/{room}/seats", rooms.take_seat),
    ("DELETE", "/v1/rooms/{room}/seats/{seat}", rooms.give_up_seat),
    ("POST", "/v1/rooms/{room}/bots", rooms.add_bot),
    ("POST", "/v1/rooms/{room}/start", rooms.start),
    ("POST", "/v1/rooms/{room}/mutes", rooms.mute),
    ("GET", "/v1/rooms/{room}/stream", streams.stream),
    ("GET", "/v1/rooms/{room}/record", records.record),
    ("GET", "/v1/schemas/{name}.json", games.show_schema),
    ("GET", "/v1/openapi.json", openapi.show_openapi),
    ("GET", "/v1/asyncapi.json", openapi.show_asyncapi),
    ("GET", "/healthz", health.healthz),
    ("GET", "/readyz", health.readyz),
)
