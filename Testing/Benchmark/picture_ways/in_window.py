# SPDX-License-Identifier: BSD-3-Clause
"""Runs in ParaView's window: notes when the picture of each file is there, and adds the slice."""

import json
import time
from pathlib import Path

from paraview import simple

from picture_ways import scene


class Pictures:
    """Notes of each file when its first picture was there. The panel shows the first file in its own way."""

    def __init__(self, folder):
        self.folder = folder
        self.times = {}
        self.view = simple.GetActiveView()
        self.shown = None
        self.view.GetRenderWindow().AddObserver("EndEvent", self.drawn)

    def drawn(self, *_):
        """Runs whenever the view has drawn."""
        shown = self.shown or next(iter(simple.GetSources().values()), None)
        data = shown and shown.GetClientSideObject().GetOutputDataObject(0)
        if not data or not data.GetPointData().HasArray("u"):
            return
        step = scene.step_of(shown)
        if step in self.times:
            return
        scene.wait_for_pixels(self.view)
        self.times[step] = time.monotonic()
        Path(self.folder, "times.json").write_text(json.dumps(self.times), encoding="utf-8")
        if self.shown:
            scene.mark_seen(self.folder, step)

    def show_slice(self):
        """Shows the slice in place of the first file's picture, and lets the program go on."""
        reader = next(iter(simple.GetSources().values()))
        simple.Hide(reader, self.view)
        self.shown = scene.show_slice(reader, self.view)
        simple.Render(self.view)
        scene.mark_seen(self.folder, 0)
