from foreword.records import Cut

SUFFIX = (
    r"\frac{1}{2}\left(\partial_\mu\phi\right)^2 - \frac{m^2}{2}\phi^2 - \frac{\lambda}{4!}\phi^4"
)


def a_cut(hidden: str = SUFFIX + "\n", prefix: str = "\n\\mathcal{L} =") -> Cut:
    return Cut(
        id="p/3/9",
        paper_id="p",
        environment="equation",
        context="Context. " * 200,
        opening=r"\begin{equation}",
        prefix=prefix,
        hidden=hidden,
        closing=r"\end{equation}",
        filler="abc+def=ghi " * 100,
    )
