# SPDX-License-Identifier: BSD-3-Clause
"""Opens a .series of plain HDF5 files, as File > Open does, and tells what each rank has of each step."""

import os
import pathlib

from paraview import simple

import paraviewdsm
from reporting import information, on_every_rank, report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
paraviewdsm.load()
series = simple.OpenDataFile(str(folder / "archive" / "out.h5.series"))
series.UpdatePipelineInformation()
report(reader=series.SMProxy.GetXMLName(), times=list(series.TimestepValues))
VALUES = """
from compare_data import arrays_of
import reporting
report(steps=[*reporting.found().get("steps", []), [data.GetExtent(), arrays_of(data)["point u"].tolist()]])
"""
for time in series.TimestepValues:
    on_every_rank(series, VALUES, time)
report(recognised=information(series, "RecognisedAs"), error=information(series, "ErrorText"))
