"""What a strategy is."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeAlias

from saleroom_protocol.games.forms import Form, Pick, fillings

Plain: TypeAlias = Mapping[str, Any]  # a map as it comes from the wire


class Strategy(Protocol):
    """Chooses an action for a seat that owes an answer, from what its player may see.

    The same document and the same picks give the same action.
    """

    def __call__(self, document: Plain, catalogue: Plain, pick: Pick, /) -> dict[str, Any]:
        """Return an entry of `legal`, or a filling of one.

        Args:
            document: the viewer's; at least `table`, `you`, `window` and `legal`. It is only read.
            catalogue: the game's, as GET /v1/games/{game}/editions/{edition}/catalogue gives it.
            pick: picks one of a non-empty sequence: all the chance there is.
        """


def answers_of(entry: Plain) -> Iterator[dict[str, Any]]:
    """Yield every action an entry of `legal` stands for; of a form there may be far too many."""
    if "choose" in entry:
        yield from fillings(Form.read(entry))
    else:
        yield dict(entry)
