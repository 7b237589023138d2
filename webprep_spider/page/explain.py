"""Show what cleaning did with a page, and why, as one HTML file."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webprep_spider.page.clean import Cleaned
    from webprep_spider.page.parse import Page
    from webprep_spider.page.tree import Block

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #6a737d; --line: #d8dee4;
  --topic: #2f6fde; --hub: #c2571a; --picture: #7b3fb5; --empty: #8a929a; --kept: #e6f4ea; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --paper: #15181b; --faint: #98a1ab; --line: #343a41;
  --topic: #7aa7ff; --hub: #f0965a; --picture: #c093f2; --empty: #7d868f; --kept: #16321f; } }
body { font: 15px/1.6 system-ui, "Noto Sans CJK SC", sans-serif; color: var(--ink); background: var(--paper);
  max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; } dl { display: grid; grid-template-columns: max-content 1fr; gap: 0
1rem; } dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
section { border-left: .35rem solid var(--empty); border-bottom: 1px solid var(--line); padding: .3rem .8rem; opacity:
.55; } section.kept { background: var(--kept); opacity: 1; }
section.topic { border-color: var(--topic); } section.hub { border-color: var(--hub); }
section.picture { border-color: var(--picture); }
small { color: var(--faint); font: 12px/1.4 ui-monospace, monospace; } small b { color: var(--ink); }
p { margin: 0; overflow-wrap: anywhere; } section p { white-space: pre-wrap; }
i.weight { display: inline-block; height: .5rem; background: var(--topic); margin-right: .4rem; }
label { margin-right: 1rem; } #only:checked ~ main section:not(.kept) { display: none; }
"""
_MOST = 600  # characters of one block that are shown


def explain_html(page: Page, cleaned: Cleaned) -> str:
    """One self-contained HTML page: each block with its type (colour of the edge), weight (bar), verdict (shade) and
    the reason in one word. Holds no script and loads nothing."""
    reasons = Counter((block.kept, block.reason) for block in cleaned.blocks)
    facts = [
        ("address", page.url),
        ("type", cleaned.type),
        ("encoding", f"{page.encoding} ({page.encoding_source})"),
        ("flags", ", ".join(cleaned.flags) or "none"),
        ("kept", _counts(reasons, kept=True)),
        ("dropped", _counts(reasons, kept=False)),
    ]
    rows = "".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in facts)
    blocks = "\n".join(_block(block) for block in cleaned.blocks if block.text or block.images)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Blocks of {escape(page.url)}</title><style>{_STYLE}</style></head>
<body><h1>Blocks of {escape(page.url)}</h1>
<dl>{rows}</dl>
<p><small>Edge: <span style="color:var(--topic)">topic</span>, <span style="color:var(--hub)">hub</span>,
<span style="color:var(--picture)">picture</span>. Bar: weight. Shaded: kept.</small></p>
<input type="checkbox" id="only"><label for="only"> kept blocks only</label>
<main>
{blocks}
</main></body></html>
"""


def _counts(reasons: Counter[tuple[bool, str]], *, kept: bool) -> str:
    counts = [f"{count} {reason}" for (verdict, reason), count in reasons.most_common() if verdict == kept]
    return ", ".join(counts) or "none"


def _block(block: Block) -> str:
    text = block.text if len(block.text) <= _MOST else block.text[:_MOST] + " …"
    if not text:
        text = "\n".join(f"[{source[:120]}]" for source in block.images[:5])
    verdict = "kept" if block.kept else "dropped"
    facts = f"{block.chars} characters, {block.link_chars} in {len(block.links)} links, {len(block.images)} images"
    return (
        f'<section class="{block.kind} {verdict}"><small><i class="weight" style="width:{block.weight:.1f}em"></i>'
        f"<b>{verdict}: {block.reason}</b> · {block.kind} · &lt;{escape(block.tag)}&gt; · "
        f"weight {block.weight:.2f} · {facts}"
        f"</small><p>{escape(text)}</p></section>"
    )
