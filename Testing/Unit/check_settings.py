# SPDX-License-Identifier: BSD-3-Clause
"""Checks that people keep the settings of the DSM server that they know, and that no code lists choices again.

check_settings.py CHECKOUT SERVE CMAKE  prints one line per broken rule; status 1 if there is any. SERVE is dsm-serve,
                                        which describes the settings; CMAKE makes the proxy's XML of that
check_settings.py --self-test           proves that each rule catches what it should
"""
import ast
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

# The settings that people can choose; there may be more.
SETTINGS = {
    "ContactFile", "Strategy", "BlockSize", "BlocksPerCycle", "Seed", "MemoryPerHost", "MaximumSnapshots", "WhenFull",
    "LongestWait", "ExpectedFileSize", "Transport", "SmallTransport", "SmallTransferSize", "Publish", "NamePattern",
    "Separate", "AlsoOnDisk", "Checkpoints", "Lending",
}
# What they must be able to see; all else is in ServerStatus (Testing/Unit/TestServerStatus.cxx).
INFORMATION = {
    "State", "Writers", "Throughput", "BlockedSeconds", "WaitingSeconds", "MemoryUsed", "MemoryBudget", "MemoryRoom",
    "LastError", "CommandError", "PendingChanges", "SettingsInForce", "ServerStatus",
}
# Any text will do for these.
FREE = {"ContactFile", "NamePattern", "AlsoOnDisk", "Checkpoints"}


def settings_of(proxy):
    return {one.get("name"): one for one in proxy if one.get("panel_visibility") in ("default", "advanced")}


def in_the_xml(proxy):
    settings = settings_of(proxy)
    information = {one.get("name"): one for one in proxy if one.get("information_only") == "1"}
    for name in sorted(SETTINGS - set(settings)):
        yield f"{name}: is no setting that the XML shows"
    for name in sorted(INFORMATION - set(information)):
        yield f"{name}: is no information property"
    for name, one in sorted(settings.items()):
        for attribute in ("label", "default_values", "command"):
            if one.get(attribute) is None:
                yield f"{name}: has no {attribute}"
        if name not in FREE and not any(child.tag.endswith("Domain") for child in one):
            yield f"{name}: has no domain"
    for name, one in sorted((settings | information).items()):
        if not (one.findtext("Documentation") or "").strip():
            yield f"{name}: has no documentation"
    if not proxy.findall("*[@name='BlockSize']/Hints/Size[@presets]"):
        yield "BlockSize: has no presets"


def described(serve):
    """What dsm-serve says of settings, strategies and transports."""
    return json.loads(subprocess.run([serve, "--choices"], capture_output=True, check=True, timeout=60).stdout)


def offered(choices):
    """Names of strategies and transports."""
    transports = [name for one in choices["transports"] for name in one["names"]]
    return [one["name"] for one in choices["strategies"]] + transports


def words_of(proxy, more=()):
    """What its choices are called."""
    yield from (word for word in more if " " in word or "-" in word)
    for one in settings_of(proxy).values():
        for entry in [*one.iter("String"), *one.iter("Entry")]:
            word = entry.get("value") if entry.tag == "String" else entry.get("text")
            if " " in word or "-" in word or "/" in word:  # others are words of every day
                yield word


def in_code(name, text, proxy, more=()):
    """No list of choices beside the XML's."""
    for word in words_of(proxy, more):
        if f'"{word}"' in text:
            yield f'{name}: names the choice "{word}" again'


