"""Every game there is, by key."""

from saleroom_rules.contract import AnyRules
from saleroom_rules.kunstmarkt.game import Kunstmarkt
from saleroom_rules.pictura.game import MuseumPictura
from saleroom_rules.vernissage.game import Vernissage

GAMES: dict[str, AnyRules] = {
    rules.key: rules for rules in (Kunstmarkt(), Vernissage(), MuseumPictura())
}
