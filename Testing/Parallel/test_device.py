# SPDX-License-Identifier: BSD-3-Clause
"""Data in the memory of a GPU: what H5Dwrite and H5Dread take from there and put there, and which error there is for
the rest. Libraries of our own stand in for CUDA's and HIP's (stand_in_device.c): whoever looks at the memory of such a
device without them dies of it."""

import os
import re

import pytest

from processes import Job, environ, on_disk
from test_dsm_run import BIN, FABRIC, LIMIT, MPIEXEC, run

PROGRAM = BIN / "dsmDeviceProgram"
LIBRARIES = {"cuda": os.environ["DSM_TEST_CUDA"], "hip": os.environ["DSM_TEST_HIP"]}
# Each is a dataset; see device_program.c.
PLAIN = ["contiguous", "small", "pool", "managed", "pinned", "halo", "halosmall"]
COUNTS = re.compile(r"wrong (\d+), copies (\d+), fast (\d+), registered (\d+) on rank (\d+)")


class Bench:
    """Hosts that save every file, and the program before them."""

    def __init__(self, folder):
        self.folder = folder
        self.saved = folder / "saved"
        self.saved.mkdir()
        self.contact = folder / "run.dsm"
        self.name = folder / "device.h5"

    def serve(self, *options, hosts=2, **environment):
        return Job([*MPIEXEC, "-n", hosts, BIN / "dsm-serve", "--contact", self.contact, "--save", self.saved,
                    "--memory-per-host", "32 MiB", "--block-size", "256 KiB", "--until-disconnect", "--limit", LIMIT,
                    *options], environ(**environment))

    def couple(self, ranks, *words, check=True, options=("--wait", 20), **environment):
        return run(BIN / "dsm-run", "--contact", self.contact, *options, *MPIEXEC, "-n", ranks, PROGRAM, *words,
                   check=check, **environment)

    def equals_disk(self, ranks, way, cases, file=None):
        """The file is the one that the same program writes from memory of the host on disk, without us."""
        disk = self.folder / "disk.h5"
        run(*MPIEXEC, "-n", ranks, PROGRAM, "none", disk, "serial" if way == "late" else way, *cases)
        run("h5diff", file or self.saved / "device.h5", disk)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def require_all_read(done, cases, ranks):
    """Each rank has written and read each dataset, and found its values."""
    for case in cases:
        for rank in range(ranks):
            for line in (f"{case} on rank {rank}: wrote 0", f"{case} on rank {rank}: read 0 0",
                         f"{case} on rank {rank}: read again 0 0"):
                assert line in done.stdout, done.stdout + done.stderr
    assert len(COUNTS.findall(done.stdout)) == ranks and "wrong:" not in done.stdout, done.stdout + done.stderr


def counted(done):
    """Copies from and to the device by all ranks, those of them that met registered memory."""
    found = COUNTS.findall(done.stdout)
    return sum(int(one[1]) for one in found), sum(int(one[2]) for one in found)


@pytest.mark.parametrize(("vendor", "ranks", "way"), [
    ("cuda", 1, "serial"), ("hip", 1, "serial"), ("cuda", 1, "late"), ("hip", 1, "late"), ("cuda", 1, "independent"),
    ("cuda", 2, "independent"), ("cuda", 2, "collective"), ("hip", 2, "collective")])
def test_memory_of_the_hosts(bench, vendor, ranks, way):
    """Contiguous datasets go from the device into the hosts' memory and back, and so do chunks of several ranks."""
    cases = [*PLAIN, *(["chunked", "lonely"] if way not in ("serial", "late") else [])]
    serve = bench.serve()
    done = bench.couple(ranks, LIBRARIES[vendor], bench.name, way, *cases, DSM_GPU="off")
    require_all_read(done, cases, ranks)
    assert counted(done)[0] > 0
    if vendor == "hip":
        assert done.stdout.count("last error 0 on") == ranks, done.stdout
    serve.wait()
    assert not on_disk(bench.name)
    bench.equals_disk(ranks, way, cases)


@pytest.mark.parametrize("watched", [True, False])
def test_library_loaded_before_a_read(bench, watched):
    """A program may load the library when a file is open, and first read into the device: who looks at the calls sees
    that, and else the driver where a GPU is expected."""
    serve = bench.serve()
    done = run(BIN / "dsm-run", "--contact", bench.contact, "--wait", 20, "env", "DSM_GPU=on", *MPIEXEC, "-n", 1,
               PROGRAM, LIBRARIES["cuda"], bench.name, "late", "hostcontiguous", DSM_GPU="on" if watched else "off")
    require_all_read(done, ["hostcontiguous"], 1)
    serve.wait()


@pytest.mark.parametrize("vendor", LIBRARIES)
def test_older_library(bench, vendor):
    """CUDA before 11 knows no ranges of pointers, and HIP before 6 has another number for a device."""
    serve = bench.serve()
    done = bench.couple(2, LIBRARIES[vendor], bench.name, "collective", "contiguous", STAND_IN_OLD="1")
    require_all_read(done, ["contiguous"], 2)
    serve.wait()


def test_pinned_memory_is_registered(bench):
    """Only of memory that is pinned may a device know the pages."""
    serve = bench.serve("--lending", "pinned", "--maximum-snapshots", 2)
    done = bench.couple(2, LIBRARIES["cuda"], bench.name, "independent", "contiguous")
    require_all_read(done, ["contiguous"], 2)
    assert counted(done)[1] > 0
    serve.wait()
    bench.equals_disk(2, "independent", ["contiguous"])


