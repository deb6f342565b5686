"""The records that flow from stage to stage: Paper, Cut, Question, Forecast, Score.

Every record is frozen and holds plain values only, so that it can be stored as one row of a table
(`store/`). A field with a default may be left out by a program that replaces a stage.
All offsets are in characters of the clean text unless their name says bytes.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Annotated, Literal

from foreword.findings import Contrast as Contrast
from foreword.findings import Estimate as Estimate
from foreword.findings import Findings as Findings
from foreword.findings import Kind as Kind
from foreword.findings import Rule as Rule

Float32 = Annotated[float, "float32"]
"""A float that is stored in 32 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A run of clean text that stands, unbroken, in one source file."""

    start: int
    """Offset in the clean text."""
    file: str
    """Path of the source file, relative to the paper's folder."""
    line: int
    """Line of the source file on which the run starts, from 1."""
    column: int
    """Column of the source file at which the run starts, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """A displayed equation: opening, body, closing, as offsets in the clean text."""

    environment: str
    r"""`equation`, `align*`, …; `[` for `\[…\]`, `$$` for `$$…$$`. Display macros are resolved."""
    start: int
    """Where the opening (`\\begin{align}`, `\\[`, `\\be`) starts."""
    body_start: int
    body_end: int
    end: int
    """Where the closing ends."""


OWN_WORD = "="
"""In `Macro.arguments`: the macro is another name of one of LaTeX's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Macro:
    r"""One definition of a paper: `\newcommand{\name}[num_args][default]{body}`."""

    name: str
    """Without the backslash."""
    num_args: int
    default: str | None
    """Of the optional first argument; None when there is none."""
    body: str
    arguments: str = ""
    r"""How its arguments #1, #2, … are read, where `num_args` and `default` do not say it all: as
    xparse has it, `s o m`; the two then say what can be skipped in their sense, `[…]` and `{…}`. Or
    `=` for `\let`: its body is one word, LaTeX's own, whatever the paper makes of that word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """The clean text of one paper's document body, with the way back to its source."""

    id: str
    """arXiv id, or the name of the file or folder that it was read from."""
    text: str
    """No comments, no dead branches, nothing outside the document body; `\\input` followed."""
    source_sha256: str = ""
    """Of the bytes that the paper was read from: of the one file, or of all that were used."""
    file_sha256: str = ""
    """Of the file that holds the paper, packed or not; empty where it is a folder."""
    title: str = ""
    """Plain text of `\\title`, if there is one."""
    main: str = ""
    """The main file, relative to the paper's folder."""
    files: tuple[str, ...] = ()
    """Every file that was read, in the order of first use."""
    unresolved: tuple[str, ...] = ()
    """Includes that were not found."""
    num_hidden: int = 0
    """Stretches of text that can't be seen (white, tiny, of no width) and were left out."""
    segments: tuple[Segment, ...] = ()
    displays: tuple[Display, ...] = ()
    macros: tuple[Macro, ...] = ()
    wrappers: tuple[Macro, ...] = ()
    """What opens and closes displays (`be`, `ee`), and the paper's own environments, each as two
    macros: `begin{eq}`, `end{eq}`. None of them is among the macros."""

    def locate(self, offset: int) -> tuple[str, int]:
        """File and line (from 1) of the source that a character of the clean text came from.

        Raises:
            ValueError: the paper has no source map, or the offset lies outside of its text.
        """
        file, line, _ = self.place(offset)
        return file, line

    def place(self, offset: int) -> tuple[str, int, int]:
        """File, line and column (from 1) that a character of the clean text came from.

        Raises:
            ValueError: the paper has no source map, or the offset lies outside of its text.
        """
        if not self.segments or not 0 <= offset <= len(self.text):
            raise ValueError(f"{self.id} has no source for offset {offset}")
        at = bisect_right(self.segments, offset, key=lambda segment: segment.start) - 1
        segment = self.segments[at]
        lines = self.text.count("\n", segment.start, offset)
        line_start = self.text.rfind("\n", segment.start, offset) + 1
        column = offset - line_start + 1 if lines else segment.column + offset - segment.start
        return segment.file, segment.line + lines, column


