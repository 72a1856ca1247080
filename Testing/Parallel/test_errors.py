# SPDX-License-Identifier: BSD-3-Clause
"""What a program is told when an HDF5 call fails, as h5py hands it on: for files on disk as without us, kind and text;
for files in memory what happened and what to do."""

import os
import re
import sys

import pytest

from processes import on_disk
from test_dsm_run import coupled, hosts, run

__all__ = ["hosts"]  # a fixture

# Debian's h5py is a serial one but in MPI jobs; that for MPI is for one MPI library.
ENVIRONMENTS = [{}, *([{"H5PY_ALWAYS_USE_MPI": 1}] if os.environ["DSM_TEST_FLAVOUR"] == "openmpi" else [])]
EACH_H5PY = pytest.mark.parametrize("environment", ENVIRONMENTS, ids=["serial", "mpi"][:len(ENVIRONMENTS)])

NETCDF = """
import netCDF4, numpy, sys
folder = sys.argv[1]
try:
    netCDF4.Dataset(folder + "/missing.nc")
except FileNotFoundError:
    print("missing", flush=True)
file = netCDF4.Dataset(folder + "/large.nc", "w")
file.createDimension("x", 8 << 20)
try:
    file.createVariable("T", "f8", ("x",))[:] = numpy.zeros(8 << 20)
except RuntimeError as error:
    print(error, flush=True)
"""

# Each failure, a line: its kind, errno and text.
ON_DISK = """
import os, sys, h5py
folder = sys.argv[1]
open(folder + "/text.h5", "w").write("no HDF5")
h5py.File(folder + "/there.h5", "w").close()
os.symlink(folder + "/loop.h5", folder + "/loop.h5")
cases = [("missing.h5", "r"), ("missing.h5", "r+"), ("text.h5", "r"), ("text.h5", "r+"), ("there.h5", "x"),
         ("no/folder.h5", "w"), ("no/folder.h5", "r"), ("text.h5/below.h5", "w"), ("", "r"), ("", "w"),
         ("loop.h5", "r"), ("long" * 80 + ".h5", "w")]
for name, mode in cases:
    try:
        h5py.File(os.path.join(folder, name), mode)
        print(name, mode, "opened")
    except Exception as error:
        print(name, mode, type(error).__name__, getattr(error, "errno", None), str(error).replace(folder, ""))
"""

IN_MEMORY = """
import os, sys, h5py, numpy
contact, folder = sys.argv[1:]
one = folder + "/one.h5"
def fails(kind, text, work):
    try:
        work()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
fails(OSError, "there is no snapshot at all in the DSM server's ring: it holds none yet",
      lambda: h5py.File(contact + "#latest"))
h5py.File(one, "w").close()
assert list(h5py.File(contact + "#latest")) == []
fails(FileExistsError, "File exists", lambda: h5py.File(one, "x"))
fails(FileNotFoundError, "No such file", lambda: h5py.File(folder + "/missing.h5"))
fails(OSError, "there is no snapshot 99 in the DSM server's ring: it holds 1 of them",
      lambda: h5py.File(contact + "#99"))
fails(OSError, "which never changes: open it read-only", lambda: h5py.File(contact + "#1", "r+"))
fails(OSError, "is for reading only: parameters are changed from ParaView's side",
      lambda: h5py.File(contact + "#Interactions", "r+"))
large = h5py.File(folder + "/large.h5", "w")
fails(Exception, "start the server with more memory per host",
      lambda: large.create_dataset("a", data=numpy.zeros(8 << 20)))
fails(Exception, "large.h5 is incomplete, and its image is discarded", large.close)
print("done")
"""


@EACH_H5PY
def test_files_on_disk(hosts, tmp_path, environment):
    """A program that goes by the kind of an error, or by its text, sees no difference."""
    told = []
    for name in ("plain", "coupled"):
        folder = tmp_path / name
        folder.mkdir()
        command = (sys.executable, "-c", ON_DISK, folder)
        done = (run(*command, **environment) if name == "plain" else
                coupled(hosts, *command, options=["--match", "*.live"], **environment))
        told.append(re.sub(r"(time|buf) = [^,]*,", "", done.stdout))
    assert told[0] == told[1]
    assert "missing.h5 r FileNotFoundError 2 " in told[0] and "there.h5 x FileExistsError 17 " in told[0], told[0]


@EACH_H5PY
def test_files_in_memory(hosts, tmp_path, environment):
    done = coupled(hosts, sys.executable, "-c", IN_MEMORY, hosts.contact, tmp_path, **environment)
    assert done.stdout == "done\n", done
    assert not on_disk(tmp_path / "one.h5")


def test_netcdf(hosts, tmp_path):
    """It tells its program no more than "HDF error": what it was is on standard error."""
    done = coupled(hosts, sys.executable, "-c", NETCDF, tmp_path, check=False)
    assert done.stdout == "missing\nNetCDF: HDF error\n", done
    assert "start the server with more memory per host" in done.stderr, done.stderr
    assert "missing.nc" not in done.stderr
