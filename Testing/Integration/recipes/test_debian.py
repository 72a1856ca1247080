# SPDX-License-Identifier: BSD-3-Clause
"""The Debian packages of this build: made by cpack, installed in a clean Debian 13, used and purged there."""

import os
import pathlib
import re

import pytest

from conftest import run

CPACK = os.environ["DSM_TEST_CPACK"]
BUILD = pathlib.Path(os.environ["DSM_TEST_BUILD"])

# A server whose memory outlives the program that writes, and two programs behind dsm-run, one after the other.
THROUGH_H5PY = """
set -eu
script=$0/through_h5py.py
cd "$(mktemp -d)"
dsm-serve --contact run.dsm --memory-per-host "16 MiB" --limit 60 >server.log 2>&1 &
server=$!
dsm-run --contact run.dsm --wait 20 python3 $script write sim.h5
grep -q paraview-dsm-placeholder sim.h5
dsm-run --contact run.dsm python3 $script compare run.dsm#latest
PYTHONPATH=/usr/lib/paraview-dsm python3 -c '
import dsm, os
with dsm.Viewer("run.dsm") as viewer:
    print("in memory:", [os.path.basename(snapshot["file"]) for snapshot in viewer.snapshots()])'
kill $server
"""

# ParaView hosts by the installed plugin, and reads what h5py wrote.
IN_PARAVIEW = """
import subprocess
import sys

import paraviewdsm

server = paraviewdsm.Server(contact="run.dsm", memory_per_host="16 MiB")
reader = server.reader()
writer = ["dsm-run", "--contact", "run.dsm", "python3", sys.argv[1], "write", "sim.h5"]
with subprocess.Popen(writer):
    snapshot = next(iter(server.snapshots(timeout=60)))
    reader.UpdatePipeline(snapshot.time)
    print(f"{reader.GetDataInformation().GetNumberOfPoints()} points,", reader.PointData.keys())
    print("greatest", reader.PointData["values"].GetRange()[1])
server.stop()
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The packages by their names."""
    made = tmp_path_factory.mktemp("packages")
    run([CPACK, "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", made])
    return {file.name.split("_")[0]: file for file in made.glob("*.deb")}


def fields(package):
    text = run(["dpkg-deb", "--field", package])
    return dict(re.findall(r"^([\w-]+): (.*(?:\n .*)*)$", text, re.MULTILINE))


def test_packages_describe_themselves(packages):
    plugin = (BUILD / "Plugin").exists()
    assert set(packages) == ({"paraview-dsm", "paraview-dsm-plugin"} if plugin else {"paraview-dsm"})
    for name, package in packages.items():
        control = fields(package)
        assert control["Package"] == name
        assert control["Section"] == "science"
        assert "@" in control["Maintainer"]
        synopsis, *lines = control["Description"].splitlines()
        assert len(synopsis) < 80 and len(lines) >= 3, control["Description"]
        assert f"./usr/share/doc/{name}/copyright" in run(["dpkg-deb", "--contents", package])
    depends = fields(packages["paraview-dsm"])["Depends"]
    assert re.search(r"libhdf5-[\w-]*\d+ \(>= ", depends), depends
    assert "paraview" not in depends
    if plugin:
        control = fields(packages["paraview-dsm-plugin"])
        assert f"paraview-dsm (= {control['Version']})" in control["Depends"]
        assert re.search(r"(?<!-)paraview \(>= 5", control["Depends"]), control["Depends"]


def test_installed_programs_couple(packages, clean_root, files):
    clean_root.run("apt-get", "install", "-y", "-q", "--no-install-recommends", packages["paraview-dsm"],
                   "python3-h5py", "openmpi-bin", limit=900)
    owned = clean_root.run("dpkg", "--listfiles", "paraview-dsm").split()
    assert "/usr/share/doc/paraview-dsm/copyright" in owned

    parallel = [files / "couple.sh", files / "dsmCoupledProgram", "mpiexec", "--oversubscribe", "-n", "3"]
    assert "are the same" in clean_root.run(*parallel)
    told = clean_root.run("sh", "-c", THROUGH_H5PY, files)
    assert "the values are the same" in told
    assert "in memory: ['sim.h5']" in told

    clean_root.run("apt-get", "purge", "-y", "-q", "paraview-dsm")
    left = clean_root.run("sh", "-c", 'for file; do [ ! -e "$file" ] || echo "$file"; done', "sh",
                          *[file for file in owned if "dsm" in file])
    assert not left
    assert not clean_root.run("find", "/usr", "/etc", "/var", "-name", "*paraview*dsm*", "-o", "-name", "dsm[-_]*")


def test_installed_plugin_hosts(packages, layer, files):
    """In this system, which has ParaView. What is installed goes to a folder of the test's."""
    if "paraview-dsm-plugin" not in packages:
        pytest.skip("this build has no plugin")
    layer.run("dpkg", "--install", *packages.values())
    script = files / "script.py"
    script.write_text(IN_PARAVIEW)
    told = layer.run("env", "--chdir=/root", "PYTHONPATH=/usr/lib/paraview-dsm", "pvbatch", script,
                     files / "through_h5py.py")
    assert "100000 points, ['values']" in told
    assert f"greatest {99999.0 ** 2}" in told
    layer.run("dpkg", "--purge", *packages)
    assert "paraview-dsm" not in layer.run("ls", "/usr/lib", "/usr/share/doc")
