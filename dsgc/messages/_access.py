"""Reading and copying messages that may be dicts or objects of an SDK."""

import json
from collections.abc import Mapping
from copy import copy
from dataclasses import is_dataclass, replace
from typing import Any


def get(item: Any, name: str, default: Any = None) -> Any:
    """Return a field of a dict or an attribute of an object."""
    if type(item) is dict or isinstance(item, Mapping):  # the first is many times faster
        return item.get(name, default)
    return getattr(item, name, default)


def replaced(item: Any, **changes: Any) -> Any:
    """Return a copy of a dict or object with some fields changed; nothing else is copied."""
    if isinstance(item, Mapping):
        return {**item, **changes}
    if hasattr(item, "model_copy"):
        return item.model_copy(update=changes)
    if is_dataclass(item) and not isinstance(item, type):
        return replace(item, **changes)
    changed = copy(item)
    for name, value in changes.items():
        setattr(changed, name, value)
    return changed


def as_json(value: Any) -> str:
    """Return a value as JSON text; what JSON does not know becomes its `str`."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(exclude_none=True)
    return json.dumps(value, ensure_ascii=False, default=str)


def decoded(arguments: Any) -> Any:
    """Return the arguments of a call: decoded where they are JSON text, otherwise as they are."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def as_text(arguments: Any) -> str:
    """Return the arguments of a call as text."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else as_json(arguments)


def joined(*texts: str) -> str:
    """Join what is not empty, one a line."""
    return "\n".join(filter(None, texts))
