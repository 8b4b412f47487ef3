"""`dsgc compact`: the conversation on standard output, what went on standard error."""

import json
from pathlib import Path
from typing import Any

import pytest

from dsgc import RetentionPolicy
from dsgc.messages import compact
from tests.cli.conftest import CALL, CONVERSATION, Run, written

TOOLS = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]
LONG = "nothing of note " * 40


def test_what_fits_is_written_as_a_list_that_people_can_read(run: Run, conversation: Path) -> None:
    outcome = run("compact", conversation, "--budget", 90)
    assert outcome.status == 0
    assert outcome.json == compact(CONVERSATION, 90).messages
    assert outcome.json[3]["content"].startswith("[left out: 134 tokens] of note nothing")
    assert outcome.stdout.startswith('[\n  {\n    "role": "system",\n')
    assert outcome.stdout.endswith("}\n]\n")


def test_what_went_is_told_in_a_table_on_standard_error(run: Run, conversation: Path) -> None:
    lines = run("compact", conversation, "--budget", 90).stderr.splitlines()
    compaction = compact(CONVERSATION, 90)
    before, after = compaction.tokens_before, compaction.tokens_after
    assert lines[0] == (f"Kept 6 of 6 messages, {after} of {before} tokens; there was room for 90.")
    assert lines[1].split() == ["id", "messages", "outcome", "tokens", "after", "parts", "reason"]
    told = {line.split()[0]: line.split()[-1] for line in lines if line.startswith("m")}
    assert set(told) == {row.id for row in compaction.report.rows}
    cut = next(line for line in lines if line.startswith("m2"))
    assert cut.split()[:4] == ["m2", "2,", "3", "cut"]


def test_what_was_broken_is_told_too(run: Run, tmp_path: Path) -> None:
    orphan = {"role": "tool", "tool_call_id": "gone", "name": "read[x]", "content": "?"}
    outcome = run("compact", written(tmp_path / "c.json", [orphan, *CONVERSATION]), "--budget", 999)
    assert outcome.json == CONVERSATION
    assert "messages[0] holds a result of 'read[x]' without a call before" in outcome.stderr
    assert "dropped" in outcome.stderr


def test_quiet_leaves_standard_error_empty(run: Run, conversation: Path) -> None:
    assert run("compact", conversation, "--budget", 90, "-q").stderr == ""


def test_explain_adds_a_paragraph_for_each_unit(run: Run, conversation: Path) -> None:
    outcome = run("compact", conversation, "--budget", 90, "--explain", "--quiet")
    retention = compact(CONVERSATION, 90).retention
    paragraphs = [line for line in outcome.stderr.splitlines() if line]
    assert paragraphs == [str(retention.explain(unit)) for unit in ("m0", "m1", "m2", "m4", "m5")]


def test_json_is_one_record_of_everything(run: Run, conversation: Path) -> None:
    record = run("compact", conversation, "--budget", 90, "--json").json
    compaction = compact(CONVERSATION, 90)
    assert record.pop("messages") == compaction.messages
    assert record == json.loads(json.dumps(compaction.to_dict()))


@pytest.mark.parametrize("arguments", [(), ("-",)], ids=["no file", "a dash"])
def test_the_conversation_may_come_by_standard_input(run: Run, arguments: tuple[str, ...]) -> None:
    stdin = json.dumps(CONVERSATION).encode()
    outcome = run("compact", *arguments, "--budget", 999, stdin=stdin)
    assert outcome.json == CONVERSATION


@pytest.mark.parametrize("holder", ["messages", "input", "contents"])
def test_an_object_keeps_everything_but_its_messages(run: Run, tmp_path: Path, holder: str) -> None:
    request = {"model": "m", holder: CONVERSATION, "temperature": 0}
    outcome = run("compact", written(tmp_path / "request.json", request), "--budget", 90)
    assert outcome.json == {**request, holder: compact(CONVERSATION, 90).messages}
    assert list(outcome.json) == ["model", holder, "temperature"]


@pytest.mark.parametrize(
    ("extra", "n_counted"),
    [
        ({"tools": TOOLS}, 1),
        ({"system": "Be brief. " * 20}, 1),
        ({"instructions": "Be brief. " * 20, "tools": TOOLS}, 2),
        ({"systemInstruction": {"parts": [{"text": "Be brief."}]}, "tools": []}, 1),
        ({"tools": None}, 0),
    ],
)
def test_what_a_request_sends_along_is_counted(
    run: Run, tmp_path: Path, extra: dict[str, Any], n_counted: int
) -> None:
    path = written(tmp_path / "request.json", {"messages": CONVERSATION, **extra})
    outcome = run("compact", path, "--budget", 300, "--json")
    sent = [*(extra.get("tools") or ()), *(v for k, v in extra.items() if k != "tools")]
    assert outcome.json["budget"] == compact(CONVERSATION, 300, tools=sent).budget
    told = f"beside {n_counted} tools and instructions"
    assert (told in outcome.stderr) == bool(n_counted)


