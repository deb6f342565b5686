from foreword.toys import CONDITIONS, Toy, ToyScore


def a_toy(name: str = "one", kind: str = "sum", before: str = "X+A+", after: str = "B") -> Toy:
    return Toy(
        name=name,
        kind=kind,
        prefix="Z=",
        before=before,
        after=after,
        reordered="X+B+A",
        wrong="X+D+C",
        context="Some sums follow.",
    )


def scored(
    name: str, values: dict[str, tuple[float, ...]], kind: str = "sum", recovery: int | None = 1
) -> list[ToyScore]:
    """A row for each condition, with these log-probabilities."""
    return [
        ToyScore(
            item=name,
            kind=kind,
            condition=condition,
            scorer_id="fake@0",
            token_ids=tuple(range(len(values[condition]))),
            token_texts=tuple("x" for _ in values[condition]),
            logprobs=values[condition],
            first_byte=9,
            prompt_bytes=0,
            recovery_token=recovery,
            recovery_bytes=None if recovery is None else 0,
        )
        for condition in CONDITIONS
    ]
