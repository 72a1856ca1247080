# SPDX-License-Identifier: BSD-3-Clause
"""Has ParaView's window host the memory and follow the files, as a user has who presses Start.

The panel shows the first file in its own way. A slice takes that picture's place before the second file. The panel
looks for new snapshots every 20 ms.
"""

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path

from panel_bench import environment
from picture_ways import Way, launch, spans

BENCHMARKS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCHMARKS.parent / "Gui"))


def why_not(given):
    """Returns why there is no window to be driven, or an empty text."""
    try:
        environment(given.build)
    except SystemExit as reason:
        return f"{reason}."
    return ""


@contextlib.contextmanager
def opened(given, folder):
    """Yields a window, and the programs beside it, and ends them."""
    os.environ.update(environment(given.build))
    from window import Programs, display

    with display() as screen, tempfile.TemporaryDirectory(prefix="dsm-bench-") as home:
        programs = Programs(Path(home), screen)
        try:
            window = programs.window()
            window.python(f"import sys\nsys.path.insert(0, {str(BENCHMARKS)!r})\n"
                          f"from picture_ways import in_window\npictures = in_window.Pictures({folder!r})")
            yield window, programs
        finally:
            programs.stop()


def measure(given):
    """Returns what each file took."""
    with launch.folder_on_tmpfs() as folder, opened(given, folder) as (window, programs):
        contact = Path(folder, "run.dsm")
        window.listen(contact, launch.memory(given.size))
        times = Path(folder, "times.json")
        writer = programs.start(launch.writer(folder, given, launch.coupled(given.build, contact)), "writer")
        window.until(times.exists, "the first picture", 120)
        window.python("pictures.show_slice()")
        marks = launch.marks_of(folder, writer)
        pictures = json.loads(times.read_text(encoding="utf-8"))
    return [spans(mark, pictures[str(step)]) for step, mark in enumerate(marks)]


WAYS = [Way("window", measure, why_not)]
