"""Reading a file: what it may be, and what is said of what it may not be."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CONVERSATION, Run, written

LINE = json.dumps(CONVERSATION[1])


def refusal(run: Run, path: Path | str) -> str:
    """Return the one line in which a file is refused."""
    outcome = run("compact", path, "--budget", 999)
    assert (outcome.status, outcome.stdout) == (2, "")
    assert outcome.stderr.count("\n") == 1
    return outcome.stderr.strip()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1, column 1 is no JSON: Expecting value."),
        ('[\n  {"role": "user",\n   "content": }\n]', "line 3, column 15 is no JSON"),
        (f"{LINE}\n{{'role': 'user'}}\n", "line 2, column 2 is no JSON"),
        (f"{LINE}\n\n{LINE[:-1]}", "line 3, column"),
        ("[1] x", "line 1, column 5 is no JSON: Extra data."),
        ("hello", "line 1, column 1 is no JSON"),
    ],
)
def test_bad_json_is_refused_with_line_and_column(
    run: Run, tmp_path: Path, text: str, where: str
) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    assert f"dsgc: {path}, {where}" in refusal(run, path)


def test_bad_json_on_standard_input_is_called_so(run: Run) -> None:
    outcome = run("compact", "--budget", 9, stdin=b"[")
    assert outcome.status == 2
    assert outcome.stderr.startswith("dsgc: standard input, line 1, column 2 is no JSON")


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_json_that_is_nested_too_deeply_is_refused(run: Run, tmp_path: Path, depth: int) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * depth + "]" * depth, encoding="utf-8")
    assert "dsgc: " in refusal(run, path)


def test_arguments_of_a_call_may_be_nested_as_deeply_as_json_can_be_read(
    run: Run, tmp_path: Path
) -> None:
    deep: list[object] = []
    for _ in range(300):
        deep = [deep]
    path = written(tmp_path / "deep.json", [{"role": "user", "content": "x", "extra": deep}])
    assert run("compact", path, "--budget", 99).json[0]["extra"] == deep


def test_a_number_that_is_too_long_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text(f"[{'9' * 5_000}]", encoding="utf-8")
    assert "long.json cannot be read as JSON: Exceeds the limit" in refusal(run, path)


def test_a_missing_file_and_a_directory_are_named(run: Run, tmp_path: Path) -> None:
    missing = refusal(run, tmp_path / "gone.json")
    assert missing.endswith("gone.json cannot be read: No such file or directory.")
    assert refusal(run, tmp_path).endswith("cannot be read: Is a directory.")


def test_a_path_through_a_file_is_named(run: Run, conversation: Path) -> None:
    assert refusal(run, conversation / "c.json").endswith("cannot be read: Not a directory.")


def test_a_file_that_is_not_in_utf_8_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "utf16.json"
    path.write_bytes(json.dumps(CONVERSATION).encode("utf-16"))
    assert "is not in UTF-8: invalid start byte at byte 0. Save it as UTF-8." in refusal(run, path)


def test_a_byte_order_mark_is_passed_over(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bom.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(CONVERSATION).encode())
    assert run("compact", path, "--budget", 999).json == CONVERSATION


@pytest.mark.parametrize("value", [{}, {"messages": "hi"}, {"input": "hi"}, 5, None, "hi"])
def test_what_holds_no_conversation_is_refused_with_what_would(
    run: Run, tmp_path: Path, value: object
) -> None:
    told = refusal(run, written(tmp_path / "c.json", value))
    assert "c.json holds no conversation. Give a list of messages, an object with" in told


def test_lines_of_whole_conversations_are_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text(f"{json.dumps({'messages': CONVERSATION})}\n" * 2, encoding="utf-8")
    assert "many.jsonl, line 1 holds a whole conversation, not a message" in refusal(run, path)


def test_one_message_on_one_line_comes_back_as_that(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(f"{LINE}\n", encoding="utf-8")
    assert run("compact", path, "--budget", 99).stdout == f"{LINE}\n"


def test_an_empty_conversation_stays_empty(run: Run) -> None:
    assert run("compact", "--budget", 0, stdin=b"[]").json == []
    assert run("compact", "--budget", 0, stdin=b'{"messages": []}').json == {"messages": []}


def test_a_raw_surrogate_in_the_file_survives_as_an_escape(run: Run) -> None:
    stdin = b'[{"role": "user", "content": "\xed\xa0\x80"}]'
    outcome = run("compact", "--budget", 99, stdin=stdin)
    assert outcome.json == [{"role": "user", "content": "\ud800"}]
    assert '"\\ud800"' in outcome.stdout
