# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m paraviewdsm plugin-path: prints the plugin in Python, for Tools > Manage Plugins > Load New."""

import argparse
import pathlib

parser = argparse.ArgumentParser(prog="python3 -m paraviewdsm", description="Says what a user of ParaView loads.")
commands = parser.add_subparsers(dest="command", required=True)
commands.add_parser("plugin-path", help="print the path of the plugin in Python, which any ParaView from 5.12 on loads")
parser.parse_args()
print(pathlib.Path(__file__).resolve().parent.parent / "paraviewdsm_plugin.py")
