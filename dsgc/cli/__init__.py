"""The command line: `dsgc compact`, `dsgc explain`, and what other packages add to it."""

from dsgc.errors import MissingExtraError

try:
    import rich  # noqa: F401  # to say once, and first, what is missing
    import typer  # noqa: F401
except ImportError as missing:
    raise MissingExtraError("The command line", "cli") from missing

from dsgc.cli._app import main

__all__ = ["main"]
