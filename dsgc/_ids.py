"""Finding a block by the id that a caller gives."""

from collections.abc import Iterable, Mapping

from dsgc.errors import InputTypeError, UnknownBlockError


def position_of(block_id: object, index: Mapping[str, int], where: str) -> int:
    """Return the position of a block; `where` begins the message if there is none."""
    if not isinstance(block_id, str):
        raise InputTypeError(
            f"{where} is about an id of the type {type(block_id).__name__}. Ids are str."
        )
    if block_id not in index:
        raise UnknownBlockError(f"{where} refers", [block_id], index)
    return index[block_id]


def listed(ids: object, where: str) -> list[object]:
    """Return the ids as a list; one by itself is a list of one."""
    if isinstance(ids, str):
        return [ids]
    if not isinstance(ids, Iterable):
        raise InputTypeError(f"{where} needs a list of ids, got {type(ids).__name__}.")
    return list(ids)
