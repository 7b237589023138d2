"""The type of a page: topic, hub or picture (S4.D2, S4.C2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from webprep_spider.docview import PageType
    from webprep_spider.page.choose import Choice
    from webprep_spider.page.features import Measures
    from webprep_spider.rules import Rules


def page_type(measures: Measures, choice: Choice, url: str, rules: Rules) -> PageType:
    """Decide a page's type from what stands on it."""
    kept = choice.kept
    body = float(measures.tokens[kept].sum())
    if body >= rules.topic_tokens and float(measures.link_tokens[kept].sum()) < 0.5 * body:
        return "topic"
    if measures.total and float(measures.link_tokens.sum()) / measures.total >= rules.page_link_share:
        return "hub"
    images = float(np.sum(measures.image_count))
    if images >= rules.picture_images and body < rules.topic_tokens:
        return "picture"
    return "topic" if body else "hub"
