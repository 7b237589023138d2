from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webprep_spider.page.charsets import codec_of
from webprep_spider.page.decode import decode

PAGE = "<html><head>{{meta}}</head><body><p>{}</p></body></html>"
CHINESE = PAGE.format("清晨的渡口还没有人，老船工已经把船擦了一遍，他说今天要送三个学生过河。")
TRADITIONAL = PAGE.format("這個村子的人從前都靠打漁過活，現在年輕人大多到城裡工作，只有老人還留在海邊。")
JAPANESE = PAGE.format("昨日は駅前の新しい図書館に行きました。子どもたちが静かに本を読んでいました。")
KOREAN = PAGE.format("어제는 시장에 가서 사과와 배를 샀습니다. 날씨가 좋아서 사람들이 많이 있었습니다.")
RUSSIAN = PAGE.format("Вчера вечером в городе открылась новая библиотека, и первыми читателями стали дети.")
GERMAN = PAGE.format("Gestern wurde in der Stadt eine neue Brücke für Fußgänger eröffnet, schön und größer.")


def meta(charset: str) -> str:
    return f'<meta charset="{charset}">'


@pytest.mark.parametrize(
    ("text", "codec", "label"),
    [
        (CHINESE, "gbk", "gb2312"),
        (CHINESE, "gb18030", "gb18030"),
        (TRADITIONAL, "big5", "big5"),
        (JAPANESE, "shift_jis", "Shift_JIS"),
        (JAPANESE, "euc_jp", "euc-jp"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
        (KOREAN, "euc_kr", "euc-kr"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8_r", "koi8-r"),
        (GERMAN, "cp1252", "iso-8859-1"),
        (GERMAN, "cp1252", "windows-1252"),
        (CHINESE, "utf-8", "utf-8"),
    ],
)
@pytest.mark.parametrize("where", ["header", "meta"])
def test_a_declared_encoding_is_used(text: str, codec: str, label: str, where: str) -> None:
    page = text.format(meta=meta(label) if where == "meta" else "")
    header = f"text/html; charset={label}" if where == "header" else "text/html"
    decoded = decode(page.encode(codec), content_type=header)
    assert decoded.text == page
    assert decoded.source == where
    assert not decoded.suspect


@pytest.mark.parametrize(
    ("text", "codec"),
    [(CHINESE, "gbk"), (TRADITIONAL, "big5"), (JAPANESE, "shift_jis"), (JAPANESE, "euc_jp"), (KOREAN, "euc_kr")],
)
def test_an_undeclared_east_asian_encoding_is_found(text: str, codec: str) -> None:
    page = text.format(meta="")
    decoded = decode(page.encode(codec))
    assert decoded.text == page
    assert decoded.source == "detection"


def test_a_short_undeclared_gbk_page_comes_out_right() -> None:
    page = "<html><body><p>今天上午停水两小时，请大家提前准备。</p></body></html>"
    assert decode(page.encode("gbk")).text == page


@pytest.mark.parametrize(
    ("codec", "header", "declared"),
    [
        ("utf-8", None, "gb2312"),  # UTF-8 bytes, the meta element was left over from an older page
        ("utf-8", "gbk", "gbk"),
        ("gbk", "utf-8", "gbk"),  # the server adds its default
        ("gbk", "ISO-8859-1", "gb2312"),
        ("gbk", "utf-8", "utf-8"),
        ("gbk", "ISO-8859-1", None),
    ],
)
def test_a_wrong_declaration_is_repaired(codec: str, header: str | None, declared: str | None) -> None:
    page = CHINESE.format(meta=meta(declared) if declared else "")
    decoded = decode(page.encode(codec), content_type=f"text/html; charset={header}" if header else None)
    assert decoded.text == page
    assert decoded.source in ("repair", "meta")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_with_and_without_its_mark(codec: str) -> None:
    page = CHINESE.format(meta="") + " " * 400
    assert decode(page.encode(codec)).text == page
    assert decode(("\ufeff" + page).encode(codec)).text == page
    assert decode(("\ufeff" + page).encode(codec)).source == "bom"


def test_text_encoded_twice_is_repaired() -> None:
    page = CHINESE.format(meta=meta("utf-8"))
    twice = page.encode().decode("latin-1")
    decoded = decode(twice.encode())
    assert decoded.text == page
    assert decoded.source == "repair"


def test_accented_latin_text_is_left_alone() -> None:
    page = "<p>Déjà vu à l’école : où êtes-vous allés cet été ? Ça coûte très cher, naïveté, Noël, façade.</p>"
    decoded = decode(page.encode())
    assert (decoded.text, decoded.source) == (page, "detection")


def test_a_broken_byte_does_not_change_the_encoding() -> None:
    body = CHINESE.format(meta=meta("gb2312")).encode("gbk").replace(b"</p>", b"\xff</p>")
    assert "清晨的渡口" in decode(body).text
    body = CHINESE.format(meta=meta("utf-8")).encode().replace(b"</p>", b"\xff</p>")
    assert decode(body).encoding == "utf-8"


def test_a_page_cut_in_the_middle_of_a_character_is_still_utf_8() -> None:
    body = CHINESE.format(meta="").encode()[:-60]
    while body[-1] < 0x80:
        body = body[:-1]
    decoded = decode(body[:-1])
    assert decoded.encoding == "utf-8"
    assert "\ufffd" not in decoded.text


@pytest.mark.parametrize("label", ["zlib_codec", "idna", "rot13", "unicode_escape", "no-such-thing", "", "utf-8,gbk;"])
def test_names_that_are_no_text_encoding_are_not_believed(label: str) -> None:
    page = CHINESE.format(meta=meta(label))
    assert decode(page.encode(), content_type=f"text/html; charset={label}", encoding=label).text == page


def test_gb_labels_mean_gb18030() -> None:
    assert {codec_of(label) for label in ("gb2312", "GBK", "gb_2312-80", "x-gbk", "GB18030")} == {"gb18030"}


@given(
    st.binary(max_size=400), st.sampled_from([None, "text/html; charset=gbk", "text/html; charset=utf-8", "charset=,;"])
)
def test_any_bytes_decode(body: bytes, header: str | None) -> None:
    decoded = decode(body, content_type=header)
    assert isinstance(decoded.text, str)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\ufeff\x00"), max_size=300))
def test_utf_8_with_its_mark_survives(text: str) -> None:
    assert decode(b"\xef\xbb\xbf" + text.encode()).text == text


@given(st.text("的一是了我不人在他有这个上们来到时大地为子中你说生国年", min_size=12, max_size=200))
def test_common_characters_survive_any_chinese_encoding(text: str) -> None:
    for codec in ("gbk", "gb18030", "utf-8"):
        assert decode(text.encode(codec)).text == text


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("À l'ancien aérodrome, rouvert en été, les hérons sont déjà revenus ; l'odeur gênante a disparu.", "cp1252"),
        ("Správci říkají, že bažina denně vyčistí třicet tisíc tun říční vody a že se volavky vrátily.", "cp1250"),
        ("Den gamla flygplatsen öster om staden öppnade igen förra veckan som våtmarkspark.", "cp1252"),
        (
            "Yöneticiler bataklığın her gün otuz bin ton nehir suyunu süzdüğünü söylüyor, şehir memnun. Eski havaalanı "
            "geçen hafta sulak alan parkı olarak yeniden açıldı. Balıkçıllar üç yıl sonra geri döndü.",
            "cp1254",
        ),
        ("Admission to the old airfield is £5, or £6 and a cup of coffee in the naïve café – said nobody…", "cp1252"),
    ],
)
def test_an_undeclared_western_code_page_is_told_from_its_neighbours(text: str, codec: str) -> None:
    assert text in decode(f"<html><body><p>{text}</p></body></html>".encode(codec)).text


@pytest.mark.parametrize("sign", ["£5", "© 2026", "5 €", "Zoë", "naïve", "20°C"])
def test_one_sign_beyond_ascii_is_enough_to_see_that_a_page_is_not_utf8(sign: str) -> None:
    text = f"<p>{'The old airfield was opened again last week, and the herons have come back. ' * 20}{sign}</p>"
    assert decode(text.encode("cp1252")).text == text
    assert decode(text.encode("cp1252"), content_type="text/html; charset=utf-8").text == text


def test_accented_letters_encoded_twice_are_repaired() -> None:
    text = "<p>Les gérants épurent l'eau, les hérons sont déjà revenus l'été dernier, après dix années.</p>"
    decoded = decode(text.encode().decode("latin-1").encode())
    assert (decoded.text, decoded.source) == (text, "repair")
