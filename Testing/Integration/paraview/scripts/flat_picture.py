# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of flat things, gray, of which a test can say what stands at which pixel."""

import os

from paraview.simple import (
    CreateRenderView,
    Delete,
    GetColorTransferFunction,
    SaveScreenshot,
    SetProperties,
    Show,
    _DisableFirstRenderCameraReset,
)


def save(source, name, array, limits, middle, half, size, **look):
    """The test's <name>.png: `array` of the source from black to white between the limits, on red.

    middle  of the picture, in the world
    half    of its height, in the world
    size    in pixels
    look    more properties of what is shown
    """
    _DisableFirstRenderCameraReset()
    view = CreateRenderView(
        ViewSize=size, OrientationAxesVisibility=0, CameraParallelProjection=1, CameraParallelScale=half,
        CameraFocalPoint=middle, CameraPosition=[*middle[:2], middle[2] + 50], CameraViewUp=[0, 1, 0],
        UseColorPaletteForBackground=0, Background=[1, 0, 0])
    shown = Show(source, view)
    # After it was shown: ParaView fits a new table to the data.
    table = GetColorTransferFunction(array)
    SetProperties(
        table, AutomaticRescaleRangeMode="Never", ColorSpace="RGB", RGBPoints=[limits[0], 0, 0, 0, limits[1], 1, 1, 1]
    )
    SetProperties(shown, ColorArrayName=["POINTS", array], LookupTable=table, Ambient=1, Diffuse=0, **look)
    shown.SetScalarBarVisibility(view, False)
    SaveScreenshot(f"{os.environ['DSM_TEST_FOLDER']}/{name}.png", view, ImageResolution=size)
    Delete(view)
