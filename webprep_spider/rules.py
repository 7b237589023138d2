"""Every threshold of the method in one place, with its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers that decide. Ids such as S4.W6 name the rule of the method that a number comes from."""

    # -- page: size and work bounds ------------------------------------------------------------------------------
    max_page_bytes: int = 5_000_000
    """Bytes of one page that are parsed; the rest is cut off and the page flagged ``truncated_size``."""
    max_nodes: int = 200_000
    """Elements of one page that are looked at; beyond them the page is flagged ``node_budget``."""
    max_links: int = 5_000
    """Links of one page that are kept."""

    # -- page: weights (S4.W) ------------------------------------------------------------------------------------
    weight_decay: float = 0.5
    """d of the decaying propagation f^(d^k) (S4.W6)."""
    weight_cap: float = 10.0
    """Upper bound of a weight, applied after all leaves are done (S4.W6, S4.W8)."""

    # -- page: block types (S4.B3) ------------------------------------------------------------------------------
    terms_per_image: float = 10.0
    """T_pic: fewer terms per image make a picture block."""
    link_share: float = 0.5
    """T_hub: a larger share of link text makes a hub block."""

    # -- replicas (S0.F, S0.S) ----------------------------------------------------------------------------------
    sketch_size: int = 10
    """m: fingerprints kept of a page (S0.F3)."""
    replica_share: float = 0.3
    """Lower end of the range t for near-duplicates (S0.S2)."""


DEFAULT_RULES = Rules()
