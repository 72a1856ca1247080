# SPDX-License-Identifier: BSD-3-Clause
"""Prints the man page of a tool in Python, made of its command line's descriptions. The other tools print theirs
(ManPage.cxx).

    python_page.py dsm_trace.py 0.1.0 2026-01-31,dsm-run,dsm-serve

The arguments are a file with a function command_line, the version, the date, and the pages to refer to.
"""
import argparse
import runpy
import sys

# Replacements of characters that roff would interpret, or would print as others.
ESCAPES = str.maketrans({
    "\\": r"\(rs", "-": r"\-", "'": r"\(aq", '"': r"\(dq", "^": r"\(ha", "~": r"\(ti", "`": r"\(ga"})


def escape(text):
    text = text.translate(ESCAPES)
    return rf"\&{text}" if text.startswith(".") else text


def paragraphs(text):
    """Paragraphs, and examples, which are indented."""
    for number, each in enumerate(text.strip("\n").split("\n\n")):
        if each.startswith(" "):
            yield from (".PP", ".nf", *(escape(line) for line in each.splitlines()), ".fi")
        else:
            yield from ([".PP"] if number else [])
            yield from (escape(line) for line in each.splitlines())


def options(parser):
    """Each argument: its names, what it takes, and what it does."""
    formatter = parser._get_formatter()
    for each in parser._actions:
        names = ", ".join(rf"\fB{escape(name)}\fR" for name in each.option_strings or [each.metavar])
        value = f" {escape(each.metavar)}" if each.option_strings and each.metavar else ""
        yield from (".TP", names + value, escape(formatter._expand_help(each)))


def page(parser, version, date, *others):
    parser.formatter_class = argparse.HelpFormatter
    summary = parser.description.partition("\n")[0].rstrip(".")
    usage = " ".join(parser.format_usage().split()[2:])
    yield rf'.TH {escape(parser.prog.upper())} 1 {date} "ParaView DSM {version}" "User Commands"'
    yield from (".SH NAME", rf"{escape(parser.prog)} \- {escape(summary[0].lower() + summary[1:])}")
    yield from (".SH SYNOPSIS", rf"\fB{escape(parser.prog)}\fR {escape(usage)}")
    yield from (".SH DESCRIPTION", *paragraphs(parser.description))
    yield from (".SH OPTIONS", *options(parser))
    yield ".SH SEE ALSO"
    yield from (f".BR {escape(other)} (1){',' * (other != others[-1])}" for other in others)


if __name__ == "__main__":
    tool = runpy.run_path(sys.argv[1], run_name="tool")
    print("\n".join(page(tool["command_line"](), sys.argv[2], *sys.argv[3].split(","))))
