# SPDX-License-Identifier: BSD-3-Clause
"""The pages that the plugin adds to ParaView's help: one per proxy, with every property that has documentation."""

import html
import os
import pathlib
import re
import sqlite3
import xml.etree.ElementTree as tree
import zlib

import pytest

PAGES = pathlib.Path(os.environ["DSM_PLUGIN_FOLDER"]) / "ParaViewDSM" / "ParaViewDSM.qch"
XML = pathlib.Path(__file__).parents[3] / "Plugin" / "XML"


@pytest.mark.skipif(not PAGES.exists(), reason="there is no qhelpgenerator here, so the plugin has no pages of help")
def test_pages():
    with sqlite3.connect(f"file:{PAGES}?mode=ro", uri=True) as book:
        stored = dict(
            book.execute("SELECT FileNameTable.Name, FileDataTable.Data FROM FileNameTable "
                         "JOIN FileDataTable ON FileNameTable.FileId = FileDataTable.Id")
        )
    # As ParaView looks for them.
    proxies = {
        f"{group.get('name')}.{proxy.get('name')}.html": proxy
        for source in ("DSMServer.xml", "DSMReader.xml")
        for group in tree.parse(XML / source).getroot().iter("ProxyGroup")
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
