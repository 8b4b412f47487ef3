"""What a retention values: the weights of the score and the rules of the fill."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

Weight = Annotated[float, Field(ge=0, le=1e100, allow_inf_nan=False)]  # so that sums stay finite


class RetentionPolicy(BaseModel):
    """The weights of the score and the rules by which the budget is filled.

    The score of block `i` is `relevance_weight * r_i + prerequisite_weight * pi_i +
    recency_weight * a_i + activation_weight * b_i`, divided by `cost_i ** density_exponent`
    (DSGC paper, section 3; recency and activation are extensions). With `aggregate="max"` the
    first two terms are joined by their maximum instead of their sum.

    Args:
        temperature: `tau` of the softmax over similarities, above 0.
        relevance_weight: Weight of a block's own relevance.
        prerequisite_weight: `lambda`, the weight of the support from dependents.
        hops: How many edges support travels, from 1 to 10,000.
        damping: Factor by which support fades with each hop after the first, from 0 to 1.
        aggregate: `"sum"` adds up all dependents; `"max"` takes the best one (liveness).
        recency_weight: `rho`, the weight of being new.
        recency_exponent: How fast recency fades, `(1 + age) ** -exponent`, age in blocks.
        activation_weight: `alpha`, the weight of being used often and lately.
        activation_decay: How fast each use fades, `(1 + age) ** -decay`, age in blocks.
        density_exponent: 0 ranks by worth; 1 ranks by worth per token.
        overflow: `"skip"` passes over a block that does not fit; `"stop"` ends the fill there.
        closed: Keep a block only together with all its prerequisites.
        deduplicate: Keep one block of each text, and others only where a kept block needs them.

    Raises:
        pydantic.ValidationError: a name that is no field, or a value out of its range.

    Example:
        >>> RetentionPolicy(prerequisite_weight=2.0).prerequisite_weight
        2.0
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 0.25
    relevance_weight: Weight = 1.0
    prerequisite_weight: Weight = 1.0
    hops: Annotated[int, Field(ge=1, le=10_000)] = 1
    damping: Annotated[float, Field(ge=0, le=1)] = 1.0
    aggregate: Literal["sum", "max"] = "sum"
    recency_weight: Weight = 0.0
    recency_exponent: Weight = 3.0
    activation_weight: Weight = 0.0
    activation_decay: Weight = 1.0
    density_exponent: Weight = 0.0
    overflow: Literal["skip", "stop"] = "skip"
    closed: bool = False
    deduplicate: bool = False

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed, checked like a new policy.

        Raises:
            pydantic.ValidationError: a name that is no field, or a value out of its range.

        Example:
            >>> RetentionPolicy.agent().replace(closed=True).closed
            True
        """
        return self.model_validate(self.model_dump() | changes)

    @classmethod
    def dsgc(cls) -> Self:
        """Return the paper's rule: relevance plus one hop of support (DSGC paper, section 3).

        Example:
            >>> RetentionPolicy.dsgc() == RetentionPolicy()
            True
        """
        return cls()

    @classmethod
    def no_graph(cls) -> Self:
        """Return the ablation: the same rule at `lambda = 0`, the order of plain similarity.

        Example:
            >>> RetentionPolicy.no_graph().prerequisite_weight
            0.0
        """
        return cls(prerequisite_weight=0.0)

    @classmethod
    def sliding_window(cls) -> Self:
        """Return the recency baseline: newest block first, whatever it says.

        Example:
            >>> RetentionPolicy.sliding_window().relevance_weight
            0.0
        """
        return cls(relevance_weight=0.0, prerequisite_weight=0.0, recency_weight=1.0)

    @classmethod
    def chain_safe(cls) -> Self:
        """Return the robust rule: a block is worth what the best block that needs it is worth.

        Liveness over many hops by maximum, kept sets closed under prerequisites, one block of
        each text. Unlike the sum, it does not pay a block for merely having dependents.

        Example:
            >>> RetentionPolicy.chain_safe().closed
            True
        """
        return cls(aggregate="max", hops=32, closed=True, deduplicate=True)

    @classmethod
    def agent(cls) -> Self:
        """Return the rule for agent traces: relevance, plus how often and how lately it was used.

        Example:
            >>> RetentionPolicy.agent().activation_weight
            4.0
        """
        return cls(prerequisite_weight=0.0, activation_weight=4.0, recency_weight=1.0)