def test_other_memory_is_not_registered(bench):
    serve = bench.serve()
    done = bench.couple(2, LIBRARIES["cuda"], bench.name, "independent", "contiguous")
    require_all_read(done, ["contiguous"], 2)
    assert counted(done)[1] == 0
    serve.wait()


@pytest.mark.parametrize("mode", ["independent", "datatype", "collective"])
@pytest.mark.skipif(not FABRIC, reason="libfabric was not found when this was built")
def test_over_a_network(bench, mode):
    """Data for memory that is not mapped goes by way of the host, in each mode of transfer."""
    network = {"DSM_TRANSPORT": "fabric/tcp", "DSM_NODE_MEMORY": "off"}
    cases = [*PLAIN, "chunked", "lonely"]
    serve = bench.serve(**network)
    done = bench.couple(2, LIBRARIES["cuda"], bench.name, "collective", *cases, DSM_TRANSFER=mode, **network)
    require_all_read(done, cases, 2)
    serve.wait()
    bench.equals_disk(2, "collective", cases)


@pytest.mark.parametrize("policy", ["same", "asked"])
def test_one_process_for_all(bench, policy):
    """Rank 0 may read and write for all where they ask for the same."""
    serve = bench.serve()
    done = bench.couple(2, LIBRARIES["cuda"], bench.name, "collective", "alike", "alikesmall",
                        DSM_SINGLE_PROCESS=policy)
    require_all_read(done, ["alike", "alikesmall"], 2)
    serve.wait()
    bench.equals_disk(2, "collective", ["alike", "alikesmall"])


@pytest.mark.parametrize(("vendor", "ranks", "way"), [
    ("cuda", 1, "serial"), ("hip", 1, "serial"), ("cuda", 1, "independent"), ("cuda", 2, "independent"),
    ("cuda", 2, "collective"), ("hip", 2, "collective")])
def test_without_a_server(bench, vendor, ranks, way):
    """The same on disk."""
    cases = [*PLAIN, *(["chunked", "lonely"] if way != "serial" else [])]
    done = bench.couple(ranks, LIBRARIES[vendor], bench.name, way, *cases, options=(), DSM_TIMEOUT=2, DSM_GPU="on")
    require_all_read(done, cases, ranks)
    assert on_disk(bench.name)
    bench.equals_disk(ranks, way, cases, bench.name)


def test_discarded(bench):
    """Files that go nowhere take it as well."""
    done = bench.couple(1, LIBRARIES["cuda"], bench.name, "serial", "contiguous", "halosmall", check=False,
                        options=("--without-server", "discard"), DSM_TIMEOUT=2)
    for case in ("contiguous", "halosmall"):
        for line in (f"{case} on rank 0: wrote 0", f"{case} on rank 0: read 0 0"):
            assert line in done.stdout, done.stdout + done.stderr
    assert "wrong 0" in done.stdout, done.stdout


REASONS = {
    "convert": "HDF5 would have to convert the values, whose types in memory and in the file differ",
    "compactsmall": "HDF5 would have to copy the values, since the dataset is neither contiguous nor chunked",
    "chunkedsmall": "HDF5 would have to copy the values from or to its cache of chunks",
    "filteredchunked": "HDF5 would have to pass the values through filters",
    "attribute": "HDF5 keeps attributes in memory of its own",
}


@pytest.mark.parametrize(("vendor", "case"), [*(("cuda", case) for case in REASONS), ("hip", "convert")])
def test_error_where_hdf5_would_look(bench, vendor, case):
    """A call of HDF5 that would read the buffer itself fails, and says why. Later calls work as ever."""
    serve = bench.serve()
    done = bench.couple(1, LIBRARIES[vendor], bench.name, "serial", case, "contiguous", DSM_GPU="on")
    assert f"{case} on rank 0: wrote -1" in done.stdout, done.stdout + done.stderr
    what = "an attribute of" if case == "attribute" else "dataset"
    assert re.search(rf"cannot write {what} /\w*: the buffer 0x[0-9a-f]+ is memory of {vendor.upper()} device 3, and "
                     rf"{REASONS[case]}\. Copy the data to the host first", done.stderr), done.stderr
    assert "contiguous on rank 0: wrote 0" in done.stdout, done.stdout
    assert "closed 0 on rank 0" in done.stdout, done.stdout
    serve.wait()


@pytest.mark.parametrize("case", [case for case in REASONS if case != "attribute"])
def test_error_of_a_read(bench, case):
    """The same of reading into a device, of a file that a program has written from memory of the host."""
    serve = bench.serve()
    done = bench.couple(1, LIBRARIES["cuda"], bench.name, "late", f"host{case}", DSM_GPU="on")
    assert f"host{case} on rank 0: wrote 0" in done.stdout, done.stdout + done.stderr
    assert f"host{case} on rank 0: read 0 -1" in done.stdout, done.stdout + done.stderr
    assert f"host{case} on rank 0: read again 0 -1" in done.stdout, done.stdout + done.stderr
    assert re.search(rf"cannot read dataset /\w*: the buffer 0x[0-9a-f]+ is memory of CUDA device 3, and "
                     rf"{REASONS[case]}\. Read into memory of the host", done.stderr), done.stderr
    serve.wait()


def test_calls_are_as_ever_without_a_gpu(bench):
    """The library that looks at calls changes nothing for memory of the host."""
    cases = ["contiguous", "convert", "compactsmall", "chunkedsmall", "filteredchunked", "attribute"]
    serve = bench.serve()
    done = bench.couple(1, "none", bench.name, "serial", *cases, DSM_GPU="on")
    require_all_read(done, [case for case in cases if case != "attribute"], 1)
    assert "attribute on rank 0: wrote 0" in done.stdout
    serve.wait()
    bench.equals_disk(1, "serial", cases)
