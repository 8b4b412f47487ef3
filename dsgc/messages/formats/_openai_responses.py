"""OpenAI Responses: items, each a message, a thought, a call or an output."""

from collections.abc import Mapping, Sequence
from typing import Any

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._access import decoded, get, joined, replaced
from dsgc.messages._format import Order
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages.formats._contents import Told, encoded, opaque, parts_of, together
from dsgc.messages.formats._response_turns import BESIDE, answering, in_turns

_SIDES: dict[str, Kind] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}
_CALLS = {  # where their arguments are
    "function_call": "arguments",
    "custom_tool_call": "input",
    "computer_call": "action",
    "shell_call": "action",
    "local_shell_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
    "mcp_approval_request": "arguments",
    "program": "code",
}
_SERVED = {  # where their arguments are, and what came of them on the server
    "web_search_call": ("action",),
    "file_search_call": ("queries", "results"),
    "code_interpreter_call": ("code", "outputs"),
    "image_generation_call": ("revised_prompt", "error"),
    "mcp_call": ("arguments", "output", "error"),
}
_OUTPUTS = {  # where they say what came of a call
    "function_call_output": ("output",),
    "custom_tool_call_output": ("output",),
    "computer_call_output": ("output",),
    "shell_call_output": ("output",),
    "local_shell_call_output": ("output",),
    "apply_patch_call_output": ("output",),
    "tool_search_output": ("tools",),
    "mcp_approval_response": ("approve", "reason"),
    "program_output": ("result",),
}
_REPLACEABLE = (
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "apply_patch_call_output",
)
_SIDE_OF_REFERENCES: dict[str, Kind] = {"rs_": "reasoning"}
_CONTEXT = ("additional_tools", "compaction", "compaction_trigger", "configuration_update")
_MARKS = {*_CALLS, *_SERVED, *_OUTPUTS, *_CONTEXT, BESIDE, "reasoning", "item_reference"}
_TEXTS = {
    "input_text": "text",
    "output_text": "text",
    "text": "text",
    "summary_text": "text",
    "reasoning_text": "text",
    "refusal": "refusal",
    "logs": "logs",
}
_PRICES = {
    "input_image": _media.IMAGE,
    "image": _media.IMAGE,
    "computer_screenshot": _media.IMAGE,
    "input_audio": _media.AUDIO,
    "input_file": _media.FILE,
}
_MARKED_PARTS = ("input_text", "output_text", "input_image", "input_file")


class OpenAIResponses:
    """Items of the responses endpoint, as dicts or as the SDK has them in `response.output`.

    An output answers the call of its `call_id`, and an approval the request of its
    `approval_request_id`. The items of one response form a turn: what the model says, thinks and
    calls until an output or a message follows. What a program called, and the call that an
    approval led to, belong to the turn of the program and of the request.
    """

    name = "openai-responses"
    order = Order()

    def recognizes(self, messages: Sequence[Any]) -> bool:
        """Say whether there is an item, or a part of a message, that only this format has."""
        return any(map(_is_marked, messages))

    def read(self, messages: Sequence[Any]) -> list[Piece]:
        """Read each item as a piece."""
        kinds = [_kind(item, position) for position, item in enumerate(messages)]
        pieces = [
            _piece(item, kind)._replace(message=position, turn=position)
            for position, (item, kind) in enumerate(zip(messages, kinds, strict=True))
        ]
        return in_turns(messages, kinds, answering(messages, kinds, pieces))

    def rebuild(self, message: Any, parts: Mapping[int, str | None]) -> Any:
        """Put another text in the place of an output; an item is never kept in part."""
        text = parts.get(0)
        if text is None:
            return replaced(message)
        output = get(message, "output")
        if get(message, "type") == "shell_call_output":
            last = replaced(output[-1], stdout=text, stderr="")  # its outcome is that of them all
            return replaced(message, output=[last])
        if output is None or isinstance(output, str):
            return replaced(message, output=text)
        texts = [part for part in output if get(part, "type") == "input_text"]
        if texts:
            return replaced(message, output=[replaced(texts[-1], text=text)])
        is_dict = isinstance(message, Mapping)
        return replaced(message, output=[{"type": "input_text", "text": text}] if is_dict else text)


def _is_marked(item: Any) -> bool:
    kind = get(item, "type")
    if isinstance(kind, str) and kind != "message":
        return kind in _MARKS
    content = get(item, "content")
    if get(item, "role") not in tuple(_SIDES) or not isinstance(content, list | tuple):
        return False
    return any(get(part, "type") in _MARKED_PARTS for part in content)


