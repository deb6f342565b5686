"""The command that says whether this machine and a scorer can be trusted."""

import json
import os
import platform
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from foreword.flags import scorer_flags, server_flags
from foreword.terminal import say

if TYPE_CHECKING:
    from foreword.scores.probe import Probe


@click.command()
@scorer_flags
@server_flags
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def doctor(scorer: str, as_json: bool, **how: Any) -> int:
    """Load a scorer, try it on texts of known answers, and say what its numbers depend on.

    \b
    Examples:
      foreword doctor
      foreword doctor --scorer hf:models/Qwen3-8B-Base
    """
    from foreword.models import software_versions
    from foreword.scores import LocalScorer, load_scorer, probe

    loaded = load_scorer(scorer, **how)
    found = probe(loaded)
    facts = {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "software": dict(software_versions()),
        "scorer": loaded.scorer_id,
        "what its hash is of": {k: v for k, v in loaded.identity.items() if k != "software"},
    }
    if isinstance(loaded, LocalScorer):
        facts |= {"model": loaded.facts}
    if as_json:
        click.echo(json.dumps({**facts, "probe": asdict(found)}, indent=2, allow_nan=False))
    else:
        say("\n".join(_lines(facts)), err=False)
        say(probe_words(found), err=False)
    if found.weakness:
        say(f"foreword: {loaded.scorer_id} can't be trusted: {found.weakness}; take another scorer")
        return 1
    return 0


def _lines(facts: dict[str, Any], indent: str = "") -> list[str]:
    """Names and values, those of a table under its name."""
    lines = []
    for name, value in facts.items():
        words = name.replace("_", " ")
        if isinstance(value, dict):
            lines += [f"{indent}{words}:", *_lines(value, indent + "  ")]
        else:
            lines.append(f"{indent}{words}: {'none' if value is None else value}")
    return lines


def probe_words(found: "Probe") -> str:
    """What a probe found, in four lines."""
    return (
        f"probe:\n"
        f"  a text just read: {found.repeated:.3f} nats a token\n"
        f"  its words in another order: {found.shuffled:.3f}\n"
        f"  the same requests again: {found.repeat_noise:.2g} nats apart at most\n"
        f"  in another order, and one at a time: {found.order_noise:.2g}"
    )
