"""Cuts made by hand, for the tests of this stage."""

from foreword.records import Cut

CONTEXT = r"""We start from the free energy,
\begin{equation}
F[\phi] = \int d^d x \left( \frac{1}{2} (\nabla \phi)^2 + \frac{r}{2} \phi^2 + u \phi^4 \right) .
\end{equation}
Its variation gives
\begin{align}
\frac{\delta F}{\delta \phi} &= - \nabla^2 \phi + r \phi + 4 u \phi^3 , \\
\partial_t \phi &= - \Gamma \frac{\delta F}{\delta \phi} + \eta(x, t) .
\end{align}
To one loop, with $\epsilon = 4 - d$, the flow is then
"""


def make_cut(
    number: int = 0,
    *,
    context: str = CONTEXT,
    opening: str = r"\begin{align}",
    prefix: str = r"\frac{d r}{d \ell} &= 2 r + 12 u - \frac{r}{2} ",
    hidden: str = r"12 u r , \\ \frac{d u}{d \ell} &= \epsilon u - 36 u^2 + O(u^3) .",
    closing: str = r"\end{align}",
) -> Cut:
    return Cut(
        id=f"paper/{number}/40",
        paper_id="paper",
        environment="align",
        context=context,
        opening=opening,
        prefix=prefix,
        hidden=hidden,
        closing=closing,
    )
