"""Every game there is, by key."""

from saleroom_rules.contract import AnyRules
from saleroom_rules.kunstmarkt.game import Kunstmarkt

GAMES: dict[str, AnyRules] = {rules.key: rules for rules in (Kunstmarkt(),)}
