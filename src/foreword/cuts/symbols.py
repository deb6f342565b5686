"""What the control words and characters of mathematics are, as far as cutting needs to know."""

from typing import Literal

Role = Literal[
    "relation",  # a cut may follow it
    "additive",  # a cut may follow it where it joins two terms
    "prefix",  # a sign after it belongs to what comes next: \cdot, \sum, \log
    "operand",
    "opener",
    "closer",
    "bar",  # opens or closes, as its place tells
    "comma",
    "colon",
    "text",  # words between formulas
    "row",  # \\ in its many spellings
    "tab",  # &
    "script",  # a sub- or superscript with its argument
    "empty",  # {}
    "blank",  # nothing that is seen
    "{",
    "}",
    "left",
    "right",
    "begin",
    "end",
    "$",
]
"""What a piece of a formula is to its neighbours."""


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


RELATIONS = _names(
    r"""
    le leq leqq leqslant ge geq geqq geqslant lt gt ne neq equiv nequiv sim nsim simeq cong ncong
    approx approxeq thickapprox thicksim backsim backsimeq eqsim asymp propto varpropto doteq Doteq
    doteqdot risingdotseq fallingdotseq circeq eqcirc triangleq bumpeq Bumpeq coloneq coloneqq
    eqcolon eqqcolon Coloneqq Eqqcolon colonapprox colonsim eqslantless eqslantgtr
    ll lll llless gg ggg gggtr nless ngtr nleq ngeq nleqslant ngeqslant lneq lneqq gneq gneqq
    lesssim gtrsim lessapprox gtrapprox lnsim gnsim lnapprox gnapprox lessgtr gtrless lesseqgtr
    gtreqless lesseqqgtr gtreqqless lessdot gtrdot
    prec succ preceq succeq preccurlyeq succcurlyeq precsim succsim precapprox succapprox
    curlyeqprec curlyeqsucc nprec nsucc npreceq nsucceq precneqq succneqq precnsim succnsim
    in ni owns notin nin subset supset subseteq supseteq subseteqq supseteqq nsubseteq nsupseteq
    subsetneq supsetneq subsetneqq supsetneqq Subset Supset sqsubset sqsupset sqsubseteq sqsupseteq
    triangleleft triangleright trianglelefteq trianglerighteq vartriangleleft vartriangleright
    unlhd unrhd ntriangleleft ntrianglelefteq
    vdash dashv vDash Vdash Vvdash models nvdash nvDash bowtie Join pitchfork between
    to gets mapsto mapsfrom longmapsto longmapsfrom
    rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow
    longrightarrow longleftarrow longleftrightarrow Longrightarrow Longleftarrow Longleftrightarrow
    implies impliedby iff nrightarrow nleftarrow nRightarrow nLeftarrow nLeftrightarrow
    hookrightarrow hookleftarrow twoheadrightarrow twoheadleftarrow rightarrowtail leftarrowtail
    rightharpoonup rightharpoondown leftharpoonup leftharpoondown rightleftharpoons
    leftrightharpoons rightsquigarrow leftrightsquigarrow leadsto dashrightarrow dashleftarrow
    rightrightarrows leftleftarrows rightleftarrows leftrightarrows Lleftarrow Rrightarrow
    nearrow searrow multimap
    """
)
RELATION_CHARACTERS = frozenset("=<>≤≥≦≧≠≡≢≈≃≅∼∝≐≔≕≪≫≲≳≺≻⪯⪰∈∉∋⊂⊃⊆⊇⊊⊋⊑⊒⊢⊨→←↔↦⟶⟵⟼⇒⇐⇔⟹⟺↪↠")

ADDITIVE = _names("pm mp oplus ominus dotplus uplus boxplus boxminus")
ADDITIVE_CHARACTERS = frozenset("+-−±∓⊕⊖∔⊞⊟⊎")

PREFIXES = _names(
    r"""
    cdot times div ast star circ bullet otimes odot oslash boxtimes wedge vee cap cup sqcap sqcup
    setminus smallsetminus backslash land lor neg lnot forall exists nexists mid nmid parallel perp
    sum prod coprod int iint iiint iiiint oint idotsint bigcup bigcap bigsqcup bigoplus bigotimes
    bigodot biguplus bigvee bigwedge
    log ln lg exp sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan lim limsup
    liminf varlimsup varliminf max min sup inf det gcd arg deg dim ker hom Pr
    hskip vskip kern mkern mskip raise lower moveleft moveright hglue vglue
    """
)
PREFIX_CHARACTERS = frozenset("*/×÷·⋅∘⊗∧∨∩∪∖∑∏∫")

OPENERS = _names("lbrace lbrack langle lvert lVert lfloor lceil lgroup lmoustache llbracket lparen")
CLOSERS = _names("rbrace rbrack rangle rvert rVert rfloor rceil rgroup rmoustache rrbracket rparen")
BARS = frozenset(["vert", "Vert"])
COMMAS = frozenset(["colon", "middle"])
COLONS = frozenset(["vcentcolon", "ordinarycolon"])
ROWS = frozenset(["cr", "newline", "tabularnewline"])
SIZERS = frozenset(
    size + side for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
)

