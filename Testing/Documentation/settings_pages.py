# SPDX-License-Identifier: BSD-3-Clause
"""Makes the pages that list the settings of a server from what the library says of them.

settings_pages.py CHECKOUT SERVE          says which pages are not current; status 1 if there is any. SERVE is dsm-serve
settings_pages.py CHECKOUT SERVE --write  writes them
"""

import json
import re
import subprocess
import sys
from pathlib import Path

PAGE = "Documentation/Settings.md"
GUIDE = "Widgets/PANEL.md"

BEGIN = """\
# Settings

All settings of a server, as the library describes them (`DSMCore/Server/ServerSettings.cxx`). This page is made from \
that, by `Testing/Documentation/settings_pages.py`.

A setting has the same word on command lines and in scripts: Memory Per Host in the panel is \
`dsm-serve --memory-per-host`, `paraviewdsm.Server(memory_per_host=…)` and `server.memory_per_host`. The property of \
the proxy `DSMServer` is `MemoryPerHost`, in state files and for scripts that use the proxy itself. If a setting has a \
variable of the environment, that is the default; what somebody chooses goes before it. `dsm-serve --choices` prints \
all this as JSON.

Sizes are bytes, or texts such as `64 KiB`. A choice of several words is written with spaces or, on a command line, \
with dashes: `drop oldest`, `drop-oldest`.
"""

KINDS = {
    "text": "text", "word": "word", "strategy": "word", "transport": "word", "choice": "choice", "flag": "yes or no",
    "count": "number", "bytes": "size", "seconds": "seconds",
}


def written(text):
    """Patterns of names as code, since Markdown has its own use for stars."""
    return re.sub(r"[^\s(]*\*[^\s,;)]*[^\s,;).]|(?<!\S)\*(?!\S)", lambda found: f"`{found.group()}`", text)


def default(setting):
    value = setting["default"]
    return setting.get("zero") or value if value == "0" and setting["kind"] != "flag" else value


def names(setting):
    """Each name by which people know it, with what it is a name for."""
    word = setting["word"]
    if word and setting["option"]:
        yield f"`--{word}`"
    if word:
        yield f"`{word.replace('-', '_')}=`"
    yield f"property `{setting['name']}`"
    if setting["environment"]:
        yield f"`{setting['environment']}`"


def section(setting):
    kind = KINDS[setting["kind"]]
    if setting["kind"] == "bytes" and setting["step"] > 1:
        kind += f" (the property in steps of {setting['step']} bytes)"
    if setting["kind"] in ("word", "choice"):
        kind = ", ".join(f"`{choice['word']}`" for choice in setting["choices"])
    facts = f"{', '.join(names(setting))}. {kind[0].upper()}{kind[1:]}; default `{default(setting)}`."
    return f"### {setting['label']}\n\n{facts}\n\n{written(setting['help'])}\n"


def page(settings):
    groups = dict.fromkeys(setting["group"] for setting in settings)
    sections = [BEGIN]
    for group in groups:
        sections.append(f"## {group}\n")
        sections += [section(setting) for setting in settings if setting["group"] == group]
    return "\n".join(sections)


def row(setting):
    """In the panel's guide: the first sentence, which says what it is for."""
    label = setting["label"] + (" (s)" if setting["kind"] == "seconds" else "")
    where = " (below Advanced Settings)" if setting["advanced"] else ""
    purpose = re.split(r"(?<=\.) ", setting["help"])[0].rstrip(".")
    return f"| {label}{where} | {written(purpose[0].lower() + purpose[1:])} |"


def guide(text, settings):
    """The panel's guide, with its table of settings as it should be."""
    rows = [row(setting) for group in dict.fromkeys(one["group"] for one in settings)
            for setting in settings if setting["group"] == group]
    table = "\n".join(["| setting | for |", "| --- | --- |", *rows]) + "\n"
    return re.sub(r"^\| setting \| for \|\n(\|.*\n)+", lambda _: table, text, count=1, flags=re.MULTILINE)


def main(checkout, serve, *options):
    told = subprocess.run([serve, "--choices"], capture_output=True, check=True, timeout=60, text=True).stdout
    settings = json.loads(told)["settings"]
    old = {name: file.read_text(encoding="utf-8") if (file := Path(checkout) / name).exists() else ""
           for name in (PAGE, GUIDE)}
    new = {PAGE: page(settings), GUIDE: guide(old[GUIDE], settings)}
    stale = [name for name in old if old[name] != new[name]]
    for name in stale:
        if options == ("--write",):
            (Path(checkout) / name).write_text(new[name], encoding="utf-8")
        else:
            print(f"{name} is not current: write it with {Path(__file__).name} --write")
    return 1 if stale and not options else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
