"""The links and images of a page as absolute addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin, urlsplit

from webprep_spider.docview import Link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webprep_spider.page.tree import Block

_MOST = 2083  # characters of an address that is kept
_LOGIN = re.compile(r"(?<=://)[^/?#\\]*@")
_IN_QUERY = "%!$&'()*+,/:;=?@[]~"


class Base:
    """Resolves the addresses of one page, most of them without the full work of ``urljoin``.

    :param encoding: of the page; a form's server expects other characters in a query in it.
    """

    __slots__ = ("encoding", "origin", "scheme", "url")

    def __init__(self, url: str, base_href: str | None = None, encoding: str = "utf-8") -> None:
        self.encoding = encoding
        if base_href:
            try:
                joined = urljoin(url, base_href.strip())
                url = joined if joined.lower().startswith(("http://", "https://")) else url
            except ValueError:
                pass
        self.url = url
        parts = urlsplit(url)
        self.scheme = parts.scheme
        self.origin = f"{parts.scheme}://{parts.netloc}"

    def absolute(self, href: str) -> str | None:
        """The absolute http(s) address without fragment, user name and password, None for anything else."""
        address = self._joined(href)
        if address is None:
            return None
        if "@" in address:
            address = _LOGIN.sub("", address, count=1)
        return address if address.isascii() or "?" not in address else self._with_query(address)

    def _with_query(self, address: str) -> str:
        path, _, query = address.partition("?")
        if query.isascii() or self.encoding.startswith(("utf", "ascii")):
            return address
        try:  # what the encoding has no character for is written as browsers do
            return f"{path}?{quote(query.encode(self.encoding, 'xmlcharrefreplace'), safe=_IN_QUERY)}"
        except (LookupError, UnicodeError):
            return address

    def _joined(self, href: str) -> str | None:
        href = href.strip().partition("#")[0]
        if not href or len(href) > _MOST:
            return None
        if "\n" in href or "\t" in href or "\r" in href:
            href = href.replace("\n", "").replace("\t", "").replace("\r", "")
        if href.startswith(("http://", "https://")) and "[" not in href:
            return href if len(href) > 8 else None
        if href[0] == "/" and "/." not in href:
            return f"{self.scheme}:{href}" if href.startswith("//") else self.origin + href
        colon = href.find(":")
        if 0 < colon < 12 and href[:colon].isalpha() and href[:colon].lower() not in ("http", "https"):
            return None
        try:
            address = urljoin(self.url, href)
        except ValueError:
            return None
        return address if address.startswith(("http://", "https://")) else None


def base_href(root: Any) -> str | None:
    """What the page's ``base`` element says, if there is one."""
    head = root.find("head")
    base = head.find("base") if head is not None else None
    return None if base is None else base.get("href")


def page_links(blocks: Iterable[Block], root: Any, base: Base, most: int) -> list[Link]:
    """All links, each address once with its first text that is not empty; then frames and the areas of image maps."""
    found: dict[str, str] = {}
    for block in blocks:
        if len(found) >= most:
            break
        for anchor in block.links:
            if anchor.href and (address := base.absolute(anchor.href)) is not None and not found.get(address):
                found[address] = anchor.text
    for element in root.iter("frame", "area"):
        if (address := base.absolute(element.get("src") or element.get("href") or "")) is not None:
            found.setdefault(address, element.get("alt") or element.get("title") or "")
    return [Link(address, text) for address, text in found.items()][:most]


def page_images(blocks: Iterable[Block], base: Base, *, largest_first: bool = False) -> list[str]:
    """Addresses of the blocks' images, each once, in document order or the largest by declared size first."""
    blocks = list(blocks)
    sources = [source for block in blocks for source in block.images]
    if largest_first and len(sources) > 1:
        sizes: dict[str, int] = {}
        for block in blocks:
            if block.images:
                for image in block.element.iter("img"):
                    size = _pixels(image.get("width")) * _pixels(image.get("height"))
                    for value in image.values():
                        sizes[value] = max(size, sizes.get(value, 0))
        sources.sort(key=lambda source: -sizes.get(source, 0))
    found = map(base.absolute, sources)
    return list(dict.fromkeys(address for address in found if address))


def _pixels(length: str | None) -> int:
    digits = (length or "").strip().removesuffix("px")[:5]
    return int(digits) if digits.isascii() and digits.isdigit() else 0
