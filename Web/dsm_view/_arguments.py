# SPDX-License-Identifier: BSD-3-Clause
"""The command line of dsm-view."""

import argparse
import os

VERSION = "@PROJECT_VERSION@"  # CMake enters it

DESCRIPTION = """Serves a page that shows what a running simulation writes, and steers it.

    dsm-view run.dsm

The page is for whoever has its address, which the first line of the output is. The address has a random part, and the
server of the page refuses everybody else. It needs trame and PyVista: pip install trame trame-vuetify trame-rca pyvista
"""


def command_line():
    parser = argparse.ArgumentParser(prog="dsm-view", description=DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}",
                        help="print the version and exit")
    parser.add_argument("contact", metavar="CONTACT", nargs="?", default=os.environ.get("DSM_CONTACT") or "run.dsm",
                        help="the contact file of the server; default: DSM_CONTACT, or run.dsm")
    parser.add_argument("--stream", metavar="PATTERN", default="",
                        help='files that fit this pattern, such as "out.*.h5"; default: the files that belong with the '
                        "newest one")
    parser.add_argument("--host", metavar="ADDRESS", default="127.0.0.1",
                        help="the network address to listen on (default: %(default)s, which only this machine reaches)")
    parser.add_argument("--port", metavar="NUMBER", type=int, default=0,
                        help="the port to listen on; default: a free one")
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")
    parser.add_argument("--until-end-of", metavar="PROCESS", type=int,
                        help="end when the process of this number has ended")
    return parser
