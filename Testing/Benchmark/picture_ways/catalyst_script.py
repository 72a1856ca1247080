# SPDX-License-Identifier: BSD-3-Clause
"""Draws a slice of what a program hands to Catalyst, and notes when the picture is there."""

import json
import os
import sys
import time
from pathlib import Path

from paraview import catalyst, simple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from picture_ways import scene

options = catalyst.Options()
FOLDER = Path(json.loads(os.environ["DSM_PICTURE_BENCH"])["folder"])
source = simple.TrivialProducer(registrationName="input")
shown = []


def catalyst_execute(info):
    """Draws one step: Catalyst calls it."""
    if not shown:
        view = simple.CreateView("RenderView")
        shown.extend([scene.show_slice(source, view), view])
    scene.draw(*shown, info.time)
    picture = time.monotonic()
    assert scene.step_of(shown[0]) == info.timestep
    (FOLDER / f"seen.{info.timestep}").write_text(repr(picture), encoding="utf-8")
