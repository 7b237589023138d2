"""Links labelled right before their fetch, on whole sites in breadth-first order, with trust and without (S3.R7).

    python benchmarks/hub_trust.py SITES_FOLDER [--model NAME] [--types label|page] [--noise 0.07] [--sites a,b]

The folder holds ``manifest.jsonl.xz``, ``links.jsonl.xz`` and one archive of pages a site. A link is scored with the
text of the link it was found by, before its page is fetched; after the fetch the page type is learned: with
``--types page`` from the page itself, with ``label`` from the manifest, a share of ``--noise`` turned at random. Soft
404s are fetched and not learned from; pages that are neither hub nor topic are learned from and not judged.
Shares are means over the sites with at least five judged pages in the window.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import random
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

from lxml import etree
from lxml import html as lxml_html

from webprep_spider import HubModel, PageError
from webprep_spider.hub.trust import SiteTrust
from webprep_spider.page.clean import clean
from webprep_spider.page.parse import parse_page

if TYPE_CHECKING:
    from webprep_spider.docview import PageType

WINDOWS = ((0, 20), (20, 50), (50, 100), (100, 200), (200, 10**9))
FEWEST = 5


@dataclass(slots=True)
class Page:
    """A page of the manifest; ``hub`` is None where it is neither hub nor topic."""

    url: str
    hub: bool | None
    soft404: bool
    links: list[int]
    body: bytes = b""
    text: str = ""


def read_sites(folder: Path, wanted: set[str]) -> dict[str, list[Page]]:
    sites: dict[str, list[Page]] = {}
    files: dict[str, list[str]] = {}
    with lzma.open(folder / "manifest.jsonl.xz", "rt", encoding="utf-8") as manifest:
        for line in manifest:
            row = json.loads(line)
            if wanted and row["site"] not in wanted:
                continue
            url = f"http://{row['site']}.test" + quote(row["path"], safe="/?=&%;:@+,~!$()*'")
            hub = None if row["label"] == "other" else row["label"] == "hub"
            sites.setdefault(row["site"], []).append(Page(url, hub, bool(row.get("soft404")), []))
            files.setdefault(row["site"], []).append(row["file"])
    with lzma.open(folder / "links.jsonl.xz", "rt", encoding="utf-8") as graph:
        for line in graph:
            row = json.loads(line)
            for page, links in zip(sites.get(row["site"], ()), row["out"], strict=False):
                page.links = links
    for site, pages in sites.items():
        with tarfile.open(folder / f"{site}.tar.xz") as archive:
            bodies = {Path(member.name).name: archive.extractfile(member) for member in archive if member.isfile()}
            for page, file in zip(pages, files[site], strict=True):
                body = bodies.get(Path(file).name)
                page.body = body.read() if body else b""
    return sites


def link_texts(page: Page, pages: list[Page]) -> dict[int, str]:
    """The longest text of a link to each page that ``page`` links to."""
    try:
        root = lxml_html.document_fromstring(page.body, parser=lxml_html.HTMLParser(huge_tree=True))
    except (etree.ParserError, ValueError):
        return {}
    places = {place_of(pages[number].url): number for number in page.links}
    texts: dict[int, str] = {}
    for anchor in root.iter("a", "area"):
        try:
            place = place_of(urljoin(page.url, anchor.get("href", "").strip()))
        except ValueError:
            continue
        number = places.get(place, places.get(place.removesuffix("index.html")))
        if number is not None:
            text = " ".join("".join(map(str, anchor.itertext())).split())
            texts[number] = max(texts.get(number, ""), text, key=len)
    return texts


def place_of(url: str) -> str:
    parts = urlsplit(url)
    return unquote(parts.path) + (f"?{unquote(parts.query)}" if parts.query else "")


def breadth_first(pages: list[Page]) -> list[Page]:
    """Reachable pages in the order of a breadth-first crawl; gives each the text of the link it is found by."""
    order, found = [0], {0}
    for number in order:
        texts: dict[int, str] | None = None
        for target in pages[number].links:
            if target not in found:
                texts = link_texts(pages[number], pages) if texts is None else texts
                found.add(target)
                order.append(target)
                pages[target].text = texts.get(target, "")
    return [pages[number] for number in order]


def page_type(page: Page, types: str, noise: float, chance: random.Random) -> tuple[PageType, float]:
    if types == "page":
        try:
            cleaned = clean(parse_page(page.body, page.url))
        except PageError:
            return "topic", 0.0
        return cleaned.type, cleaned.lead
    return ("hub" if bool(page.hub) != (chance.random() < noise) else "topic"), math.inf


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--types", choices=("label", "page"), default="label")
    parser.add_argument("--noise", type=float, default=0.07)
    parser.add_argument("--sites", default="")
    options = parser.parse_args()
    model = HubModel.load(options.model)
    shares: dict[tuple[int, int], list[tuple[float, float]]] = {window: [] for window in WINDOWS}
    print(f"{'site':12}" + "".join(f"{f'from page {low}':>16}" for low, _ in WINDOWS))
    for site, pages in read_sites(options.folder, set(filter(None, options.sites.split(",")))).items():
        order, trust, chance = breadth_first(pages), SiteTrust(), random.Random(0)
        scores = model.probability([(page.url, page.text) for page in order]).tolist()
        shown = f"{site:12}"
        for low, high in WINDOWS:
            judged = plain = trusted = 0
            for page, score in zip(order[low:high], scores[low:high], strict=True):
                if page.hub is not None:
                    judged += 1
                    plain += (score > 0.5) == page.hub
                    trusted += (trust.adjust(page.url, score) > 0.5) == page.hub
                if not page.soft404:
                    trust.observe(page.url, score, *page_type(page, options.types, options.noise, chance))
            if judged >= FEWEST:
                shares[low, high].append((plain / judged, trusted / judged))
                shown += f"{f'{plain / judged:.3f} > {trusted / judged:.3f}':>16}"
            else:
                shown += f"{'-':>16}"
        print(shown, flush=True)
    for place, name in enumerate(("without", "with trust")):
        means = [sum(pair[place] for pair in pairs) / max(1, len(pairs)) for pairs in shares.values()]
        print(f"{name:12}" + "".join(f"{mean:16.4f}" for mean in means))


if __name__ == "__main__":
    main()
