# SPDX-License-Identifier: BSD-3-Clause
"""A Python environment from PyPI, without ParaView: its VTK, h5py and netCDF4 bring an HDF5 each, and none of the
programs is started by dsm-run, but attaches, or finds the driver by HDF5's own variables."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from processes import on_disk
from test_dsm_run import BIN, H5PY, LOADER, STATIC_HDF5, UNSEEN, coupled, found, run
from test_serial_hdf5 import hosts  # noqa: F401 - a fixture

HERE = pathlib.Path(__file__).parent
# A test has no PATH with programs of ours, and no variables of ours.
CLEAN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "PYTHONPATH": ""}
OLD = "9.5.2"  # has HDF5 1.13.1
# Whether the others of PyPI's VTKs are meant, which only ./dev test --all has.
MORE = bool(os.environ.get("DSM_TEST_MORE"))
usual = pytest.mark.skipif(MORE, reason="in PythonEnvironment")


def python(folder, *command, vtk=None, **environment):
    """Runs the environment's Python; `vtk` is the version of another VTK than it has."""
    path = [BIN.parent / "lib" / "paraview-dsm", *([found("vtk-wheels.sh", vtk)] if vtk else [])]
    words = [found("python-vtk.sh") / "bin" / "python", *command]
    return subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=120,
                          check=False, env={**CLEAN, "PYTHONPATH": ":".join(map(str, path)), **environment})


EQUAL = ["VTKHDF by h5py", "VTKHDF by VTK", "plain", "XDMF", "openPMD", "netCDF"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("vtk", ["9.7.2"] if MORE else [None])
def test_attach(hosts, tmp_path, when, vtk):  # noqa: F811
    """All formats by all libraries of one process; what it writes is seen by others, and what they write by it."""
    coupled(hosts, sys.executable, "-c", H5PY, tmp_path / "simulation.h5")
    done = python(tmp_path, HERE / "attached_program.py", hosts.contact, when, vtk=vtk)
    assert done.returncode == 0, done.stderr
    before = [f"{what} equal disk" for what in EQUAL[:2] if when == "after"]
    assert done.stdout.splitlines() == [
        *before, "of a simulation [1, 2]", *(f"{what} equal memory" for what in EQUAL), "HDF5 libraries: 3",
        "detached equal disk"], done.stdout + done.stderr
    assert UNSEEN not in done.stderr
    # Others see the files.
    read = "import h5py, sys; print(int(h5py.File(sys.argv[1])['u'][...].sum()))"
    for name in "plain.h5", "sim.nc":
        assert coupled(hosts, sys.executable, "-c", read, tmp_path / name).stdout == "7140\n"
    hosts.end()
    saved = {file.name for file in hosts.folder.iterdir()}
    assert {"h5py.vtkhdf", "vtk.vtkhdf", "plain.h5", "xdmf.h5", "openpmd_1.h5", "sim.nc"} <= saved


WRITES_HALVES = """
import h5py, numpy, os, sys, time
os.chdir(sys.argv[1])
for step, halves in enumerate(([0, 1], [1, 0])):
    with h5py.File(f"halves_{step}.h5", "w") as file:
        file["u"] = numpy.repeat([halves], 40, axis=0).repeat(20, axis=1).astype(float)
    if step == 0:
        while not os.path.exists("live.png"):
            time.sleep(0.1)
"""
COLOURS = """
import json, sys
from PIL import Image
picture = Image.open(sys.argv[1]).convert("RGB")
middle = picture.height // 2
print(json.dumps([picture.getpixel((int(picture.width * x), middle)) for x in (0.4, 0.6)]))
"""
DARK, BRIGHT = (68, 1, 84), (253, 231, 37)  # the ends of Matplotlib's viridis


@usual
@pytest.mark.parametrize("opengl", [True, False])
def test_show(hosts, tmp_path, opengl):  # noqa: F811
    """A picture of the newest file, again with each that comes, until the server ends: also without OpenGL."""
    code = "import dsm.show as show, sys; sys.exit(show.main())"
    if not opengl:
        code = code.replace("; sys", "; show._meshes.has_opengl = lambda: False; sys")
    path = [str(BIN.parent / "lib" / "paraview-dsm")]
    words = [found("python-vtk.sh") / "bin" / "python", "-c", code, "--contact", hosts.contact, "--picture", "live.png"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**CLEAN, "PYTHONPATH": ":".join(path)}) as viewer:
        coupled(hosts, sys.executable, "-c", WRITES_HALVES, tmp_path)
        files = [viewer.stdout.readline().strip() for _ in range(2)]
        hosts.end()
        said = viewer.communicate(timeout=60)[1]
    assert viewer.returncode == 0, said
    assert [pathlib.Path(file).name for file in files] == ["halves_0.h5", "halves_1.h5"]
    done = python(tmp_path, "-c", COLOURS, tmp_path / "live.png")
    seen = json.loads(done.stdout)
    for pixel, colour in zip(seen, (BRIGHT, DARK), strict=True):
        assert all(abs(one - other) <= 12 for one, other in zip(pixel, colour, strict=True)), seen