def _kind(item: Any, position: int) -> str:
    kind, role = get(item, "type"), get(item, "role")
    is_item = (
        isinstance(item, Mapping)
        or kind == "message"
        or type(item).__module__.partition(".")[0] == "openai"
    )
    if isinstance(kind, str) and kind != "message" and (is_item or kind in _MARKS):
        return kind
    if is_item and kind is None and role is None and isinstance(get(item, "id"), str):
        return "item_reference"
    what = None
    if not is_item or not isinstance(role, str):
        what = f"is a {type(item).__name__} with neither the type of an item nor a role"
    elif role not in _SIDES:
        what = f"has the role {role!r}, none of {', '.join(_SIDES)}"
    elif get(item, "content", get) is get:
        what = "has a role but no content"
    elif get(item, "tool_calls") or get(item, "function_call"):
        what = "has calls in it, which are items of their own here"
    if what is not None:
        raise UnreadableMessageError(position, what, OpenAIResponses.name)
    parts_of(get(item, "content"), position, OpenAIResponses.name)
    return "message"


def _piece(item: Any, kind: str) -> Piece:
    is_client = bool(get(item, "call_id"))  # of kinds that are newer than this module, too
    if kind in _CALLS or kind in _SERVED or (is_client and kind.endswith("_call")):
        return _call(item, kind)
    if kind in _OUTPUTS or (is_client and kind.endswith("_output")):
        return _result(item, kind)
    side: Kind = "system"
    if kind == "message":
        side, told = _SIDES[get(item, "role")], together(_told_all(get(item, "content")))
    elif kind == "reasoning":
        sealed = Told(media=encoded(get(item, "encrypted_content")))
        seen = together([*_told_all(get(item, "summary")), *_told_all(get(item, "content"))])
        side, told = "reasoning", Told(seen.text, seen.media + sealed.media)
    elif kind == "item_reference":  # where the item itself is not to be seen, it had better stay
        side, told = _SIDE_OF_REFERENCES.get(str(get(item, "id"))[:3], "assistant"), Told()
    else:
        told = opaque(item)
    is_pinned = kind not in ("message", "reasoning")
    return Piece(0, 0, 0, side, told.text, media=told.media, pinned=is_pinned)


def _call(item: Any, kind: str) -> Piece:
    name = get(item, "name") or kind.removesuffix("_call")
    given_in, *came_in = _SERVED.get(kind) or [_CALLS.get(kind, "arguments")]
    if get(item, given_in) is None and kind == "computer_call":
        given_in = "actions"
    value = get(item, given_in)
    given = Told(value or "") if value is None or isinstance(value, str) else opaque(value)
    came = [_told_value(get(item, field)) for field in came_in]
    key = get(item, "id") if kind == "mcp_approval_request" else get(item, "call_id")
    image = _media.IMAGE if get(item, "result") else 0
    is_served = kind in _SERVED
    return Piece(
        0,
        0,
        0,
        "call",
        joined(name, given.text, *(told.text for told in came)),
        key="" if is_served else str(key or None),
        name=name,
        arguments=decoded(given.text or None),
        media=sum(told.media for told in (given, *came)) + image,
        awaits_result=not is_served and get(item, "execution") != "server",
    )


def _result(item: Any, kind: str) -> Piece:
    fields = _OUTPUTS.get(kind, ("output",))
    text, media = together(_told_value(get(item, field)) for field in fields)
    key = get(item, "call_id") or get(item, "approval_request_id")
    if key is None and kind == "local_shell_call_output":
        key = get(item, "id")
    if key is None and kind == "function_call_output":  # a tool speaks without having been called
        return Piece(0, 0, 0, "user", text, media=media)
    has_entries = kind == "shell_call_output" and bool(get(item, "output"))
    return Piece(
        0,
        0,
        0,
        "result",
        text,
        key=str(key or None),
        name=get(item, "name") or "",
        media=media,
        replaceable=kind in _REPLACEABLE or has_entries,
    )


def _told_value(value: Any) -> Told:
    if isinstance(value, bool):
        return Told(str(value).lower())
    return together(_told_all(value))


def _told_all(content: Any) -> list[Told]:
    if content is None:
        return []
    return list(map(_told, content if isinstance(content, list | tuple) else (content,)))


def _told(part: Any) -> Told:
    if isinstance(part, str):
        return Told(part)
    kind = str(get(part, "type"))
    if kind in _TEXTS:
        return Told(get(part, _TEXTS[kind]) or "")
    if kind in _PRICES:
        return Told(media=_PRICES[kind])
    if get(part, "stdout") is not None:
        return Told(joined(get(part, "stdout"), get(part, "stderr") or ""))
    return opaque(part)
