"""Whole crawls of a site on 127.0.0.1."""

from __future__ import annotations

import asyncio
import csv
import gzip
import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import redis
from lxml import etree

from tests.crawling import Outcome, Project
from tests.redis_server import RedisServer
from tests.site import Answer, Site
from webprep_spider import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MENU = '<div class="nav"><a href="/">首页</a> <a href="/news/">要闻</a> <a href="/about.html">关于我们</a></div>'
FOOT = '<div class="foot">版权所有 临江在线 联系电话 000-0000 <a href="/about.html">网站地图</a></div>'


def paragraphs(seed: str, count: int = 4) -> list[str]:
    """Text that no two seeds share."""
    return [
        f"{seed}的第{number}段说，镇上的{seed}从清晨就开始忙碌，人们为{seed}沿着河岸走了{number}里路。"
        f"他们一路谈论{seed}和今年第{number}次收成，直到{seed}的{number}点钟才各自回家。"
        for number in range(1, count + 1)
    ]


def article(title: str, body: list[str], charset: str = "utf-8") -> str:
    text = "".join(f"<p>{line}</p>" for line in body)
    return (
        f'<html><head><meta charset="{charset}"><title>{title}_临江在线</title></head><body>{MENU}'
        f'<div class="article"><h1>{title}</h1><div class="content">{text}</div></div>{FOOT}</body></html>'
    )


def listing(title: str, links: dict[str, str]) -> str:
    rows = "".join(f'<li><a href="{path}">{text}</a></li>' for path, text in links.items())
    return f"<html><head><title>{title}_临江在线</title></head><body>{MENU}<ul>{rows}</ul>{FOOT}</body></html>"


TITLES = {f"/news/2026/0518/{n}.html": f"{name}的一天" for n, name in enumerate(("渡口", "茶园", "灯会", "夜市"), 1001)}


def news_site() -> Site:
    pages: dict[str, str | Answer] = {
        "/": listing("首页", {"/news/": "要闻", "/about.html": "关于", **TITLES}),
        "/news/": listing("要闻", {**TITLES, "/mirror/9.html": "渡口的一天（转载）", "/gbk.html": "旧粮仓改成图书馆"}),
        "/about.html": article("关于我们", paragraphs("网站")),
        "/mirror/9.html": "<html><head><title>转载</title></head><body><table><tr><td>转载站</td></tr><tr><td>"
        + "<br>".join(paragraphs("渡口的一天"))
        + "</td></tr></table></body></html>",
        "/gbk.html": Answer(
            article("旧粮仓改成图书馆", paragraphs("图书馆"), "gb2312").encode("gb18030"),
            content_type="text/html; charset=ISO-8859-1",
        ),
    }
    pages |= {path: article(title, paragraphs(title)) for path, title in TITLES.items()}
    return Site(pages)


@pytest.fixture
def site() -> Iterator[Site]:
    with news_site() as site:
        yield site


def clean(outcome: Outcome) -> Outcome:
    """A crawl without an exception or an error in its log."""
    assert "Traceback" not in outcome.log, outcome.log
    assert outcome.code == 0, outcome.log
    return outcome


def test_the_main_job(site: Site, tmp_path: Path) -> None:
    outcome = clean(Project.own(tmp_path).crawl("hub", seeds=site.url + "/"))
    docviews = outcome.by_path()
    for path, title in TITLES.items():
        kept = docviews.get(path) or docviews["/mirror/9.html"]
        assert paragraphs(title)[1] in kept["body"]
        assert "版权所有" not in kept["body"]
        assert "关于我们" not in kept["body"]
    one = docviews["/news/2026/0518/1002.html"]
    assert one["title"] == "茶园的一天"
    assert one["type"] == "topic"
    assert one["identifier"].endswith("/news/2026/0518/1002.html")
    assert one["abstract"]
    assert one["keywords"]
    assert one["fingerprints"]
    assert docviews["/"]["type"] == "hub"
    assert outcome.stat("webprep/dropped/replica") == 1  # the repost in another template
    assert outcome.stat("webprep/replica/replica") == 1
    assert "near-duplicates" in outcome.log
    assert "pages/s" in outcome.log


