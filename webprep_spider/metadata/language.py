"""Language of a page: what it declares, checked against its script; else script and commonest words."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

from webprep_spider.metadata.words import HAN, sections

if TYPE_CHECKING:
    from collections.abc import Mapping

SAMPLE = 1_500
FUNCTION_WORDS = "function-words.txt"

_SCRIPTS = (
    ("han", re.compile(f"[{HAN}]")),
    ("kana", re.compile("[\u3041-\u30ff]")),
    ("hangul", re.compile("[\uac00-\ud7a3]")),
    ("cyrillic", re.compile("[\u0400-\u04ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("southern", re.compile("[\u0530-\u058f\u0900-\u139f\u1780-\u17ff]")),
    ("latin", re.compile("[A-Za-z\u00c0-\u024f\u1ea0-\u1ef9]")),
)
_OF_SCRIPT = {
    "han": ("zh",),
    "kana": ("ja",),
    "hangul": ("ko",),
    "cyrillic": ("ru", "uk", "bg", "sr", "mk", "be", "kk", "ky", "tg", "mn"),
    "arabic": ("ar", "fa", "ur", "ug", "ps", "ckb", "sd"),
    "greek": ("el",),
    "hebrew": ("he", "yi"),
    "devanagari": ("hi", "mr", "ne"),
    "bengali": ("bn", "as"),
    "thai": ("th",),
    "tamil": ("ta",),
    "telugu": ("te",),
    "gujarati": ("gu",),
    "gurmukhi": ("pa",),
    "kannada": ("kn",),
    "malayalam": ("ml",),
    "sinhala": ("si",),
    "georgian": ("ka",),
    "armenian": ("hy",),
    "khmer": ("km",),
    "lao": ("lo",),
    "myanmar": ("my",),
    "tibetan": ("bo",),
    "ethiopic": ("am", "ti"),
}
_LETTERS = {"uk": "їєґ", "be": "ў", "mk": "ѓќ", "sr": "ђћ", "kk": "қғұ", "fa": "پچژگ", "ur": "ٹڈڑے", "ug": "ېۈ"}
"""Letters that the other great languages of a script do not have; the last language that shows one is it."""


def language_of(text: str, declared: str = "") -> str:
    """The two-letter code of the language, or an empty string when the text does not tell.

    A declared code stands when enough of the text is in a script of its own: templates are copied with their ``lang``.
    """
    sample = text[:SAMPLE]
    code = re.split(r"[-_]", declared.strip().lower(), maxsplit=1)[0]
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS}
    if counts["kana"] * 10 > (0 if code == "ja" else counts["han"]) and counts["kana"] * 5 > counts["latin"]:
        return "ja"
    counts["han"] *= 3  # a character is about half a word
    script = max(counts, key=lambda name: counts[name])
    if not counts[script]:
        return code if len(code) == 2 else ""
    named = next((name for name, codes in _OF_SCRIPT.items() if code in codes), "latin" if len(code) == 2 else "")
    if counts.get(named, 0) * 4 > 3 * counts[script]:
        script = named
    if script == "latin":
        return _latin(sample, code)
    if script == "southern":
        letter = next(char for char in sample if dict(_SCRIPTS)[script].match(char))
        script = unicodedata.name(letter, "").partition(" ")[0].lower()
    allowed = _OF_SCRIPT.get(script, ())
    if code in allowed or not allowed:
        return code if code in allowed else ""
    marked = [language for language, letters in _LETTERS.items() if language in allowed and set(letters) & set(sample)]
    return marked[-1] if marked else allowed[0]


def _latin(sample: str, code: str) -> str:
    words = set(sample.lower().split())
    counts: defaultdict[str, float] = defaultdict(float)
    for word in words:
        for language in (languages := _languages().get(word, ())):
            counts[language] += 1.0 / len(languages)
    best, most = max(counts.items(), key=lambda entry: (entry[1], entry[0]), default=("", 0.0))
    others = {other for languages in _OF_SCRIPT.values() for other in languages}
    declared = code if len(code) == 2 and code not in others else ""
    if most < 1.5 or most * 25 < len(words) or (declared and declared not in sections(FUNCTION_WORDS)):
        return declared
    return declared if counts[declared] * 2 > most else best


def function_words(language: str) -> frozenset[str]:
    """The commonest words of a language, which are no keywords of a text in it; none where they are not known."""
    return frozenset(sections(FUNCTION_WORDS).get(language, ()))


@cache
def _languages() -> Mapping[str, list[str]]:
    """Of each of the commonest words in Latin letters, the languages it belongs to."""
    found: dict[str, list[str]] = {}
    for language, words in sections(FUNCTION_WORDS).items():
        for word in words:
            found.setdefault(word, []).append(language)
    return found
