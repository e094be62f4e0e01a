"""The games' public vocabularies, by key. Rules import these; these import nothing of ours."""

from typing import Any

from msgspec import Struct

from saleroom_protocol.games import kunstmarkt, pictura, vernissage
from saleroom_protocol.games.common import Facts, IllegalWhy, Private


class Vocabulary(Struct, frozen=True, kw_only=True):
    """The types of one game that stand in messages."""

    action: Any  # the union of its actions
    event: Any  # the union of its events
    facts: dict[str, type[Facts]]  # window kind -> its facts
    table: type[Struct]
    private: type[Private]
    options: type[Struct]
    catalogue: type[Struct]
    why: type[IllegalWhy]


VOCABULARIES: dict[str, Vocabulary] = {
    "kunstmarkt": Vocabulary(
        action=kunstmarkt.AnyAction,
        event=kunstmarkt.AnyEvent,
        facts={"turn": kunstmarkt.TurnFacts, "offer": kunstmarkt.OfferFacts},
        table=kunstmarkt.Table,
        private=kunstmarkt.Hand,
        options=kunstmarkt.Options,
        catalogue=kunstmarkt.Catalogue,
        why=kunstmarkt.Why,
    ),
    "vernissage": Vocabulary(
        action=vernissage.AnyAction,
        event=vernissage.AnyEvent,
        facts={
            "place": vernissage.PlaceFacts,
            "objection": vernissage.DisputeFacts,
            "bargain": vernissage.DisputeFacts,
            "challenge": vernissage.DisputeFacts,
            "might": vernissage.MightFacts,
            "reveal": vernissage.RevealFacts,
            "buy": vernissage.BuyFacts,
            "pick": vernissage.PickFacts,
            "play": vernissage.PlayFacts,
        },
        table=vernissage.Table,
        private=vernissage.Hand,
        options=vernissage.Options,
        catalogue=vernissage.Catalogue,
        why=vernissage.Why,
    ),
    "pictura": Vocabulary(
        action=pictura.AnyAction,
        event=pictura.AnyEvent,
        facts={
            "keep_trend": pictura.KeepTrendFacts,
            "trade": pictura.TradeFacts,
            "action": pictura.ActionFacts,
            "bonus_space": pictura.BonusSpaceFacts,
            "keep_two": pictura.KeepTwoFacts,
            "discard": pictura.DiscardFacts,
            "arrange_final": pictura.ArrangeFinalFacts,
        },
        table=pictura.Table,
        private=pictura.Hand,
        options=pictura.Options,
        catalogue=pictura.Catalogue,
        why=pictura.Why,
    ),
}