BLANKS = _names(
    r"""
    quad qquad enspace enskip thinspace medspace thickspace negthinspace negmedspace negthickspace
    displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits displaylimits nonumber
    notag hfill hfil hfilneg hss allowbreak nobreak break nobreakspace strut mathstrut null relax
    displaybreak nolinebreak linebreak small footnotesize scriptsize normalsize protect mathop
    """
)
BLANKS_WITH_ARGUMENT = _names(
    "label tag hspace vspace mspace phantom hphantom vphantom smash color"
)
PARAMETERS = _names(
    """
    arraycolsep tabcolsep arrayrulewidth doublerulesep jot multlinegap multlinetaggap mathindent
    postdisplaypenalty predisplaypenalty interdisplaylinepenalty binoppenalty relpenalty
    abovedisplayskip belowdisplayskip abovedisplayshortskip belowdisplayshortskip
    displaywidth displayindent predisplaysize mathsurround nulldelimiterspace scriptspace
    delimitershortfall delimiterfactor thinmuskip medmuskip thickmuskip fam
    baselineskip lineskip lineskiplimit parskip parindent leftskip rightskip hangindent
    hsize hfuzz hbadness tolerance fboxsep fboxrule
    """
)
r"""What TeX is told, as in `\jot=2pt`; the `=` is no relation, and the number no operand."""
TEXTS = _names("text textrm textnormal textit textbf textsf texttt textup textsl mbox hbox")
INTERTEXTS = frozenset(["intertext", "shortintertext"])

OPERATORS = frozenset[Role](["relation", "additive", "colon"])

ROLE_OF_CHARACTER: dict[str, Role] = {
    "(": "opener", "[": "opener", "⟨": "opener", "⌊": "opener", "⌈": "opener",
    ")": "closer", "]": "closer", "⟩": "closer", "⌋": "closer", "⌉": "closer",
    "|": "bar", "‖": "bar", "∥": "bar", ",": "comma", ";": "comma", ":": "colon",
    "{": "{", "}": "}", "$": "$", "&": "tab", "~": "blank", "^": "script", "_": "script",
    **dict.fromkeys(RELATION_CHARACTERS, "relation"),
    **dict.fromkeys(ADDITIVE_CHARACTERS, "additive"),
    **dict.fromkeys(PREFIX_CHARACTERS, "prefix"),
}  # fmt: skip
ROLE_OF_SYMBOL: dict[str, Role] = {
    "\\": "row", "{": "opener", "}": "closer", "|": "bar",
    **dict.fromkeys(" \t\n,:;>!/-@()[]", "blank"),
}  # fmt: skip
"""Of a backslash and one character that is no letter; any other is an operand."""
ROLE_OF_WORD: dict[str, Role] = {
    **dict.fromkeys(RELATIONS, "relation"),
    **dict.fromkeys(ADDITIVE, "additive"),
    **dict.fromkeys(PREFIXES, "prefix"),
    **dict.fromkeys(OPENERS, "opener"),
    **dict.fromkeys(CLOSERS, "closer"),
    **dict.fromkeys(BARS, "bar"),
    **dict.fromkeys(COMMAS, "comma"),
    **dict.fromkeys(COLONS, "colon"),
    **dict.fromkeys(ROWS, "row"),
    **dict.fromkeys(BLANKS | BLANKS_WITH_ARGUMENT, "blank"),
}
"""Any other word is an operand."""

LABELLED_ARROWS = _names(
    r"""
    xrightarrow xleftarrow xleftrightarrow xRightarrow xLeftarrow xLeftrightarrow xmapsto
    xhookrightarrow xhookleftarrow xtwoheadrightarrow xrightharpoonup xlongequal xlongrightarrow
    xrightleftharpoons
    """
)
STACKED = {"stackrel": 2, "overset": 2, "underset": 2, "mathrel": 1, "mathbin": 1, "hiderel": 1}
"""How many arguments; the last one says what the whole is."""

OPTIONAL_FIRST = frozenset(["sqrt", "cfrac", "displaybreak", "linebreak", "nolinebreak"])
"""A `[` right after one of these opens an argument, not a formula."""

ROW_ENVIRONMENTS = frozenset(
    name + star
    for star in ("", "*")
    for name in _names(
        "aligned alignedat split gathered multlined cases dcases rcases drcases "
        "equation align alignat flalign gather multline eqnarray IEEEeqnarray dmath"
    )
)
"""Inside these the rows of the display go on."""
CELL_ENVIRONMENTS = frozenset(
    name + star for star in ("", "*") for name in ("cases", "dcases", "rcases", "drcases")
)
"""In these each row, and each `&`, begins a formula of its own."""
OPTIONAL_ENVIRONMENTS = frozenset(["aligned", "alignedat", "gathered", "multlined"])
BRACED_ENVIRONMENTS = frozenset(["alignedat", "alignat", "alignat*", "IEEEeqnarray"])
"""These take arguments right after their name: `[t]` and, the latter, `{2}`."""
