"""What several renderings have in common."""

import base64
import json

from tests.messages.conversations import Call

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PNG_BASE64 = base64.b64encode(PNG).decode()
PNG_URL = f"data:image/png;base64,{PNG_BASE64}"


def arguments_text(call: Call) -> str:
    return json.dumps(call.arguments)


def is_custom(call_id: str) -> bool:
    """Whether the call takes free text instead of JSON: the same for all calls of one id."""
    return call_id.endswith("3")
