"""Weights: emphasis on real content makes a block, and what stands around it, more important (S4.Q3, S4.W)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from webprep_spider.rules import DEFAULT_RULES, Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webprep_spider.page.tree import Block, TagTree

NOISE_WORDS = frozenset({
    "tel", "fax", "联系电话", "传真", "广告服务", "前一页", "下一页", "上一页", "首页", "尾页", "返回", "更多",
    "打印", "关闭", "收藏",
    "推荐", "版权所有", "联系我们", "关于我们", "网站地图", "邮编", "地址",
})  # fmt: skip
"""Entries that are emphasised without being content: six of the method (S4.Q4) and the sixteen proposed with them."""

_TRAILING = " \t\r\n\u00a0\u3000:：,，.。、;；!！?？>»…-—|()（）[]【】"


def is_noise(entry: str, noise_words: frozenset[str] = NOISE_WORDS) -> bool:
    """Whether a weighty entry is empty or, white space and trailing marks removed, one of the noise words."""
    if len(entry) > 40:
        return not entry.strip()
    core = "".join(entry.split()).rstrip(_TRAILING).lower()
    return not core or core in noise_words


def leaf_factor(block: Block, noise_words: frozenset[str] = NOISE_WORDS) -> float:
    """Sum of the factors of the block's weighty entries that are real content; 1 where there are none (S4.W2)."""
    total = sum(entry.factor for entry in block.emphases if not is_noise(entry.text, noise_words))
    return total if total > 0 else 1.0


def propagate(parents: Sequence[int], factors: Sequence[float], rules: Rules = DEFAULT_RULES) -> list[float]:
    """Weights of all nodes of a tree (S4.W6).

    A leaf's weight is multiplied by its factor f; at step k = 1, 2, ... on the way to the root the ancestor and all
    nodes of its other subtrees are multiplied by ``f ** (d ** k)``. Sums of logarithms are capped once at the end, so
    the order of the leaves does not matter. Linear in the number of nodes.

    :param parents: parent of each node, smaller than the node's own number; -1 for a root.
    :param factors: factor of each node; 1 for every node that is no leaf.
    """
    decay, count, cap = rules.weight_decay, len(parents), rules.weight_cap
    # What reaches a node from the leaves below it, itself included.
    below = [0.0 if factor == 1.0 else math.log(factor) for factor in factors]
    for node in range(count - 1, -1, -1):
        if (own := below[node]) and (parent := parents[node]) >= 0:
            below[parent] += decay * own
    # And from all leaves.
    reaching = [0.0] * count
    weights = [1.0] * count
    most = math.log(cap)
    for node, parent in enumerate(parents):
        own = below[node]
        if parent >= 0:
            own += reaching[parent] - decay * own
        reaching[node] = own
        weights[node] = math.exp(own) if own < most else cap
    return weights


def weigh(tree: TagTree, rules: Rules = DEFAULT_RULES, noise_words: frozenset[str] = NOISE_WORDS) -> None:
    """Set the ``weight`` of each block. A container with nothing but one text run is itself the leaf; otherwise its
    runs are anonymous leaves below it (S4.T5)."""
    own = [leaf_factor(block, noise_words) if block.emphases else 1.0 for block in tree.blocks]
    if own.count(1.0) == len(own):
        return
    parents, factors = list(tree.parent), [1.0] * len(tree.parent)
    inner = set(parents)
    place: list[int] = []
    for block, factor in zip(tree.blocks, own, strict=True):
        node = block.node
        if factor != 1.0:
            if node in inner or tree.last[node] - tree.first[node] > 1:
                parents.append(node)
                factors.append(factor)
                node = len(parents) - 1
            else:
                factors[node] = factor
        # An anonymous leaf without a factor weighs what its container weighs.
        place.append(node)
    weights = propagate(parents, factors, rules)
    for block, node in zip(tree.blocks, place, strict=True):
        block.weight = weights[node]
