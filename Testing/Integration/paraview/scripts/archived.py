# SPDX-License-Identifier: BSD-3-Clause
"""Has all snapshots archived in each form, and compares on every rank what ParaView's own reader and ours show of them
with what was shown live."""

import os
import pathlib
import subprocess
import time

from paraview import simple

import paraviewdsm
from reporting import information, report

COMPARE = """
import reporting
from compare_data import as_another

wrong, points = as_another(self.GetInputDataObject(0, 0), self.GetInputDataObject(0, 1))
seen = reporting.found()
reporting.report(
    wrong=seen.get("wrong", []) + ["{what}: " + text for text in wrong], points=seen.get("points", 0) + points)
"""

folder = pathlib.Path(os.environ["DSM_TEST_FOLDER"])
ARCHIVE = [os.environ["DSM_TEST_BIN"] + "/dsm-archive", "--contact", str(folder / "run.dsm")]


def compare(what, live, other, at):
    for source in (live, other):
        source.UpdatePipeline(at)
    simple.ProgrammableFilter(Input=[live, other], OutputDataSetType="vtkTable",
                              Script=COMPARE.format(what=what)).UpdatePipeline(at)


with paraviewdsm.Server(contact=str(folder / "run.dsm"), memory_per_host="32 MiB", block_size="4 KiB") as server:
    orders = [server.archive("all", str(folder / form), form=form) for form in ("single", "subfiles")]
    snapshots = list(server.snapshots(timeout=60))
    end = time.monotonic() + 60
    while any(order["Written"] < len(snapshots) for order in server.status().orders):
        assert time.monotonic() < end, server.status().orders
        time.sleep(0.05)
    for order in orders:
        server.end_archive(order)
    live = server.reader()
    series = simple.OpenDataFile(str(folder / "single" / "gray_scott.vtkhdf.series"))
    series.UpdatePipelineInformation()
    times = [snapshot.time for snapshot in snapshots]
    report(reader=series.SMProxy.GetXMLName(), times=times, seriesTimes=list(series.TimestepValues))
    for snapshot in snapshots:
        name = pathlib.Path(snapshot.file).name
        compare(f"{name} in the series", live, series, snapshot.time)
        own = simple.OpenDataFile(str(folder / "single" / name))
        compare(f"{name} by itself", live, own, snapshot.time)
        number = server.restore(folder / "subfiles" / name, name=folder / "back" / name)
        assert number == server.status().numbers[-1], (number, server.status().numbers)
        back = simple.DSMFileReader(FileName=str(folder / "back" / name))
        compare(f"{name} from subfiles", live, back, snapshot.time)
        report(error=information(back, "ErrorText"))
        master = folder / "virtual" / name
        subprocess.run([*ARCHIVE, "--number", str(snapshot.number), "--to", str(master), "--form", "virtual 3",
                        "--minimum", "1"], check=True, timeout=60)
        shown = simple.OpenDataFile(str(master))
        compare(f"{name} from virtual datasets", live, shown, snapshot.time)
        report(virtualReader=shown.SMProxy.GetXMLName())
    try:
        server.restore(folder / "none.h5")
    except paraviewdsm.Error as error:
        report(refused=str(error))
    try:
        server.restore(master)
    except paraviewdsm.Error as error:
        report(refusedMaster=str(error))
