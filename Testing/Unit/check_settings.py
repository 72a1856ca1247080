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

# What people can choose; there may be more.
SETTINGS = {
    "ContactFile", "Strategy", "BlockSize", "BlocksPerCycle", "Seed", "MemoryPerHost", "MaximumSnapshots", "WhenFull",
    "LongestWait", "ExpectedFileSize", "Transport", "SmallTransport", "SmallTransferSize", "Publish", "NamePattern",
    "Separate", "AlsoOnDisk", "Checkpoints", "Lending",
}
# What they must be able to see.
INFORMATION = {
    "State", "WriterPrograms", "WriterRanks", "WriterHosts", "WriterMpis", "WriterSince", "SnapshotNumbers",
    "SnapshotFiles",
    "SnapshotSteps", "SnapshotFileSizes", "Throughput", "BlockedSeconds", "MemoryUsed", "MemoryBudget", "LastError",
    "CommandError", "PendingChanges", "HostBytes", "ServerStatus",
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


def offered(serve):
    """Names of strategies and transports."""
    found = json.loads(subprocess.run([serve, "--choices"], capture_output=True, check=True, timeout=60).stdout)
    return [one["name"] for one in found["strategies"]] + [name for one in found["transports"] for name in one["names"]]


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


# The setting's option of dsm-serve and argument of paraviewdsm.Server, where that is not its label; None: it has none.
OTHER_WORDS = {
    "ContactFile": "contact", "NamePattern": "match", "Separate": "separate", "SmallTransport": None,
    "SmallTransferSize": None,
}
# It holds the memory in a process of its own by itself.
NO_OPTION = {"Separate"}


def in_options(proxy, options, module):
    """The words of the panel are those of the command line and of scripts."""
    server = next(node for node in ast.parse(module).body if isinstance(node, ast.ClassDef) and node.name == "Server")
    begin = next(node for node in server.body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    arguments = {argument.arg for argument in begin.args.args}
    for name, one in sorted(settings_of(proxy).items()):
        label = re.sub(r" \(.*", "", one.get("label", "")).lower().replace(" ", "_")
        word = OTHER_WORDS.get(name, label)
        option = f"--{word}".replace("_", "-")
        if word and word not in arguments:
            yield f"{name}: paraviewdsm.Server has no argument {word}"
        if word and name not in NO_OPTION and not re.search(rf"^ +{option} ", options, re.MULTILINE):
            yield f"{name}: dsm-serve has no option {option}"
    flat = " ".join(options.split())
    for entry in proxy.iterfind("*[@name='WhenFull']/EnumerationDomain/Entry"):
        if entry.get("text") not in flat:
            yield f"WhenFull: dsm-serve --help does not say {entry.get('text')}"
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
    more = offered(serve)
    yield from in_the_xml(proxy)
    for path in [*sorted((checkout / "Widgets").glob("*.cxx")), *sorted((checkout / "Plugin/Server").glob("*.cxx"))]:
        yield from in_code(path.name, path.read_text(), proxy, more)
    options = subprocess.run([serve, "--help"], capture_output=True, check=True, timeout=60, text=True).stdout
    yield from in_options(proxy, options, (checkout / "Plugin/Python/paraviewdsm/_server.py").read_text())
    for path in sorted((checkout / "Plugin/Python/paraviewdsm").glob("*.py")):
        yield from in_python(path.name, path.read_text(), proxy, more)


def self_test():
    proxy = ElementTree.fromstring("""<Proxy>
        <IntVectorProperty name="Most" panel_visibility="default" default_values="64">
        <EnumerationDomain><Entry value="0" text="drop all"/></EnumerationDomain></IntVectorProperty></Proxy>""")
    argument = "class Server:\n def __init__(self, most_kept=None, when_full=None): pass"
    labelled = ElementTree.fromstring(
        '<Proxy><X name="Most" label="Most Kept (MiB)" panel_visibility="default"/></Proxy>')
    when = ElementTree.fromstring("""<Proxy><X name="WhenFull" label="When Full" panel_visibility="default">
        <EnumerationDomain><Entry value="0" text="drop all"/></EnumerationDomain></X></Proxy>""")
    caught = [
        ("Seed: is no setting", list(in_the_xml(ElementTree.fromstring(
            '<Proxy><X name="BlockSize" panel_visibility="default"/></Proxy>')))),
        ("Most: has no label", list(in_the_xml(ElementTree.fromstring(
            '<Proxy><X name="Most" panel_visibility="default"/></Proxy>')))),
        ("BlockSize: has no presets", list(in_the_xml(ElementTree.fromstring("<Proxy/>")))),
        ("names the choice", list(in_code("x", 'if (policy == "drop all")', proxy))),
        ("names the choice", list(in_code("x", 'if (strategy == "by turns")', proxy, ["by turns"]))),
        ("names the choice", list(in_python("x", 'policy = "drop all"', proxy))),
        ("no option --most-kept", list(in_options(labelled, " --most NUMBER", argument))),
        ("no argument most_kept", list(in_options(labelled, " --most-kept NUMBER", argument.replace("_kept", "")))),
        ("does not say drop all", list(in_options(when, " --when-full drop-all", argument))),
        ("says auto", list(in_options(labelled, " --most-kept auto, all", argument))),
        ("default of its own", list(in_python("x", "class Server:\n def __init__(self, most=64): pass", proxy))),
    ]
    quiet = [
        *in_options(labelled, " --most-kept NUMBER automatic", argument),
        *in_options(when, " --when-full TEXT: drop all", argument),
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
