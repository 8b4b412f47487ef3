"""Encoders that need an extra; each is imported only when it is asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dsgc.encoders._sentence import SentenceEncoder
    from dsgc.encoders._static import StaticEncoder

__all__ = ["SentenceEncoder", "StaticEncoder"]


def __getattr__(name: str) -> Any:
    if name == "SentenceEncoder":
        from dsgc.encoders._sentence import SentenceEncoder

        return SentenceEncoder
    if name == "StaticEncoder":
        from dsgc.encoders._static import StaticEncoder

        return StaticEncoder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
