"""The paper's rule in plain Python, without an array: what dsgc is compared with."""

import math
from collections.abc import Mapping, Sequence


def plain_retention(
    embeddings: Mapping[str, Sequence[float]],
    query: Sequence[float],
    costs: Mapping[str, int],
    edges: Sequence[tuple[str, str]],
    budget: int,
) -> list[str]:
    """Return the ids that survive, in the order of `embeddings`, under the default policy.

    Similarities are inner products, relevance is their softmax at 0.25, support goes one edge
    from dependent to prerequisite, and the budget is filled greedily, skipping what does not fit.
    """
    similarity = {}
    for block_id, embedding in embeddings.items():
        product = 0.0
        for mine, asked in zip(embedding, query, strict=True):
            product += mine * asked
        similarity[block_id] = product

    largest = max(similarity.values())
    relevance = {}
    for block_id, product in similarity.items():
        relevance[block_id] = math.exp((product - largest) / 0.25)
    total = sum(relevance.values())
    for block_id in relevance:
        relevance[block_id] /= total

    support = dict.fromkeys(similarity, 0.0)
    for dependent, prerequisite in set(edges):
        support[prerequisite] += relevance[dependent]
    score = {block_id: relevance[block_id] + support[block_id] for block_id in similarity}

    order = sorted(score, key=lambda block_id: (-score[block_id], -similarity[block_id]))
    kept, left = set(), budget
    for block_id in order:
        if costs[block_id] <= left:
            kept.add(block_id)
            left -= costs[block_id]
    return [block_id for block_id in embeddings if block_id in kept]
