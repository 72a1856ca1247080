# SPDX-License-Identifier: BSD-3-Clause
"""Guests see what they are invited to see, do what they are invited to do, and nothing else; and no more when their
invitation is withdrawn. With the programs that a user runs."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest

from conftest import BIN
from processes import LIMIT
from test_memory_faults import Actor

OTHER_USER = 65534  # nobody
WITHDRAWN = "your invitation was withdrawn by the owner"


def run(program, bench, *options, contact=None, status=0):
    """What a program said, which must end so."""
    done = subprocess.run([str(BIN / program), "--contact", str(contact or bench.contact), *map(str, options)],
                          capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def invite(bench, name, how="--view"):
    path = bench.folder / f"{name}.dsm"
    run("dsm-invite", bench, how, path, "--name", name)
    assert path.stat().st_mode & 0o777 == 0o600
    return path


@contextlib.contextmanager
def written(bench, **environment):
    """A server with a snapshot; gives the snapshot's name."""
    bench.serve("--maximum-snapshots", 4, **environment)
    name = bench.folder / "out.1.h5"
    writer = Actor(bench)
    writer.write(name, 1)
    yield name
    assert writer.end() == 0


def test_guest_looks(bench):
    """Sees snapshots and what can be steered; changes nothing, whatever the program is."""
    with written(bench) as name:
        ada = invite(bench, "ada")
        reader = Actor(bench, contact=ada)
        reader.do("open", name)
        reader.do("check", name, 1)
        listed = run("dsm-invite", bench, "--list")
        assert "ada" in listed and "1 connected" in listed and "dsmActor" in listed, listed
        assert "programs" in json.loads(run("dsm-steer", bench, "--status", contact=ada))
        refused = run("dsm-steer", bench, "--set", "feed=1", contact=ada, status=1)
        assert ("the invitation of ada is to look only: it does not allow to steer. Ask the server's owner for one "
                "that does (dsm-invite --steer)") in refused
        not_theirs = "Only who has the server's own contact file may"
        for options in (["--write-to-disk"], ["--write-to-disk", "--path", bench.folder / "mine.h5"]):
            refused = run("dsm-steer", bench, *options, contact=ada, status=1)
            assert "it does not allow to host, save to disk, declare or invite" in refused and not_theirs in refused
        assert "it does not allow to host, save" in run("dsm-invite", bench, "--list", contact=ada, status=1)
        # The actor's runs have no policy but to fail.
        writer = Actor(bench, contact=ada)
        outcome = writer.act("write", bench.folder / "out.2.h5", 100, 2)
        assert "the invitation of ada is to look only: it does not allow to write, delete or be steered" in outcome
        assert not_theirs in outcome
        assert reader.end() == 0
    assert bench.snapshots() == ["out.1.h5"]
    assert not (bench.folder / "mine.h5").exists()


def test_guest_steers(bench):
    """As another user of the run, named in the log by the key; to disk and by declarations only the owner."""
    with written(bench):
        eve = invite(bench, "eve", "--steer")
        declared = bench.folder / "declared.json"
        declared.write_text('{"parameters": [{"name": "feed", "default": 0.03}], "commands": []}')
        refused = run("dsm-steer", bench, "--declare", declared, contact=eve, status=1)
        assert "it does not allow to host, save" in refused
        run("dsm-steer", bench, "--declare", declared)
        # It cannot pass for somebody else.
        claimed = subprocess.run([str(BIN / "dsm-steer"), "--contact", str(eve), "--set", "feed=0.5", "--wait", "0"],
                                 env={**os.environ, "USER": "root"}, capture_output=True, text=True, timeout=LIMIT,
                                 check=False)
        assert claimed.returncode == 0, claimed.stderr
        run("dsm-steer", bench, "--set", "feed=0.75", "--wait", "0")
        simulation = Actor(bench)
        simulation.do("open", "dsm#Interactions")
        log = pathlib.Path(f"{bench.contact}.steering.log")
        bench.jobs[0].wait_until(lambda: log.exists() and log.read_text().count('"feed"') == 2, "lines in its log")
        lines = [line.split("\t") for line in log.read_text().splitlines() if not line.startswith("#")]
        assert lines[0][2] == "eve (guest)", lines
        assert "@" in lines[1][2], lines
        assert simulation.end() == 0