def test_show_says_what_is_missing(tmp_path):
    done = python(tmp_path, "-m", "dsm.show", "--wait", "0", "--picture", "live.png")
    assert done.returncode == 1
    assert "run.dsm" in done.stderr and "Traceback" not in done.stderr, done.stderr


READ = """
import sys
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.util.numpy_support import vtk_to_numpy
reader = vtkHDFReader()
reader.SetFileName(sys.argv[1])
reader.Update()
print(vtk_to_numpy(reader.GetOutputDataObject(0).GetPointData().GetArray("u")).sum())
"""


@usual
@pytest.mark.parametrize("how", ["dsm-run", "plugin"])
def test_vtk_reads_memory(hosts, tmp_path, how):  # noqa: F811
    """VTK's HDF5, whose names have a prefix: behind dsm-run, and where nothing can be preloaded."""
    live = tmp_path / "live.vtkhdf"
    coupled(hosts, sys.executable, HERE / "vtkhdf_image.py", live)
    assert not on_disk(live)
    plugin = {"HDF5_DRIVER": "dsm", "HDF5_PLUGIN_PATH": str(LOADER.parent), "DSM_CONTACT": str(hosts.contact)}
    for name in live, f"{hosts.contact}#latest":
        if how == "plugin":
            done = python(tmp_path, "-c", READ, name, **plugin)
        else:
            words = [found("python-vtk.sh") / "bin" / "python", "-c", READ, name]
            done = coupled(hosts, "env", "PYTHONPATH=", *words)
        assert (done.stdout, done.stderr) == ("7140.0\n", ""), done


DESCRIBED = """
import sys
import dsm
import vtkmodules.vtkIOHDF
dsm.attach(sys.argv[1])
with dsm.Viewer(sys.argv[1]) as viewer:
    (snapshot,) = viewer.snapshots()
with dsm.Described(snapshot["name"], snapshot["file"]) as described:
    print(described.entries["rule"])
    (first,), (second,) = (described.read(0, piece, 2) for piece in range(2))
print(first["extent"][4:], second["extent"][4:], *(array["values"].sum() for array in first["arrays"]))
maps = [line.split("/")[-1] for line in open("/proc/self/maps") if "hdf5" in line and ".so" in line]
print(sorted({name.split(".")[0] for name in maps}))
"""
GRID = "import h5py, numpy, sys; h5py.File(sys.argv[1], 'w')['u'] = numpy.arange(60.0).reshape(5, 4, 3)"


@pytest.mark.parametrize("vtk", ["9.7.2"] if MORE else [None])
def test_described_by_vtk_alone(hosts, tmp_path, vtk):  # noqa: F811
    """A file of no format is read by VTK's HDF5, whose names have a prefix: no other comes into the process."""
    coupled(hosts, sys.executable, "-c", GRID, tmp_path / "grid.h5")
    done = python(tmp_path, "-c", DESCRIBED, hosts.contact, vtk=vtk)
    assert done.returncode == 0, done.stderr
    rule, values, libraries = done.stdout.splitlines()
    assert rule == "its largest dataset is a 5 x 4 x 3 grid"
    # Layers of cells; what is between two of them both have.
    assert values == f"[0.0, 2.0] [2.0, 4.0] {float(sum(range(36)))}"
    assert "libvtkhdf5" in libraries and "libhdf5" not in libraries, libraries


