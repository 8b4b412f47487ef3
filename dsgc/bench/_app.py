"""The command line of the benchmarks; `app` can be mounted in another one."""

from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from dsgc.bench.real import LARGEST_SHARE, Comparison, Measurement, data_folder, trace_files
from dsgc.bench.real._report import HEADING, to_json, to_markdown, to_table
from dsgc.errors import DsgcError

app = typer.Typer(
    name="bench",
    help="Measure what the policies keep, beside baselines and peers.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

_WRONG_USAGE = 2


@app.callback()
def _benchmarks() -> None:
    """Keep `real` a command of its own while it is the only one."""


@app.command()
def real(
    traces: Annotated[
        bool, typer.Option("--traces", help="Does every value that the next call needs survive?")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(help="The folder with traces/*.jsonl.", envvar="DSGC_REAL_DATA"),
    ] = None,
    budgets: Annotated[
        str, typer.Option(help="Shares of the history's words, in per cent.")
    ] = "25,40,60",
    peers: Annotated[bool, typer.Option(help="Whether to measure other libraries too.")] = True,
    peer_seconds: Annotated[
        float, typer.Option(help="The most that one peer may take on one file.", min=0)
    ] = 300,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print one table for a README.")
    ] = False,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Also write everything here, with standard errors."),
    ] = None,
) -> None:
    """Measure on real data: `--traces` for the traces of agents."""
    if not traces:
        _stop("nothing to measure was named. Give --traces.")
    try:
        comparison = Comparison(_shares(budgets), with_peers=peers, peer_seconds=peer_seconds)
        files = trace_files(data_folder(data))
        measurements = _measured(comparison, files)
    except DsgcError as error:
        _stop(str(error))
    if json_file is not None:
        json_file.write_text(to_json(measurements), encoding="utf-8")
    if markdown:
        typer.echo(to_markdown(measurements))
        return
    console = Console()
    console.print(HEADING)
    for measurement in measurements:
        console.print(to_table(measurement))


def _measured(comparison: Comparison, files: list[Path]) -> list[Measurement]:
    with Console(stderr=True).status("") as status:
        return [comparison.measure(file, status.update) for file in files]


def _shares(budgets: str) -> tuple[int, ...]:
    wanted = [share.strip() for share in budgets.split(",")]
    is_share = all(share.isdecimal() and 0 < int(share) <= LARGEST_SHARE for share in wanted)
    if not is_share or len(set(wanted)) < len(wanted):
        _stop(f"--budgets takes distinct whole per cents, such as 25,40,60; got {budgets!r}.")
    return tuple(int(share) for share in wanted)


def _stop(message: str) -> NoReturn:
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(_WRONG_USAGE)
