"""Where traces are found, and what is refused."""

from pathlib import Path

import pytest

from dsgc.bench.real import data_folder, read_traces, trace_files
from dsgc.errors import InputError
from tests.bench.real.tiny import SHIPPING, write_traces


def test_the_folder_that_is_given_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSGC_REAL_DATA", str(tmp_path / "elsewhere"))
    assert data_folder(tmp_path) == tmp_path


def test_then_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSGC_REAL_DATA", str(tmp_path))
    assert data_folder() == tmp_path


def test_then_the_folder_beside_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DSGC_REAL_DATA", raising=False)
    (tmp_path / "checkout").mkdir()
    (tmp_path / "shared" / "real").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "checkout")
    assert data_folder().resolve() == tmp_path / "shared" / "real"


def test_a_missing_folder_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no folder .*nowhere.*--data.*DSGC_REAL_DATA"):
        data_folder(tmp_path / "nowhere")


def test_every_file_of_json_lines_is_found(tmp_path: Path) -> None:
    for name in ("tau_retail", "another", "bfcl"):
        write_traces(tmp_path, name, SHIPPING)
    (tmp_path / "traces" / "notes.txt").write_text("no trace")
    names = [file.name for file in trace_files(tmp_path)]
    assert names == ["another.jsonl", "bfcl.jsonl", "tau_retail.jsonl"]


def test_a_folder_without_traces_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \*\.jsonl file of traces in .*traces"):
        trace_files(tmp_path)


def test_a_trace_is_read_as_written_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    file = write_traces(tmp_path, "some", SHIPPING)
    file.write_text(file.read_text() + "\n")
    assert read_traces(file) == [SHIPPING]


def test_a_separator_of_lines_inside_a_text_does_not_end_the_line(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text(
        '{"id": "a", "messages": [{"role": "user", "content": "one\u2028two"}]}\n',
        encoding="utf-8",
    )
    assert read_traces(file)[0].messages[0]["content"] == "one\u2028two"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "is not JSON"),
        ("[]", "is no trace"),
        ('{"id": "a"}', "is no trace"),
        ('{"id": 1, "messages": []}', "is no trace"),
        ('{"id": "a", "messages": ["hello"]}', "is no trace"),
    ],
)
def test_a_line_that_is_no_trace_is_refused_by_its_number(
    tmp_path: Path, line: str, what: str
) -> None:
    file = write_traces(tmp_path, "some", SHIPPING)
    file.write_text(file.read_text() + line)
    with pytest.raises(InputError, match=rf"some\.jsonl:2 {what}"):
        read_traces(file)
