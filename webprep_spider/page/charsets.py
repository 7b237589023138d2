"""Names of character encodings and the characters that running text is made of."""

from __future__ import annotations

from functools import lru_cache

# Labels of the WHATWG Encoding Standard, by the Python codec that reads them. Only these names are believed, so that a
# page cannot name a codec that is no text encoding (``zlib_codec``, ``idna``). As in browsers, GB labels mean gb18030,
# Latin-1 and ASCII mean windows-1252.
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16-be": "unicodefffe utf-16be",
    "gb18030": (
        "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030 gb-2312 gb2312-80 "
        "cp936 ms936 windows-936 euc-cn euccn gb18030-2000 gb18030-2005"
    ),
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5 big-5 cp950 ms950 big5hkscs",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp eucjp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis cp932",
    "cp949": (
        "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 "
        "cp949"
    ),
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859_2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859_3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859_4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859_5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859_6": (
        "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i "
        "iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"
    ),
    "iso8859_7": (
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
        "iso_8859-7:1987 sun_eu_greek"
    ),
    "iso8859_8": (
        "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i iso-ir-138 iso8859-8 "
        "iso88598 iso_8859-8 iso_8859-8:1988 logical visual"
    ),
    "iso8859_10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859_13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859_14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859_15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso8859_16": "iso-8859-16",
    "koi8_r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8_u": "koi8-ru koi8-u",
    "mac_roman": "csmacintosh mac macintosh x-mac-roman",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": (
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
        "iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"
    ),
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": (
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254"
    ),
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
}
_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}

# The characters that make up most of any running text in Chinese (simplified, then the traditional forms that differ),
# Japanese and Korean. Text read in a wrong encoding is made of rare characters instead.
_HAN = (
    "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心"
    "学么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分"
    "爱老因很给名法间斯知世什两次使身者被高已亲其进此话常与活正感见明问力理尔点文几定本公特做外孩相西果走将月十实向声"
    "车全信重三机工物气每并别真打太新比才便夫再书部水像眼等体却加电主界门利海受听表德少克代员许先口由死安写性马光白"
    "或住难望教命花结乐色更拉东神记处让母父应直字场平报友关放至张认接告入笑内英军候民岁往何度山觉路带万男边风解叫任金"
    "快原吃妈变通师立象数四失满战远格士音轻目条呢病始达深完今提求清王化空业思切怎非找片罗钱语元喜曾离飞科言干流欢约各"
    "即指合反题必该论交终林请医晚制球决传画保读运及则房早院量苦火布品近坐产答星精视五连司巴奇管类未朋且婚台夜青北队久"
    "乎越观落尽形影红爸百令周吧识步希亚术留市半热送兴造谈容极随演收首根讲整式取照办强石古华备据收区建设发展社会经济政"
    "府企业技改革市场报道记者网络服务信息系统管理工作公司中心时间问题方面通过进行关于以及联系地址版权所有电话新闻"
    "這個們來說國時會為學對後過還發無樣開當從沒實車給現兩長動見話問點間電門東氣機書聽應讓愛業經題體員處樂萬馬"
    "與將頭邊場變語報關歲認親記張樣師錢歡遠離戰視區設濟術務網絡聯據類團計臺灣號碼權購單價專業圖標誌讀寫請觀論"
    "・ー，。、！？：；（）“”《》「」…"
)
_KOREAN = (
    "이다의는에을를가고하은로지도한서사기해리어자인나시들있라대으아그니스일수과장부정전지보안게여만면구조제주상원성"
    "와할오소년았었했적되동세신마선중유것공회국학경관비연교문미화모생간내개계위업민"
)
_RUNNING = frozenset(_HAN + _KOREAN) | {chr(c) for c in range(0x3041, 0x30FF)}


@lru_cache(maxsize=256)
def codec_of(label: str) -> str | None:
    """Python codec for an encoding label of the web, None for a label that browsers do not know."""
    return _CODECS.get(label.strip().strip("\"'").lower())


def running_share(text: str, most: int = 4000) -> float:
    """Share of frequent characters among the first ``most`` non-ASCII characters; 0 if there are none."""
    strange = [c for c in text if c > "\x7f"] if len(text) < 2 * most else _strange(text, most)
    return sum(map(_RUNNING.__contains__, strange)) / len(strange) if strange else 0.0


def _strange(text: str, most: int) -> list[str]:
    """The first non-ASCII characters; a few slices are looked at so that a long ASCII head costs nothing."""
    found: list[str] = []
    for start in range(0, len(text), 8192):
        piece = text[start : start + 8192]
        if not piece.isascii():
            found += [c for c in piece if c > "\x7f"]
            if len(found) >= most:
                break
    return found
