"""What every chart of the page shares: its width, its frame, and text made safe."""

from html import escape

from markupsafe import Markup

from foreword.report.visible import visible

WIDTH = 780
"""CSS pixels; a narrower window scrolls."""


def drawing(inside: str, height: float, name: str, title: str, said: str) -> Markup:
    """A chart with a title and a description for readers who can't see it.

    Args:
        inside: its elements, every text in them through `escaped`.
        height: in CSS pixels.
        name: makes the ids of the title and the description unique on the page.
        title: what it shows.
        said: its numbers in words.
    """
    return Markup(  # noqa: S704 (every text in it went through escaped)
        f'<svg role="img" aria-labelledby="{name}-t {name}-d" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}"><title id="{name}-t">{escaped(title)}</title>'
        f'<desc id="{name}-d">{escaped(said)}</desc>{inside}</svg>'
    )


def escaped(text: str) -> str:
    """The text with nothing hidden in it, safe between tags and in quoted attributes."""
    return escape(visible(text))
