r"""Keep the code that a task needs when not all of a module fits the context.

The memory is a module of the standard library: a block for each function and class, an edge from
each to those it names, read with `ast`. A budget of tokens is filled twice, by similarity to the
task alone and by dsgc's `chain_safe()`, and then the kept code is run: what was evicted is not
there to be called.

    python examples/code_context.py
    python examples/code_context.py --module heapq --call "nsmallest(2, [3, 1, 2])" \
        --task "find the n smallest elements" --budget 1500
"""

import argparse
import ast
import contextlib
import importlib
import inspect
import sys
from collections.abc import Sequence
from typing import NamedTuple

from dsgc import Block, Retention, RetentionPolicy, retain
from dsgc.errors import DsgcError

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Source(NamedTuple):
    """A module taken apart: what is always there, what competes for the budget, and its edges."""

    name: str
    preamble: list[str]  # imports and constants that need no definition
    blocks: list[Block]
    edges: list[tuple[str, str]]
    epilogue: list[str]  # other statements, which work only with the definitions they need


def read_module(name: str) -> Source:
    """Read a module's definitions, and which names which."""
    text = inspect.getsource(importlib.import_module(name))
    statements = [node for node in ast.parse(text).body if not isinstance(node, ast.Delete)]
    definitions = {node.name: node for node in statements if isinstance(node, Definition)}
    named = {
        node: {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        & definitions.keys()
        for node in statements
    }
    others = [node for node in statements if not isinstance(node, Definition)]
    return Source(
        name,
        preamble=[ast.unparse(node) for node in others if not named[node]],
        blocks=[Block(known, source_of(node, text)) for known, node in definitions.items()],
        edges=[
            (known, used)
            for known, node in definitions.items()
            for used in sorted(named[node] - {known})
        ],
        epilogue=[ast.unparse(node) for node in others if named[node]],
    )


def source_of(node: Definition, text: str) -> str:
    """Return the lines of a definition, its decorators included."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def count_tokens(text: str) -> int:
    """Estimate tokens as a quarter of the bytes, rounded up."""
    return -(-len(text.encode()) // 4)


def run(source: Source, kept: Sequence[Block], call: str) -> object:
    """Define what was kept, and nothing else, then evaluate the call."""
    package = source.name.rpartition(".")[0] or source.name
    namespace: dict[str, object] = {"__name__": source.name, "__package__": package}
    exec("\n".join(source.preamble), namespace)
    exec("\n\n".join(block.text for block in kept), namespace)
    for statement in source.epilogue:
        with contextlib.suppress(NameError):
            exec(statement, namespace)
    return eval(call, namespace)


def attempt(title: str, retention: Retention, source: Source, call: str) -> bool:
    """Show what was kept and whether the call works with it."""
    print(f"{title} keeps: {', '.join(retention.kept_ids)}")
    print(f"  definitions kept: {len(retention.kept)}, tokens: {retention.used}")
    try:
        print(f"  {call} = {run(source, retention.kept, call)!r}\n")
    except NameError as error:
        print(f"  {call} fails with NameError: {error}")
        if error.name in retention.evicted_ids:
            print(f"  {retention.explain(error.name)}")
            print(f"  A budget of {retention.budget_for([error.name])} is sure to keep it.")
        print()
        return False
    except Exception as error:  # noqa: BLE001  # whatever the code of the module raises
        print(f"  {call} raises {type(error).__name__}: {error}\n")
        return False
    return True


def parse_options() -> tuple[argparse.Namespace, Source]:
    """Read the command line, refusing with one line what cannot be used."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--module", default="statistics", help="a module written in Python")
    parser.add_argument(
        "--task", default="compute the sample standard deviation (stdev)", help="in words"
    )
    parser.add_argument(
        "--call", default="stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75])", help="an expression"
    )
    parser.add_argument("--budget", type=int, default=2500, help="in tokens")
    options = parser.parse_args()
    try:
        ast.parse(options.call, mode="eval")
    except SyntaxError as error:
        parser.error(f"--call {options.call!r} is no expression: {error.msg}")
    try:
        return options, read_module(options.module)
    except (ImportError, OSError, TypeError, ValueError) as error:
        parser.error(f"--module {options.module!r} has no Python source to read: {error}")


def main() -> int:
    """Run the comparison; the exit status is 0 if the code that dsgc kept computes."""
    options, source = parse_options()
    total = sum(count_tokens(block.text) for block in source.blocks)
    print(
        f"Memory: the {len(source.blocks)} definitions of {source.name}, {total} tokens, "
        f"{len(source.edges)} edges"
    )
    print(f"Task: {options.task!r}, budget {options.budget} tokens\n")

    def keep(policy: RetentionPolicy) -> Retention:
        return retain(
            source.blocks,
            options.task,
            options.budget,
            source.edges,
            policy=policy,
            count_tokens=count_tokens,
        )

    try:
        by_similarity, by_dsgc = (
            keep(RetentionPolicy.no_graph()),
            keep(RetentionPolicy.chain_safe()),
        )
    except DsgcError as error:
        print(error, file=sys.stderr)
        return 2
    attempt("Similarity alone", by_similarity, source, options.call)
    works = attempt("dsgc, chain_safe(),", by_dsgc, source, options.call)
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
