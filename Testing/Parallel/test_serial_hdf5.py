# SPDX-License-Identifier: BSD-3-Clause
"""Programs with a serial HDF5 behind dsm-run: Debian's (h5py, netCDF, HDF5's tools, a Jupyter kernel) and those that
come with a Python package. They write, and read what is in memory, while others write."""

import contextlib
import os
import queue
import shutil
import sys

import pytest
from jupyter_client.manager import KernelManager

from processes import Job, on_disk
from test_dsm_run import BIN, H5PY, LIMIT, LOADER, MPIEXEC, PROGRAM, UNSEEN, coupled, found, run

NAMES = "import h5py; print(h5py.File('{}').keys())"
# More pages than the buffer has room for: some are written, and read again when more of them changes.
PAGES = """
import h5py, sys
with h5py.File(sys.argv[1], "w", fs_strategy="page", fs_page_size=4096, page_buf_size=8192) as file:
    for k in range(100):
        file.create_group(f"group{k}")
    for k in range(100):
        file[f"group{k}"]["x"] = k
with h5py.File(sys.argv[1]) as file:
    print(sum(file[f"group{k}/x"][()] for k in range(100)))
"""
FAMILY = """
import glob, h5py, sys
for mode in ("w", "r+", "r", "w"):
    with h5py.File(sys.argv[1] + ".%d", mode, driver="family", memb_size=1000) as file:
        if mode == "r+":
            file["x"] = range(300)
        print(mode, list(file), len(glob.glob(sys.argv[1] + ".*")))
"""
# Closed while something in it is open, as HDF5's own default driver does it.
LEFT_OPEN = """
import h5py, sys
name = sys.argv[1].encode()
def opened(flags):
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fclose_degree(h5py.h5f.CLOSE_WEAK)
    return h5py.h5f.open(name, flags, fapl=access)
with h5py.File(sys.argv[1], "w") as file:
    file["x"] = 1
file = opened(h5py.h5f.ACC_RDONLY)
x = h5py.h5d.open(file, b"x")
file.close()
try:
    opened(h5py.h5f.ACC_RDWR)
except OSError as error:
    print(error)
del x
opened(h5py.h5f.ACC_RDWR).close()
"""
NETCDF = """
import netCDF4, sys
with netCDF4.Dataset(sys.argv[1], "w") as file:
    file.createDimension("x", 5)
    file.createVariable("T", "f8", ("x",))[:] = range(5)
with netCDF4.Dataset(sys.argv[1]) as file:
    print(file["T"][:].sum())
"""


class Hosts(Job):
    """One that saves every snapshot, until it is asked to end."""

    def __init__(self, folder):
        self.contact = folder / "run.dsm"
        self.folder = folder / "saved"
        super().__init__([BIN / "dsm-serve", "--contact", self.contact, "--save", self.folder, "--memory-per-host",
                          "8 MiB", "--limit", LIMIT])

    def end(self):
        self.process.terminate()
        self.wait()


@pytest.fixture
def hosts(tmp_path):
    job = Hosts(tmp_path)
    yield job
    job.stop()


def wheel(*version):
    return str(found("h5py-wheel.sh", *version))


def same(tools, hosts, live, disk):
    """What each tool says of a file in memory and of the same one on disk, but for their names."""
    for tool in tools:
        told = [done.stdout.replace(str(name), "FILE") for name, done in (
            (live, coupled(hosts, *tool, live)), (disk, run(*tool, disk)))]
        assert told[0] == told[1] and told[0], tool


