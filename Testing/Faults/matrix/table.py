# SPDX-License-Identifier: BSD-3-Clause
"""What came of many injections, as tables: one of all, and one that has room in a README."""

import os
import pathlib

from readme_part import ReadmePart

from . import axes

PART = ReadmePart(pathlib.Path(__file__).resolve().parent.parent / "README.md", "./dev faults --write")


def line(injection, outcome):
    """One injection's row: what it is, what came of it, seconds until the run went on, snapshots lost."""
    told = outcome.word() if outcome else "BAD: it hung, or the test itself failed"
    figures = f"{outcome.went_on:5.1f} s | {outcome.lost}" if outcome else "      | "
    words = (f"{injection.fault:11}", f"{injection.phase:8}", f"{injection.victim:12}", f"{injection.library:7}",
             f"{injection.path:13}", f"{told:42}", figures)
    return " | ".join(words)


def summary(outcomes, seconds):
    """The last line. `outcomes`: pairs of an injection and its Outcome or None."""
    bad = sum(outcome is None or not outcome.good for _, outcome in outcomes)
    known = [outcome for _, outcome in outcomes if outcome]
    lost, undone = (sum(getattr(outcome, what) for outcome in known) for what in ("lost", "undone"))
    return (f"{len(outcomes)} injections in {seconds:.0f} s: {bad} bad, {lost} snapshots lost, "
            f"{undone} files refused, at most {max((outcome.went_on for outcome in known), default=0):.1f} s until a "
            "run went on")


def condensed(outcomes):
    """Markdown: a row per fault and victim, a column per phase."""
    cells = {}
    for injection, outcome in outcomes:
        cells.setdefault((injection.fault, injection.victim), {}).setdefault(injection.phase, []).append(outcome)
    lines = ["| fault | victim | " + " | ".join(axes.PHASES) + " |", "| --- " * (2 + len(axes.PHASES)) + "|"]
    for fault in axes.FAULTS:
        for victim in axes.VICTIMS:
            row = cells.get((fault, victim))
            if row:
                words = [_cell(row[phase]) if phase in row else "" for phase in axes.PHASES]
                lines.append(f"| {fault} | {victim} | " + " | ".join(words) + " |")
    return "\n".join(lines)


def _cell(outcomes):
    bad = sum(not outcome.good for outcome in outcomes)
    text = f"{len(outcomes)}: {max(outcome.went_on for outcome in outcomes):.1f} s" + (f", {bad} BAD" if bad else "")
    lost, undone = (sum(getattr(outcome, what) for outcome in outcomes) for what in ("lost", "undone"))
    return text + (f", {lost} lost" if lost else "") + (f", {undone} refused" if undone else "")


def write(outcomes, seconds):
    """Puts the condensed table into this folder's README."""
    told = f"On {os.cpu_count()} cores of one machine, both MPI libraries, both paths. {summary(outcomes, seconds)}."
    PART.write(f"{told}\n\n{condensed(outcomes)}")