def in_python(name, text, proxy, more=()):
    module = ast.parse(text)
    bodies = [node.body for node in ast.walk(module) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
    documentation = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    words = set(words_of(proxy, more))
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and node.value in words and id(node) not in documentation:
            yield f'{name}: names the choice "{node.value}" again, in line {node.lineno}'
        if isinstance(node, ast.ClassDef) and node.name == "Server":
            begin = next(one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
            for default in begin.args.defaults:
                if not (isinstance(default, ast.Constant) and default.value is None):
                    yield f"{name}: a setting has a default of its own in line {default.lineno}: {ast.unparse(default)}"


# The option of dsm-serve and the argument of paraviewdsm.Server that people know, and variables.
WORDS = {
    "ContactFile": "contact", "Strategy": "strategy", "BlockSize": "block-size", "BlocksPerCycle": "blocks-per-cycle",
    "Seed": "seed", "MemoryPerHost": "memory-per-host", "MaximumSnapshots": "maximum-snapshots",
    "WhenFull": "when-full", "LongestWait": "longest-wait", "ExpectedFileSize": "expected-file-size",
    "Transport": "transport", "Publish": "publish", "NamePattern": "match", "Separate": "separate",
    "AlsoOnDisk": "also-on-disk", "Checkpoints": "checkpoints", "Lending": "lending",
}
VARIABLES = {
    "DSM_STRATEGY", "DSM_BLOCK_SIZE", "DSM_BLOCKS_PER_CYCLE", "DSM_SEED", "DSM_TRANSPORT", "DSM_LENDING", "DSM_MATCH",
    "DSM_PUBLISH",
}
# It holds the memory in a process of its own by itself.
NO_OPTION = {"Separate"}


def in_options(settings, options):
    """Command lines and scripts go on working, and --help has what --choices has."""
    words = {one["name"]: one["word"] for one in settings}
    for name, word in sorted(WORDS.items()):
        if words.get(name) != word:
            yield f"{name}: is {words.get(name)} on command lines and in scripts, no longer {word}"
    for name in sorted(VARIABLES - {one["environment"] for one in settings}):
        yield f"{name}: is the variable of no setting"
    for one in settings:
        has_option = bool(one["word"]) and one["name"] not in NO_OPTION
        if has_option != bool(re.search(rf"^ +--{one['word'] or 'none'} ", options, re.MULTILINE)):
            yield f"{one['name']}: dsm-serve has {'no' if has_option else 'an'} option --{one['word']}"
    flat = " ".join(options.split())
    for one in settings:
        for choice in one["choices"] if one["name"] == "WhenFull" else ():
            if choice["word"] not in flat:
                yield f"WhenFull: dsm-serve --help does not say {choice['word']}"
    for word in re.findall(r"(?<=[ :])auto(?=[ ,])", flat):
        yield f"dsm-serve --help says {word} where the panel says automatic"


def made(checkout, serve, cmake):
    """The proxy with its settings, as the build makes it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [cmake, f"-DSERVE={serve}", f"-DCHOICES={folder}/settings.json", f"-DMADE={folder}/made.xml",
             f"-DTEMPLATE={checkout}/Plugin/XML/DSMServer.xml", "-P", checkout / "cmake/DSMSettings.cmake"],
            check=True, timeout=60)
        return ElementTree.parse(f"{folder}/made.xml").find(".//Proxy[@name='DSMServer']")


def problems(checkout, serve, cmake):
    proxy = made(checkout, serve, cmake)
    choices = described(serve)
    more = offered(choices)
    yield from in_the_xml(proxy)
    for path in [*sorted((checkout / "Widgets").glob("*.cxx")), *sorted((checkout / "Plugin/Server").glob("*.cxx"))]:
        yield from in_code(path.name, path.read_text(), proxy, more)
    options = subprocess.run([serve, "--help"], capture_output=True, check=True, timeout=60, text=True).stdout
    yield from in_options(choices["settings"], options)
    for path in sorted((checkout / "Plugin/Python/paraviewdsm").glob("*.py")):
        yield from in_python(path.name, path.read_text(), proxy, more)


def self_test():
    proxy = ElementTree.fromstring("""<Proxy>
        <IntVectorProperty name="Most" panel_visibility="default" default_values="64">
        <EnumerationDomain><Entry value="0" text="drop all"/></EnumerationDomain></IntVectorProperty></Proxy>""")
    known = [{"name": name, "word": word, "environment": "", "choices": []} for name, word in WORDS.items()]
    known += [{"name": name, "word": "", "environment": name, "choices": []} for name in VARIABLES]
    listed = "".join(f" --{word} TEXT\n" for name, word in WORDS.items() if name not in NO_OPTION)
    when = [*known, {"name": "WhenFull", "word": "when-full", "environment": "", "choices": [{"word": "drop all"}]}]

    def without(name):
        return [one for one in known if one["name"] != name]

    caught = [
        ("Seed: is no setting", list(in_the_xml(ElementTree.fromstring(
            '<Proxy><X name="BlockSize" panel_visibility="default"/></Proxy>')))),
        ("Most: has no label", list(in_the_xml(ElementTree.fromstring(
            '<Proxy><X name="Most" panel_visibility="default"/></Proxy>')))),
        ("BlockSize: has no presets", list(in_the_xml(ElementTree.fromstring("<Proxy/>")))),
        ("names the choice", list(in_code("x", 'if (policy == "drop all")', proxy))),
        ("names the choice", list(in_code("x", 'if (strategy == "by turns")', proxy, ["by turns"]))),
        ("names the choice", list(in_python("x", 'policy = "drop all"', proxy))),
        ("no longer seed", list(in_options(without("Seed"), listed))),
        ("DSM_SEED: is the variable of no", list(in_options(without("DSM_SEED"), listed))),
        ("no option --seed", list(in_options(known, listed.replace("--seed", "--seeds")))),
        ("an option --separate", list(in_options(known, listed + " --separate TEXT"))),
        ("does not say drop all", list(in_options(when, listed))),
        ("says auto", list(in_options(known, listed + " auto, all"))),
        ("default of its own", list(in_python("x", "class Server:\n def __init__(self, most=64): pass", proxy))),
    ]
    quiet = [
        *in_options(known, listed + "automatic"),
        *in_options(when, listed + "drop all"),
        *in_python("x", '"""drop all"""\nclass Server:\n def __init__(self, most=None): pass', proxy),
    ]
    wrong = [expected for expected, found in caught if not any(expected in line for line in found)] + quiet
    print("\n".join(f"self-test: {line}" for line in wrong))
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    found = list(problems(*map(Path, arguments)))
    print("\n".join(found) if found else "all settings are there, and no code lists their choices again")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