def test_guest_withdrawn(bench):
    """What is open ends at once, in words, and what comes is refused so; the others go on."""
    with written(bench) as name:
        ada, eve = invite(bench, "ada"), invite(bench, "eve")
        withdrawn, stays = Actor(bench, contact=ada), Actor(bench, contact=eve)
        for reader in (withdrawn, stays):
            reader.do("open", name)
            reader.do("check", name, 1)
        assert "1 connection ended" in run("dsm-invite", bench, "--withdraw", "ada")
        begin = time.monotonic()
        while "failed" not in (outcome := withdrawn.act("check", name, 1)):
            assert time.monotonic() - begin < 20, outcome
        assert WITHDRAWN in outcome, outcome
        assert WITHDRAWN in withdrawn.act("open", name)
        assert WITHDRAWN in run("dsm-steer", bench, "--status", contact=ada, status=1)
        listed = run("dsm-invite", bench, "--list")
        assert "withdrawn" in listed, listed
        assert "there is no invitation of" in run("dsm-invite", bench, "--withdraw", "ada", status=1)
        stays.do("check", name, 1)
        # The same name has another key.
        (bench.folder / "ada.dsm").rename(bench.folder / "old.dsm")
        again = invite(bench, "ada")
        run("dsm-steer", bench, "--status", contact=again)
        assert WITHDRAWN in run("dsm-steer", bench, "--status", contact=bench.folder / "old.dsm", status=1)
        assert stays.end() == 0


def as_other_user(*command):
    return ["setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups", "env", "HOME=/tmp", *command]


@pytest.fixture
def theirs():
    """A folder of another user's."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can pass for another user")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="dsm-guest-"))
    os.chown(folder, OTHER_USER, OTHER_USER)
    yield folder
    shutil.rmtree(folder)


def test_guest_is_another_user(bench, theirs):
    """Who may not map the hosts' memory reads over the network of the transport, or hears why not."""
    with written(bench) as name:
        given = invite(bench, "ada")
        mine = theirs / "run.dsm"
        shutil.copy(given, mine)
        os.chown(mine, OTHER_USER, OTHER_USER)
        # The path leads through a folder that is closed to others: the snapshot's number does as well.
        reader = Actor(bench, *as_other_user(), contact=mine)
        outcome = reader.act("open", f"{mine}#1")
        if os.environ.get("DSM_TEST_FABRIC") == "1":
            assert outcome == "did", outcome
            reader.do("check", f"{mine}#1", 1)
            assert reader.end() == 0
        else:
            assert "Only the user who runs the server can" in outcome
    refused = subprocess.run(as_other_user(BIN / "dsm-steer", "--contact", given, "--status"), capture_output=True,
                             text=True, timeout=LIMIT, check=False)
    assert refused.returncode == 1
    assert "Permission denied" in refused.stderr, refused.stderr
    assert name.name in bench.snapshots()


def test_guest_takes_a_copy(bench):
    """Of an invitation for a group; what others can read is refused, and what is given by a pipe is private."""
    with written(bench):
        shared = bench.folder / "shared.dsm"
        group = subprocess.run(["id", "-gn"], capture_output=True, text=True, timeout=LIMIT, check=True).stdout.strip()
        run("dsm-invite", bench, "--view", shared, "--name", "ada", "--group", group)
        assert shared.stat().st_mode & 0o777 == 0o640
        assert f"install -m 600 {shared}" in run("dsm-steer", bench, "--status", contact=shared, status=1)
        copy = bench.folder / "copy.dsm"
        subprocess.run(["install", "-m", "600", shared, copy], timeout=LIMIT, check=True)
        run("dsm-steer", bench, "--status", contact=copy)
        piped = bench.folder / "piped.dsm"
        piped.touch(mode=0o600)
        piped.write_text(run("dsm-invite", bench, "--view", "-", "--name", "eve"))
        run("dsm-steer", bench, "--status", contact=piped)
        # Nothing is overwritten, and who could not be given the file is not invited.
        assert "give another name" in run("dsm-invite", bench, "--view", copy, "--name", "bob", status=1)
        assert "give another name" in run("dsm-invite", bench, "--view", bench.contact, "--name", "bob", status=1)
        listed = [line for line in run("dsm-invite", bench, "--list").splitlines() if line.startswith("bob")]
        assert all("withdrawn" in line for line in listed), listed
