"""Keep the code that a task needs when not all of a module fits the context.

The memory is a standard-library module: a block for each function and class, an edge from each to
those it names, read with `ast`. A budget of tokens is filled twice, by similarity to the task
alone and by dsgc, and then the kept code is run: what was evicted is not there to be called.

    python examples/code_context.py
    python examples/code_context.py --module heapq --call "nsmallest(2, [3, 1, 2])" \
        --task "find the n smallest elements" --budget 1500
"""

import argparse
import ast
import importlib
import inspect
import sys
from collections.abc import Sequence

from dsgc import Block, Retention, RetentionPolicy, retain

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def read_module(name: str) -> tuple[str, list[Block], list[tuple[str, str]]]:
    """Return the imports and constants of a module, its definitions, and which names which."""
    source = inspect.getsource(importlib.import_module(name))
    statements = ast.parse(source).body
    definitions = {node.name: node for node in statements if isinstance(node, Definition)}
    names_in = {
        node: {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        for node in statements
    }
    preamble = [
        node
        for node in statements
        if not isinstance(node, Definition) and not names_in[node] & definitions.keys()
    ]
    blocks = [
        Block(definition, source_of(node, source)) for definition, node in definitions.items()
    ]
    edges = [
        (definition, used)
        for definition, node in definitions.items()
        for used in sorted(names_in[node] & definitions.keys() - {definition})
    ]
    return "\n".join(map(ast.unparse, preamble)), blocks, edges


def source_of(node: Definition, source: str) -> str:
    """Return the lines of a definition, its decorators included."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return "\n".join(source.splitlines()[first - 1 : node.end_lineno])


def count_tokens(text: str) -> int:
    """Estimate tokens as a quarter of the bytes, rounded up."""
    return -(-len(text.encode()) // 4)


def run(preamble: str, kept: Sequence[Block], call: str) -> object:
    """Define what was kept, and nothing else, then evaluate the call."""
    namespace: dict[str, object] = {"__name__": "kept_code"}
    exec(preamble, namespace)
    exec("\n\n".join(block.text for block in kept), namespace)
    return eval(call, namespace)


def attempt(title: str, retention: Retention, preamble: str, call: str) -> bool:
    """Show what was kept and whether the call works with it."""
    print(f"{title}: {', '.join(retention.kept_ids)}")
    print(f"  {len(retention.kept)} definitions, {retention.used} of {retention.budget} tokens")
    try:
        print(f"  {call} = {run(preamble, retention.kept, call)!r}\n")
    except NameError as error:
        print(f"  {call} fails with NameError: {error}")
        if error.name in retention.evicted_ids:
            print(f"  {retention.explain(error.name)}")
            print(f"  A budget of {retention.budget_for([error.name])} would keep it.")
        print()
        return False
    return True


def main() -> int:
    """Run the comparison; the exit status is 0 if the code that dsgc kept computes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--module", default="statistics", help="a module written in Python")
    parser.add_argument("--task", default="compute the sample standard deviation (stdev)")
    parser.add_argument("--call", default="stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75])")
    parser.add_argument("--budget", type=int, default=2500, help="in tokens")
    options = parser.parse_args()

    preamble, blocks, edges = read_module(options.module)
    total = sum(count_tokens(block.text) for block in blocks)
    print(
        f"Memory: {len(blocks)} definitions of {options.module}, {total} tokens, {len(edges)} edges"
    )
    print(f"Task: {options.task!r}, budget {options.budget} tokens\n")

    def keep(policy: RetentionPolicy) -> Retention:
        return retain(
            blocks, options.task, options.budget, edges, policy=policy, count_tokens=count_tokens
        )

    attempt("Similarity only keeps", keep(RetentionPolicy.no_graph()), preamble, options.call)
    works = attempt("dsgc keeps", keep(RetentionPolicy.chain_safe()), preamble, options.call)
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
