"""Walls, collections and what they are worth: reckoned slowly, by the rules' words alone."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from saleroom_solver.arrangement import Arrangement, Wall, Wanted, bits

SIZES = (0, 0, 0, 0, 3, 4, 6, 8, 11, 14, *range(17, 64, 3))
PERIODS, THEMES = range(5), range(5, 11)


def _apart(place: int, other: int, columns: int) -> int:
    (row, column), (to_row, to_column) = divmod(place, columns), divmod(other, columns)
    return abs(row - to_row) + abs(column - to_column)


def grid(rows: int, columns: int, gallery: Iterable[int] = ()) -> Wall:
    """Return a wall of places row by row."""
    places = range(rows * columns)
    beside = [
        sum(1 << other for other in places if _apart(place, other, columns) == 1)
        for place in places
    ]
    return Wall(tuple(beside), sum(1 << place for place in gallery))


MUSEUM = grid(5, 5, {place for place in range(25) if 2 in divmod(place, 5)})


def wanted(**fields: int) -> Wanted:
    """Return what a museum is worth at the end, or more."""
    return Wanted(SIZES[:26], **{"gallery": 5, **fields})


def dealt(luck: Random, count: int, focus: float = 0) -> Arrangement:
    """Hang paintings of all periods and themes, as they come; with `focus`, more of some."""
    deck = [(period, theme) for period in PERIODS for theme in THEMES for _ in range(6)]
    liked = {*luck.sample(PERIODS, 2), *luck.sample(THEMES, 2)}
    deck.sort(key=lambda kinds: luck.random() - focus * len(liked & {*kinds}))
    kinds = tuple(1 << period | 1 << theme for period, theme in deck[:count])
    return Arrangement(kinds, tuple(luck.sample(range(25), count)))


def composed(luck: Random) -> Arrangement:
    """Hang a full museum in which every period and every theme is one group; then shuffle it."""
    periods, themes = _regions(luck, PERIODS), _regions(luck, THEMES)
    kinds = tuple(1 << periods[place] | 1 << themes[place] for place in range(25))
    return Arrangement(kinds, tuple(luck.sample(range(25), 25)))


def most(wanted: Wanted, arrangement: Arrangement) -> int:
    """Return what it is worth if every category is one group, the gallery left out."""
    categories = range(max(kinds.bit_length() for kinds in arrangement.kinds))
    counts = [sum(kinds >> one & 1 for kinds in arrangement.kinds) for one in categories]
    return sum(wanted.sizes[count] for count in counts)


def worth(wall: Wall, wanted: Wanted, kinds: Sequence[int], places: Sequence[int]) -> int:
    """Return what an arrangement is worth."""
    total = 0
    for category in range(max((one.bit_length() for one in kinds), default=0)):
        mine = {place for one, place in zip(kinds, places, strict=True) if one >> category & 1}
        groups = _groups(wall, mine)
        total += wanted.sizes[max(map(len, groups), default=0)]
        total += wanted.gallery if wall.gallery and mine >= {*bits(wall.gallery)} else 0
        total += wanted.whole if wanted.together >> category & 1 and len(groups) < 2 else 0
    return total


def best(wall: Wall, wanted: Wanted, kinds: Sequence[int]) -> int:
    """Return what the best of all arrangements is worth."""
    here = Counter((*kinds, *[0] * (len(wall.beside) - len(kinds))))
    return max(worth(wall, wanted, order, range(len(order))) for order in _orders(here))


def _orders(kinds: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Yield every order of some kinds, of which those alike cannot be told apart."""
    if not kinds:
        yield ()
    for kind in kinds:
        yield from ((kind, *rest) for rest in _orders(kinds - Counter([kind])))


def _groups(wall: Wall, places: set[int]) -> list[set[int]]:
    groups, left = [], set(places)
    while left:
        group: set[int] = set()
        edge = {left.pop()}
        while edge:
            group |= edge
            edge = {near for place in edge for near in bits(wall.beside[place])} & places - group
        groups.append(group)
        left -= group
    return groups


def _regions(luck: Random, categories: Sequence[int]) -> dict[int, int]:
    """Divide the museum into one region for each category, grown from places drawn by lot."""
    regions = dict(zip(luck.sample(range(25), len(categories)), categories, strict=True))
    while len(regions) < 25:
        place = luck.choice([*regions])
        free = [near for near in bits(MUSEUM.beside[place]) if near not in regions]
        if free:
            regions[luck.choice(free)] = regions[place]
    return regions
