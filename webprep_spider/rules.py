"""Every threshold of the method in one place, with its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers that decide. Ids such as S4.W6 name the rule of the method that a number comes from."""

    # -- hub: trust in the URL score (S3.R7) -----------------------------------------------------------------------
    trust_prior: float = 1.0
    """Fetched pages that the model's score is worth on a site where it is no better than chance."""
    trust_bonus: float = 30.0
    """Further pages it is worth where it is sure, on a site where it has always been right."""
    trust_lead: float = 5.0
    """Lead of a page's type, in log odds, from which on a page that contradicts the score counts in full."""
    trust_shapes: int = 512
    """URL patterns remembered of one site, the least recently met forgotten first."""

    # -- page: size and work bounds ------------------------------------------------------------------------------
    max_page_bytes: int = 5_000_000
    """Bytes of one page that are parsed; the rest is cut off and the page flagged ``truncated_size``."""
    max_nodes: int = 200_000
    """Elements of one page that are looked at; beyond them the page is flagged ``node_budget``."""
    max_links: int = 5_000
    """Links of one page that are kept."""
    max_seconds: float = 0.5
    """CPU seconds the walk over one page may take in its thread; beyond them the page is flagged ``time_budget``."""

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

    # -- page: body (S4.C3-C5) -----------------------------------------------------------------------------------
    body_bound: float = 0.5
    """Chance of being body text above which a block never speaks against its container. Below it the bound is what
    promises the best F1 on the page."""
    body_inside: float = 0.8
    """Share of the bound from which on blocks are kept inside the container of the body."""
    body_outside: float = 1.2
    """Share of the bound from which on blocks are kept outside of it."""
    body_linked: float = 0.6
    """Chance from which on blocks of nothing but links are kept."""
    hub_anchor_chars: float = 6.0
    """Least mean length of the link texts of a group of links that is kept on a hub page (S4.C4)."""
    hub_links: int = 25
    """Links below which a page with a body of text is no hub page."""
    hub_body: int = 20
    """Characters or words from which on there is such a body."""
    address_weight: float = 1.0
    """What the hub model's decision value for a page's own address adds to the logit of the hub page."""
    address_bound: float = 3.0
    """Absolute value beyond which that value says no more."""

    # -- replicas (S0.F, S0.S) ----------------------------------------------------------------------------------
    normalisation: Literal["folded", "visible"] = "folded"
    """How text is made even before it is hashed: ``folded`` keeps letters and digits only, in one case and script;
    ``visible`` only leaves out what cannot be seen (S0.F4, S0.F5)."""
    unit: Literal["clause", "sentence", "block"] = "clause"
    """What is hashed: clauses and sentences survive other block boundaries and small edits, blocks are the first form
    of the method (S0.F2)."""
    order: Literal["hash", "importance"] = "hash"
    """Which units are kept: those with the smallest rank by SHA-1, the same on every page, or the most important
    ones (S0.F1, S0.F6)."""
    sketch_size: int = 10
    """m: fingerprints kept of a page (S0.F3)."""
    min_unit_chars: int = 8
    """Shorter units are not hashed, unless there are no others."""
    exact_below: int = 64
    """Letters and digits of a text below which it has a single fingerprint, so that it equals only itself."""
    hub_body_chars: int = 200
    """Characters of text beside its links from which on a hub page is compared by that text."""
    listing_weight: float = 0.25
    """How readily program listings are sampled; ordinary text is 1."""
    replica_share: float = 0.3
    """Lower end of the range t for near-duplicates (S0.S2)."""
    same_site_factor: float = 0.5
    """What a share counts between two pages of one site: they share what its template says, and lists hold what its
    articles say. A repost on another site counts whole."""
    story_share: float = 0.2
    """Lower end of the range in which two pages tell one story without being near-duplicates (7.17)."""
    class_share: float = 0.4
    """Lower end of the range t in which two pages are of one class when stories are grouped (S0.S2)."""
    common_pages: int = 8
    """Pages that may share a fingerprint before it begins to count for less (S0.S6)."""
    max_postings: int = 64
    """Pages remembered for one fingerprint; beyond them it only counts as common."""

    # -- metadata (S4.M) ----------------------------------------------------------------------------------------
    words_chars: int = 4_000
    """Characters of the body that are segmented: what stands later tells little more of the topic (S4.P3)."""
    max_blocks: int = 20_000
    """Blocks of a page among which its title and its related links are looked for."""
    max_keywords: int = 10
    """Keywords kept of a page (S4.M3)."""
    keyword_chars: int = 40
    """Longest keyword of an author that is taken as one, in letters, digits and Chinese characters."""
    own_keywords_share: float = 0.4
    """Share of the author's keywords that must be found on the page for them to count as real."""
    title_factor: float = 5.0
    """Weight of a word in the title against one in the body (S4.Q5)."""
    emphasis_factor: float = 1.5
    """Weight of a word in a weighty tag (S4.T2, S4.Q5)."""
    abstract_form: Literal["lead", "segments", "description"] = "lead"
    """Where the author gives no description: the first sentences, the best of each segment (S4.M6), or nothing."""
    abstract_chars: int = 200
    """Longest abstract, in Chinese characters; three letters of an alphabet count as one (S4.M6)."""
    lead_sentences: int = 1
    """Chinese sentences of an abstract of the form ``lead``; of other languages three times as many."""
    lead_reach: int = 6
    """Sentences at the beginning of the body among which such an abstract begins."""
    lead_decay: float = 0.1
    """What each sentence before it costs one that could begin the abstract, against the share of the title in it."""
    sentence_chars: int = 10
    """Letters, digits and Chinese characters of the shortest sentence of an abstract."""
    description_chars: int = 10
    """Shortest description of an author that says something, in letters, digits and Chinese characters."""
    description_share: float = 0.5
    """Share of a description's character pairs that must stand on the page."""
    date_second_opinion: bool = False
    """Ask htmldate (extra ``dates``) where neither the head nor the text by the title nor the address has a date."""
    class_words: int = 10
    """Fewer words tell no content class (S4.M4)."""
    anchor_chars: int = 4
    """Shortest text of a related link, in letters, digits and Chinese characters (S4.M7)."""
    lone_link_likeness: float = 0.2
    """Likeness of anchor and topic that one or two links under a fitting heading must have to be related."""
    max_related_links: int = 50
    """Related links kept of a page."""


DEFAULT_RULES = Rules()
SEED_RULES = Rules(
    normalisation="visible",
    unit="block",
    order="importance",
    sketch_size=8,
    min_unit_chars=20,
    exact_below=0,
    listing_weight=1.0,
    replica_share=0.5,
)
"""Fingerprints in the first form of the method (S0.F1-F6, S0.S2)."""
