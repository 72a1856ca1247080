# SPDX-License-Identifier: BSD-3-Clause
"""Checks that what the documents link to is there: files, pictures, and headings. So is what the documents for
contributors name: `DSMCore/Base/Error.h`.

check_links.py CHECKOUT        prints one line per dead link; status 1 if there is any
check_links.py --self-test     proves that it finds dead ones
"""
import os
import re
import sys
import tempfile
from pathlib import Path

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|^    .*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


# A file by its path; not those that CONTRIBUTING.md adds, whose block follows.
NAMED = re.compile(r"`((?:cmake|DSMCore|Documentation|Examples|Plugin|Readers|Testing|Web|Widgets)/[\w./-]*\.\w+)`"
                   r"(?!:\n\n```(?!diff))")


def documents(checkout):
    for folder, folders, files in os.walk(checkout):
        folders[:] = [one for one in folders if not one.startswith(("build", ".git", "dsm-demo"))]
        yield from (Path(folder) / one for one in files if one.endswith(".md"))


def headings(text):
    """As a web page of the repository names them."""
    lines = re.findall(r"^#+ +(.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def dead(checkout):
    for document in sorted(documents(checkout)):
        for target in LINK.findall(CODE.sub("", document.read_text(encoding="utf-8"))):
            if re.match(r"\w+:", target):
                continue  # elsewhere in the world
            name, _, heading = target.partition("#")
            path = document.parent / name if name else document
            where = f"{document.relative_to(checkout)} links to {target}"
            if not path.exists():
                yield f"{where}, which is not there"
            elif heading and heading not in headings(path.read_text(encoding="utf-8")):
                yield f"{where}, which has no such heading"


def missing(checkout):
    named = [checkout / "README.md", checkout / "CONTRIBUTING.md", *sorted((checkout / "Documentation").glob("*.md"))]
    for document in named:
        if document.exists():
            for name in NAMED.findall(document.read_text(encoding="utf-8")):
                if not (checkout / name).exists():
                    yield f"{document.relative_to(checkout)} names {name}, which is not there"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder)
        (checkout / "there.md").write_text("# A heading\n")
        (checkout / "README.md").write_text(
            "[good](there.md) [heading](there.md#a-heading) [world](https://example.org)\n"
            "`[code](nowhere)` ![picture](none.png) [lost](there.md#another)\n\n```\n[block](nowhere)\n```\n")
        (checkout / "CONTRIBUTING.md").write_text("`Testing/gone.h`\n\n`Testing/new.h`:\n\n```cpp\n```\n")
        found = [*dead(checkout), *missing(checkout)]
    expected = ["none.png, which is not there", "there.md#another, which has no such heading", "Testing/gone.h, which"]
    wrong = [line for line in expected if not any(line in one for one in found)]
    wrong += found[len(expected):]
    print("\n".join(f"self-test: {line}" for line in wrong))
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    checkout = Path(arguments[0])
    found = [*dead(checkout), *missing(checkout)]
    print("\n".join(found) if found else "every link of the documents is good")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
