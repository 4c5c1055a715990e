import os
from importlib.metadata import version
from pathlib import Path

import pytest
import vl_convert
from canaletto._report import vega

MADE = "const made = 'é';\n"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    calls: list[str] = []

    def bundle(snippet: str) -> str:
        calls.append(snippet)
        return MADE

    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return calls


def script() -> str:
    return vega.script.__wrapped__()


def test_they_are_made_once(made: list[str], tmp_path: Path) -> None:
    assert [script() for _ in range(3)] == [MADE] * 3
    assert made == ["window.vegaEmbed = vegaEmbed;"]
    (kept,) = (tmp_path / "cache" / "canaletto").iterdir()
    assert kept.name == f"vega-{version('vl-convert-python')}.js"
    assert kept.read_text().endswith(MADE)


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "bytes"])
def test_a_damaged_file_is_made_anew(damage: str, made: list[str], tmp_path: Path) -> None:
    script()
    (kept,) = (tmp_path / "cache" / "canaletto").iterdir()
    whole = kept.read_bytes()
    changed = {"cut": whole[:-1], "changed": whole.replace(b"made", b"bade"), "empty": b"", "bytes": b"\xff\n\xff"}
    kept.write_bytes(changed[damage])
    assert script() == MADE
    assert len(made) == 2
    assert kept.read_bytes() == whole


def test_another_snippet_is_another_text(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    script()
    monkeypatch.setattr(vega, "_SNIPPET", "other")
    script()
    assert made == ["window.vegaEmbed = vegaEmbed;", "other"]


def test_a_cache_that_cannot_be_written_is_none(
    made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    for place in (file, "/proc/nothing"):  # No folder can be made in either, whoever asks.
        monkeypatch.setenv("XDG_CACHE_HOME", str(place))
        assert script() == MADE
    assert len(made) == 2
    assert os.listdir(tmp_path) == ["file"]


def test_a_user_without_a_home_has_no_cache(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")

    def nowhere() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", nowhere)
    assert [script(), script()] == [MADE] * 2
    assert len(made) == 2
