# SPDX-License-Identifier: BSD-3-Clause
"""Memory that is lent to networks which pin it (pinning_network.c): with sparse memory files are torn, with pinned
memory they are what MPI-IO writes; what asks for it gets it; what cannot be is refused, with the reason."""

import filecmp
import os
import pathlib
import shutil

import pytest

from processes import Job, environ

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
OPENMPI = os.environ["DSM_TEST_FLAVOUR"] == "openmpi"
PROGRAM = BIN / "dsmCoupledProgram"
NETWORK = os.environ["DSM_TEST_PINNING_NETWORK"]
HAS_FABRIC = os.environ["DSM_TEST_HAS_LIBFABRIC"] == "1"
# Numbers of 4 bytes that each of two ranks writes, file by file. Sizes differ, so that memory goes from slot to slot.
SIZES = (300_000, 900_000, 200_000, 900_000, 500_000, 800_000, 100_000, 900_000) * 2
OPTIONS = ("--memory-per-host", "12 MiB", "--block-size", "64 KiB", "--maximum-snapshots", 1, "--when-full", "block")
THREADS = {"OMPI_MPI_THREAD_LEVEL": 3, "MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE"}

needs_fabric = pytest.mark.skipif(not HAS_FABRIC, reason="built without libfabric")


def client(folder, *words):
    """Behind the network, whatever it shares with the hosts, which look at their memory themselves."""
    return ["env", "DSM_NODE_MEMORY=off", BIN / "dsm-run", "--contact", folder / "run.dsm", "--wait", 30, *words]


def serve(folder, network, lending, transport, *more):
    return ["env", f"LD_PRELOAD={NETWORK}", f"DSM_TEST_NETWORK={network}", f"DSM_LENDING={lending}",
            BIN / "dsm-serve", "--contact", folder / "run.dsm", "--save", folder / "saved", *OPTIONS, "--transport",
            transport, "--limit", 100, *more]


def hosts(folder, network, lending, transport):
    return Job([*MPIEXEC, "-n", 2, *serve(folder, network, lending, transport)], environ(DSM_LOG="info"))


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    """What MPI-IO writes; once."""
    folder = tmp_path_factory.mktemp("disk")
    Job([*MPIEXEC, "-n", 2, PROGRAM, "sizes", folder / "sim", *SIZES], environ()).wait()
    return folder


def torn(folder, disk):
    """The files that are not as on disk."""
    def same(name):
        saved = folder / "saved" / name
        return saved.exists() and filecmp.cmp(saved, disk / name, shallow=False)

    return [name for number in range(len(SIZES)) if not same(name := f"sim.{number}.h5")]


def write_all(folder, server):
    try:
        Job(client(folder, *MPIEXEC, "-n", 2, PROGRAM, "sizes", folder / "sim", *SIZES), environ()).wait()
        server.wait_to_say(f"sim.{len(SIZES) - 1}.h5")
    finally:
        server.stop()


@needs_fabric
def test_fabric_sparse(tmp_path, disk):
    """A network that pins and does not say so: what sparse memory comes to. If this finds all files whole, the tests
    below show nothing."""
    write_all(tmp_path, hosts(tmp_path, "silent", "sparse", "fabric/tcp"))
    assert torn(tmp_path, disk)


@needs_fabric
@pytest.mark.parametrize(("network", "lending"), [("silent", "pinned"), ("asks", "automatic")])
def test_fabric_pinned(tmp_path, disk, network, lending):
    server = hosts(tmp_path, network, lending, "fabric/tcp")
    server.wait_to_say("transport memory is pinned, 3 slots of 4 MiB on each host")
    assert ("tcp pins all memory that it is given" if network == "asks" else "as it was asked for") in server.text
    write_all(tmp_path, server)
    assert torn(tmp_path, disk) == []


def over_mpi(folder, lending):
    """Both sides in one job; what it said."""
    writer = client(folder, PROGRAM, "sizes", folder / "sim", *SIZES)
    server = serve(folder, "silent", lending, "mpi-rma", "--until-disconnect")
    words = ([*MPIEXEC, "-n", 4, BIN / "dsm-mpmd", 2, *server, "::", 2, *writer] if OPENMPI
             else [*MPIEXEC, "-n", 2, *server, ":", "-n", 2, *writer])
    return Job(words, environ(**THREADS)).wait()


def test_windows_sparse(tmp_path, disk):
    said = over_mpi(tmp_path, "sparse")
    assert torn(tmp_path, disk), said


def test_windows_pinned(tmp_path, disk):
    said = over_mpi(tmp_path, "pinned")
    assert torn(tmp_path, disk) == [], said


@needs_fabric
def test_sparse_is_refused(tmp_path):
    server = hosts(tmp_path, "asks", "sparse", "fabric/tcp")
    assert server.status() != 0
    said = " ".join(server.text.split())
    assert "the fabric provider tcp pins all memory that it is given, and this server's comes and goes" in said
    assert "DSM_LENDING=pinned" in said


def without_rights():
    """No more than 8 MiB may be pinned, whoever asks."""
    if not shutil.which("setpriv"):
        pytest.skip("there is no setpriv to take CAP_IPC_LOCK away")
    return ["prlimit", f"--memlock={8 << 20}", "setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"]


@needs_fabric
def test_more_than_may_be_pinned_is_refused(tmp_path):
    server = Job([*without_rights(), *serve(tmp_path, "asks", "automatic", "fabric/tcp")], environ())
    assert server.status() != 0
    said = " ".join(server.text.split())
    assert "the fabric provider tcp pins all memory that it is given, and the hosts' memory cannot be pinned" in said
    assert "this process may pin 8 MiB (ulimit -l)" in said


@needs_fabric
def test_automatic_passes_over_what_may_not_pin(tmp_path):
    """What was taken and what was not, and why, once."""
    server = Job([*without_rights(), *serve(tmp_path, "asks", "automatic", "automatic")], environ())
    try:
        server.wait_to_say("ready")
        said = server.text
        assert said.count("transport fabric/tcp was passed over: it pins all memory that it is given, and the hosts' "
                          "is sparse (this process may pin 8 MiB") == 1, said
        assert said.count("transport memory is sparse (this process may pin 8 MiB") == 1, said
    finally:
        server.stop()


@needs_fabric
def test_automatic_pins_where_it_may(tmp_path):
    server = Job(serve(tmp_path, "asks", "automatic", "automatic"), environ())
    try:
        server.wait_to_say("ready")
        assert "transport memory is pinned" in server.text
        assert "the fastest here, pins all memory that it is given" in server.text
        assert "transport fabric/tcp, served by" in server.text
    finally:
        server.stop()


def test_too_large_a_file_is_told(tmp_path):
    """A file has one slot on each host, whatever is free besides."""
    server = hosts(tmp_path, "silent", "pinned", "automatic")
    try:
        words = client(tmp_path, *MPIEXEC, "-n", 1, PROGRAM, "parallel", tmp_path / "sim.h5", 3 << 20)
        said = Job(words, environ()).wait(expect=None)
    finally:
        server.stop()
    said = " ".join(said.split())
    assert "has room for 8 MiB of one file: the hosts' memory is pinned, in slots of 4 MiB" in said, said
    assert "--expected-file-size" in said