def test_tools(hosts, tmp_path):
    """HDF5's own, on what a parallel program has written, by its name and by the snapshot's."""
    live, disk = tmp_path / "sim.h5", tmp_path / "disk.h5"
    coupled(hosts, *MPIEXEC, "-n", 2, PROGRAM, "parallel", live)
    run(*MPIEXEC, "-n", 2, PROGRAM, "parallel", disk)
    assert not on_disk(live)
    tools = [["h5dump"], ["h5dump", "-H", "-p"], ["h5ls", "-r"], ["h5ls", "-d"], ["h5stat"]]
    same(tools, hosts, live, disk)
    same(tools, hosts, f"{hosts.contact}#latest", disk)
    for other in (live, f"{hosts.contact}#1"):
        coupled(hosts, "h5diff", other, disk)  # both in one process
    coupled(hosts, "h5repack", live, tmp_path / "packed.h5", options=["--match", "sim.*"])
    run("h5diff", tmp_path / "packed.h5", disk)
    hosts.end()
    assert (hosts.folder / "sim.h5").read_bytes() == disk.read_bytes()


@pytest.mark.parametrize("name", ["sim.nc", "run.dsm#latest"])
def test_netcdf(hosts, tmp_path, name):
    """netCDF looks into a file before HDF5 does, and finds its placeholder."""
    live, disk = tmp_path / "sim.nc", tmp_path / "disk.nc"
    done = coupled(hosts, sys.executable, "-c", NETCDF, live)
    assert done.stdout == "10.0\n", done
    run(sys.executable, "-c", NETCDF, disk)
    if name == "sim.nc":
        told = coupled(hosts, "ncdump", live).stdout
        assert told == run("ncdump", disk).stdout.replace("disk", "sim")
    else:
        same([["h5dump", "-H"]], hosts, f"{hosts.contact}#latest", disk)
    hosts.end()


def test_page_buffer(hosts, tmp_path):
    """HDF5 fills its page buffer with what stands in the file, as far as that reaches by then: not at the open."""
    for name, start in (("live.h5", coupled), ("disk.h5", None)):
        words = [sys.executable, "-c", PAGES, tmp_path / name]
        done = start(hosts, *words) if start else run(*words)
        assert done.stdout == "4950\n", done
    hosts.end()
    assert (hosts.folder / "live.h5").read_bytes() == (tmp_path / "disk.h5").read_bytes()


@pytest.mark.parametrize("script", [FAMILY, LEFT_OPEN], ids=["family", "left open"])
def test_as_on_disk(hosts, tmp_path, script):
    """A family asks for its further files until there is none, also where it is made anew; and what is open for
    reading is not opened for changes."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "live").mkdir()
    done = coupled(hosts, sys.executable, "-c", script, tmp_path / "live" / "a")
    assert done.stdout and done.stdout == run(sys.executable, "-c", script, tmp_path / "disk" / "a").stdout
    assert not done.stderr and not any(map(on_disk, (tmp_path / "live").iterdir()))
    hosts.end()


@pytest.mark.parametrize("version", ["2", "1.14"])
def test_hdf5_of_a_wheel(hosts, tmp_path, version):
    """PyPI's h5py, which brings its HDF5: its files come to memory, and it reads what others have written."""
    found = wheel(*([version] if version != "2" else []))
    script = H5PY + "; print(h5py.version.hdf5_version)"
    done = coupled(hosts, sys.executable, "-c", script, tmp_path / "py.h5", PYTHONPATH=found)
    assert done.stdout.startswith("[1 2] ") and done.stdout.splitlines()[-1].startswith(version), done
    assert not done.stderr and not on_disk(tmp_path / "py.h5")
    ranks = coupled(hosts, *MPIEXEC, "-n", 3, "sh", "-c", 'exec "$0" -c "$1" "$2.$PMIX_RANK$PMI_RANK.h5"',
                    sys.executable, H5PY, tmp_path / "py", PYTHONPATH=found)
    assert not ranks.stderr and not any(map(on_disk, tmp_path.glob("py.*")))
    coupled(hosts, *MPIEXEC, "-n", 2, PROGRAM, "parallel", tmp_path / "sim.h5")
    read = coupled(hosts, sys.executable, "-c", NAMES.format(f"{hosts.contact}#latest"), PYTHONPATH=found)
    assert read.stdout.startswith("<KeysViewHDF5 ["), read
    hosts.end()
    each = {f"py.{rank}.h5" for rank in range(3)}
    assert {file.name for file in hosts.folder.iterdir()} == {"py.h5", "sim.h5", *each}


