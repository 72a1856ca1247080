# SPDX-License-Identifier: BSD-3-Clause
"""dsm.Viewer shows what a server has, in a Python without ParaView, MPI and HDF5."""

import json
import subprocess
import sys

from processes import environ
from test_dsm_run import BIN, H5PY, coupled
from test_serial_hdf5 import Hosts, hosts  # noqa: F401 - a fixture

PACKAGE = BIN.parent / "lib" / "paraview-dsm"
VIEWER = """
import json, sys
import dsm
"""


def view(program, *arguments):
    """Runs a program that has a viewer, and returns the JSON that it prints."""
    words = [sys.executable, "-c", VIEWER + program, *map(str, arguments)]
    done = subprocess.run(words, env=environ(PYTHONPATH=PACKAGE), capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


LIST = """
with dsm.Viewer(sys.argv[1]) as viewer:
    found = [[snapshot[key] for key in ("number", "name", "file", "stream", "run", "step", "parts")]
             for pattern in ("", "b.*", "out.#.h5") for snapshot in viewer.snapshots(pattern)]
libraries = [line.split()[-1] for line in open("/proc/self/maps") if "libmpi" in line or "libhdf5" in line]
print(json.dumps([found, libraries]))
"""


def test_list(hosts, tmp_path):  # noqa: F811
    for name in "out.0001.h5", "b.h5", "out.0002.h5":
        coupled(hosts, sys.executable, "-c", H5PY, tmp_path / name)
    found, libraries = view(LIST, hosts.contact)
    contact = hosts.contact
    files = [str(tmp_path / name) for name in ("out.0001.h5", "b.h5", "out.0002.h5")]
    assert [row[2] for row in found] == [*files, files[1], files[0], files[2]]
    newest = found[2]
    assert newest == [3, f"{contact}#3", files[2], "out.#.h5", newest[4], 2, []]
    assert libraries == []


ERRORS = """
told = []
for what in (lambda: dsm.Viewer("/nonexistent/run.dsm", timeout=1), lambda: dsm.Viewer(sys.argv[1]).set(feed=1),
             lambda: closed.snapshots()):
    try:
        closed = dsm.Viewer(sys.argv[1])
        closed.close()
        what()
    except dsm.Error as error:
        told.append([str(error), error.status])
print(json.dumps(told))
"""


def test_errors(hosts):  # noqa: F811
    """One sentence each, with its kind."""
    hosts.wait_for_line("ready")
    none, refused, closed = view(ERRORS, hosts.contact)
    assert none[0].startswith("dsm.Viewer: there is no contact file /nonexistent/run.dsm") and none[1] == 2
    assert "no simulation that can be steered is connected" in refused[0] and refused[1] == 3
    assert closed == ["dsm.Viewer: it is closed", 1]


SUSPENDED = """
import glob, os, signal
with dsm.Viewer(sys.argv[1], timeout=0.5) as viewer:
    os.kill(int(sys.argv[2]), signal.SIGSTOP)
    threads = glob.glob(f"/proc/{sys.argv[2]}/task/*/stat")  # which are stopped one by one
    while any(open(one).read().rpartition(")")[2].split()[0] != "T" for one in threads):
        pass
    try:
        viewer.snapshots()
    except dsm.Error as error:
        status = error.status
    os.kill(int(sys.argv[2]), signal.SIGCONT)
    print(json.dumps([status, viewer.snapshots()]))
"""


def test_suspended_server(hosts):  # noqa: F811
    """A call ends within its limit, and the next one is answered."""
    hosts.wait_for_line("ready")
    assert view(SUSPENDED, hosts.contact, hosts.process.pid) == [4, []]


RETURNS = """
viewer = dsm.Viewer(sys.argv[1])
print(json.dumps(len(viewer.snapshots())), flush=True)
sys.stdin.readline()
print(json.dumps(len(viewer.snapshots())), flush=True)
"""


def test_server_that_comes_back(hosts, tmp_path):  # noqa: F811
    """A viewer is connected again by its next call."""
    coupled(hosts, sys.executable, "-c", H5PY, tmp_path / "a.h5")
    words = [sys.executable, "-c", VIEWER + RETURNS, str(hosts.contact)]
    with subprocess.Popen(words, env=environ(PYTHONPATH=PACKAGE), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as viewer:
        assert int(viewer.stdout.readline()) > 0
        hosts.end()
        again = Hosts(tmp_path)
        again.wait_for_line("ready")
        assert viewer.communicate("\n", timeout=60)[0] == "0\n"
        again.stop()
    assert viewer.returncode == 0


CONNECTED = """
import subprocess
wait = "import dsm, sys; viewer = dsm.Viewer(sys.argv[1]); print('there', flush=True); sys.stdin.readline()"
words = [sys.executable, "-c", wait, sys.argv[1]]
with (dsm.Viewer(sys.argv[1]) as viewer,
      subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other):
    other.stdout.readline()
    both = viewer.connected()
    other.communicate()
    while viewer.connected():
        pass
    print(json.dumps([both, other.pid]))
"""


def test_connected(hosts):  # noqa: F811
    """Lists the other processes that are connected, until they leave, and not the server's hosts."""
    hosts.wait_for_line("ready")
    both, process = view(CONNECTED, hosts.contact)
    assert [(peer["guest"], peer["role"], peer["process"]) for peer in both] == [("", "viewer", process)], both


WAITS = """
import threading, time
with dsm.Viewer(sys.argv[1]) as viewer:
    begin = time.monotonic()
    none = viewer.wait(seconds=0.2)
    waited = time.monotonic() - begin
    found = []
    thread = threading.Thread(target=lambda: found.append(viewer.wait(0, 50)))
    thread.start()
    viewer.status()  # meanwhile
    print(json.dumps([none, waited, thread.is_alive()]), flush=True)
    thread.join()
    sys.stdin.readline()
    print(json.dumps([*found, viewer.wait(1, 50), viewer.wait(3, 0), len(viewer.snapshots())]), flush=True)
"""


def test_wait(hosts, tmp_path):  # noqa: F811
    """A thread hears of new snapshots, while another one uses the viewer."""
    hosts.wait_for_line("ready")
    words = [sys.executable, "-c", VIEWER + WAITS, str(hosts.contact)]
    with subprocess.Popen(words, env=environ(PYTHONPATH=PACKAGE), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as viewer:
        none, waited, waits = json.loads(viewer.stdout.readline())
        assert none is None and 0.2 <= waited < 5 and waits
        for name in "abc":
            coupled(hosts, sys.executable, "-c", H5PY, tmp_path / f"{name}.h5")
        assert json.loads(viewer.communicate("\n", timeout=60)[0]) == [1, 3, None, 3]
