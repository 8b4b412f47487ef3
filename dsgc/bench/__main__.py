"""Run the benchmarks from the command line."""

import sys

from dsgc.errors import MissingExtraError


def main() -> None:
    """Run the command line, or say which extra it needs."""
    try:
        from dsgc.bench._app import app
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in {"typer", "rich"}:
            raise
        sys.exit(str(MissingExtraError("dsgc.bench", "bench")))
    app(prog_name="python -m dsgc.bench")


if __name__ == "__main__":
    main()
