# SPDX-License-Identifier: BSD-3-Clause
"""Shows a running Gray-Scott simulation in a second ParaView, which lends no memory: the newest snapshot, again and
again.

    PYTHONPATH=<build>/lib/paraview-dsm pvbatch watch.py --contact run.dsm --pictures FOLDER
"""

import os
import sys

from paraview.simple import SaveScreenshot

import gray_scott
import live
import paraviewdsm


def main():
    arguments = live.options(__doc__, memory="")
    with paraviewdsm.watch(arguments.contact) as server:
        reader, view = server.reader(), None
        for snapshot in server.snapshots(timeout=arguments.timeout, every=False):
            reader.UpdatePipeline(snapshot.time)
            if view is None:
                view, text = gray_scott.scene(reader)
            text.Text = f"A second ParaView: step {snapshot.step:.0f}, feed {server.parameters['feed']:g}"
            # Whole, also for who looks in between.
            picture = os.path.join(arguments.pictures, "window.png")
            SaveScreenshot(picture + ".new.png", view, ImageResolution=view.ViewSize)
            os.replace(picture + ".new.png", picture)
            # VTK keeps standard output until it has some thousand characters.
            print(f"window {snapshot.number} {server.parameters['feed']:g}", file=sys.stderr)


if __name__ == "__main__":
    main()
