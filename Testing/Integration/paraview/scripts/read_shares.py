# SPDX-License-Identifier: BSD-3-Clause
"""Reads large files of several kinds, and reports how many bytes each rank read from disk for that."""

import glob
import os

from paraview import simple

import paraviewdsm
from reporting import information, on_every_rank, report

paraviewdsm.load()

folder = os.environ["DSM_TEST_FOLDER"]
COUNT = """
import reporting
told = dict(line.split(": ") for line in open("/proc/self/io").read().splitlines())
count = int(told["rchar"])
"""
# What was read before is known once its filter runs on every rank.
small = simple.DSMFileReader(FileName=f"{folder}/small.h5")
small.UpdatePipeline()
for file in sorted(glob.glob(f"{folder}/files/*")):
    name = os.path.basename(file)
    on_every_rank(small, f"{COUNT}\nreporting.before = count")
    reader = simple.DSMFileReader(FileName=file)
    on_every_rank(reader, f"{COUNT}\nreport(**{{'{name}': count - reporting.before}})")
    report(**{f"error {name}": information(reader, "ErrorText")})
    simple.Delete(reader)
