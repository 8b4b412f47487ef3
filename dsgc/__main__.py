"""The command line: `python -m dsgc`, or `dsgc` where it is installed."""

import sys

from dsgc.errors import MissingExtraError


def main() -> int:
    """Run the command line on the arguments of this process; return the exit status."""
    try:
        from dsgc.cli import main as run
    except MissingExtraError as missing:
        sys.stderr.write(f"{missing}\n")
        return 2
    return run()


if __name__ == "__main__":
    sys.exit(main())