def test_a_wrongly_labelled_page_is_mended_before_the_callback(site: Site, tmp_path: Path) -> None:
    outcome = clean(Project.own(tmp_path).crawl("hub", seeds=site.url + "/"))
    assert paragraphs("图书馆")[0] in outcome.by_path()["/gbk.html"]["body"]
    assert outcome.stat("webprep/encoding/repaired") >= 1


def test_a_second_crawl_knows_its_own_pages(site: Site, tmp_path: Path) -> None:
    project = Project.own(tmp_path)
    first = clean(project.crawl("hub", seeds=site.url + "/"))
    site.pages["/news/2026/0518/1003.html"] = article("灯会的一天", paragraphs("雨水", 6))
    second = clean(project.crawl("hub", seeds=site.url + "/"))
    assert set(second.by_path()) == set(first.by_path())
    assert second.stat("webprep/dropped/replica") == first.stat("webprep/dropped/replica")
    assert second.stat("webprep/replica/changed") == 1
    assert second.stat("webprep/replica/same") >= len(first.items) - 2  # a page without text is always new
    assert "unchanged" in second.by_path()["/about.html"]["flags"]
    assert paragraphs("雨水")[0] in second.by_path()["/news/2026/0518/1003.html"]["body"]
    third = clean(
        project.crawl("hub", "-s", "WEBPREP_UNCHANGED=drop", "-s", "WEBPREP_TYPES=topic", seeds=site.url + "/")
    )
    assert third.items == []
    assert third.stat("webprep/dropped/unchanged") > 0


@pytest.mark.parametrize("store", ["memory:", "redis"])
def test_other_stores_by_setting_only(site: Site, tmp_path: Path, redis_url: str, store: str) -> None:
    url = redis_url if store == "redis" else store
    outcome = clean(Project.own(tmp_path, WEBPREP_STORE_URL=url).crawl("hub", seeds=site.url + "/"))
    assert outcome.stat("webprep/dropped/replica") == 1
    assert not (tmp_path / ".webprep").exists()


def test_what_somebody_planted_in_the_store_is_counted_and_learned_anew(site: Site, tmp_path: Path) -> None:
    async def plant() -> None:
        async with open_store(f"sqlite:///{tmp_path}/s.db") as store:
            await store.set_state("trust:" + site.url.partition("//")[2], b"\x80\x04\x8c\x05posix\x8c\x06system\x93.")

    asyncio.run(plant())
    project = Project.own(tmp_path, WEBPREP_STORE_URL=f"sqlite:///{tmp_path}/s.db")
    assert clean(project.crawl("hub", seeds=site.url + "/")).stat("webprep/store/bad_record") == 1
    assert clean(project.crawl("hub", seeds=site.url + "/")).stat("webprep/store/bad_record") == 0


def test_marking_keeps_replicas(site: Site, tmp_path: Path) -> None:
    outcome = clean(Project.own(tmp_path, WEBPREP_REPLICA_ACTION="mark").crawl("hub", seeds=site.url + "/"))
    marked = [item for item in outcome.items if item["replica_of"]]
    assert len(marked) == 1
    assert "replica" in marked[0]["flags"]


def test_dropped_pages_can_be_read_in_a_feed(site: Site, tmp_path: Path) -> None:
    clean(
        Project.own(tmp_path, WEBPREP_DROPPED_FEED="dropped.jsonl", WEBPREP_TYPES="topic").crawl(
            "hub", seeds=site.url + "/"
        )
    )
    rows = (tmp_path / "dropped.jsonl").read_text("utf-8")
    assert '"reason": "replica"' in rows
    assert "/news/2026/0518/1001.html" in rows
    assert '"reason": "unwanted_type"' in rows