CutKind = Literal["equation", "prose"]
"""What is cut in two: a displayed equation, or the text between its blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """All that a predictor may see. It has no answer to leak."""

    cut_id: str
    """To seed and to file the answer; never part of a prompt."""
    context: str
    """Clean text up to the equation's opening."""
    opening: str
    """`\\begin{align}` or what opens the display in this paper."""
    prefix: str
    """The visible beginning of the equation's body."""
    closing: str
    length_hint: int
    """How many characters are asked for: those of an equation's hidden rest, rounded up to ten."""
    kind: CutKind = "equation"
    """Of `prose` there is a context alone: no opening, prefix or closing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """One displayed equation, or a stretch of prose, split in two: what is seen, what is hidden."""

    id: str
    """`<paper id>/<display, from 0>/<offset of the cut in the body>`; of prose
    `<paper id>/prose/<offset of the cut in the text>`; the same in every run."""
    paper_id: str
    environment: str
    """Empty in prose, as opening, prefix and closing are."""
    context: str
    """Clean text before the equation or the cut, at least as long as the study asks for."""
    opening: str
    prefix: str
    hidden: str
    """Y, the suffix to forecast; never empty."""
    closing: str
    filler: str = ""
    """Text of the paper's other equations, for the `reveal:P` conditions."""
    file: str = ""
    line: int = 0
    """Where the equation opens in the source, from 1."""
    macros: tuple[Macro, ...] = ()
    """The paper's definitions that equation and context use, directly or through each other: what
    it takes to typeset the equation, and what a predictor is likely to write."""
    kind: CutKind = "equation"
    asked: int | None = None
    """Characters that a predictor is asked for; None for as many as are hidden."""
    room: int | None = None
    """Characters that a forecast may use; None for |Y| + 40."""

    @property
    def question(self) -> Question:
        r"""All that a predictor may see.

        >>> cut = Cut(id="p/0/2", paper_id="p", environment="[", context="Hence",
        ...           opening=r"\[", prefix="x=", hidden="y+1", closing=r"\]")
        >>> cut.question.prefix, cut.question.length_hint
        ('x=', 10)
        """
        return Question(
            cut_id=self.id,
            context=self.context,
            opening=self.opening,
            prefix=self.prefix,
            closing=self.closing,
            length_hint=self.asked or -(-len(self.hidden) // 10) * 10,
            kind=self.kind,
        )

    @property
    def budget(self) -> int:
        """Characters that a forecast, or a control in its place, may use: |Y| + 40 or `room`."""
        return len(self.hidden) + 40 if self.room is None else self.room


MOST_SAMPLES = 1_000
"""Forecasts that one predictor may have for one cut."""


def item_name(cut_id: str, name: str, sample: int = 0) -> str:
    """What a cut's forecast, or its score under a condition, is called where it fails."""
    return f"{cut_id} {name} sample {sample}" if sample else f"{cut_id} {name}"


Reason = Literal["refused", "empty", "failed", "unfinished", "withheld"]
"""Why a forecast has no text. `unfinished`: the model ran out of tokens before it answered;
`withheld`: it is not missing, but may repeat a paper whose text may not be handed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What one predictor wrote for one cut; a missing forecast has a reason and no text."""

    cut_id: str
    predictor: str
    """The name under which the leaderboard lists it."""
    text: str | None
    """Z: `raw`, trimmed. None when the forecast is missing."""
    raw: str | None = None
    """What came back, untouched; None when nothing came back."""
    missing: Reason | None = None
    failure: str | None = None
    """In words, what went wrong, where something did."""
    model: str = ""
    """The model as the server, or the file, names it."""
    seed: int | None = None
    settings: str = "{}"
    """JSON: sampling settings, reasoning effort, context characters, prompt version."""
    finish_reason: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    """All tokens that were generated, reasoning included."""
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    """None where the price is not known."""
    sample: int = 0
    """Which of this predictor's forecasts for the cut it is, from 0; below `MOST_SAMPLES`."""

    @property
    def is_missing(self) -> bool:
        """Whether the predictor gave none; a forecast that was only left out here is not."""
        return self.missing != "withheld" and (self.missing is not None or self.text is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A prompt and the target whose probability is asked for."""

    id: str
    prompt: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenStatistics:
    """What the whole next-token distribution says at each scored token; one entry a token."""

    ranks: tuple[int, ...]
    """1 + how many tokens are strictly more probable than the one that came."""
    ties: tuple[int, ...]
    """How many other tokens are exactly as probable."""
    top_1: tuple[bool, ...]
    """Whether its rank is 1: no token is more probable, whatever ties there are."""
    top_2: tuple[bool, ...]
    top_3: tuple[bool, ...]
    top_5: tuple[bool, ...]
    entropies: tuple[Float32, ...]
    """Entropy of the distribution over the logarithm of the head's size; from 0 to 1."""
    largest_probabilities: tuple[Float32, ...]
    probabilities: tuple[Float32, ...]
    """Of the token that came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenScores:
    """Log-probabilities, in nats, of the tokens of one target; or why there are none."""

    token_ids: tuple[int, ...] = ()
    token_texts: tuple[str, ...] = ()
    logprobs: tuple[Float32, ...] = ()
    first_byte: int | None = None
    """Where in the UTF-8 bytes of prompt + target the first scored token starts."""
    prompt_bytes: int | None = None
    """How many bytes of the prompt that token carries; 0 when none straddles the boundary."""
    statistics: TokenStatistics | None = None
    """None where they were not asked for."""
    failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairScore:
    """One row of `foreword score-pairs`."""

    id: str
    scorer_id: str
    token_ids: tuple[int, ...] = ()
    token_texts: tuple[str, ...] = ()
    logprobs: tuple[Float32, ...] = ()
    first_byte: int | None = None
    prompt_bytes: int | None = None
    statistics: TokenStatistics | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One cut under one condition: the target's tokens and their log-probabilities in nats."""

    cut_id: str
    paper_id: str
    condition: str
    """`empty`, `same-budget`, `context-in-scaffold`, `triple-budget`, `true-suffix`, `reveal:0.5`,
    `forecast:NAME`."""
    scorer_id: str
    token_ids: tuple[int, ...] = ()
    """Empty, as their texts, where the paper's text may not be handed on."""
    token_texts: tuple[str, ...] = ()
    logprobs: tuple[Float32, ...] = ()
    first_byte: int | None = None
    prompt_bytes: int | None = None
    statistics: TokenStatistics | None = None
    failure: str | None = None
    """Why there is no score: the row then has no tokens and no numbers."""
    sample: int = 0
    """Which of the predictor's forecasts for the cut was read, from 0; 0 in every control."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One item that could not be done, and why; the run went on without it."""

    stage: str
    """`papers`, `cuts`, `forecasts` or `scores`."""
    item: str
    """What failed: a path, a cut's id, a cut's id with its predictor or condition."""
    reason: str
    state: str = ""
    """Of a paper: what its source turned out to be, in two words (`errors.State`)."""
    paper_id: str = ""
    """Of a paper: the id that it would have had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """What one condition gains over a baseline on one cut, in nats per target token."""

    cut_id: str
    paper_id: str
    condition: str
    over: str
    """`same-budget` or `empty`."""
    rule: Rule
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One condition over one baseline under one rule: a line of the leaderboard."""

    condition: str
    over: str
    rule: Rule
    lift: Estimate
    num_missing: int
    """Cuts for which the predictor gave no forecast."""
    num_failed: int
    """Cuts that could not be scored under this condition or its baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """All that the report and the leaderboard show, computed from stored token values alone."""

    num_cuts: int
    num_papers: int
    scorer_id: str
    standings: tuple[Standing, ...]
    """Every condition × baseline × rule. Predictors (`forecast:NAME`) come first, best first."""
    contrasts: tuple[Contrast, ...]
    """Neighbours on the leaderboard, under every rule."""
    lifts: tuple[Lift, ...]
    """Per cut, under the headline rule, over both baselines."""
    missing: tuple[Failure, ...]
    """Missing forecasts and cuts that could not be scored, each with its reason."""
    rule: Rule = "clip2"
    """The headline rule: it ranks the predictors, and `lifts` is under it."""
    window: int | None = None
    """Tokens of each target, from its first on, that every number is of; None for all of them."""
    findings: Findings = field(default_factory=Findings)
    """How far the numbers above can be trusted, and what else the study says."""
