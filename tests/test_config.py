from __future__ import annotations

import pytest
from scrapy.settings import Settings

from webprep_spider.config import Config
from webprep_spider.exceptions import StartError


def read(**settings: object) -> Config:
    return Config.from_settings(Settings({f"WEBPREP_{name}": value for name, value in settings.items()}))


def test_without_settings_nothing_needs_to_be_installed() -> None:
    assert read().store_url.startswith("sqlite:")


def test_values_from_the_command_line_are_strings() -> None:
    config = read(ENABLED="0", PRIORITY_STEP="20", TYPES="topic,picture", RULES='{"replica_share": 0.45}')
    assert not config.enabled
    assert config.priority_step == 20
    assert config.types == ("topic", "picture")
    assert config.rules.replica_share == 0.45


def test_one_message_lists_every_wrong_setting() -> None:
    with pytest.raises(StartError) as error:
        read(EMIT="replace", STORE_URL="mysql://u:geheim@db/", FOCUS="news", PRIORITY_STEP=True, STOER_URL="memory:")
    text = str(error.value)
    for name in ("WEBPREP_EMIT", "WEBPREP_STORE_URL", "WEBPREP_FOCUS", "WEBPREP_PRIORITY_STEP", "WEBPREP_STOER_URL"):
        assert name in text
    assert "docview" in text  # what would have been right
    assert "geheim" not in text


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        ({"no_such": 1}, "no_such"),
        ({"sketch_size": "ten"}, "sketch_size"),
        ({"unit": "page"}, "sentence"),
        ("replica_share=.5", "by name"),
        ("{replica_share: .5}", "by name"),
        (["replica_share"], "by name"),
        (7, "by name"),
        ({"replica_share": 5}, "replica_share"),
        ({"sketch_size": -1}, "sketch_size"),
    ],
)
def test_wrong_rules_are_named(rules: object, complaint: str) -> None:
    with pytest.raises(StartError, match="WEBPREP_RULES") as error:
        read(RULES=rules)
    assert complaint in str(error.value)


def test_missing_site_rules_are_named(tmp_path: object) -> None:
    with pytest.raises(StartError, match="nowhere"):
        read(SITE_RULES="/nowhere/rules.json")
