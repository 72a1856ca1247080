# SPDX-License-Identifier: BSD-3-Clause
"""Serves the page: python3 -m dsm_view run.dsm"""

import asyncio
import os
import signal
import sys
import webbrowser

from ._arguments import command_line


def _has_display():
    return sys.platform != "linux" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


async def _serve(page, arguments):
    def started(address):
        print(address, flush=True)
        if not arguments.no_browser and _has_display():
            webbrowser.open(address)

    loop, serving = asyncio.get_running_loop(), asyncio.current_task()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, serving.cancel)
    if arguments.until_end_of:
        try:
            other = os.pidfd_open(arguments.until_end_of)
        except ProcessLookupError:
            return
        loop.add_reader(other, serving.cancel)
    await page.serve(arguments.host, arguments.port, started)


def main():
    arguments = command_line().parse_args()
    try:
        from ._page import Page
    except ImportError as error:
        print(f"dsm-view: {error}: pip install trame trame-vuetify trame-rca pyvista", file=sys.stderr)
        return 1
    page = Page(os.path.abspath(arguments.contact), arguments.stream)
    # trame reads the program's command line otherwise.
    os.environ["TRAME_ARGS"] = page.trame_arguments
    try:
        asyncio.run(_serve(page, arguments))
    except asyncio.CancelledError:
        pass
    except OSError as error:
        print(f"dsm-view: cannot serve the page on {arguments.host}, port {arguments.port}: {error.strerror}. Choose "
              "another with --port.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
