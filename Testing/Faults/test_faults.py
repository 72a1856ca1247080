# SPDX-License-Identifier: BSD-3-Clause
"""Each thing that can go wrong gives one clear message within its limit, a status where a user needs
one, and leaves the snapshots that were sealed before."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import pytest

from conftest import BIN
from peers import signal_all
from processes import LIMIT, on_disk

OPENMPI = os.environ["DSM_TEST_FLAVOUR"] == "openmpi"
PEER_TIMEOUT = 5  # seconds; enough for a loaded machine, short enough to wait for


def test_too_large(bench):
    host = bench.serve("--until-disconnect")
    simulation = bench.simulate("large")
    assert simulation.status() != 0
    assert "192 MiB" in simulation.text
    assert "start the server with more memory per host" in simulation.text
    assert host.status() == 0
    assert bench.first_file_is_good() == 3000
    assert not (bench.saved / "sim.2.h5").exists()


@contextlib.contextmanager
def mounted(folder, size):
    """A small file system; the test is skipped where one may not make it."""
    folder.mkdir(exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=False,
                      capture_output=True, timeout=LIMIT).returncode != 0:
        pytest.skip("file systems cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=LIMIT)


def test_disk_full(bench):
    """What cannot be saved stays in memory, and the next simulation is served."""
    with mounted(bench.saved, "4k"):
        host = bench.serve("--maximum-snapshots", 8)
        for count in (1, 2):
            simulation = bench.simulate("wait")
            simulation.wait_for_line("waiting")
            simulation.say("go on")
            assert simulation.status() == 0, simulation.text
            # Its own words on standard error may have come into the middle of this line.
            host.wait_to_say(f"snapshot {2 * count} {bench.folder / 'sim.2.h5'}")
        host.process.send_signal(signal.SIGTERM)
        assert host.status() == 1
    assert "sim.1.h5) is not saved" in host.text and "No space left" in host.text
    # Found before a byte is written.
    assert re.search(r"sim\.1\.h5: it needs .*, and .* are free there", host.text), host.text


def test_save_folder(bench):
    """It is made, with those above it; what is in the way is named."""
    bench.saved = bench.folder / "a/b"
    host = bench.serve("--until-disconnect")
    assert bench.simulate("finalize").status() == 0
    assert host.status() == 0
    assert bench.first_file_is_good() == 3000
    bench.saved = bench.folder / "file"
    bench.saved.touch()
    refused = bench.serve(wait=False)
    assert refused.status() == 1
    assert f"--save: the folder {bench.saved} cannot be made" in refused.text


def test_saved_files_keep_their_folders(bench):
    """Two programs write files of one name, each in the folder that it works in, and a third one writes elsewhere."""
    host = bench.serve()
    saved = []
    with tempfile.TemporaryDirectory() as elsewhere:
        for folder in (bench.folder / "a", bench.folder / "b", pathlib.Path(elsewhere)):
            folder.mkdir(exist_ok=True)
            job = bench.start("env", f"--chdir={folder}", BIN / "dsm-run", "--contact", bench.contact, "h5mkgrp",
                              "out.h5", "group")
            assert job.status() == 0, job.text
            inside = folder.is_relative_to(bench.folder)
            saved.append(bench.saved / folder.relative_to(bench.folder if inside else "/") / "out.h5")
        host.process.send_signal(signal.SIGTERM)
        assert host.status() == 0, host.text
    assert sorted(bench.saved.rglob("*.h5")) == sorted(saved)


def test_no_shared_memory(bench):
    """Where /dev/shm is tiny and nobody says how much to lend."""
    served = [str(BIN / "dsm-serve"), "--contact", str(bench.contact), "--limit", str(LIMIT)]
    # In a chroot, unshare itself cannot make the root's mounts private.
    small = ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c",
             'mount --make-private /dev/shm && mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"', "small"]
    if subprocess.run([*small, "true"], check=False, capture_output=True, timeout=LIMIT).returncode != 0:
        pytest.skip("file systems cannot be mounted here")
    host = bench.start(*small, *served)
    assert host.status() == 1
    assert "cannot share memory: only" in host.text and "/dev/shm: 64 KiB" in host.text


def test_no_server(bench):
    """As an error, where that is chosen."""
    simulation = bench.simulate("finalize", "--without-server", "fail")
    assert simulation.status(20) == 1
    assert f"there is no contact file {bench.contact}" in simulation.text
    # The same from the driver itself, where dsm-run was not asked.
    direct = bench.start(*simulation.command[simulation.command.index("fail") + 1:],
                         **_coupled(bench), DSM_WITHOUT_SERVER="fail")
    assert direct.status(30) != 0
    assert str(bench.contact) in direct.text


def test_without_server_disk(bench):
    simulation = bench.simulate("wait", "--without-server", "disk")
    simulation.wait_for_line("waiting")
    simulation.say("go on")
    assert simulation.status() == 0
    assert "disk" in simulation.text
    bench.saved = bench.folder
    assert bench.first_file_is_good() == 3000


def test_stale_contact(bench):
    host = bench.serve(hosts=1)
    contact = bench.contact.read_text()
    # Open MPI's launcher would kill it if it takes longer than a second.
    signal_all("dsm-serve", bench.contact, signal.SIGTERM)
    assert host.status() == 0, host.text
    assert not bench.contact.exists(), "a server that ends removes its contact file"
    bench.contact.touch(mode=0o600)
    bench.contact.write_text(contact)
    for policy in ("fail", "disk"):
        begin = time.monotonic()
        simulation = bench.simulate("finalize", "--without-server", policy)
        status = simulation.status(30)
        assert (status == 0) == (policy == "disk"), simulation.text
        assert time.monotonic() - begin < 20
        assert str(bench.contact) in simulation.text
        assert "start it again" in simulation.text
    bench.saved = bench.folder
    assert bench.first_file_is_good() == 3000


def test_bad_contact(bench):
    bench.contact.touch(mode=0o600)
    bench.contact.write_text("not a contact file at all\n")
    simulation = bench.simulate("finalize")
    assert simulation.status(30) != 0
    assert str(bench.contact) in simulation.text
    assert "contact file" in simulation.text


def test_wrong_key(bench):
    old = bench.serve(hosts=1)
    of_another_run = json.loads(bench.contact.read_text())
    old.process.send_signal(signal.SIGTERM)
    old.status()
    host = bench.serve("--until-disconnect")
    forged = json.loads(bench.contact.read_text())
    for key, value in of_another_run.items():
        if "key" in key.lower():
            assert forged[key] != value
            forged[key] = value
    other = bench.folder / "other.dsm"
    other.touch(mode=0o600)
    other.write_text(json.dumps(forged))
    intruder = bench.simulate("finalize", contact=other)
    assert intruder.status(30) != 0
    assert "key" in intruder.text
    # It is dsm-run that says so. In the middle of a run nobody can mend it.
    direct = bench.start(*intruder.command[intruder.command.index("5") + 1:],
                         **{**_coupled(bench), "DSM_CONTACT": other})
    assert direct.status(30) == 0, direct.text
    assert "key" in direct.text and "go to disk" in direct.text
    assert on_disk(bench.folder / "sim.1.h5")
    # The server took no harm.
    welcome = bench.simulate("wait")
    welcome.wait_for_line("waiting")
    welcome.say("go on")
    assert welcome.status() == 0
    assert host.status() == 0
    assert bench.first_file_is_good() == 3000


def test_started_twice(bench):
    first = bench.serve("--until-disconnect")
    second = bench.serve(hosts=1, wait=False)
    assert second.status(30) != 0
    assert str(bench.contact) in second.text
    assert "Reconnect to it" in second.text
    # The first goes on as if nothing had been.
    simulation = bench.simulate("wait")
    simulation.wait_for_line("waiting")
    simulation.say("go on")
    assert simulation.status() == 0
    assert first.status() == 0
    assert bench.first_file_is_good() == 3000


def test_never_closed(bench):
    """MPI_Finalize without H5Fclose: HDF5 closes the file there, as it does with one on disk, or the
    image is given up; never half a file."""
    host = bench.serve("--until-disconnect")
    simulation = bench.simulate("finalize")
    simulation.status()
    assert host.status() == 0
    assert bench.first_file_is_good() == 3000
    if (bench.saved / "sim.2.h5").exists():
        (bench.saved / "sim.1.h5").unlink()
        (bench.saved / "sim.2.h5").rename(bench.saved / "sim.1.h5")
        assert bench.first_file_is_good() == 3000
    else:
        assert "sim.2.h5" in host.text
        assert "discarded" in host.text


def test_exits_without_finalize(bench):
    _ends_at_once(bench, "exit", 5)


def test_killed(bench):
    _ends_at_once(bench, "kill", 128 + signal.SIGKILL)


def test_stopped_server(bench):
    """The server ends while a file is being written: closing it fails with a message, at once, where that is
    chosen."""
    host = bench.serve()
    simulation = bench.simulate("wait", "--without-server", "fail")
    simulation.wait_for_line("waiting")
    host.wait_for_line("snapshot 1")
    host.process.send_signal(signal.SIGTERM)
    host.status()
    begin = time.monotonic()
    simulation.say("go on")
    assert simulation.status() != 0
    assert time.monotonic() - begin < 20
    assert str(bench.contact) in simulation.text or "server" in simulation.text
    assert bench.first_file_is_good() == 3000


def _ends_at_once(bench, how, status):
    """A simulation whose processes end with this status in the middle of a file: its hosts, which see that on the same
    machine and wait for no time limit, give up that file and keep the one before."""
    host = bench.serve("--until-disconnect", DSM_PEER_TIMEOUT=600)
    simulation = bench.simulate(how, recorded_status=True, DSM_PEER_TIMEOUT=PEER_TIMEOUT)
    launcher = simulation.status()
    assert launcher != 0 or not OPENMPI, simulation.text  # MPICH's now and then ends with 0 all the same
    assert status in (ended := bench.recorded_status()) and 0 not in ended, f"{ended}\n{simulation.text}"
    assert host.status(30) == 0
    assert "sim.2.h5" in host.text
    assert "discarded" in host.text
    assert not (bench.saved / "sim.2.h5").exists()
    assert bench.first_file_is_good() == 3000


def _coupled(bench):
    """The environment of dsm-run, by hand."""
    from conftest import BIN

    return {"DSM_CONTACT": bench.contact, "DSM_TIMEOUT": 5,
            "LD_PRELOAD": BIN.parent / "lib" / "dsm" / "libdsm-loader.so"}