def test_json_lines_come_back_as_json_lines(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "conversation.jsonl"
    path.write_text("\n\n".join(map(json.dumps, CONVERSATION)), encoding="utf-8")
    lines = run("compact", path, "--budget", 90).stdout.splitlines()
    assert list(map(json.loads, lines)) == compact(CONVERSATION, 90).messages


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--query", "Read note A-17"], {"query": "Read note A-17"}),
        (["--reserve", "40"], {"reserve": 40}),
        (["--no-split"], {"split_results": False}),
        (["--format", "openai-chat"], {"format": "openai-chat"}),
        (["--policy", "agent"], {"policy": RetentionPolicy.agent()}),
        (["--policy", "chain-safe"], {"policy": RetentionPolicy.chain_safe()}),
        (["--policy", "dsgc"], {"policy": RetentionPolicy.dsgc()}),
        (["--policy", "no-graph"], {"policy": RetentionPolicy.no_graph()}),
        (["--policy", "sliding-window"], {"policy": RetentionPolicy.sliding_window()}),
    ],
    ids=" ".join,
)
def test_each_option_does_what_the_argument_of_compact_does(
    run: Run, conversation: Path, options: list[str], settings: dict[str, Any]
) -> None:
    record = run("compact", conversation, "--budget", 120, "--json", *options).json
    compaction = compact(CONVERSATION, 120, **settings)
    assert record.pop("messages") == compaction.messages
    assert record == json.loads(json.dumps(compaction.to_dict()))


@pytest.mark.parametrize(
    ("form", "messages"),
    [
        (
            "openai-responses",
            [
                {"role": "user", "content": "Read it."},
                {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c", "output": LONG},
                {"role": "user", "content": "Thanks."},
            ],
        ),
        (
            "anthropic",
            [
                {"role": "user", "content": "Read it."},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "c", "name": "read", "input": {}}],
                },
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "c", "content": LONG}],
                },
                {"role": "assistant", "content": "Done."},
                {"role": "user", "content": "Thanks."},
            ],
        ),
        (
            "gemini",
            [
                {"role": "user", "parts": [{"text": "Read it."}]},
                {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"name": "read", "response": {"r": LONG}}}],
                },
                {"role": "model", "parts": [{"text": "Done."}]},
                {"role": "user", "parts": [{"text": "Thanks."}]},
            ],
        ),
    ],
    ids=["openai-responses", "anthropic", "gemini"],
)
@pytest.mark.parametrize("named", [True, False], ids=["named", "told by its marks"])
def test_every_format_made_of_dicts_is_read(
    run: Run, tmp_path: Path, form: str, messages: list[Any], named: bool
) -> None:
    options = ["--format", form] if named else []
    path = written(tmp_path / "c.json", messages)
    outcome = run("compact", path, "--budget", 80, *options)
    assert outcome.json == compact(messages, 80, format=form).messages
    assert "left out" in outcome.stdout
    assert len(outcome.json) == len(messages)


@pytest.mark.parametrize(
    "text", ["订单 😀 é", "\ud800", "half of a pair: \ud83d", "[bold]x[/bold]", "\u2028\x00\x7f"]
)
def test_any_text_survives(run: Run, tmp_path: Path, text: str) -> None:
    messages = [{"role": "user", "content": text}]
    path = tmp_path / "c.json"
    path.write_text(json.dumps(messages), encoding="utf-8")
    assert run("compact", path, "--budget", 99).json == messages
    lines = tmp_path / "c.jsonl"
    lines.write_text(f"{json.dumps(messages[0])}\n" * 2, encoding="utf-8")
    assert run("compact", lines, "--budget", 99).stdout.count("\n") == 2


def test_text_in_any_script_stays_legible(run: Run) -> None:
    stdin = json.dumps([{"role": "user", "content": "订单"}]).encode()
    assert "订单" in run("compact", "--budget", 99, stdin=stdin).stdout


def test_what_is_written_can_be_compacted_again(run: Run, conversation: Path) -> None:
    once = run("compact", conversation, "--budget", 90)
    twice = run("compact", "--budget", 90, stdin=once.stdout.encode())
    assert twice.stdout == once.stdout


def test_what_must_stay_and_does_not_fit_is_status_1(run: Run, conversation: Path) -> None:
    outcome = run("compact", conversation, "--budget", 10)
    assert (outcome.status, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith("dsgc: the pinned blocks 'm0', 'm5' cost ")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--budget", "-5"], "budget must be a whole number of tokens, 0 or more, got -5"),
        (["--budget", "9", "--reserve", "10"], "reserve (10 tokens) and tools (0 tokens) exceed"),
        (["--budget", "much"], "Invalid value for '--budget'"),
        ([], "Missing option '--budget'"),
        (["--budget", "9", "--format", "morse"], "'morse' is not one of"),
        (["--budget", "9", "--policy", "luck"], "'luck' is not one of"),
        (["--budget", "9", "--colour"], "No such option"),
        (["--budget", "9", "--format", "gemini"], "cannot be read as gemini"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_used_is_status_2(
    run: Run, conversation: Path, options: list[str], message: str
) -> None:
    outcome = run("compact", conversation, *options)
    assert (outcome.status, outcome.stdout) == (2, "")
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        ({"role": "robot", "content": "x"}, "messages[1] has the role 'robot', none of"),
        ({"role": "user", "content": [{"type": "text", "text": 5}]}, "messages[1] has a field"),
        ({"role": "assistant", "tool_calls": 5}, "messages[1] has a field of the wrong kind"),
        ("just a text", "messages[1] "),
        (None, "messages[1] "),
    ],
)
def test_a_message_that_cannot_be_read_is_named(
    run: Run, tmp_path: Path, message: Any, complaint: str
) -> None:
    path = written(tmp_path / "c.json", [CONVERSATION[0], message, {**CALL, "role": "user"}])
    outcome = run("compact", path, "--budget", 99)
    assert outcome.status == 2
    assert f"dsgc: {complaint}" in outcome.stderr
    assert outcome.stderr.count("\n") == 1
