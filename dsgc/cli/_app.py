"""The commands: what they take, and what they write where."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from typer.main import get_command

from dsgc import RetentionPolicy, __version__
from dsgc.cli._document import STANDARD_INPUT, Document, as_json, read_document
from dsgc.cli._mounting import mount
from dsgc.cli._table import console_on_stderr, show
from dsgc.errors import DsgcError, InputError, PinsOverBudgetError
from dsgc.messages import Compaction, compact

app = typer.Typer(
    name="dsgc",
    help="Make an agent's conversation fit a token budget, and say why each part stayed or went.",
    no_args_is_help=True,
    add_completion=False,
)


class FormatName(StrEnum):
    """The formats whose messages are JSON, and `auto`."""

    AUTO = "auto"
    OPENAI_CHAT = "openai-chat"
    OPENAI_RESPONSES = "openai-responses"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"


class PolicyName(StrEnum):
    """The presets of `RetentionPolicy`."""

    AGENT = "agent"
    CHAIN_SAFE = "chain-safe"
    DSGC = "dsgc"
    NO_GRAPH = "no-graph"
    SLIDING_WINDOW = "sliding-window"

    @property
    def policy(self) -> RetentionPolicy:
        """The preset of this name."""
        preset: RetentionPolicy = getattr(RetentionPolicy, self.replace("-", "_"))()
        return preset


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A JSON list of messages, an object that holds one as its messages, input or "
        "contents, or JSON Lines; '-' for standard input.",
        show_default=False,
    ),
]
Budget = Annotated[
    int,
    typer.Option(
        help="The most tokens that all may cost together: messages, and the tools and "
        "instructions of an object that holds them."
    ),
]
Query = Annotated[
    str | None,
    typer.Option(help="What the agent is about to do; by default the latest user message."),
]
FormatOption = Annotated[FormatName, typer.Option("--format", help="The format of the messages.")]
Reserve = Annotated[int, typer.Option(help="Tokens to leave free for the answer.")]
Policy = Annotated[PolicyName, typer.Option(help="What is valued.")]
NoSplit = Annotated[bool, typer.Option("--no-split", help="Keep or evict long results whole.")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status, or leave with it.

    0 is success; 1 means that what must stay exceeds the budget, 2 that something given cannot be
    used.
    """
    try:
        get_command(app)(arguments, prog_name="dsgc")
    except PinsOverBudgetError as error:
        return _failed(error, 1)
    except DsgcError as error:
        return _failed(error, 2)
    except RecursionError:
        return _failed("the messages are nested too deeply to be read or written.", 2)
    return 0


@app.callback()
def _options(
    _: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version.",
            is_eager=True,
            callback=lambda is_asked: _show_version() if is_asked else None,
        ),
    ] = False,
) -> None:
    pass


@app.command("compact")
def _compact(
    budget: Budget,
    file: File = STANDARD_INPUT,
    query: Query = None,
    form: FormatOption = FormatName.AUTO,
    reserve: Reserve = 0,
    policy: Policy = PolicyName.AGENT,
    no_split: NoSplit = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also say at length why each unit stayed or went.")
    ] = False,
    as_record: Annotated[
        bool, typer.Option("--json", help="Write one object: messages, tokens, report, retention.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Leave out the table on standard error.")
    ] = False,
) -> None:
    """Write the conversation that fits to standard output, and what went to standard error."""
    document = read_document(file)
    compaction = _compaction_of(document, budget, query, form, reserve, policy, not no_split)
    written = document.render(compaction.messages)
    if as_record:
        record = {"messages": compaction.messages, **compaction.to_dict()}
        written = f"{as_json(record, indent=2)}\n"
    console = console_on_stderr()
    if not quiet:
        show(compaction, len(document.messages), len(document.sent_along), console)
    if explain:
        _explain_units(compaction, console)
    _write(written)


@app.command("explain")
def _explain(
    budget: Budget,
    file: File = STANDARD_INPUT,
    block_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BLOCK_ID",
            help="Ids as the table has them, such as m3, or m3#1 for a part; by default all.",
            show_default=False,
        ),
    ] = None,
    query: Query = None,
    form: FormatOption = FormatName.AUTO,
    reserve: Reserve = 0,
    policy: Policy = PolicyName.AGENT,
    no_split: NoSplit = False,
) -> None:
    """Say why units and parts of long results would stay or go, a paragraph each."""
    document = read_document(file)
    compaction = _compaction_of(document, budget, query, form, reserve, policy, not no_split)
    retention = compaction.retention
    wanted = block_ids or [record.id for record in retention.records]
    _write("".join(f"{retention.explain(block_id)}\n" for block_id in wanted))


def _compaction_of(
    document: Document,
    budget: int,
    query: str | None,
    form: FormatName,
    reserve: int,
    policy: PolicyName,
    split_results: bool,
) -> Compaction:
    return compact(
        document.messages,
        budget,
        query,
        format=form.value,
        policy=policy.policy,
        reserve=reserve,
        tools=document.sent_along,
        split_results=split_results,
    )


def _explain_units(compaction: Compaction, console: Console) -> None:
    known = compaction.retention.index
    for row in compaction.report.rows:
        if row.id in known:  # what was dropped as broken never competed
            console.print(f"\n{compaction.retention.explain(row.id)}", soft_wrap=True)


def _write(text: str) -> None:
    """Write to standard output in UTF-8, whatever the locale."""
    if sys.stdout is None:
        raise InputError("standard output is closed. Send it to a file or to another program.")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # a reader that has seen enough; typer leaves quietly
        raise
    except OSError as error:
        sys.stdout = None  # lest it be flushed again at the end
        raise InputError(f"standard output cannot be written: {error.strerror}.") from None


def _failed(error: object, status: int) -> int:
    sys.stderr.write(f"dsgc: {error}\n")
    return status


def _show_version() -> None:
    typer.echo(f"dsgc {__version__}")
    raise typer.Exit


mount(app)
