"""One contract, three stores."""

from __future__ import annotations

import asyncio
import itertools
import logging
import sqlite3
from hashlib import sha1
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import redis as redis_client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.redis_server import RedisServer
from tests.store_workers import address, faults_after, race, write_and_be_killed
from tests.store_workers import text as text_of
from webprep_spider import StoreError, open_store
from webprep_spider.exceptions import StoreReset
from webprep_spider.replicas.memory import MemoryStore
from webprep_spider.replicas.redis import RedisStore
from webprep_spider.replicas.redisset import RedisSetStore
from webprep_spider.replicas.sqlite import SqliteStore
from webprep_spider.replicas.store import STORE_VERSION, StoredPage
from webprep_spider.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path
    from typing import Any

    from webprep_spider.replicas.store import Store

KINDS = ("memory", "sqlite", "redis")
NAMES = (f"corpus{i}" for i in itertools.count())


def prints(*words: str) -> tuple[str, ...]:
    return tuple(sha1(word.encode()).hexdigest() for word in words)


TEXT = prints(*(f"sentence {i}" for i in range(10)))
OTHER = prints(*(f"another {i}" for i in range(10)))


class Hands:
    """A clock that only moves when a store waits or a test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def clock(self) -> float:
        return self.now

    async def pause(self, seconds: float) -> None:
        self.now += seconds


def make(kind: str, folder: Path, redis_url: str, rules: Rules | None = None, **options: Any) -> Store:
    rules = rules or Rules()
    if kind == "memory":
        return MemoryStore(rules, **options)
    if kind == "sqlite":
        return SqliteStore(str(folder / f"{next(NAMES)}.db"), rules, **options)
    return RedisStore(f"{redis_url}#{next(NAMES)}", rules, **options)


@pytest.fixture(params=KINDS)
def run(request: pytest.FixtureRequest, tmp_path: Path, redis_url: str) -> Callable[..., None]:
    """Runs a coroutine function with a fresh store of each kind and its clock."""

    def start(story: Callable[[Store, Hands], Coroutine[Any, Any, None]], rules: Rules | None = None) -> None:
        async def with_store() -> None:
            hands = Hands()
            async with make(request.param, tmp_path, redis_url, rules, clock=hands.clock, pause=hands.pause) as store:
                await story(store, hands)
                assert await store.check() == []

        asyncio.run(with_store())

    return start


def test_a_page_is_new_once_and_then_the_same(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        assert (await store.claim("http://a.example/1", TEXT)).kind == "new"
        await store.confirm("http://a.example/1")
        verdict = await store.claim("http://a.example/1", TEXT)
        assert (verdict.kind, verdict.share) == ("same", 1.0)

    run(story)


def test_a_replica_names_its_twin_and_the_share(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        await store.claim("http://a.example/1", TEXT)
        verdict = await store.claim("http://b.example/copy", TEXT[:6] + OTHER[:4])
        assert (verdict.kind, verdict.twin, verdict.share) == ("replica", "http://a.example/1", 0.6)
        assert (await store.claim("http://c.example/", TEXT[:2] + OTHER[:8])).kind == "new"

    run(story)


def test_pages_of_one_site_must_share_more(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        await store.claim("http://a.example:80/list", TEXT)
        template = TEXT[:5] + OTHER[:5]
        assert (await store.claim("http://a.example:80/article", template)).kind == "new"
        assert (await store.claim("http://b.example/article", TEXT[:5] + prints(*"vwxyz"))).kind == "replica"
        verdict = await store.claim("http://a.example:80/copy", TEXT[:9] + prints("x"))
        assert (verdict.kind, verdict.twin, verdict.share) == ("replica", "http://a.example:80/list", 0.9)

    run(story)


def test_the_best_twin_is_named_and_the_earlier_of_equals(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        await store.claim("half", TEXT[:5] + prints(*"abcde"))
        await store.claim("less", TEXT[5:7] + prints(*"fghijklm"))
        await store.claim("equal", TEXT[5:7] + prints(*"nopqrstu"))
        assert (await store.claim("x", TEXT)).twin == "half"
        assert (await store.claim("y", TEXT[5:])).twin == "less"

    run(story, Rules(replica_share=0.2))


def test_a_changed_page_is_known_by_its_new_text_only(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        await store.claim("page", TEXT)
        await store.confirm("page")
        verdict = await store.claim("page", TEXT[:4] + OTHER[:6])
        assert (verdict.kind, verdict.share) == ("changed", 0.4)
        await store.confirm("page")
        assert (await store.claim("copy of the old", TEXT[4:])).kind == "new"
        assert (await store.claim("copy of the new", OTHER[:6])).twin == "page"
        assert (await store.claim("page", TEXT[:4] + OTHER[:6])).kind == "same"

    run(story)


def test_a_page_that_changes_into_a_copy_is_changed(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        for page, text in (("one", TEXT), ("two", OTHER)):
            await store.claim(page, text)
            await store.confirm(page)
        assert (await store.claim("two", TEXT)).kind == "changed"

    run(story)


def test_a_page_without_text_is_always_new(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        for page in ("one", "two", "one"):
            assert (await store.claim(page, ())).kind == "new"
            await store.confirm(page)

    run(story)


def test_released_pages_hide_nothing(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        await store.claim("page", TEXT)
        await store.release("page")
        assert (await store.claim("copy", TEXT)).kind == "new"
        await store.confirm("copy")
        await store.release("copy")
        assert (await store.claim("page", TEXT)).kind == "replica"

    run(story)


def test_only_the_owner_settles_a_claim(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        await store.claim("page", TEXT, "one")
        await store.release("page", "two")
        await store.confirm("page", "two")
        assert (await store.info()).claims == 1
        await store.confirm("page", "one")
        assert (await store.info()).claims == 0

    run(story)


def test_asking_again_after_a_lost_answer_gives_the_same_answer(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        assert (await store.claim("page", TEXT, "worker")).kind == "new"
        assert (await store.claim("page", TEXT, "worker")).kind == "new"
        await store.confirm("page", "worker")
        assert (await store.claim("page", OTHER, "worker")).kind == "changed"
        assert (await store.claim("page", OTHER, "worker")).kind == "changed"

    run(story)


def test_the_claim_of_a_dead_run_lapses(run: Callable[..., None]) -> None:
    async def story(store: Store, hands: Hands) -> None:
        await store.claim("page", TEXT, "dead")
        died = hands.now
        assert (await store.claim("page", TEXT, "alive")).kind == "new"
        assert hands.now - died > store.lease
        await store.confirm("page", "dead")
        assert (await store.info()).claims == 1
        await store.confirm("page", "alive")
        assert (await store.claim("copy", TEXT, "third")).kind == "replica"

    run(story)


def test_a_replica_of_a_lapsed_claim_is_kept_and_then_hides_it(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        await store.claim("page", TEXT, "dead")
        assert (await store.claim("copy", TEXT, "alive")).kind == "new"
        await store.confirm("copy", "alive")
        assert (await store.claim("page", TEXT, "alive")).twin == "copy"

    run(story)


def test_a_change_that_lapsed_is_still_a_change(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        await store.claim("page", TEXT, "first")
        await store.confirm("page", "first")
        await store.claim("page", OTHER, "dead")
        assert (await store.claim("page", OTHER, "alive")).kind == "changed"

    run(story)


def test_whoever_meets_a_fresh_claim_waits_for_its_end(run: Callable[..., None]) -> None:
    async def story(store: Store, hands: Hands) -> None:
        await store.claim("page", TEXT, "one")
        began = hands.now

        async def settle_soon(seconds: float) -> None:
            hands.now += seconds
            await store.confirm("page", "one")

        store._pause = settle_soon
        verdict = await store.claim("copy", TEXT, "two")
        assert (verdict.kind, verdict.twin, verdict.pending) == ("replica", "page", False)
        assert hands.now - began < 1

    run(story)


def test_follow_ups_are_kept_and_name_the_first_of_their_story(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        assert (await store.claim("first", TEXT)).story is None
        second = TEXT[:2] + OTHER[:8]
        assert (await store.claim("second", second)).story == "first"
        third = await store.claim("third", OTHER[6:8] + prints(*"abcdefgh"))
        assert (third.kind, third.story) == ("new", "first")
        assert (await store.claim("copy of second", second)).story == "first"

    run(story)


def test_what_very_many_pages_share_makes_no_replicas(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        disclaimer = prints("we are not liable", "ask a lawyer", "all rights reserved", "contact us")
        kept = 0
        for i in range(30):
            verdict = await store.claim(f"page {i}", disclaimer + prints(*(f"{i} {j}" for j in range(4))))
            kept += verdict.kind == "new"
            assert i < 25 or verdict.kind == "new"

    run(story, Rules(replica_share=0.51, common_pages=4, max_postings=16))


def test_state_is_kept_beside_the_pages(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        assert await store.get_state("trust") is None
        await store.set_state("trust", b"\x00\xff")
        await store.set_state("trust", b"\x00\xfe")
        assert await store.get_state("trust") == b"\x00\xfe"
        with pytest.raises(ValueError, match="too much"):
            await store.set_state("trust", bytes(2_000_000))

    run(story)


def test_pages_can_be_exported_forgotten_and_imported(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        for page in ("http://a.example/1", "http://a.example/2", "https://b.example/"):
            await store.claim(page, prints(*(page + str(i) for i in range(10))))
            await store.confirm(page)
        await store.claim("http://a.example/not-confirmed", OTHER)
        exported = [page async for page in store.pages()]
        assert [page.page_id for page in exported] == ["http://a.example/1", "http://a.example/2", "https://b.example/"]
        assert await store.forget("A.example") == 3
        assert await store.forget("https://b.example/") == 1
        assert await store.forget("https://b.example/") == 0
        assert (await store.info()).pages == 0
        assert await store.add(exported) == 3
        assert await store.add(exported) == 0
        assert [page async for page in store.pages()] == exported
        assert (await store.claim("http://a.example/2", exported[1].fingerprints)).kind == "same"

    run(story)


def test_info_counts(run: Callable[..., None]) -> None:
    async def story(store: Store, _: Hands) -> None:
        await store.claim("page", TEXT)
        await store.claim("other", OTHER)
        await store.confirm("other")
        info = await store.info()
        assert (info.pages, info.fingerprints, info.claims, info.version) == (2, 20, 1, STORE_VERSION)
        assert info.size > 0

    run(story)


PAGES = st.sampled_from([f"http://{host}.example/{i}" for host in "ab" for i in range(3)])
TEXTS = st.lists(st.sampled_from([sha1(bytes([i])).hexdigest() for i in range(12)]), unique=True, max_size=5).map(tuple)
OWNERS = st.sampled_from(["one", "two"])
STEPS = st.one_of(
    st.tuples(st.just("claim"), PAGES, TEXTS, OWNERS),
    st.tuples(st.just("claim"), PAGES, TEXTS, OWNERS),
    st.tuples(st.just("confirm"), PAGES, OWNERS),
    st.tuples(st.just("release"), PAGES, OWNERS),
    st.tuples(st.just("forget"), PAGES),
    st.tuples(st.just("pass time"), st.sampled_from([1.0, 70.0])),
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=40))
def test_all_stores_give_the_same_answers(steps: list[tuple[Any, ...]], tmp_path: Path, redis_url: str) -> None:
    rules = Rules(replica_share=0.5, story_share=0.2, common_pages=2, max_postings=3)

    async def answers(kind: str) -> list[object]:
        hands, given_answers = Hands(), []
        async with make(kind, tmp_path, redis_url, rules, clock=hands.clock, pause=hands.pause) as store:
            for name, *values in steps:
                if name == "pass time":
                    hands.now += values[0]
                else:
                    given_answers.append(await getattr(store, name)(*values))
            given_answers.append([page async for page in store.pages()])
            assert await store.check() == []
        return given_answers

    async def compare() -> None:
        memory = await answers("memory")
        assert await answers("sqlite") == memory
        assert await answers("redis") == memory

    asyncio.run(compare())


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_nothing_is_lost_on_closing(kind: str, tmp_path: Path, redis_url: str) -> None:
    async def story() -> None:
        store = make(kind, tmp_path, redis_url)
        await store.claim("page", TEXT, "first run")
        await store.confirm("page", "first run")
        await store.close()
        assert (await store.claim("page", TEXT, "second run")).kind == "same"
        await store.close()

    asyncio.run(story())


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_another_form_of_fingerprints_is_refused(kind: str, tmp_path: Path, redis_url: str) -> None:
    async def story() -> None:
        url = f"sqlite:///{tmp_path}/s.db" if kind == "sqlite" else f"{redis_url}#form"
        async with open_store(url):
            pass
        with pytest.raises(StoreError, match=r"form .*m10.* ask for .*m12"):
            await open_store(url, Rules(sketch_size=12)).open()

    asyncio.run(story())


def test_another_version_is_refused(tmp_path: Path, redis_url: str) -> None:
    async def story() -> None:
        async with open_store(f"sqlite:///{tmp_path}/s.db"), open_store(f"{redis_url}#version"):
            pass
        with sqlite3.connect(tmp_path / "s.db") as connection:
            connection.execute("UPDATE meta SET value = '99' WHERE key = 'version'")
        connection.close()
        with redis_client.Redis.from_url(redis_url) as client:
            client.hset("{webprep:version}:meta", "version", "99")
        for url in (f"sqlite:///{tmp_path}/s.db", f"{redis_url}#version"):
            with pytest.raises(StoreError, match="version 99 of the format"):
                await open_store(url).open()

    asyncio.run(story())


@pytest.mark.parametrize("url", ["", "store.db", "sqlite://", "sqlite:///", "mysql://a/b", "http://[::1"])
def test_addresses_of_no_store_are_refused(url: str) -> None:
    with pytest.raises(StoreError, match="not the address of a store"):
        open_store(url)


# -- SQLite ----------------------------------------------------------------------------------------------------------


def test_sqlite_makes_the_folders_it_needs(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_store(f"sqlite:///{tmp_path}/new/folders/store.db") as store:
            await store.claim("page", TEXT)

    asyncio.run(story())
    assert (tmp_path / "new/folders/store.db").exists()


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\x00 and then nothing right" * 50])
def test_sqlite_says_what_is_wrong_with_a_damaged_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "s.db").write_bytes(content)
    with pytest.raises(StoreError, match=r"s\.db: .*(damaged|not a database)"):
        asyncio.run(open_store(f"sqlite:///{tmp_path}/s.db").open())


def test_sqlite_that_lost_a_part_says_so(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    asyncio.run(open_and_close(f"sqlite:///{path}"))
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM meta")
    connection.close()
    with pytest.raises(StoreError, match="damaged or no store"):
        asyncio.run(open_and_close(f"sqlite:///{path}"))


def test_sqlite_that_was_removed_is_noticed(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_store(f"sqlite:///{tmp_path}/s.db") as store:
            await store.claim("page", TEXT)
            await store.confirm("page")
            for file in tmp_path.iterdir():
                file.unlink()
            with pytest.raises(StoreReset, match="removed or replaced"):
                await store.claim("other", OTHER)
            assert (await store.claim("page", TEXT)).kind == "new"
            assert (tmp_path / "s.db").exists()

    asyncio.run(story())


def test_sqlite_that_is_locked_is_waited_for(tmp_path: Path) -> None:
    async def story() -> None:
        other = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
        hands = Hands()

        async def pause(seconds: float) -> None:
            await hands.pause(seconds)
            if hands.now > 1_000_001 and other.in_transaction:
                other.execute("COMMIT")

        async with SqliteStore(str(tmp_path / "s.db"), pause=pause) as store:
            other.execute("BEGIN IMMEDIATE")
            assert (await store.claim("page", TEXT)).kind == "new"
            other.execute("BEGIN IMMEDIATE")
            store._pause = hands.pause
            with pytest.raises(StoreError, match="another process kept the store for 30 seconds"):
                await store.confirm("page")
            other.execute("COMMIT")
            await store.confirm("page")
        other.close()

    asyncio.run(story())


def test_sqlite_leaves_other_databases_alone(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "s.db")
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(StoreError, match="not a store"):
        asyncio.run(open_store(f"sqlite:///{tmp_path}/s.db").open())


def test_sqlite_says_when_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"file/s\.db"):
        asyncio.run(open_store(f"sqlite:///{tmp_path}/file/s.db").open())


def test_sqlite_says_when_the_disk_is_full(tmp_path: Path) -> None:
    async def story() -> None:
        store = SqliteStore(str(tmp_path / "s.db"))
        await store.open()
        await store._run(lambda: store._sql("PRAGMA max_page_count = 40"))
        kept: list[str] = []

        async def fill() -> None:
            while True:
                page = f"page {len(kept)}"
                await store.claim(page, prints(*(f"{page} {i}" for i in range(10))))
                await store.confirm(page)
                kept.append(page)

        with pytest.raises(StoreError, match="disk is full: make room"):
            await fill()
        assert [page.page_id async for page in store.pages()][: len(kept)] == kept
        await store.close()

    asyncio.run(story())


# -- Redis -----------------------------------------------------------------------------------------------------------


def test_redis_that_is_not_there_is_named_without_its_password() -> None:
    store = RedisStore("redis://me:very%20secret@127.0.0.1:1/0#corpus", start_patience=0.0)
    with pytest.raises(StoreError) as caught:
        asyncio.run(store.open())
    assert "redis://127.0.0.1:1/0#corpus" in str(caught.value)
    assert "is it running" in str(caught.value)
    assert "secret" not in str(caught.value) + repr(caught.value.__cause__)


@pytest.mark.parametrize(
    "url",
    [
        "redis://u:geheim@[::1]:1/0",
        "rediss://geheim@127.0.0.1:1?ssl_cert_reqs=none",
        "redis://u:ge%23he#im-geheim@127.0.0.1:1/0",
        "redis+set://u:geheim/geheim@127.0.0.1:1",
        "redis://u:geheim@geheim@127.0.0.1:port/0",
        "redis:/u:geheim@127.0.0.1:port",
        "redis://127.0.0.1:1/0?password=geheim",
        "redis://127.0.0.1:1/0?token=geheim&ssl_password=geheim",
        "unix://u:geheim@/127.0.0.1:1/socket?db=1",
    ],
)
def test_a_password_of_any_form_is_never_told(url: str) -> None:
    async def story() -> None:
        store = open_store(url)
        store._start_patience = 0  # type: ignore[attr-defined]
        await store.open()

    with pytest.raises(StoreError, match=r"127\.0\.0\.1|::1") as caught:
        asyncio.run(story())
    assert "geheim" not in str(caught.value)
    assert "ge%23he" not in str(caught.value)


def test_redis_password_is_used_and_never_told() -> None:
    async def story(url: str) -> None:
        async with open_store(url.replace("redis://", "redis://:pass%21word@")) as store:
            await store.claim("page", TEXT)
            assert "pass" not in (await store.info()).url
        with pytest.raises(StoreError, match="refuses the user or password") as caught:
            await open_store(url.replace("redis://", "redis://:wrong%21word@")).open()
        assert "wrong" not in str(caught.value)

    with RedisServer(None, "--requirepass", "pass!word") as server:
        asyncio.run(story(server.url))


def test_redis_that_comes_back_is_waited_for(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server:

        async def story() -> None:
            async def pause(_: float) -> None:
                if server.gone:
                    server.start()

            store = RedisStore(server.url, pause=pause)
            assert (await store.claim("page", TEXT)).kind == "new"
            await store.confirm("page")
            server.kill()
            assert (await store.claim("page", TEXT)).kind == "same"
            server.kill()
            assert (await store.claim("other", OTHER)).kind == "new"
            await store.close()

        asyncio.run(story())


def test_redis_that_hangs_up_after_each_answer_is_of_use(redis_url: str) -> None:
    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, questions = await asyncio.open_connection("127.0.0.1", urlsplit(redis_url).port)

        async def ask() -> None:
            while question := await reader.read(65_536):
                questions.write(question)

        asking = asyncio.ensure_future(ask())
        writer.write(await answers.read(65_536))
        asking.cancel()
        for stream in (writer, questions):
            stream.close()

    async def story() -> None:
        async with await asyncio.start_server(answer_once, "127.0.0.1", 0) as proxy:
            port = proxy.sockets[0].getsockname()[1]
            async with open_store(f"redis://127.0.0.1:{port}/0#{next(NAMES)}", patience=5) as store:
                for number in range(5):
                    assert (await store.claim(address(number), text_of(number))).kind == "new"
                    await store.confirm(address(number))

    asyncio.run(story())


def test_redis_that_was_flushed_is_noticed(redis_url: str) -> None:
    async def story() -> None:
        async with open_store(f"{redis_url}#flushed") as store:
            await store.claim("page", TEXT)
            with redis_client.Redis.from_url(redis_url) as client:
                client.delete("{webprep:flushed}:meta")
            with pytest.raises(StoreReset, match="flushed or replaced"):
                await store.claim("copy", TEXT)
            assert (await store.claim("copy", TEXT)).kind == "new"

    asyncio.run(story())


def test_redis_out_of_memory_is_an_error_not_a_verdict() -> None:
    async def story(url: str) -> None:
        async with open_store(url, patience=0) as store:
            await store.claim("page", TEXT)
            with redis_client.Redis.from_url(url) as client:
                client.config_set("maxmemory", 1)
            with pytest.raises(StoreError, match="out of memory"):
                await store.claim("other", OTHER)

    with RedisServer() as server:
        asyncio.run(story(server.url))


def test_redis_out_of_memory_is_waited_for(redis_url: str) -> None:
    async def story() -> None:
        with redis_client.Redis.from_url(redis_url) as client:

            async def make_room(_: float) -> None:
                client.config_set("maxmemory", 0)

            async with RedisStore(redis_url + "#memory", pause=make_room) as store:
                troubles: list[str] = []
                store.on_trouble = troubles.append
                client.config_set("maxmemory", 1)
                assert (await store.claim("page", TEXT)).kind == "new"
                assert len(troubles) == 1
                assert "out of memory" in troubles[0]

    asyncio.run(story())


def test_redis_that_was_flushed_disturbs_no_other_question() -> None:
    async def story(url: str) -> None:
        async with open_store(url) as store:
            await store.claim("first", TEXT)
            with redis_client.Redis.from_url(url) as client:
                client.flushall()

            async def claim(number: int) -> str:
                while True:
                    try:
                        return (await store.claim(address(number), text_of(number))).kind
                    except StoreReset as reset:
                        epochs.add(reset.epoch)

            epochs: set[str] = set()
            assert await asyncio.gather(*map(claim, range(40))) == ["new"] * 40
            assert len(epochs) == 1

    with RedisServer() as server:
        asyncio.run(story(server.url))


async def open_and_close(url: str) -> None:
    async with open_store(url):
        pass


def test_redis_that_may_forget_is_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    with RedisServer(None, "--maxmemory-policy", "allkeys-lru") as server, caplog.at_level(logging.WARNING):
        asyncio.run(open_and_close(server.url))
    assert "silently forget" in caplog.text


def test_redis_keys_share_a_hash_tag_and_names_do_not_touch(redis_url: str) -> None:
    async def story() -> None:
        async with open_store(f"{redis_url}#tag%20one") as one, open_store(f"{redis_url}#two") as two:
            await one.claim("page", TEXT)
            await one.set_state("key", b"value")
            assert (await two.claim("copy", TEXT)).kind == "new"

    asyncio.run(story())
    with redis_client.Redis.from_url(redis_url) as client:
        assert {key.partition(b"}")[0] for key in client.keys("*tag one*")} == {b"{webprep:tag one"}


def test_redis_survives_many_pages_and_stays_in_order(redis_url: str) -> None:
    async def story() -> None:
        async with open_store(f"{redis_url}#many") as store:
            pages = [StoredPage(f"page {i}", prints(*(f"{i} {j}" for j in range(10)))) for i in range(400)]
            await store.add(pages)
            assert await store.check() == []
            for i in range(0, 400, 3):
                await store.forget(f"page {i}") if i % 60 == 0 else None
            assert await store.check() == []
            assert (await store.claim("copy", pages[7].fingerprints)).twin == "page 7"

    asyncio.run(story())


def test_redis_lets_pages_expire(redis_url: str) -> None:
    async def story() -> None:
        hands = Hands()
        async with RedisStore(f"{redis_url}#expire", expire=1600.0, clock=hands.clock, pause=hands.pause) as store:
            pages = [(f"page {i}", prints(*(f"{i} {j}" for j in range(10)))) for i in range(300)]
            for page, text in pages:
                assert (await store.claim(page, text)).kind == "new"
                await store.confirm(page)
                hands.now += 10
            assert (await store.claim("copy of the newest", pages[-1][1])).kind == "replica"
            assert (await store.claim("copy of the oldest", pages[0][1])).kind == "new"
            assert (await store.claim("page 1", pages[1][1])).kind == "new"
            left = {page.page_id async for page in store.pages()}
            assert {f"page {i}" for i in range(150, 300)} <= left
            assert not {f"page {i}" for i in range(2, 125)} & left
            for i in range(300):
                await store.claim(f"later {i}", prints(*(f"later {i} {j}" for j in range(10))))
                hands.now += 10
            assert (await store.info()).pages < 300
            assert await store.check() == []
        with pytest.raises(StoreError, match="only a store in Redis"):
            open_store("memory:", expire=10)

    asyncio.run(story())


def test_plain_set_counts_new_fingerprints(redis_url: str) -> None:
    async def story() -> None:
        async with open_store(f"redis+set{redis_url[5:]}#set") as store:
            assert isinstance(store, RedisSetStore)
            assert (await store.claim("page", TEXT)).kind == "new"
            verdict = await store.claim("copy", TEXT[:5] + OTHER[:5])
            assert (verdict.kind, verdict.twin, verdict.share) == ("replica", None, 0.5)
            assert (await store.claim("empty", ())).kind == "new"
            assert (await store.info()).fingerprints == 15
            with pytest.raises(StoreError, match="does not know pages"):
                await store.forget("page")

    asyncio.run(story())


# -- many at once, and sudden ends -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_of_workers_that_offer_the_same_pages_one_keeps_each(kind: str, tmp_path: Path, redis_url: str) -> None:
    url = f"sqlite:///{tmp_path}/race.db" if kind == "sqlite" else f"{redis_url}#race"
    assert sorted(race(url, workers=3, pages=150)) == list(range(150))


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_a_killed_writer_loses_and_hides_nothing(kind: str, tmp_path: Path) -> None:
    with RedisServer(tmp_path, "--appendfsync", "no") as server:
        url = f"sqlite:///{tmp_path}/kill.db" if kind == "sqlite" else f"{server.url}#kill"
        said: dict[int, str] = {}
        for number in range(3):
            write_and_be_killed(url, f"run{number}", said, 40 + 17 * number, server.kill if kind == "redis" else None)
            if kind == "redis":
                server.start()
        assert asyncio.run(faults_after(url, said)) == []
        assert len(said) > 90
