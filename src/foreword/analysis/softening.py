"""Six ways to soften a token's log-probability, so that no single token rules the mean.

Shapes: T tokens of one target.
"""

from typing import TYPE_CHECKING, get_args

import numpy as np

from foreword.records import Rule

if TYPE_CHECKING:
    from jaxtyping import Float

RULES: tuple[Rule, ...] = get_args(Rule)
"""All rules, from the unsoftened one on: raw, clip2, clip3, clip5, sqrt, log1p."""

_FLOORS: dict[Rule, float] = {"clip2": -2.0, "clip3": -3.0, "clip5": -5.0}

ROUNDING = 1e-6
"""How far above 0 rounding may lift a log-probability, in nats; what is higher is an error."""


def soften(logprobs: "Float[np.ndarray, ' T']", rule: Rule) -> "Float[np.ndarray, ' T']":
    """Token scores under a rule, in float64; higher is better, 0 (certain) is the best there is.

    With x a token's log-probability in nats:

        raw    x
        clipK  max(x, −K), for K = 2, 3, 5
        sqrt   −√(−x)
        log1p  −log(1 − x)

    Source: appendix B of arXiv 2605.10810. Every rule keeps the order of two tokens, up to ties at
    the floor. The unit is the nat for raw and clipK; sqrt and log1p have scales of their own.

    Args:
        logprobs: log-probabilities in nats, shape (T,). Up to `ROUNDING` above 0 is taken as 0.
        rule: one of `RULES`.

    Raises:
        ValueError: a value that is no log-probability (not finite, or positive), or no such rule.

    >>> [float(x) for x in soften(np.array([-0.25, -9.0]), "clip2")]
    [-0.25, -2.0]
    >>> [float(x) for x in soften(np.array([-0.25, -9.0]), "sqrt")]
    [-0.5, -3.0]
    """
    exact = np.asarray(logprobs, dtype=np.float64)
    wrong = ~np.isfinite(exact) | (exact > ROUNDING)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"token {at} has {exact[at]}, which is no log-probability")
    x = np.minimum(exact, 0.0)
    if rule == "raw":
        return x
    if rule in _FLOORS:
        return np.maximum(x, _FLOORS[rule])
    if rule == "sqrt":
        return 0.0 - np.sqrt(-x)
    if rule == "log1p":
        return 0.0 - np.log1p(-x)
    raise ValueError(f"no rule is called {rule!r}; the rules are {', '.join(RULES)}")