@pytest.mark.skipif(not MORE, reason="with ./dev test --all")
@pytest.mark.parametrize("how", ["dsm-run", "plugin", "attach"])
def test_hdf5_that_is_too_old(hosts, tmp_path, how):  # noqa: F811
    """Goes on as without us, and one line says so."""
    disk = tmp_path / "disk.vtkhdf"
    run(sys.executable, HERE / "vtkhdf_image.py", disk)
    attach = f"import dsm, vtkmodules.vtkIOHDF; dsm.attach({str(hosts.contact)!r})"
    if how == "dsm-run":
        words = [found("python-vtk.sh") / "bin" / "python", "-c", READ, disk]
        done = coupled(hosts, "env", f"PYTHONPATH={found('vtk-wheels.sh', OLD)}", *words)
    elif how == "plugin":
        done = python(tmp_path, "-c", READ, disk, vtk=OLD, HDF5_DRIVER="dsm", HDF5_PLUGIN_PATH=str(LOADER.parent),
                      DSM_CONTACT=str(hosts.contact))
    else:
        done = python(tmp_path, "-c", f"{attach}\n{READ}", disk, vtk=OLD)
    assert done.stdout == "7140.0\n", done
    assert re.fullmatch(f"dsm warning: no libdsmcore for \\S*libvtkhdf5\\S* beside \\S*: {UNSEEN}\n", done.stderr), done


@usual
def test_hdf5_inside_a_program_with_the_plugin(hosts, tmp_path):  # noqa: F811
    """It does not start without the driver that it is told to find, so it gets one for the disk."""
    if not STATIC_HDF5.exists():
        pytest.skip(f"there is no {STATIC_HDF5}")
    program, live = tmp_path / "hidden", tmp_path / "file.h5"
    run("cc", "-I/usr/include/hdf5/serial", HERE / "hidden_hdf5.c", STATIC_HDF5, "-lcrypto", "-lcurl", "-lpthread",
        "-lsz", "-lz", "-ldl", "-lm", "-o", program)
    run(program, tmp_path / "disk.h5")
    variables = {"HDF5_DRIVER": "dsm", "HDF5_PLUGIN_PATH": LOADER.parent, "DSM_CONTACT": hosts.contact}
    for _ in range(2):  # a new file, and one that is replaced
        done = run(program, live, **variables)
        assert done.stderr.count("\n") == 1 and "hidden has its HDF5 inside itself" in done.stderr, done.stderr
        assert on_disk(live)
        run("h5diff", live, tmp_path / "disk.h5")  # the bytes have the time


TWO_HDF5 = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)   # as ParaView is linked with it
from h5py import _debian_h5py_serial as h5py
import dsm
dsm.attach(sys.argv[2])
with h5py.File(sys.argv[3], "w") as file:
    file["u"] = [1.0, 2.0]
with h5py.File(sys.argv[3]) as file:
    print(file["u"][...].sum())
"""


@usual
def test_attach_beside_the_programs_hdf5(hosts, tmp_path):  # noqa: F811
    """A library's HDF5 is coupled although the program has another one of the same names."""
    library = re.search(r"=> (\S*libhdf5\S*)", run("ldd", BIN / "dsmCoupledProgram").stdout)[1]
    hosts.wait_for_file(hosts.contact)
    live = tmp_path / "live.h5"
    done = run(sys.executable, "-c", TWO_HDF5, library, hosts.contact, live,
               PYTHONPATH=BIN.parent / "lib" / "paraview-dsm")
    assert (done.stdout, done.stderr) == ("3.0\n", "") and not on_disk(live)


@usual
def test_attach_in_c(hosts, tmp_path):  # noqa: F811
    live, disk = tmp_path / "live.h5", tmp_path / "disk.h5"
    hosts.wait_for_file(hosts.contact)
    done = run(BIN / "dsmAttachedProgram", hosts.contact, live, disk)
    assert done.stdout.startswith("dsm_attach: there is no contact file nothing.dsm "), done.stdout
    assert not on_disk(live) and on_disk(disk)
    hosts.end()
    assert (hosts.folder / "live.h5").read_bytes() == disk.read_bytes()


@usual
def test_attach_without_a_server(tmp_path):
    """Says where it looked, and changes nothing."""
    program = """
import dsm, h5py, sys
try:
    dsm.attach(sys.argv[1])
except dsm.Error as error:
    print(error.status, error)
h5py.File("there.h5", "w").close()
dsm.detach()
"""
    done = run(sys.executable, "-c", f"import os; os.chdir({str(tmp_path)!r})\n{program}", "no.dsm",
               PYTHONPATH=BIN.parent / "lib" / "paraview-dsm")
    assert done.stdout == ("2 dsm.attach: there is no contact file no.dsm (No such file or directory): start the "
                           "server first, which writes it\n")
    assert on_disk(tmp_path / "there.h5")
