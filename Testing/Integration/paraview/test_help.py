# SPDX-License-Identifier: BSD-3-Clause
"""The pages that the plugin adds to ParaView's help: one per proxy, with every property that has documentation."""

import html
import os
import pathlib
import re
import sqlite3
import zlib
from xml.etree import ElementTree

import pytest

PAGES = pathlib.Path(os.environ["DSM_PLUGIN_FOLDER"]) / "ParaViewDSM" / "ParaViewDSM.qch"
XML = pathlib.Path(__file__).parents[3] / "Plugin" / "XML"
# With the strategies and transports that the library has.
FILLED = pathlib.Path(os.environ["DSM_TEST_BUILD"]) / "Plugin" / "DSMServer.xml"


@pytest.mark.skipif(not PAGES.exists(), reason="there is no qhelpgenerator here, so the plugin has no pages of help")
def test_pages():
    with sqlite3.connect(f"file:{PAGES}?mode=ro", uri=True) as book:
        stored = dict(
            book.execute("SELECT FileNameTable.Name, FileDataTable.Data FROM FileNameTable "
                         "JOIN FileDataTable ON FileNameTable.FileId = FileDataTable.Id")
        )
    # As ParaView looks for them; but for those that nobody makes by themselves.
    proxies = {
        f"{group.get('name')}.{proxy.get('name')}.html": proxy
        for source in (FILLED, XML / "DSMReader.xml")
        for group in ElementTree.parse(source).getroot().iter("ProxyGroup") if group.get("name") != "internal_sources"
        for proxy in group
    }
    stored.pop("", None)  # the generator's own
    # The guide, with its pictures.
    guide = zlib.decompress(stored.pop("index.html")[4:]).decode()
    for picture in re.findall(r'src="([^"]+)"', guide):
        assert stored.pop(picture)
    assert set(stored) == set(proxies)
    for name, proxy in proxies.items():
        # Four bytes say how long it is uncompressed.
        page = re.sub(r"\s+", " ", html.unescape(zlib.decompress(stored[name][4:]).decode()))
        for described in proxy.iter("Documentation"):
            assert re.sub(r"\s+", " ", described.text or "").strip() in page, (name, described.text)


def test_the_guide_has_the_words_of_the_panel():
    """What PANEL.md prints in bold, its states and its settings are called so in the window."""
    widgets = pathlib.Path(__file__).parents[3] / "Widgets"
    sources = "".join(file.read_text(encoding="utf-8") for file in widgets.glob("pqDSM*.cxx"))
    guide = (widgets / "PANEL.md").read_text(encoding="utf-8")

    def shown(value):
        found = {display.get("source"): display.get("text") for display in value.iter("Display")}
        return found.get(value.get("label"), value.get("label"))

    labels = {
        shown(value)
        for value in ElementTree.parse(FILLED).iter()
        if value.get("panel_visibility") != "never" and value.tag != "PropertyGroup"
    }
    tables = [[line.split("|")[1].split("(below")[0].strip() for line in table.splitlines()[2:]]
              for table in re.findall(r"^\| .*\n(?:\|.*\n)+", guide, re.MULTILINE)]
    states, answers, settings = tables
    named = {re.sub(r" step \d+", "", name) for name in [*re.findall(r"\*\*(.+?)\*\*", guide), *states]}
    # Cancel is Qt's own button.
    named |= {name for row in answers for name in row.split(", ")} - {"…", "Cancel"}
    for name in named:
        assert f'tr("{name}' in sources, f"PANEL.md speaks of {name}, the panel does not"
    assert {name for row in settings for name in row.split(", ")} == labels - {None, "DSM Server", "DSM Sampled Array"}
