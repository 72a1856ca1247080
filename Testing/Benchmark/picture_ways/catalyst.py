# SPDX-License-Identifier: BSD-3-Clause
"""Runs ParaView's Catalyst in line: the program that has the field calls a script of ParaView's, which draws it.

The script is one of Catalyst 2 (`catalyst_execute`). A program calls such scripts through the Catalyst API, if ParaView
has its implementation (libcatalyst-paraview.so). Debian's ParaView has none, so ParaView's Python bridge
(paraview.catalyst.bridge) calls the script. The program hands over an image of VTK's that has the program's own memory:
nothing is copied, and no mesh is described in Conduit. The program is held up until the picture is there.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from picture_ways import Way, launch, spans

HERE = Path(__file__).resolve()
CHECK = "from paraview.catalyst import bridge"
IMPLEMENTATION = "libcatalyst-paraview.so"


def in_program():
    """Computes fields, calls Catalyst with each, and writes down when each call began and its picture was there."""
    import numpy
    from paraview.catalyst import bridge
    from paraview.vtk.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonDataModel import vtkImageData

    asked = json.loads(os.environ["DSM_PICTURE_BENCH"])
    size = asked["size"]
    bridge.initialize()
    bridge.add_pipeline(str(HERE.with_name("catalyst_script.py")), 2)
    values = numpy.random.default_rng(1).random((size, size, size))
    middle = [slice(size // 2 - 1, size // 2 + 1)] * 3
    found = []
    for step in range(asked["files"]):
        time.sleep(asked["interval"])
        values[0, 0, 0] = values[-1, -1, -1] = values[*middle] = step + 2
        begin = time.monotonic()
        # A new image each time, as Catalyst makes one of what a program describes.
        image = vtkImageData(dimensions=(size, size, size))
        array = numpy_to_vtk(values.ravel())
        array.SetName("u")
        image.GetPointData().AddArray(array)
        bridge.coprocess(float(step), step, image, "input")
        end = time.monotonic()
        picture = float(Path(asked["folder"], f"seen.{step}").read_text(encoding="utf-8"))
        found.append([begin, end, picture])
    Path(asked["folder"], "marks.json").write_text(json.dumps(found), encoding="utf-8")
    bridge.finalize()


def has_implementation():
    """Returns whether ParaView's implementation of the Catalyst API is where programs look for it."""
    named = os.environ.get("CATALYST_IMPLEMENTATION_PATHS", "").split(":")
    installed = [folder for pattern in ("lib*/catalyst*", "lib/*/catalyst*") for folder in Path("/usr").glob(pattern)]
    return any(Path(folder, IMPLEMENTATION).exists() for folder in [*filter(None, named), *installed])


def why_not(_):
    """Returns why this ParaView's Catalyst cannot be called, or an empty text."""
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=False)
    reason = (done.stderr.strip().splitlines() or [""])[-1]
    return "" if done.returncode == 0 else f"this ParaView has no Catalyst for Python ({reason})."


def measure(given):
    """Returns what each call took. There is no file: all spans begin with the call."""
    if not has_implementation():
        print(f"picture_bench: this ParaView has no {IMPLEMENTATION}, so its Catalyst is called by the Python bridge.",
              file=sys.stderr)
    with launch.display() as screen, launch.folder_on_tmpfs() as folder:
        asked = {"size": given.size, "files": given.snapshots, "interval": given.interval, "folder": folder}
        subprocess.run([sys.executable, HERE], check=True, timeout=600, stdout=subprocess.DEVNULL,
                       env={**os.environ, "DISPLAY": screen, "DSM_PICTURE_BENCH": json.dumps(asked)})
        marks = json.loads(Path(folder, "marks.json").read_text(encoding="utf-8"))
    return [{**spans([begin, begin, begin], picture), "create to close": 1e3 * (end - begin)}
            for begin, end, picture in marks]


WAYS = [Way("Catalyst bridge, in line", measure, why_not)]

if "DSM_PICTURE_BENCH" in os.environ:
    in_program()
