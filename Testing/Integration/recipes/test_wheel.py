# SPDX-License-Identifier: BSD-3-Clause
"""The wheel, as somebody without root installs it in a system that has Python and nothing of ours, and what README
says of it."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ENVIRONMENT, PACKAGING, SOURCE, VERSION, Root, fetched, run

README = SOURCE / "README.md"
CERTIFICATES = pathlib.Path("/etc/ssl/certs/dsm-host.crt")  # of the machine, whose network may have its own
SIMULATION = """
import time
import h5py, numpy

x = numpy.linspace(0, 1, 160)
for step in range(40):
    with h5py.File(f"heat_{step:04d}.h5", "w") as file:
        file["temperature"] = numpy.outer(numpy.ones(120), x) + step
    time.sleep(0.25)
"""
# Installs Python and adds a user, who runs the script.
PREPARE = """
set -eu
apt-get update -qq
apt-get install -qq -y --no-install-recommends python3-venv ca-certificates procps > /dev/null
useradd --create-home user
chown -R user:user /home/user
exec setpriv --reuid=user --regid=user --clear-groups --reset-env bash /home/user/script.sh
"""
# Does what README tells its reader to do, between two lists of files.
SCRIPT = r"""
set -eu
cd /home/user
[ ! -f /etc/ssl/certs/dsm-host.crt ] || export PIP_CERT=/etc/ssl/certs/dsm-host.crt
python3 -m venv env
. env/bin/activate
export PIP_DISABLE_PIP_VERSION_CHECK=1
files() { find env ! -name '*.pyc' ! -name __pycache__ | sort; }
@install@
pip uninstall -q -y paraview-dsm
files > before
pip install -q --no-deps ./*.whl
files > installed
for tool in $(comm -13 before installed | grep '^env/bin/'); do
  echo "tool $(basename $tool) $($tool --version)"
  [ -s env/share/man/man1/$(basename $tool).1 ] || echo "no page of $tool"
  [ -s env/share/bash-completion/completions/$(basename $tool) ] || echo "no completion of $tool"
done
for library in $(comm -13 before installed | grep '\.so$'); do
  # The two that stand for a program's own HDF5 and MPI are put in place when a core is loaded.
  ldd $library | grep 'not found' | grep -v 'libdsm-callers-hdf5\|libmpi' | sed "s|^|$library: |"
done
python3 -m paraviewdsm plugin-path
ls env/lib/python3*/site-packages/paraview_dsm-*.dist-info/licenses/bundled | sed 's/^/licence /'

(@commands@) > said 2>&1 &
shell=$!
for i in $(seq 600); do [ -s live.png ] && [ -e run.dsm ] && break; sleep 0.1; done
python3 - <<'PYTHON'
import dsm, h5py
dsm.attach("run.dsm")
with dsm.Viewer("run.dsm") as viewer:
    newest = viewer.newest_run()[-1]
with h5py.File(newest["name"]) as file:
    values = file["temperature"][...]
