"""The final score (P-SCORE): what a museum, a kept trend, exhibitions and an archive come to."""

from saleroom_protocol.games.pictura import FinalScore
from saleroom_rules.pictura.board import PLACES
from saleroom_rules.pictura.cards import NUMBERS, SPACES, WORTH
from saleroom_rules.pictura.museum import collection_points, gallery_points
from saleroom_rules.pictura.state import Player


def final_score(player: Player) -> FinalScore:
    """Return all parts of a player's final score."""
    collections, museum = collection_points(player.museum), player.museum
    (trend,) = player.trends
    parts = {
        "trend": sum(WORTH[trend][painting] for painting in museum),
        "gallery": gallery_points(museum),
        "full": NUMBERS.full if len(museum) == len(PLACES) else 0,
        "exhibitions": _exhibitions(len(player.exhibitions)),
        "space": SPACES["end_points"] if "end_points" in player.exhibitions else 0,
        "archive": _archive(player),
    }
    total = player.score + sum(collections.values()) + sum(parts.values())
    return FinalScore(score=player.score, collections=collections, total=total, **parts)


def rank(player: Player) -> tuple[int, int]:
    """Return what decides: most points, then most paintings in the museum."""
    return final_score(player).total, len(player.museum)


def _exhibitions(held: int) -> int:
    """P-SCORE-4: more than one is worth more each."""
    return NUMBERS.exhibitions[held - 1] if held else 0


def _archive(player: Player) -> int:
    """P-SCORE-5: what is still in the archive costs, but for some with the space for that."""
    free = SPACES["archive_free"] if "archive_free" in player.exhibitions else 0
    return NUMBERS.archived * max(0, len(player.archive) - free)
