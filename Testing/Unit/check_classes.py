# SPDX-License-Identifier: BSD-3-Clause
"""Checks that all methods of a class stand in one file: what is too large for a file is two classes.

check_classes.py [CHECKOUT]   prints one line per class that spans several files; status 1 if there is any
check_classes.py --self-test  proves that it finds them
"""
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

FOLDERS = ["DSMCore", "Readers", "Plugin", "Widgets", "Examples", "Testing"]
# A definition begins its line: a type or nothing, the class, the method.
DEFINITION = re.compile(
    r"^(?:\w[\w:<>,&* ]*?[ &*])?((?:[A-Za-z]\w*::)+)~?(?:operator\b[^(]*|[A-Za-z]\w*)\(", re.MULTILINE)
# A definition's line does not end in ';' and is no statement.
STATEMENT = re.compile(r"^(return|throw|using|namespace|case|else)\b")


def classes_in(text):
    """The classes whose methods a file defines at the beginning of lines, innermost name and all that holds it."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = set()
    for match in DEFINITION.finditer(text):
        line = text[match.start():text.find("\n", match.start())]
        if not STATEMENT.match(line) and not line.rstrip().endswith(";"):
            found.add(match.group(1).rstrip(":"))
    return found


def namespaces_in(text):
    return {name for names in re.findall(r"^namespace ([\w:]+)", text, re.MULTILINE) for name in names.split("::")}


def problems(checkout):
    files, namespaces = defaultdict(set), {"std"}
    for folder in FOLDERS:
        for path in sorted((checkout / folder).rglob("*.cxx")):
            text = path.read_text(errors="replace")
            namespaces |= namespaces_in(text)
            for name in classes_in(text):
                files[name].add(path.relative_to(checkout))
    for name, where in sorted(files.items()):
        # Each test program may have a fixture of its own; and one of two files may stand in for the other.
        if len({path.parent for path in where}) == len(where) > 1:
            continue
        if len(where) > 1 and name.split("::")[0] not in namespaces and not stands_in(where):
            yield f"{name}: its methods are in {', '.join(str(path) for path in sorted(where))}"


def stands_in(where):
    """Whether only one of the files is ever compiled: FabricMissing.cxx for Fabric.cxx and FabricHost.cxx."""
    return sum("Missing" not in path.stem and not path.stem.startswith("No") for path in where) == 1


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        core = Path(folder, "DSMCore", "Base")
        core.mkdir(parents=True)
        (core / "Whole.cxx").write_text("namespace dsm\n{\nint Whole::First() const\n{\n}\nWhole::Whole()\n{\n}\n}\n")
        (core / "One.cxx").write_text("void Split::First()\n{\n  Whole::First();\n  return other::Call(3);\n}\n")
        (core / "Two.cxx").write_text("std::vector<int> Split::Second(\n  int one)\n{\n}\n")
        (core / "Three.cxx").write_text("Outer::Inner& Outer::Inner::operator=(int)\n{\n}\n")
        (core / "Four.cxx").write_text("bool Outer::Inner::Done()\n{\n}\n")
        blamed = [line.split(":  ")[0].split(": its")[0] for line in problems(Path(folder))]
    if blamed != ["Outer::Inner", "Split"]:
        print(f"self-test: found {blamed}")
        return 1
    return 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    checkout = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    found = list(problems(checkout))
    print("\n".join(found) if found else "every class stands in one file")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
