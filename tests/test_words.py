from __future__ import annotations

import marshal
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.articles import docview, page
from webprep_spider.metadata import words
from webprep_spider.metadata.chinese import _is_private
from webprep_spider.metadata.words import bigrams, fold, segment, segment_lines, sentences


def test_chinese_is_cut_into_words() -> None:
    assert segment("南京市长江大桥今天通车") == ["南京市", "长江大桥", "今天", "通车"]


def test_other_scripts_go_by_letters_and_digits() -> None:
    assert segment("Don't panic: use C++, node.js and state-of-the-art Ünïcode!") == [
        "Don't", "panic", "use", "C++", "node.js", "and", "state-of-the-art", "Ünïcode",
    ]  # fmt: skip


def test_mixed_text_keeps_the_order() -> None:
    assert segment("用 Python3 写爬虫 🎉 很快") == ["用", "Python3", "写", "爬虫", "很快"]


@given(st.lists(st.text(alphabet="水厂供水 ab1，.\t🎉", max_size=12), min_size=1, max_size=6))
def test_lines_cut_together_are_cut_as_alone(lines: list[str]) -> None:
    assert segment_lines(lines) == [segment(line) for line in lines]


@given(st.text())
def test_no_text_breaks_it_and_words_are_from_the_text(text: str) -> None:
    for word in segment(text):
        assert word in text
    for sentence in sentences(text):
        assert sentence in text


def test_sentences_end_at_marks_and_line_ends() -> None:
    assert sentences("水来了！“真的？”他问。\n完") == ["水来了！", "“真的？”", "他问。", "完"]
    assert sentences("Dr. Ann Lee paid 3.5 dollars. Who knew? Nobody.") == [
        "Dr. Ann Lee paid 3.5 dollars.", "Who knew?", "Nobody.",
    ]  # fmt: skip


def test_folding_compares_forms_alike() -> None:
    assert fold("ＡＢ－c １２") == fold("ab c12") == "abc12"
    assert bigrams("北山 水") == {"北山", "山水"}


def test_each_page_is_segmented_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    cut = words._chinese

    def counted(text: str) -> list[str]:
        calls.append(text)
        return cut(text)

    monkeypatch.setattr(words, "_chinese", counted)
    links = '<div><h3>相关阅读</h3><ul><li><a href="/a.html">北山水库蓄水过半</a></li></ul></div>'
    found = docview(page(after=links))
    assert found.keywords
    assert found.content_class is not None
    assert len(calls) == 1, "S4.P3: the words of a page are cut in one call"


def test_text_without_chinese_loads_no_dictionary() -> None:
    assert loaded_by("segment('plain English text')") == {"jieba": False, "rjieba": False}


def test_jieba_steps_in_for_rjieba_without_a_warning(tmp_path: Path) -> None:
    code = "import sys; sys.modules['rjieba'] = None\n" + SCRIPT.format(
        "assert segment('水厂供水') == ['水厂', '供水']"
    )
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    assert "True False" in done.stdout
    assert (tmp_path / "webprep").stat().st_mode & 0o077 == 0, "the cache is nobody else's"


def test_a_cache_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    code = "import sys; sys.modules['rjieba'] = None\n" + SCRIPT.format("assert segment('水厂供水')")
    done = run(code, blocked)
    assert done.returncode == 0, done.stderr
    assert not done.stderr


@pytest.mark.parametrize("content", [b"", b"half of a cache", marshal.dumps(["no", "pair", "of"]), marshal.dumps(7)])
def test_a_damaged_cache_is_written_anew(tmp_path: Path, content: bytes) -> None:
    cache = tmp_path / "webprep" / "jieba.cache"
    cache.parent.mkdir()
    cache.write_bytes(content)
    code = "import sys; sys.modules['rjieba'] = None\n" + SCRIPT.format(
        "assert segment('水厂供水') == ['水厂', '供水']"
    )
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    assert cache.stat().st_size > 1_000_000


def test_a_cache_that_others_may_have_written_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "jieba.cache").touch(0o600)
    assert _is_private(tmp_path / "jieba.cache")
    assert _is_private(tmp_path / "none")
    (tmp_path / "jieba.cache").chmod(0o666)
    assert not _is_private(tmp_path / "jieba.cache")


def test_threads_may_begin_together() -> None:
    code = "import threading\n" + SCRIPT.format(
        "found = []\n"
        "threads = [threading.Thread(target=lambda: found.append(segment('水厂供水'))) for _ in range(8)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "assert found == [['水厂', '供水']] * 8, found"
    )
    assert run(code, None).returncode == 0
    assert threading.active_count() >= 1


SCRIPT = (
    "import sys\nfrom webprep_spider.metadata.words import segment\n{}\n"
    "print('jieba' in sys.modules, bool(sys.modules.get('rjieba')))"
)


def loaded_by(code: str) -> dict[str, bool]:
    jieba, rjieba = run(SCRIPT.format(code), None).stdout.split()
    return {"jieba": jieba == "True", "rjieba": rjieba == "True"}


def run(code: str, cache: Path | None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **({"WEBPREP_CACHE_DIR": str(cache)} if cache else {})}
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=env, cwd=Path(__file__).parent.parent
    )
