"""Commands of other packages, imported when they are run."""

from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import typer

_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


class Mount(NamedTuple):
    """A command, and the typer app that it hands its arguments to.

    `package` must be there for the command to be; `module`, of it, is imported when it is run.
    """

    name: str
    package: str
    module: str
    summary: str
    app: str = "app"


MOUNTS = (Mount("bench", "dsgc.bench", "dsgc.bench._app", "Run the benchmarks."),)


def mount(app: typer.Typer, mounts: tuple[Mount, ...] = MOUNTS) -> None:
    """Add each command whose package is there."""
    for each in mounts:
        spec = find_spec(each.package)
        if spec is not None and spec.has_location:  # a bare directory is no package
            _add(app, each)


def _add(app: typer.Typer, mounted: Mount) -> None:
    @app.command(mounted.name, help=mounted.summary, context_settings=_PASSED_ON)
    def run(context: typer.Context) -> None:
        inner = getattr(import_module(mounted.module), mounted.app)
        inner(args=context.args, prog_name=f"dsgc {mounted.name}")