step = int(newest["file"].rpartition("_")[2].removesuffix(".h5"))
print("values", values.shape, abs(values[:, 0] - step).max(), abs(values[:, -1] - step - 1).max())
PYTHON
cmp -s live.png /dev/null || echo "picture $(head -c 4 live.png | tail -c 3)"
cp live.png first.png
for i in $(seq 100); do cmp -s live.png first.png || break; sleep 0.1; done
cmp -s live.png first.png || echo "another picture"
pkill dsm-serve
wait $shell || echo "README's commands ended with $?"
cat said
while pgrep -f my_simulation.py > /dev/null; do sleep 0.2; done
pip uninstall -q -y paraview-dsm
files > after
comm -3 before after | sed 's/^/left: /'
echo end
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The folder with the wheel, built here; DSM_TEST_WHEEL names one that is there."""
    if os.environ.get("DSM_TEST_WHEEL"):
        return pathlib.Path(os.environ["DSM_TEST_WHEEL"])
    folder = tmp_path_factory.mktemp("dist")
    run([PACKAGING / "wheel/build.sh", folder], 7200,
        DSM_WHEEL_BUILD=pathlib.Path(os.environ["DSM_TEST_BUILD"]).parent / "wheel")
    return folder


def clean_root(folder, suite):
    """A system of a suite of Debian, unpacked."""
    run([ENVIRONMENT / "clean-root.sh", "get", suite])
    folder.mkdir()
    run(["tar", "-xf", fetched("clean-root.sh", f"clean {suite}", suite), "-C", folder])
    if CERTIFICATES.exists():
        copy = folder / CERTIFICATES.relative_to("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CERTIFICATES, copy)
    return folder


def readme(first):
    """The block of README that begins so."""
    blocks = re.findall(r"```(?:sh)?\n(.*?)```", README.read_text(), re.DOTALL)
    return next(block for block in blocks if block.startswith(first))


@pytest.mark.parametrize("suite", ["bookworm", "trixie"])
def test_readme(wheel, tmp_path, suite):
    """README's first commands, with a wheel in place of PyPI's; what is then there, and that all of it goes."""
    name = next(wheel.glob("*.whl"))
    assert name.name == f"paraview_dsm-{VERSION}-py3-none-manylinux_2_28_x86_64.whl"
    install = readme("pip install").replace(" paraview-dsm ", f" ./{name.name} ")
    root = clean_root(tmp_path / "root", suite)
    home = root / "home" / "user"
    home.mkdir()
    shutil.copy(name, home)
    (home / "my_simulation.py").write_text(SIMULATION)
    (home / "script.sh").write_text(SCRIPT.replace("@install@", install).replace("@commands@", readme("dsm-serve")))
    said = Root("enter", root).run("bash", "-c", PREPARE, limit=1200)
    print(said)
    lines = said.splitlines()
    assert lines[-1] == "end", said
    tools = [line.split()[1:] for line in lines if line.startswith("tool ")]
    assert {"dsm-serve", "dsm-run", "dsm-steer", "dsm-describe", "dsm-archive"} <= {tool for tool, *_ in tools}
    assert all(rest == [tool, VERSION] for tool, *rest in tools), tools
    assert {"hdf5", "libsodium", "zeromq3"} <= {line.split()[1] for line in lines if line.startswith("licence ")}
    assert "values (120, 160) 0.0 0.0" in lines, said
    assert "picture PNG" in lines and "another picture" in lines, said
    wrong = [line for line in lines if re.match(r"no (page|completion) of|left: |.*not found|README's", line)]
    assert not wrong, said


@pytest.fixture
def installed(wheel, tmp_path):
    """An environment of this system with the wheel, where ParaView and MPI libraries are."""
    environment = tmp_path / "environment"
    run(["python3", "-m", "venv", "--without-pip", environment])
    run(["python3", "-m", "pip", "--python", environment / "bin/python", "install", "--no-deps", "--no-index",
         next(wheel.glob("*.whl"))])
    return environment


@contextlib.contextmanager
def serving(installed, contact, *options):
    with subprocess.Popen([installed / "bin/dsm-serve", "--contact", contact, *options]) as server:
        yield
        server.terminate()
    assert server.returncode == 0


PARAVIEW = """
import sys
from paraview import simple
simple.LoadPlugin(sys.argv[1])
live = simple.LiveSimulation(ContactFile=sys.argv[2])
live.UpdatePipeline()
print(live.PointData["u"].GetRange())
"""


def test_paraview(installed, tmp_path):
    """ParaView loads the plugin of the wheel, and ends as it should, though a core was loaded twice."""
    contact = tmp_path / "run.dsm"
    simulation = f"import h5py; h5py.File('{tmp_path}/a_1.h5', 'w')['u'] = [[0.0, 1.0, 2.0], [3.0, 4.0, 11.0]]"
    (tmp_path / "show.py").write_text(PARAVIEW)
    with serving(installed, contact):
        run([installed / "bin/dsm-run", "--contact", contact, "--wait", 20, sys.executable, "-c", simulation])
        plugin = run([installed / "bin/python", "-m", "paraviewdsm", "plugin-path"]).strip()
        assert run(["pvbatch", tmp_path / "show.py", plugin, contact]).splitlines()[-1] == "(0.0, 11.0)"


@pytest.mark.parametrize("flavour", ["openmpi", "mpich"])
def test_parallel_program(installed, tmp_path, flavour):
    """The wheel's cores couple programs of this system's MPI libraries, with the parallel HDF5 that these have."""
    contact, disk = tmp_path / "run.dsm", tmp_path / "disk.h5"
    program = pathlib.Path(os.environ["DSM_TEST_BUILD"]).parent / flavour / "bin/dsmCoupledProgram"
    if not program.exists():
        pytest.skip(f"there is no build for {flavour}")
    ranks = [f"mpiexec.{flavour}", *(["--oversubscribe"] if flavour == "openmpi" else []), "-n", 3, program, "parallel"]
    run([*ranks, disk])
    with serving(installed, contact, "--save", tmp_path / "saved"):
        run([installed / "bin/dsm-run", "--contact", contact, "--wait", 20, *ranks, tmp_path / "sim.h5"])
    run(["h5diff", tmp_path / "saved/sim.h5", disk])
