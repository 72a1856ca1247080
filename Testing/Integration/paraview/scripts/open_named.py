# SPDX-License-Identifier: BSD-3-Clause
"""Opens files in memory by their names on disk, as File > Open does; in a ParaView that only has the plugin, or that
hosts the memory itself (DSM_TEST_HOSTS)."""

import os
import pathlib
import time

from paraview import simple

import paraviewdsm
from reporting import information, report

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
if os.environ.get("DSM_TEST_HOSTS"):
    server = paraviewdsm.Server(contact=str(folder / "run.dsm"), memory_per_host="16 MiB", maximum_snapshots=3)
    end = time.monotonic() + 60
    while 4 not in server.status().numbers:  # without taking one, which would stay
        assert time.monotonic() < end
        time.sleep(0.1)
else:
    paraviewdsm.load()
for name in ("image.vtkhdf", "step.h5", "last.h5", "gone.h5"):
    reader = simple.OpenDataFile(str(folder / name))
    reader.UpdatePipeline()
    report(**{name: [reader.SMProxy.GetXMLName(), reader.GetDataInformation().GetNumberOfPoints(),
                     information(reader, "ErrorText")]})
