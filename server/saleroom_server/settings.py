"""Every setting of a server: one frozen struct, read in one place.

A setting comes from a flag, else from the environment (`SALEROOM_` and the name in capitals; a
group's name before it, as in `SALEROOM_ROOM_GRACE_MS`), else it is the default here.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct, field

from saleroom_protocol.limits import Limits
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.http.lobby import LobbyLimits
from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.rooms.limits import RoomLimits

PREFIX = "SALEROOM_"


class Settings(Struct, frozen=True, kw_only=True):
    """How a server is run."""

    host: str = "127.0.0.1"
    port: int = 8000
    data: str = "saleroom-data"  # directory of the store
    log_level: str = "info"  # debug, info, warning, error
    origins: str = "*"  # that a browser may call from, separated by commas
    token_lifetime_ms: int = 30 * 24 * 3_600_000
    drain_ms: int = 10_000  # after SIGTERM: until what is in hand is given up
    probe_kept_ms: int = 1_000  # readiness is not tried more often
    message: Limits = field(default_factory=Limits)
    socket: GatewayLimits = field(default_factory=GatewayLimits)
    room: RoomLimits = field(default_factory=RoomLimits)
    owner: OwnerLimits = field(default_factory=OwnerLimits)
    lobby: LobbyLimits = field(default_factory=LobbyLimits)

    @property
    def directory(self) -> Path:
        """Where the store is."""
        return Path(self.data)


class BadSetting(ValueError):
    """A setting that cannot be."""


class Setting(Struct, frozen=True):
    """One setting, as it is listed for people."""

    variable: str
    default: Any
    path: tuple[str, ...]
    kind: type


def known() -> Iterator[Setting]:
    """Yield every setting there is, groups after the others."""
    yield from _known(Settings(), (), ())


def read(environment: Mapping[str, str], flags: Mapping[str, Any]) -> Settings:
    """Return the settings of an environment, flags before it; a flag that is None is not given.

    Raises:
        BadSetting: a value is not of its kind, or `SALEROOM_` is followed by no setting's name.
    """
    variables = {setting.variable: setting for setting in known()}
    chosen: dict[str, Any] = {}
    for variable, text in environment.items():
        if variable.startswith(PREFIX) and variable not in _OTHERS:
            if variable not in variables:
                raise BadSetting(f"{variable} is no setting")
            _put(chosen, variables[variable].path, _value(variables[variable], text))
    chosen |= {name: value for name, value in flags.items() if value is not None}
    return msgspec.convert(chosen, Settings)


# Variables that begin alike and belong to others: the tests, and the clients' commands.
_OTHERS = frozenset({"SALEROOM_STRANGER", "SALEROOM_URL", "SALEROOM_TOKEN"})


def _known(group: Struct, path: tuple[str, ...], prefix: tuple[str, ...]) -> Iterator[Setting]:
    hints = get_type_hints(type(group))
    later = []
    for name in group.__struct_fields__:
        value = getattr(group, name)
        if isinstance(value, Struct):
            later.append((value, (*path, name), (*prefix, name)))
            continue
        variable = PREFIX + "_".join((*prefix, name)).upper()
        yield Setting(variable, value, (*path, name), hints[name])
    for inner, inner_path, inner_prefix in later:
        yield from _known(inner, inner_path, inner_prefix)


def _value(setting: Setting, text: str) -> Any:
    if setting.kind is str:
        return text
    try:
        value = int(text)
    except ValueError:
        raise BadSetting(f"{setting.variable} is a whole number, not {text!r}") from None
    if value < 0:
        raise BadSetting(f"{setting.variable} is not negative, so not {value}")
    return value


def _put(chosen: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        chosen = chosen.setdefault(name, {})
    chosen[path[-1]] = value
