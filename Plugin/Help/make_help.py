# SPDX-License-Identifier: BSD-3-Clause
"""Makes pages of ParaView's help from the documentation in server-manager XML.

ParaView does this for plugins itself, but not with Qt 6 (paraview/issues/19742): there
paraview_add_plugin(XML_DOCUMENTATION ON) makes nothing. A page has the name that ParaView opens for the
question mark of a proxy: group.name.html.

    make_help.py --generator qhelpgenerator --output ParaViewDSM.qch --guide PANEL.md DSMServer.xml DSMReader.xml

The guide, in Markdown, is the first page, with the pictures beside it that it names.
"""

import argparse
import html
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

NAMESPACE = "paraview-dsm"
MOST_WIDE = 680  # pixels
STYLE = "body { font-family: sans-serif } td, th { text-align: left; vertical-align: top; padding: 2px 8px }"


def text(element):
    return " ".join((element.text or "").split()) if element is not None else ""


def shown(value, source):
    """Returns the words that the panel shows for a text of a property (Widgets/pqDSMTerms.h)."""
    return {display.get("source"): display.get("text") for display in value.iter("Display")}.get(source, source)


def kind(value):
    """What a property can be set to."""
    choices = [entry.get("text") for entry in value.iter("Entry")] + [
        entry.get("value") for entry in value.iter("String")
    ]
    if choices:
        return ", ".join(shown(value, choice) for choice in choices)
    if value.find("BooleanDomain") is not None:
        return "0 or 1"
    return {"StringVectorProperty": "text", "DoubleVectorProperty": "number"}.get(value.tag, "whole number")


def initial(value):
    default = value.get("default_values", "")
    for entry in value.iter("Entry"):
        if entry.get("value") == default:
            return shown(value, entry.get("text"))
    return shown(value, default)


def rows(values, cells):
    return "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells(value)) + "</tr>" for value in values
    )


def table(title, head, values, cells):
    if not values:
        return ""
    # Most of the width is for the description.
    wide = len(head) > 2
    widths = (20, 50, 18, 12) if wide else (25, 75)
    heads = "".join(f'<th width="{width}%">{one}</th>' for one, width in zip(head, widths, strict=True))
    return f"<h2>{title}</h2>\n<table width='100%'>\n<tr>{heads}</tr>\n{rows(values, cells)}\n</table>\n"


def label(value):
    """As in the panel, with the property's name if that is another one."""
    words, name = shown(value, value.get("label", "")), value.get("name")
    return words if words.replace(" ", "") == name else f"{words} ({name})" if words else name


def page(proxy):
    """One proxy's page."""
    about = proxy.find("Documentation")
    values = [child for child in proxy if child.tag.endswith("Property") and child.find("Documentation") is not None]

    def description(value):
        return text(value.find("Documentation"))

    information = [value for value in values if value.get("information_only") == "1"]
    commands = [value for value in values if value.tag == "Property"]
    settings = [value for value in values if value not in information and value not in commands]
    title = html.escape(proxy.get("label", proxy.get("name")))
    return (
        f"<html><head><title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        f"<p>{html.escape(about.get('long_help', ''))} {html.escape(text(about))}</p>\n"
        + table("Settings", ("Name", "What it does", "Values", "Default"), settings,
            lambda value: (label(value), description(value), kind(value), initial(value)))
        + table("Commands", ("Name", "What it does"), commands, lambda value: (value.get("name"), description(value)))
        + table("Information", ("Name", "What it says"), information,
            lambda value: (value.get("name"), description(value)))
        + "</body></html>\n"
    )


def pages(sources):
    """(file, title, page) of each documented proxy."""
    for source in sources:
        for group in ElementTree.parse(source).getroot().iter("ProxyGroup"):
            for proxy in group:
                if proxy.find("Documentation") is not None:
                    yield f"{group.get('name')}.{proxy.get('name')}.html", proxy.get("label"), page(proxy)


def guide(source):
    """The guide as a page, with the name of the first page of ParaView's help."""
    markdown_text = source.read_text(encoding="utf-8")
    try:
        import markdown

        body = markdown.markdown(markdown_text, extensions=["tables"])
    except ImportError:  # it can be read as it is
        body = f"<pre>{html.escape(markdown_text)}</pre>"
    title = markdown_text.splitlines()[0].lstrip("# ")
    # The help window shows pictures in their own size, which for a whole window is too large.
    for picture in pictures(body):
        width = int.from_bytes((source.parent / picture).read_bytes()[16:20], "big")  # of a PNG
        body = body.replace(f'src="{picture}"', f'src="{picture}" width="{min(width, MOST_WIDE)}"')
    return (
        "index.html",
        title,
        f"<html><head><title>{title}</title><style>{STYLE}</style></head><body>{body}</body></html>\n",
    )


def pictures(page):
    return sorted(set(re.findall(r'<img[^>]* src="([^"]+)"', page)))


def project(made, more):
    """The input of qhelpgenerator."""
    sections = "\n".join(f'<section title="{html.escape(title)}" ref="{name}"/>' for name, title, _ in made)
    keywords = "\n".join(f'<keyword name="{html.escape(title)}" ref="{name}"/>' for name, title, _ in made)
    files = "\n".join(f"<file>{name}</file>" for name in [name for name, _, _ in made] + more)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<QtHelpProject version="1.0">\n'
        f"<namespace>{NAMESPACE}</namespace>\n<virtualFolder>{NAMESPACE}</virtualFolder>\n<filterSection>\n"
        f'<toc><section title="ParaView DSM" ref="{made[0][0]}">\n{sections}\n</section></toc>\n'
        f"<keywords>\n{keywords}\n</keywords>\n<files>\n{files}\n</files>\n</filterSection>\n</QtHelpProject>\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generator", required=True, help="the program qhelpgenerator")
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--guide", required=True, type=pathlib.Path)
    parser.add_argument("xml", nargs="+")
    asked = parser.parse_args()
    made = [guide(asked.guide), *pages(asked.xml)]
    shown = pictures(made[0][2])
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, _, content in made:
            (folder / file).write_text(content, encoding="utf-8")
        for picture in shown:
            (folder / picture).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(asked.guide.parent / picture, folder / picture)
        (folder / "help.qhp").write_text(project(made, shown), encoding="utf-8")
        done = subprocess.run(
            [asked.generator, "help.qhp", "-o", asked.output.resolve()], cwd=folder, capture_output=True, text=True,
            env={"QT_QPA_PLATFORM": "offscreen", "PATH": "/usr/bin:/bin"}, timeout=120, check=False,
        )
    if done.returncode or not asked.output.exists():
        sys.exit(f"{asked.generator} made no {asked.output}:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
