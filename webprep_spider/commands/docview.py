"""``scrapy docview``: one page's docview, to read or as a record."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from webprep_spider.commands.console import Command

if TYPE_CHECKING:
    import argparse

    from webprep_spider.docview import DocView
    from webprep_spider.page.parse import Page
    from webprep_spider.page.site_rules import SiteRule


class DocviewCommand(Command):
    """Shows what the pipelines would make of a page; the near-duplicate check is left out, since it needs a store."""

    def syntax(self) -> str:
        return "[options] <FILE|URL>   (- reads a page from standard input)"

    def short_desc(self) -> str:
        return "Show the docview of a page (webprep)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="the whole record as JSON (same as --format json)")
        parser.add_argument("--format", choices=("text", "json", "dc", "ead"), default="text", help="default: text")
        parser.add_argument("--url", default="", help="address of the page in FILE, for its links and its date")
        parser.add_argument("--explain", metavar="OUT.html", help="write the page's blocks with verdicts and reasons")
        parser.add_argument("--check", metavar="RULES", help="apply site rules and say what each of them matched")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("give one file or one address", print_help=False)
        from webprep_spider.metadata import describe
        from webprep_spider.page.clean import clean
        from webprep_spider.page.parse import parse_page
        from webprep_spider.page.site_rules import SiteRules
        from webprep_spider.replicas.fingerprint import sketch
        from webprep_spider.rules import DEFAULT_RULES

        body, url, content_type = _read(args[0], opts.url)
        page = parse_page(body, url, content_type=content_type)
        rules_path = opts.check or (self.settings.get("WEBPREP_SITE_RULES") if self.settings else None)
        site_rule = SiteRules.load(rules_path).for_url(url) if rules_path else None
        cleaned = clean(page, site_rule=site_rule)
        docview = describe(page, cleaned, sketch(cleaned, DEFAULT_RULES), DEFAULT_RULES)
        if opts.check:
            _show_check(page, site_rule)
        if opts.explain:
            from webprep_spider.page.explain import explain_html

            Path(opts.explain).write_text(explain_html(page, cleaned), encoding="utf-8")
            print(f"{opts.explain} written: open it in a browser", file=sys.stderr)
        print(_shown(docview, "json" if opts.json else opts.format))


def _read(target: str, url: str) -> tuple[bytes, str, str | None]:
    """Body, address and Content-Type of a file or of a page on the web."""
    from webprep_spider.replicas.store import safe_url

    url = safe_url(url)
    if target == "-":
        return sys.stdin.buffer.read() if sys.stdin else b"", url or "http://localhost/", None
    if not target.startswith(("http://", "https://")):
        return Path(target).read_bytes(), url or "http://localhost/" + Path(target).name, None
    from urllib.parse import unquote, urlsplit
    from urllib.request import Request, urlopen

    from w3lib.http import basic_auth_header

    from webprep_spider import __version__
    from webprep_spider.rules import DEFAULT_RULES

    request = Request(safe_url(target), headers={"User-Agent": f"webprep_spider/{__version__}"})
    parts = urlsplit(target)
    if parts.username or parts.password:
        login = basic_auth_header(unquote(parts.username or ""), unquote(parts.password or ""))
        request.add_unredirected_header("Authorization", login.decode())
    with urlopen(request, timeout=60) as answer:
        return answer.read(DEFAULT_RULES.max_page_bytes + 1), url or answer.url, answer.headers.get("Content-Type")


def _show_check(page: Page, rule: SiteRule | None) -> None:
    from webprep_spider.page.site_rules import check

    if rule is None:
        print(f"no rule for {page.url}", file=sys.stderr)
        return
    for found in check(page, rule):
        verdict = f"{found.elements} found: {found.text}" if found.elements else "finds nothing"
        print(f"{rule.host} {found.key} {found.selector}: {verdict}", file=sys.stderr)


def _shown(docview: DocView, form: str) -> str:
    if form == "json":
        return json.dumps(docview.to_dict(), ensure_ascii=False, indent=2)
    if form in {"dc", "ead"}:
        from webprep_spider.export import to_dublin_core, to_ead

        record = to_dublin_core(docview) if form == "dc" else to_ead(docview)
        return record.encode(sys.stdout.encoding or "utf-8", "xmlcharrefreplace").decode(sys.stdout.encoding or "utf-8")
    pairs = [
        ("identifier", docview.identifier),
        ("type", docview.type),
        ("class", ", ".join(f"{label} {score:.2f}" for label, score in docview.content_class) or "unknown"),
        ("title", docview.title),
        ("keywords", ", ".join(word for word, _ in docview.keywords)),
        ("abstract", docview.abstract),
        ("language", docview.language),
        ("published", docview.published.isoformat() if docview.published else ""),
        ("author", docview.author),
        ("source", docview.source),
        ("encoding", f"{docview.encoding} ({docview.encoding_source})"),
        ("flags", ", ".join(docview.flags)),
        ("fingerprints", f"{len(docview.fingerprints)}"),
        ("links", f"{len(docview.links)}, of them {len(docview.related_links)} related"),
    ]
    lines = [f"{name:<13}{value}" for name, value in pairs if value]
    lines += [f"  {link.score:.2f}  {link.text}  {link.url}" for link in docview.related_links]
    return "\n".join([*lines, "", docview.body])
