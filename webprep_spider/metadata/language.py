"""Language of a page: what it declares, checked against its script; else script and stop words."""

from __future__ import annotations

import re
from collections import Counter

from webprep_spider.metadata.words import HAN

SAMPLE = 1_500

_SCRIPTS = (
    ("han", re.compile(f"[{HAN}]")),
    ("kana", re.compile("[\u3041-\u30ff]")),
    ("hangul", re.compile("[\uac00-\ud7a3]")),
    ("cyrillic", re.compile("[\u0400-\u04ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("thai", re.compile("[\u0e00-\u0e7f]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
    ("latin", re.compile("[A-Za-z\u00c0-\u024f]")),
)
_OF_SCRIPT = {
    "han": ("zh",),
    "kana": ("ja",),
    "hangul": ("ko",),
    "cyrillic": ("ru", "uk", "bg", "sr", "mk", "be", "kk"),
    "arabic": ("ar", "fa", "ur", "ug"),
    "greek": ("el",),
    "thai": ("th",),
    "hebrew": ("he",),
    "devanagari": ("hi", "mr", "ne"),
}
_COMMON = {
    "en": "the of and to in is that for with was on are as it by",
    "de": "der die und das ist nicht mit von den ein eine auf für dem zu",
    "fr": "le la les des et est une dans que pour qui sur pas du au",
    "es": "el los las que una por con para del como es en se su al",
    "it": "il di che per una con non sono della nel gli anche dei come più",
    "pt": "os que uma para com não por mais dos como foi ao das tem seu",
    "nl": "het een van en dat niet zijn voor met op aan ook er te bij",
    "pl": "nie się na jest że do jak to od po przez dla oraz być który",
    "vi": "của và là không có được cho một trong người các những với này",
    "id": "yang dan di ini dengan untuk tidak dari pada dalam adalah akan itu juga",
    "tr": "bir ve bu için ile da de olarak daha çok en olan gibi sonra kadar",
}
_STOPS = {language: frozenset(words.split()) for language, words in _COMMON.items()}


def language_of(text: str, declared: str = "") -> str:
    """The two-letter code of the language, or an empty string when the text does not tell.

    A declared code stands when the script of the text allows it: templates are copied with their ``lang``.
    """
    sample = text[:SAMPLE]
    code = re.split(r"[-_]", declared.strip().lower(), maxsplit=1)[0]
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS}
    if counts["kana"] * 10 > counts["han"] and counts["kana"] * 5 > counts["latin"]:
        return "ja"
    counts["han"] *= 3  # a character is about half a word
    script = max(counts, key=lambda name: counts[name])
    if not counts[script]:
        return code if len(code) == 2 else ""
    if script == "latin":
        return _latin(sample, code)
    allowed = _OF_SCRIPT[script]
    return code if code in allowed else allowed[0]


def _latin(sample: str, code: str) -> str:
    words = sample.lower().split()
    written = Counter(words)
    counts = {language: sum([written[word] for word in stops if word in written]) for language, stops in _STOPS.items()}
    best = max(counts, key=lambda language: counts[language])
    others = {other for languages in _OF_SCRIPT.values() for other in languages}
    declared = code if len(code) == 2 and code not in others else ""
    if counts[best] < 3 or counts[best] * 20 < len(words):
        return declared
    return declared if counts.get(declared, counts[best]) * 2 > counts[best] and declared else best