def test_seeds_from_a_file(site: Site, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text(f"# ours\n{site.url}/about.html\n", encoding="utf-8")
    outcome = clean(Project.own(tmp_path).crawl("hub", "-s", "DEPTH_LIMIT=1", seeds_file="seeds.txt"))
    assert "/about.html" in outcome.by_path()


def test_the_bundled_site(tmp_path: Path) -> None:
    project = Project.own(tmp_path)
    outcome = clean(project.crawl("hub", seeds="demo"))
    assert len(clean(project.crawl("hub", seeds="demo")).items) == len(outcome.items)
    docviews = outcome.by_path()
    types = {path: docview["type"] for path, docview in docviews.items()}
    assert types["/"] == types["/news/"] == types["/en/"] == "hub"
    assert types["/gallery/lanterns.html"] == "picture"
    assert types["/en/2026/night-train.html"] == "topic"
    assert "公平秤" in docviews["/news/2026/0514/1004.html"]["body"]
    assert outcome.stat("webprep/dropped/replica") == 1
    for docview in docviews.values():
        if docview["type"] == "topic":
            assert "全场五折" not in docview["body"]
            assert "umbrellas" not in docview["body"]


@pytest.mark.parametrize(
    ("arguments", "settings", "told"),
    [
        ({}, {}, "no seeds"),
        ({"seeds": "ftp://a.example/"}, {}, "ftp://a.example/"),
        ({"seeds": "example.org"}, {}, "https://example.org/"),
        ({"seeds_file": "no-such-file"}, {}, "no-such-file"),
        ({"seeds": "demo"}, {"WEBPREP_EMIT": "replace"}, "WEBPREP_EMIT"),
        ({"seeds": "demo"}, {"WEBPREP_HUB_MODEL": "no-such.npz"}, "no-such.npz"),
        ({"seeds": "demo"}, {"WEBPREP_STORE_URL": "redis://:geheim@127.0.0.1:1/0"}, "127.0.0.1:1"),
        ({"seeds": "demo"}, {"WEBPREP_STORE_URL": "sqlite:////proc/no/store.db"}, "/proc/no/store.db"),
        ({"seeds": "demo"}, {"WEBPREP_STORE_URL": "redis://127.0.0.1:1/0?password=geheim"}, "127.0.0.1:1"),
        ({"seeds": "demo"}, {"WEBPREP_STORE_URL": "redis://127.0.0.1:1/0?ssl_cert_reqs=none"}, "ssl_cert_reqs"),
        ({"seeds": "demo"}, {"FEEDS": {"out.nope": {"format": "nope"}}}, "no format 'nope'"),
    ],
)
def test_what_cannot_start_says_why(
    tmp_path: Path, arguments: dict[str, str], settings: dict[str, str], told: str
) -> None:
    outcome = Project.own(tmp_path, **settings).crawl("hub", **arguments)
    assert outcome.code != 0
    assert told in outcome.log
    assert "Traceback" not in outcome.log
    assert "geheim" not in outcome.log


def test_a_feed_that_cannot_be_written_is_no_surprise_at_the_end(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for feed in ("/proc/nowhere/out.jsonl", "file/out.jsonl", "."):
        outcome = Project.own(tmp_path).run("crawl", "hub", "-a", f"seeds={site.url}/", "-O", f"{feed}:jsonl")
        assert outcome.code != 0
        assert f"the feed {feed} cannot be written" in outcome.log
        assert "Traceback" not in outcome.log
    assert site.requests == []


def test_odd_answers_are_counted_and_lose_nothing(tmp_path: Path) -> None:
    pages: dict[str, str | Answer] = {
        "/": listing(
            "首页",
            {
                path: path
                for path in ("/empty.html", "/image.html", "/data.bin", "/gone.html", "/good.html", "/big.html")
            },
        ),
        "/empty.html": "",
        "/image.html": Answer(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20),
        "/data.bin": Answer(b"\x00\x01", content_type="application/octet-stream"),
        "/good.html": article("好页面", paragraphs("好页面")),
        "/big.html": article("大页面", paragraphs("大页面", 30_000)),
    }
    with Site(pages) as site:
        outcome = clean(Project.own(tmp_path).crawl("hub", seeds=site.url + "/"))
    assert paragraphs("好页面")[0] in outcome.by_path()["/good.html"]["body"]
    assert "PNG" not in str(outcome.items)
    assert outcome.stat("webprep/dropped/not_html") >= 1
    assert "truncated_size" in outcome.by_path()["/big.html"]["flags"]


def test_bodies_that_are_not_what_they_are_said_to_be(tmp_path: Path) -> None:
    names = ("said", "unsaid", "twice", "cut", "plain", "xml", "style", "damaged", "bomb", "film", "pdf")
    text = {name: article(f"{name}的渡口", paragraphs(f"渡口{name}")) for name in names}
    packed = {"Content-Encoding": "gzip"}
    pages: dict[str, str | Answer] = {
        "/": listing("首页", {f"/{name}.html": f"渡口的消息{name}" for name in names}),
        "/said.html": Answer(text["said"], headers=packed),
        "/unsaid.html": Answer(gzip.compress(text["unsaid"].encode())),
        "/twice.html": Answer(
            gzip.compress(gzip.compress(text["twice"].encode())), headers={"Content-Encoding": "gzip, gzip"}
        ),
        "/cut.html": Answer(text["cut"], cut=500),
        "/plain.html": Answer(text["plain"], content_type="text/plain"),
        "/xml.html": Answer(text["xml"], content_type="application/xml"),
        "/style.html": Answer(text["style"], content_type="text/css"),
        "/damaged.html": Answer(b"\x1f\x8b\x08" + bytes(200), headers=packed),
        "/bomb.html": Answer(gzip.compress(bytes(20_000_000)), headers=packed),
        "/film.html": Answer(random.Random(1).randbytes(4000)),
        "/pdf.html": Answer("%PDF-1.4\n" + "BT (The ferry was repaired in spring) Tj ET\n" * 60),
    }
    with Site(pages) as site:
        outcome = clean(Project.own(tmp_path).crawl("hub", seeds=site.url + "/"))
        assert site.requests.count("/cut.html") == 3
    docviews = outcome.by_path()
    for name in ("said", "unsaid", "twice", "cut", "plain", "xml", "style"):
        assert paragraphs(f"渡口{name}")[0] in docviews[f"/{name}.html"]["body"], name
    assert "incomplete" in docviews["/cut.html"]["flags"]
    assert not {"/damaged.html", "/bomb.html", "/film.html", "/pdf.html"} & set(docviews)
    assert outcome.stat("webprep/dropped/damaged") == 1
    assert outcome.stat("webprep/dropped/too_large") == 1
    assert outcome.stat("webprep/dropped/unreadable") == 2


def test_redirects_to_nowhere_and_in_circles(tmp_path: Path) -> None:
    def moved(to: str) -> Answer:
        return Answer(status=302, headers={"Location": to})

    refresh = '<meta http-equiv="refresh" content="0;url=/{}.html">'
    pages: dict[str, str | Answer] = {
        "/": listing(
            "首页", {path: f"渡口的消息{path}" for path in ("/x", "/bad", "/none", "/login", "/r.html", "/s.html")}
        ),
        "/x": moved("/y"),
        "/y": moved("/x"),
        "/bad": moved("http://[bad"),
        "/none": Answer(status=302),
        "/r.html": article("渡口", paragraphs("渡口")).replace("<head>", "<head>" + refresh.format("r")),
        "/s.html": article("茶园", paragraphs("茶园")).replace("<head>", "<head>" + refresh.format("t")),
        "/t.html": article("灯会", paragraphs("灯会")).replace("<head>", "<head>" + refresh.format("s")),
        "/login.html": article("夜市", paragraphs("夜市")),
    }
    with Site(pages) as site:
        pages["/login"] = moved(site.url.replace("//", "//user:geheim@") + "/login.html")
        outcome = clean(Project.own(tmp_path, LOG_LEVEL="INFO").crawl("hub", seeds=site.url + "/"))
        assert site.requests.count("/r.html") == 2
    assert set(outcome.by_path()) == {"/", "/r.html", "/t.html", "/login.html"}
    assert outcome.stat("webprep/dropped/redirects") == 1
    assert "redirected without end: 1" in outcome.log
    assert "geheim" not in outcome.log
    assert "geheim" not in str(outcome.items)


def test_the_project_s_own_redirects_stay(site: Site, tmp_path: Path) -> None:
    own = {"scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None}
    site.pages["/about.html"] = Answer(status=302, headers={"Location": "/moved.html"})
    outcome = clean(Project.own(tmp_path, DOWNLOADER_MIDDLEWARES=own).crawl("hub", seeds=site.url + "/"))
    assert "/moved.html" not in site.requests
    assert outcome.stat("httperror/response_ignored_status_count/302") == 1


def test_links_of_old_sites(tmp_path: Path) -> None:
    frames = '<html><head><base href="http://[bad"></head><frameset><frame src="/menu.html"></frameset></html>'
    menu = listing("菜单", {"/find?q=渡口": "渡口", "http://me:geheim@HOST/tea.html": "茶园", "http://[x/": "坏"})
    menu = menu.replace("<ul>", '<map><area href="/map.html" alt="地图"></map><ul>').replace(
        "<head>", '<head><meta charset="gb2312">'
    )
    with Site({"/": frames}) as site:
        body = menu.replace("HOST", site.url.partition("//")[2]).encode("gb18030")
        site.pages["/menu.html"] = Answer(body, content_type="text/html")
        clean(Project.own(tmp_path).crawl("hub", seeds=site.url + "/"))
        assert {"/menu.html", "/find?q=%B6%C9%BF%DA", "/tea.html", "/map.html"} <= set(site.requests)
        assert "geheim" not in (tmp_path / "out.jsonl").read_text("utf-8")


def test_what_was_not_fetched_is_told_without_a_traceback(tmp_path: Path) -> None:
    pages: dict[str, str | Answer] = {
        "/": listing("首页", {"/private/1.html": "一", "http://127.0.0.1:1/": "二"}),
        "/robots.txt": Answer("User-agent: *\nDisallow: /private/\n", content_type="text/plain"),
    }
    with Site(pages) as site:
        outcome = Project.own(tmp_path, RETRY_TIMES=0).crawl("hub", seeds=site.url + "/")
        assert "1 links that robots.txt forbids" in outcome.log
        outcome = Project.own(tmp_path, RETRY_TIMES=0, ROBOTSTXT_OBEY=False).crawl("hub", seeds=site.url + "/")
    assert "not fetched: http://127.0.0.1:1/: Connection was refused" in clean(outcome).log


def test_a_password_in_an_address_is_used_and_stays_secret(site: Site, tmp_path: Path) -> None:
    project = Project.own(tmp_path, LOG_LEVEL="DEBUG")
    outcome = clean(project.crawl("hub", seeds=site.url.replace("//", "//user:gehei%6D@") + "/about.html"))
    assert "/about.html" in outcome.by_path()
    assert site.logins["/about.html"] == "Basic dXNlcjpnZWhlaW0="
    for secret in ("geheim", "gehei%6D", "dXNlcjpnZWhlaW0="):
        assert secret not in str(outcome.items)
        assert secret not in outcome.log


def test_a_page_that_redirects_to_itself_for_a_cookie(tmp_path: Path) -> None:
    def gate(path: str, query: dict[str, list[str]], cookie: str) -> Answer:
        if "seen=1" in cookie:
            return Answer(article("有饼干的页面", paragraphs("饼干")))
        return Answer(status=302, headers={"Location": path, "Set-Cookie": "seen=1; Path=/"})

    with Site({"/": listing("首页", {"/a.html": "一"}), "/a.html": gate}) as site:
        outcome = clean(Project.own(tmp_path).crawl("hub", seeds=site.url + "/"))
    assert paragraphs("饼干")[0] in outcome.by_path()["/a.html"]["body"]
    assert site.requests.count("/a.html") == 2


def test_traps_end(tmp_path: Path) -> None:
    def calendar(path: str, query: dict[str, list[str]], cookie: str) -> Answer:
        month = int(query.get("m", ["1"])[0])
        links = {f"/cal?m={month + 1}": "下月", **{f"/cal?m={month}&d={d}": str(d) for d in range(1, 29)}}
        return Answer(listing(f"{month}月", links))

    def deeper(path: str, query: dict[str, list[str]], cookie: str) -> Answer:
        return Answer(listing("目录", {"a/": "甲", "b/": "乙"}))

    pages = {"/": listing("首页", {"/cal?m=1": "日历", "/x/": "目录", "/good.html": "好"}), "/cal": calendar}
    with Site({**pages, "/good.html": article("好页面", paragraphs("好页面")), "*": deeper}) as site:
        outcome = clean(Project.own(tmp_path).crawl("hub", seeds=site.url + "/"))
    assert "/good.html" in outcome.by_path()
    assert sum(path.startswith("/cal") for path in site.requests) <= 100
    assert sum(path.startswith("/x/") for path in site.requests) <= 100
    assert outcome.stat("webprep/trap/barren_shape") > 0
    assert "crawler traps" in outcome.log


def test_hub_links_come_before_topic_links_of_the_same_page(tmp_path: Path) -> None:
    topics = {f"/2026/05/18/t20260518_{n}.html": f"渡口修缮工程今日完工验收并通车第{n}期" for n in range(8)}
    hubs = {"/list_2.html": "下一页", "/channel/gov/": "政务"}
    pages: dict[str, str | Answer] = {"/": listing("首页", {**topics, **hubs})}
    pages |= {path: article(title, paragraphs(title)) for path, title in topics.items()}
    pages |= {path: listing(title, topics) for path, title in hubs.items()}
    with Site(pages) as site:
        # What is in the downloader already can no longer be ordered, so it gets one request at a time.
        clean(Project.own(tmp_path, CONCURRENT_REQUESTS=1).crawl("hub", seeds=site.url + "/"))
    order = [path for path in site.requests if path in {*topics, *hubs}]
    assert set(order[:2]) == set(hubs)


@pytest.mark.parametrize("action", ["close", "degrade"])
def test_a_store_that_goes_away_in_mid_crawl(tmp_path: Path, action: str) -> None:
    with RedisServer() as server:

        def last_straw(path: str, query: dict[str, list[str]], cookie: str) -> Answer:
            server.kill()
            return Answer(article("渡口的一天", paragraphs("渡口")))

        pages: dict[str, str | Callable[..., Answer]] = {
            "/": listing("首页", {"/1.html": "渡口的一天"}),
            "/1.html": last_straw,
        }
        settings = {"WEBPREP_STORE_URL": server.url, "WEBPREP_STORE_FAILURE": action, "WEBPREP_STORE_PATIENCE": 0}
        with Site(pages) as site:
            outcome = Project.own(tmp_path, **settings).crawl("hub", seeds=site.url + "/")
    assert "Traceback" not in outcome.log
    assert outcome.stat("webprep/store/error") >= 1
    if action == "close":
        assert outcome.code == 1
        assert outcome.stats["finish_reason"] == "webprep_store_unavailable"
        assert "/1.html" not in outcome.by_path()
        assert str(server.port) in outcome.log
    else:
        assert outcome.code == 0
        assert "unchecked" in outcome.by_path()["/1.html"]["flags"]


def test_a_killed_crawl_hides_no_page(site: Site, tmp_path: Path) -> None:
    project = Project.own(tmp_path, WEBPREP_STORE_LEASE=1, CONCURRENT_REQUESTS_PER_DOMAIN=1)
    crawl: list[subprocess.Popen[bytes]] = []
    path, title = "/news/2026/0518/1003.html", TITLES["/news/2026/0518/1003.html"]

    def deadly(path: str, query: dict[str, list[str]], cookie: str) -> Answer:
        crawl[0].kill()
        return Answer(article(title, paragraphs(title)))

    site.pages[path] = deadly
    command = [sys.executable, "-m", "scrapy", "crawl", "hub", "-a", f"seeds={site.url}/"]
    with subprocess.Popen(command, cwd=tmp_path, env=project.environment(), stderr=subprocess.DEVNULL) as process:
        crawl.append(process)
    assert process.returncode == -signal.SIGKILL
    site.pages[path] = article(title, paragraphs(title))
    again = clean(project.crawl("hub", seeds=site.url + "/"))
    assert set(again.by_path()) >= {"/", "/news/", "/about.html", "/gbk.html", path}
    assert len(again.items) == 8
    assert again.stat("webprep/dropped/replica") == 1


def test_a_store_that_is_emptied_in_mid_crawl(tmp_path: Path) -> None:
    with RedisServer() as server:

        def emptied(path: str, query: dict[str, list[str]], cookie: str) -> Answer:
            with redis.Redis.from_url(server.url) as client:
                client.flushall()
            return Answer(article("渡口的一天", paragraphs("渡口")))

        pages: dict[str, str | Callable[..., Answer]] = {
            "/": listing("首页", {"/1.html": "渡口的一天"}),
            "/1.html": emptied,
        }
        titles = {f"/{n}.html": f"{n}号茶园的一天" for n in range(2, 12)}
        pages["/"] = listing("首页", {"/1.html": "渡口的一天", **titles})
        pages |= {path: article(title, paragraphs(title)) for path, title in titles.items()}
        with Site(pages) as site:
            outcome = clean(Project.own(tmp_path, WEBPREP_STORE_URL=server.url).crawl("hub", seeds=site.url + "/"))
    assert outcome.stat("webprep/store/reset") == 1
    assert outcome.stat("webprep/store/error") == 0
    assert set(outcome.by_path()) == {"/", "/1.html", *titles}


class EmptiesStore:
    """A pipeline behind ours that empties the store while the first page is on its way."""

    def __init__(self, url: str) -> None:
        self._url = url

    @classmethod
    def from_crawler(cls, crawler: Any) -> EmptiesStore:
        return cls(crawler.settings["WEBPREP_STORE_URL"])

    def process_item(self, item: Any) -> Any:
        if self._url:
            with redis.Redis.from_url(self._url) as client:
                client.flushall()
            self._url = ""
        return item


def test_a_page_that_is_kept_while_the_store_is_emptied_is_known_all_the_same(tmp_path: Path) -> None:
    pages: dict[str, str | Callable[..., Answer]] = {"/": article("渡口的一天", paragraphs("渡口"))}
    with RedisServer() as server, Site(pages) as site:
        project = Project.own(tmp_path, WEBPREP_STORE_URL=server.url)
        project.settings["ITEM_PIPELINES"] = {"tests.test_crawl.EmptiesStore": 400}
        outcome = clean(project.crawl("hub", seeds=site.url + "/"))
        assert outcome.stat("webprep/store/reset") == 1
        del project.settings["ITEM_PIPELINES"]
        again = clean(project.crawl("hub", seeds=site.url + "/"))
        assert again.stat("webprep/replica/same") == 1


def test_rules_for_a_site_and_the_body_as_html(site: Site, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text('["127.0.0.1"]\ntitle = "title"\nnoise = ["p:last-child"]\n', encoding="utf-8")
    project = Project.own(tmp_path, WEBPREP_SITE_RULES="rules.toml", WEBPREP_BODY_HTML=True)
    docview = clean(project.crawl("hub", seeds=site.url + "/")).by_path()["/news/2026/0518/1002.html"]
    assert docview["title"] == "茶园的一天_临江在线"
    assert paragraphs("茶园的一天")[0] in docview["body"]
    assert paragraphs("茶园的一天")[-1] not in docview["body"]
    assert f"<p>{paragraphs('茶园的一天')[0]}</p>" in docview["body_html"]


def test_a_spreadsheet_gets_no_formula(tmp_path: Path) -> None:
    page = article("=HYPERLINK(1)", paragraphs("渡口"))
    with Site({"/": listing("首页", {"/1.html": "一"}), "/1.html": page}) as site:
        clean(Project.own(tmp_path).run("crawl", "hub", "-a", f"seeds={site.url}/", "-O", "out.csv"))
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert "'=HYPERLINK(1)" in {row["title"] for row in rows}
    assert not any(str(cell).startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


def test_other_feeds(site: Site, tmp_path: Path) -> None:
    clean(
        Project.own(tmp_path).run(
            "crawl", "hub", "-a", f"seeds={site.url}/about.html", "-O", "dc.xml:dc", "-O", "ead.xml:ead"
        )
    )
    for name in ("dc.xml", "ead.xml"):
        text = "".join(etree.parse(tmp_path / name).getroot().itertext())
        assert "茶园的一天" in text
