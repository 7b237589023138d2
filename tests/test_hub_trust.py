"""Trust: what a site's own pages teach about its links."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webprep_spider.hub.shapes import shapes
from webprep_spider.hub.trust import SiteTrust
from webprep_spider.rules import Rules

HOME = "http://a.example"


def taught(pages: list[tuple[str, float, bool]], rules: Rules | None = None) -> SiteTrust:
    trust = SiteTrust(rules or Rules())
    for path, score, hub in pages:
        trust.observe(HOME + path, score, "hub" if hub else "topic")
    return trust


def test_a_fresh_site_leaves_the_score_as_it_is() -> None:
    assert SiteTrust().adjust(HOME + "/news/", 0.7) == 0.7


def test_a_contrary_site_is_learned() -> None:
    """Topic pages that look like directories, boards that look like articles."""
    pages = [(f"/board-{n}.html", 0.1, True) for n in range(6)] + [(f"/{n}/", 0.95, False) for n in range(6)]
    trust = taught(pages)
    assert trust.adjust(HOME + "/board-77.html", 0.1) > 0.5
    assert trust.adjust(HOME + "/4711/", 0.95) < 0.5


def test_one_pattern_does_not_speak_for_its_sister() -> None:
    trust = taught([(f"/boards/{n}b.html", 0.9, True) for n in range(40)])
    assert trust.adjust(HOME + "/boards/99b.html", 0.2) > 0.9
    assert trust.adjust(HOME + "/topics/99b.html", 0.2) < 0.5


def test_where_the_score_was_right_it_counts_for_more() -> None:
    right = taught([(f"/x{n}/", 0.9, True) for n in range(20)] + [("/p/1.html", 0.9, False)])
    wrong = taught([(f"/x{n}/", 0.1, True) for n in range(20)] + [("/p/1.html", 0.9, False)])
    assert right.agreement > wrong.agreement
    assert right.adjust(HOME + "/p/2.html", 0.9) > wrong.adjust(HOME + "/p/2.html", 0.9)


def test_a_sure_score_takes_more_to_be_overruled() -> None:
    pages = [(f"/x{n}/", 0.9, True) for n in range(20)] + [(f"/p/{n}.html", 0.2, True) for n in range(3)]
    trust = taught(pages)
    assert trust.adjust(HOME + "/p/9.html", 0.4) > 0.5 > trust.adjust(HOME + "/p/9.html", 0.01)


def test_doubtful_looks_do_not_overrule_a_sure_score() -> None:
    """Lists whose pages look somewhat like articles stay lists; what plainly is an article does not."""
    for lead, hub in ((1.0, True), (5.0, False)):
        trust = taught([(f"/2024/{n}.html", 0.05, False) for n in range(20)])
        for n in range(12):
            trust.observe(f"{HOME}/list_{n}.html", 0.95, "topic", lead)
        assert (trust.adjust(HOME + "/list_99.html", 0.95) > 0.5) == hub


def test_query_patterns() -> None:
    trust = taught([(f"/f.php?mod=thread&tid={n}", 0.8, False) for n in range(4)])
    trust.observe(HOME + "/f.php?mod=forum&fid=3", 0.8, "hub")
    assert trust.adjust(HOME + "/f.php?tid=99&mod=thread", 0.8) < 0.3
    assert trust.adjust(HOME + "/f.php?mod=forum&fid=9", 0.8) > 0.5


def test_numbers_and_codes_are_folded() -> None:
    assert shapes(HOME + "/news/2024/t12.html") == shapes(HOME + "/news/2023/t7.html")
    assert shapes(HOME + "/p/5af6Se5mF5Cw.html") == shapes(HOME + "/p/6Mm6OV8XN.html")
    assert shapes(HOME + "/a?b=1&c=2") == shapes(HOME + "/a?c=3&b=4")
    assert shapes("tel:1") == ()


def test_a_site_that_changes_is_followed() -> None:
    trust = taught([("/n/1.html", 0.5, False)] * 5_000)
    for _ in range(2_000):
        trust.observe(HOME + "/n/1.html", 0.5, "hub")
    assert trust.adjust(HOME + "/n/2.html", 0.5) > 0.5


def test_state_is_bounded_and_survives_a_restart() -> None:
    rules = Rules(trust_shapes=20)
    trust = taught([(f"/{'d' * n}/{n}.html", 0.5, n % 2 == 0) for n in range(300)], rules)
    state = trust.to_bytes()
    assert len(state) <= 5 + 8 * 20
    again = SiteTrust.from_bytes(state, rules)
    assert again.to_bytes() == state
    for path in ("/", "/ddd/3.html", "/x"):
        assert again.adjust(HOME + path, 0.6) == trust.adjust(HOME + path, 0.6)
    assert len(SiteTrust.from_bytes(SiteTrust().to_bytes()).to_bytes()) == 5
    assert 5 + 8 * Rules().trust_shapes <= 8_192


@given(st.binary())
def test_damaged_state_is_no_error(state: bytes) -> None:
    trust = SiteTrust.from_bytes(state)
    assert 0 <= trust.adjust(HOME + "/a/1.html", 0.5) <= 1


@given(
    st.lists(st.tuples(st.text(), st.floats(0, 1) | st.just(float("nan")), st.booleans())), st.text(), st.floats(0, 1)
)
def test_any_address_keeps_the_score_a_chance(pages: list[tuple[str, float, bool]], path: str, score: float) -> None:
    trust = taught([("/" + path, score, hub) for path, score, hub in pages])
    for url in (path, HOME + "/" + path):
        assert 0 <= trust.adjust(url, score) <= 1
    assert trust.adjust("mailto:a@b.example", score) == score


def test_the_order_of_calls_alone_decides() -> None:
    pages = [(f"/a/{n % 7}/{n}.html", 0.3, n % 3 == 0) for n in range(100)]
    assert taught(pages).to_bytes() == taught(pages).to_bytes()
