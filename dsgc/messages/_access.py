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


def plain(value: Any) -> Any:
    """Return a model of pydantic's as a dict, a class of such as its schema, others unchanged."""
    if isinstance(value, type):
        return value.model_json_schema() if hasattr(value, "model_json_schema") else value
    if not hasattr(value, "model_dump"):
        return value
    try:
        return value.model_dump(exclude_none=True, warnings=False)
    except TypeError:  # it is not pydantic's
        return value.model_dump()


def as_json(value: Any) -> str:
    """Return a value as JSON text; what JSON cannot express becomes its `str`."""
    try:
        return json.dumps(plain(value), ensure_ascii=False, default=_jsonable)
    except (TypeError, ValueError, RecursionError):  # such as a key that is a tuple, or a circle
        return _in_words(value)


def _jsonable(value: Any) -> Any:
    known = plain(value)
    return str(value) if known is value else known


def _in_words(value: Any) -> str:
    try:
        return str(value)
    except RecursionError:
        return object.__repr__(value)


def decoded(arguments: Any) -> Any:
    """Return the arguments of a call: decoded where they are JSON text, text where they are none.

    Who walks through what is returned comes to an end, which a dict that holds itself has not.
    """
    try:
        if isinstance(arguments, str):
            return json.loads(arguments)
        json.dumps(arguments, default=str)
    except (TypeError, ValueError, RecursionError):
        return as_text(arguments)
    return arguments


def as_text(arguments: Any) -> str:
    """Return the arguments of a call as text."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else as_json(arguments)


def joined(*texts: str) -> str:
    """Join what is not empty, one a line."""
    return "\n".join(filter(None, texts))