def test_two_in_one_process(hosts, tmp_path):
    """Debian's netCDF with the system's HDF5, and an h5py with its own: each has its files, and both are coupled."""
    script = NETCDF + "\nimport h5py\n" + "\n".join(H5PY.replace("import h5py, sys; ", "").replace(
        "sys.argv[1]", "sys.argv[2]").split("; "))
    done = coupled(hosts, sys.executable, "-c", script, tmp_path / "sim.nc", tmp_path / "py.h5",
                   PYTHONPATH=wheel("1.14"))
    assert done.stdout.startswith("10.0\n[1 2] ") and not done.stderr, done
    hosts.end()
    assert {file.name for file in hosts.folder.iterdir()} == {"sim.nc", "py.h5"}


def test_no_core(hosts, tmp_path):
    """Where nothing of ours is made for an HDF5, its program runs as without us, and one rank says so."""
    alone = tmp_path / "lib/dsm"
    alone.mkdir(parents=True)
    loader = shutil.copy(LOADER, alone)
    done = run(sys.executable, "-c", H5PY, tmp_path / "py.h5", LD_PRELOAD=loader, DSM_FILES="all",
               DSM_CONTACT=hosts.contact)
    assert done.stdout == "[1 2] sec2\n" and on_disk(tmp_path / "py.h5")
    assert done.stderr.count(UNSEEN) == 1 and "libhdf5_serial.so" in done.stderr, done.stderr
    quiet = run("h5dump", tmp_path / "py.h5", LD_PRELOAD=loader, DSM_FILES="all", DSM_LOG="error")
    assert (quiet.stdout, quiet.stderr) == (run("h5dump", tmp_path / "py.h5").stdout, "")


@contextlib.contextmanager
def notebook(environment):
    """Runs a cell's text in a Jupyter kernel of this Python; returns what it printed."""
    manager = KernelManager()
    manager.start_kernel(env={**os.environ, **{name: str(value) for name, value in environment.items()}})
    client = manager.blocking_client()
    client.start_channels()

    def cell(text):
        said = []
        reply = client.execute_interactive(
            text, timeout=LIMIT, output_hook=lambda message: said.append(message["content"].get("text", "")))
        assert reply["content"]["status"] == "ok", reply["content"]
        return "".join(said)

    try:
        client.wait_for_ready(timeout=LIMIT)
        yield cell
    finally:
        client.stop_channels()
        with contextlib.suppress(queue.Empty):
            manager.shutdown_kernel(now=True)


def test_jupyter(hosts, tmp_path):
    """A kernel that was started behind dsm-run's environment reads a live file while 4 ranks write the next."""
    simulation = Job([BIN / "dsm-run", "--contact", hosts.contact, "--wait", 20, *MPIEXEC, "-n", 4,
                      BIN / "dsmObedient", "parallel", tmp_path / "sim"], talk=True)

    def told(command):
        simulation.say(command)
        assert ": ok" in simulation.wait_for_line("did ")

    environment = dict(line.split("=", 1) for line in coupled(hosts, "env").stdout.splitlines()
                       if line.startswith(("DSM_", "LD_PRELOAD=", "HDF5_")))
    try:
        told("file")
        with notebook(environment) as cell:
            told("begin")
            told("write 64")
            cell(f"import h5py\nfile = h5py.File('{tmp_path}/sim.1.h5')\nname = list(file)[0]")
            first = cell("print(h5py.get_config().mpi, file[name].shape, int(file[name][-1]))")
            told("write 64")
            assert cell("print(h5py.get_config().mpi, file[name].shape, int(file[name][-1]))") == first
            told("close")
            latest = cell(f"with h5py.File('{hosts.contact}#latest') as newest: print(len(newest), newest.filename)")
        assert first.startswith("False (") and latest.startswith("2 "), (first, latest)
        simulation.process.stdin.close()
        simulation.wait()
    finally:
        simulation.stop()
    assert not on_disk(tmp_path / "sim.1.h5")
    hosts.end()
