"""Ways to soften a token's log-probability, so that no single token rules the mean.

Shapes: T tokens of one target.
"""

import math
import re
from typing import TYPE_CHECKING, get_args

import numpy as np

from foreword.findings import Rule

if TYPE_CHECKING:
    from jaxtyping import Float

RULES: tuple[Rule, ...] = get_args(Rule)
"""The fixed rules, from the unsoftened one on: raw, clip2, clip3, clip5, sqrt, log1p."""

CLIPS: tuple[str, ...] = ("clip2", "clip3", "clip5")
"""Those of them that have a floor."""

_CLIP = re.compile(r"clip(?:[235]|:(\d+\.?\d*|\.\d+))")

ROUNDING = 1e-6
"""How far above 0 rounding may lift a log-probability, in nats; what is higher is an error."""


def soften(logprobs: "Float[np.ndarray, ' T']", rule: str) -> "Float[np.ndarray, ' T']":
    """Token scores under a rule, in float64; higher is better, 0 (certain) is the best there is.

    With x a token's log-probability in nats:

        raw            x
        clipK, clip:K  max(x, −K): clip2, clip3 and clip5, or `clip:K` with any K above 0
        sqrt           −√(−x)
        log1p          −log(1 − x)

    Source: appendix B of arXiv 2605.10810. Every rule keeps the order of two tokens, up to ties at
    the floor. The unit is the nat for raw and the clips; sqrt and log1p have scales of their own.

    Args:
        logprobs: log-probabilities in nats, shape (T,). Up to `ROUNDING` above 0 is taken as 0.
        rule: one of `RULES`, or `clip:K`.

    Raises:
        ValueError: a value that is no log-probability (not finite, or positive), or no such rule.

    >>> [float(x) for x in soften(np.array([-0.25, -9.0]), "clip2")]
    [-0.25, -2.0]
    >>> [float(x) for x in soften(np.array([-0.25, -9.0]), "clip:4")]
    [-0.25, -4.0]
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
    if rule == "sqrt":
        return 0.0 - np.sqrt(-x)
    if rule == "log1p":
        return 0.0 - np.log1p(-x)
    return np.maximum(x, floor(rule))


def clip(logprobs: "Float[np.ndarray, ' T']", k: float) -> "Float[np.ndarray, ' T']":
    """max(x, −k): no token costs more than k nats. `soften` with the rule `clip:k`.

    Raises:
        ValueError: k is not above 0, or a value is no log-probability.

    >>> clip(np.array([-0.25, -9.0]), 1.5).tolist()
    [-0.25, -1.5]
    """
    return soften(logprobs, clip_rule(k))


def clip_rule(k: float) -> str:
    """The name of the rule that clips at −k nats: one of the fixed ones where k is 2, 3 or 5.

    Raises:
        ValueError: k is not above 0, or not finite.

    >>> clip_rule(2), clip_rule(1.5)
    ('clip2', 'clip:1.5')
    """
    if not 0 < k < math.inf:
        raise ValueError(f"nothing can be clipped at {k} nats; k has to be above 0")
    fixed = f"clip{k:g}"
    return fixed if fixed in CLIPS else f"clip:{np.format_float_positional(k, trim='-')}"


def floor(rule: str) -> float:
    """Where a clip rule cuts off, −K, in nats.

    Raises:
        ValueError: there is no such rule, or it has no floor.

    >>> floor("clip5"), floor("clip:1.5")
    (-5.0, -1.5)
    """
    found = _CLIP.fullmatch(rule)
    k = float(found[1] or rule[4:]) if found else 0.0
    if not 0 < k < math.inf:
        raise ValueError(
            f"no clip rule is called {rule!r}; the rules are {', '.join(RULES)}, and clip:K with "
            "a number K above 0"
        )
    return -k
