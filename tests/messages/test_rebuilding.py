"""The messages of what is kept: the very objects, or copies where something of them went."""

import copy
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.messages import estimate_tokens
from dsgc.messages._rebuilding import Message, price, rebuild
from dsgc.messages._transcript import Transcript, read_transcript
from tests.messages.conversations import Conversation, conversations
from tests.messages.renderings import FORMATS, RENDERERS

CALLS = [
    {"id": "c1", "function": {"name": "read", "arguments": "{}"}},
    {"id": "c2", "function": {"name": "look", "arguments": "{}"}},
]
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "Do both."},
    {"role": "assistant", "content": None, "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "c1", "content": "milk " * 40},
    {"role": "tool", "tool_call_id": "c2", "content": "nothing"},
]
CLAUDE: list[dict[str, Any]] = [
    {"role": "user", "content": "Read it."},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t", "name": "read", "input": {}}],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "milk " * 40},
            {"type": "text", "text": "Well?"},
        ],
    },
]


def read(messages: Sequence[Any], name: str) -> Transcript:
    return read_transcript(messages, name, estimate_tokens)


def members(transcript: Transcript, chosen: Sequence[int]) -> list[int]:
    return [member for number in chosen for member in transcript.units[number].members]


def test_messages_that_are_kept_whole_are_the_very_objects() -> None:
    transcript = read(CHAT, "openai-chat")
    rebuilt = rebuild(transcript, range(len(transcript.pieces)), {})
    assert [message.position for message in rebuilt] == [0, 1, 2, 3]
    assert all(message is CHAT[position] for position, message in rebuilt)
    assert price(rebuilt, transcript) == transcript.tokens


def test_messages_of_which_nothing_is_kept_are_gone() -> None:
    transcript = read(CHAT, "openai-chat")
    assert rebuild(transcript, members(transcript, [0]), {}) == [Message(0, CHAT[0])]
    assert rebuild(transcript, members(transcript, [1]), {}) == [
        Message(position, CHAT[position]) for position in (1, 2, 3)
    ]
    assert rebuild(transcript, [], {}) == []
    assert price([], transcript) == 0


def test_a_result_that_was_cut_is_in_a_copy_and_all_others_are_the_very_objects() -> None:
    before = copy.deepcopy(CHAT)
    transcript = read(CHAT, "openai-chat")
    long = next(i for i, piece in enumerate(transcript.pieces) if piece.text == "milk " * 40)
    rebuilt = rebuild(transcript, range(len(transcript.pieces)), {long: "milk"})
    assert rebuilt[2] == (2, {"role": "tool", "tool_call_id": "c1", "content": "milk"})
    assert [message is CHAT[position] for position, message in rebuilt] == [True, True, False, True]
    assert before == CHAT
    assert transcript.tokens - price(rebuilt, transcript) == 200 // 4 - 1


def test_a_message_of_two_units_keeps_the_parts_of_one() -> None:
    transcript = read(CLAUDE, "anthropic")
    text = rebuild(transcript, members(transcript, [0, 2]), {})
    assert text == [
        (0, CLAUDE[0]),
        (2, {"role": "user", "content": [{"type": "text", "text": "Well?"}]}),
    ]
    result = rebuild(transcript, members(transcript, [0, 1]), {})
    assert result[2] == (2, {"role": "user", "content": CLAUDE[2]["content"][:1]})
    assert result[1].message is CLAUDE[1]


def test_a_message_keeps_its_parts_in_order_where_one_is_cut_and_one_is_not() -> None:
    transcript = read(CLAUDE, "anthropic")
    long = next(i for i, piece in enumerate(transcript.pieces) if piece.kind == "result")
    kept = list(reversed(range(len(transcript.pieces))))
    rebuilt = rebuild(transcript, kept, {long: "milk"})
    content = rebuilt[2].message["content"]
    assert [block["type"] for block in content] == ["tool_result", "text"]
    assert content[1] is CLAUDE[2]["content"][1]
    assert transcript.tokens - price(rebuilt, transcript) == 200 // 4 - 1


def test_only_messages_that_changed_are_read_anew() -> None:
    transcript = read(CLAUDE, "anthropic")
    foreign = [Message(position, message) for position, message in enumerate(CLAUDE)]
    changed = [*foreign[:2], Message(2, {"role": "user", "content": "Well?"})]
    assert price(changed, transcript) == sum(transcript.price_of[:2]) + 4 + 2


@pytest.mark.parametrize("name", FORMATS)
@given(drawn=conversations(), data=st.data())
def test_what_is_left_costs_what_it_costs_when_read_for_the_first_time(
    name: str, drawn: Conversation, data: st.DataObject
) -> None:
    messages = RENDERERS[name](drawn)
    transcript = read(messages, name)
    chosen = [
        i for i in range(len(transcript.units)) if data.draw(st.booleans(), label=f"unit {i}")
    ]
    kept = members(transcript, chosen)
    rebuilt = rebuild(transcript, kept, {})
    assert [position for position, _ in rebuilt] == sorted(
        {transcript.pieces[member].message for member in kept}
    )
    for position, message in rebuilt:
        places = [i for i, piece in enumerate(transcript.pieces) if piece.message == position]
        assert (message is messages[position]) == set(places).issubset(kept)
    again = read([message for _, message in rebuilt], name)
    assert price(rebuilt, transcript) == again.tokens
    assert sorted(piece.text for piece in again.pieces) == sorted(
        transcript.pieces[member].text for member in kept
    )
