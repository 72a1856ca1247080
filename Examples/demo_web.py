# SPDX-License-Identifier: BSD-3-Clause
"""./dev demo web: one run in a second ParaView, in a browser and in a notebook at the same time.

Host processes lend the memory, and the simulation is started by dsm-run. A ParaView of its own watches, dsm-view
serves the page, and the cells of notebook/live.ipynb run one after the other. The notebook steers, and all see it.
"""

import argparse
import html
import json
import pathlib
import queue
import re
import signal
import subprocess
import sys
import tempfile
import time

from demo_processes import (
    Failure,
    Process,
    end_all,
    environment_of,
    prepare_to_end,
    start_screen,
)

HERE = pathlib.Path(__file__).resolve().parent
TESTING = HERE.parent / "Testing"
HOSTS = 2
RANKS = 3
FEED = 0.045  # as the notebook sets it

# Runs the code cells of a notebook as a kernel does, and prints what each has at its end; then waits.
KERNEL = """
import json, sys
names = {}
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        source = "".join(cell["source"])
        *_, last = source.splitlines()
        exec(source, names)
        if last.isidentifier():
            print("shows", names[last]._repr_html_(), flush=True)
print("all cells have run", flush=True)
sys.stdin.readline()
"""


class WebDemo:
    def __init__(self, arguments, scratch):
        self.Arguments = arguments
        self.Scratch = scratch
        self.Contact = scratch / "run.dsm"
        self.Pictures = arguments.output.resolve() / "pictures"
        self.Logs = arguments.output.resolve() / "logs"
        self.Deadline = time.monotonic() + arguments.timeout
        self.Children = []
        self.Browser = None

    def run(self):
        for folder in (self.Pictures, self.Logs):
            folder.mkdir(parents=True, exist_ok=True)
        build, mpiexec = self.Arguments.build, self.Arguments.mpiexec
        environment = environment_of(build)
        environment["DISPLAY"] = start_screen(self.Logs / "web.screen.log", environment)
        environment["DSM_CONTACT"] = str(self.Contact)
        hosts = self.start("hosts", [*mpiexec, "-n", HOSTS, build / "bin/dsm-serve", "--contact", self.Contact,
                                     "--memory-per-host", "128 MiB"], environment)
        self.wait_for_line(hosts, "ready")
        simulation = self.start(
            "simulation",
            [build / "bin/dsm-run", *mpiexec, "-n", RANKS, build / "bin/gray_scott", "--size", "48", "--steps",
             "1000000", "--every", "200", "--output", "output"],
            environment)
        window = self.start(
            "window", ["pvbatch", HERE / "pipelines/watch.py", "--contact", self.Contact, "--pictures", self.Pictures],
            environment)
        viewer = {**environment, "PYTHONPATH": f"{self.Arguments.trame}:{environment['PYTHONPATH']}"}
        python = self.Arguments.python / "bin/python"
        page = self.start("page", [python, "-m", "dsm_view", "--no-browser"], viewer)
        address = self.wait_for_line(page, "http://")
        print(f"the page, as long as this runs: {address}", flush=True)
        self.show_page(address)
        notebook = self.start("notebook", [python, "-c", KERNEL, HERE / "notebook/live.ipynb"], viewer,
                              stdin=subprocess.PIPE)
        cell = self.wait_for_line(notebook, "shows").removeprefix("shows ")
        while (line := self.wait_for_line(notebook, "")) != "all cells have run":
            print(f"notebook: {line}", flush=True)
        # The other viewers show the change.
        self.wait_for_line(window, f"window [0-9]+ {FEED:g}")
        self.Browser.wait(f"document.querySelector('#field-feed')?.value == '{FEED:g}'")
        print(f"window and page: feed is {FEED:g} as well", flush=True)
        self.Browser.wait("document.querySelectorAll('.dsm-chart polyline').length >= 3")
        self.Browser.screenshot(self.Pictures / "page.png")
        self.show_notebook(cell)
        if self.Arguments.stay:
            print("Ctrl+C ends it", flush=True)
            while simulation.status() is None and page.status() is None:
                time.sleep(0.2)
        if simulation.status() is not None:
            raise Failure(f"the simulation ended:\n{simulation.last_words()}")

    def show_page(self, address):
        sys.path[:0] = [str(TESTING / "Web"), str(TESTING)]
        import browser

        if browser.program() is None:
            raise Failure("missing: chromium. Start the demo with ./dev demo web, which provides it")
        self.Browser = browser.Browser(self.Scratch / "browser")
        self.Browser.go(address)
        self.Browser.wait_for_text("#shown", "step")

    def show_notebook(self, cell):
        """Shows the first cell as Jupyter does, its code and the frame with the page, and takes a picture."""
        notebook = json.loads((HERE / "notebook/live.ipynb").read_text())
        first = next(one for one in notebook["cells"] if one["cell_type"] == "code")
        code = html.escape("".join(first["source"]))
        style = "font: 14px sans-serif; margin: 24px 40px"
        shown = self.Scratch / "notebook.html"
        shown.write_text(f'<body style="{style}"><h1>A running simulation in a notebook</h1><pre style="background: '
                         f'#f5f5f5; border: 1px solid #ddd; padding: 8px">{code}</pre>{cell}</body>')
        self.Browser.go(shown.as_uri())
        self.Browser.enter_frame(re.search(r'src="([^"]+)"', cell)[1])
        self.Browser.wait_for_text("#shown", "step")
        self.Browser.wait("!document.querySelector('#busy')")
        time.sleep(1)  # for the picture to be drawn
        self.Browser.leave_frame()
        self.Browser.screenshot(self.Pictures / "notebook.png")

    def start(self, name, command, environment, **more):
        lines = queue.Queue()
        process = Process(name, command, self.Logs / f"web.{name}.log", environment, self.Scratch, lines, **more)
        self.Children.append(process)
        return process

    def wait_for_line(self, process, pattern):
        """Returns the next line of a program that begins so."""
        while True:
            try:
                line = process.Lines.get(timeout=0.2)
            except queue.Empty:
                if process.status() is not None and process.Lines.empty():
                    raise Failure(f"the {process.Name} ended:\n{process.last_words()}") from None
                if time.monotonic() > self.Deadline:
                    raise Failure(f"the {process.Name} did not print '{pattern}' within {self.Arguments.timeout:g} s:\n"
                                  f"{process.last_words()}") from None
                continue
            if re.match(pattern, line):
                return line

    def end(self):
        if self.Browser:
            self.Browser.close()
        end_all(self.Children)


def main():
    parser = argparse.ArgumentParser(prog="./dev demo web", description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("dsm-demo"),
                        help="folder for pictures and logs")
    parser.add_argument("--stay", action="store_true", help="go on until Ctrl+C, for a look at the page")
    parser.add_argument("--timeout", type=float, default=120, help="seconds that each step may take")
    parser.add_argument("--mpiexec", type=str.split, default="mpiexec.openmpi --oversubscribe",
                        help="of the MPI that the build uses, with its options in one word")
    for name in ("build", "python", "trame"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()

    prepare_to_end()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="dsm-demo-", ignore_cleanup_errors=True) as scratch:
        demo = WebDemo(arguments, pathlib.Path(scratch))
        try:
            demo.run()
        except (Failure, AssertionError, OSError) as failure:
            print(f"demo: {failure}\ndemo: whole logs in {demo.Logs}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            if not arguments.stay:
                print("\ndemo: interrupted; all programs are being ended", file=sys.stderr)
                return 130
        finally:
            # A second Ctrl+C must not leave half of it behind.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            demo.end()
    pictures = ", ".join(sorted(file.name for file in demo.Pictures.iterdir()))
    print(f"pictures in {demo.Pictures}: {pictures}; {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
