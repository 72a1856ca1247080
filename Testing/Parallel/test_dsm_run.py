# SPDX-License-Identifier: BSD-3-Clause
"""dsm-run and the loader: programs nobody changed, in MPI jobs of their own beside the hosts'."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

from processes import on_disk

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])
LOADER = pathlib.Path(os.environ["DSM_TEST_LOADER"])
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
PROGRAM = BIN / "dsmCoupledProgram"
LIMIT = 60
UNSEEN = "what this HDF5 writes goes to disk, unseen"
H5PY = ("import h5py, sys; f = h5py.File(sys.argv[1], 'w'); f['a'] = [1, 2]; f.close(); "
        "f = h5py.File(sys.argv[1]); print(f['a'][...], f.driver)")
WHEEL = pathlib.Path(__file__).parents[1] / "Environment/h5py-wheel.sh"
FABRIC = '"word": "fabric"' in subprocess.run([BIN / "dsm-serve", "--choices"], capture_output=True, text=True,
                                              check=True).stdout
STATIC_HDF5 = pathlib.Path("/usr/lib", sysconfig.get_config_var("MULTIARCH"), "hdf5/serial/libhdf5.a")


def run(*command, check=True, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                          timeout=LIMIT, check=False,
                          env={**os.environ, **{name: str(value) for name, value in environment.items()}})
    if check:
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done


def found(script, *words):
    """The folder of what one of Environment's scripts has fetched."""
    script = WHEEL.parent / script
    folder = subprocess.run([script, "find", *words], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(folder or pytest.skip(f"nothing is there of {script.name} {' '.join(words)}: {script} get"))


@pytest.fixture
def hosts(tmp_path, request):
    """Two hosts that save every snapshot, or those that a test's parameter says, and end when the simulation has
    left."""
    saved = tmp_path / "saved"
    saved.mkdir()
    command = [*MPIEXEC, "-n", "2", BIN / "dsm-serve", "--contact", tmp_path / "run.dsm", "--save", saved,
               "--memory-per-host", "8 MiB", "--until-disconnect", "--limit", LIMIT, *getattr(request, "param", [])]
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace")

    class Hosts:
        contact = tmp_path / "run.dsm"
        folder = saved

        @staticmethod
        def end():
            output, _ = process.communicate(timeout=LIMIT)
            assert process.returncode == 0, output
            return output

    yield Hosts
    if process.poll() is None:
        process.terminate()
        process.wait(LIMIT)


def coupled(hosts, *command, options=(), check=True, **environment):
    return run(BIN / "dsm-run", "--contact", hosts.contact, "--wait", 20, *options, *command, check=check,
               **environment)


@pytest.mark.parametrize("how", ["parallel", "parameters"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_parallel_program(hosts, tmp_path, how, ranks):
    """Reaches every rank mpiexec starts, and the snapshot equals the file written without us."""
    live = tmp_path / "sim.h5"
    coupled(hosts, *MPIEXEC, "-n", ranks, PROGRAM, how, live)
    assert not on_disk(live)
    hosts.end()
    disk = tmp_path / "disk.h5"
    run(*MPIEXEC, "-n", ranks, PROGRAM, "parallel", disk)
    assert (hosts.folder / "sim.h5").read_bytes() == disk.read_bytes()


@pytest.mark.parametrize("name", ["two words", "a:b"])
def test_folder_that_cannot_be_preloaded(tmp_path, name):
    """Said, instead of a program that is uncoupled."""
    for part in "bin/dsm-run", "lib/dsm/libdsm-loader.so", "lib/dsm/tools/dsm-run.so":
        copy = tmp_path / name / part
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BIN.parent / part, copy)
    done = run(tmp_path / name / "bin" / "dsm-run", "--contact", tmp_path / "run.dsm", "true", check=False)
    assert done.returncode == 1 and "with a blank or a colon in its name" in done.stderr, done


def test_serial_program(hosts, tmp_path):
    """The default driver of a parallel HDF5, in a program that never calls MPI_Init."""
    live = tmp_path / "sim.h5"
    coupled(hosts, PROGRAM, "serial", live)
    assert not on_disk(live)
    hosts.end()
    disk = tmp_path / "disk.h5"
    run(PROGRAM, "serial", disk)
    assert (hosts.folder / "sim.h5").read_bytes() == disk.read_bytes()


def test_mpio_only(hosts, tmp_path):
    coupled(hosts, PROGRAM, "serial", tmp_path / "sim.h5", options=["--mpio-only"])
    assert on_disk(tmp_path / "sim.h5")
    coupled(hosts, *MPIEXEC, "-n", 2, PROGRAM, "parallel", tmp_path / "par.h5", options=["--mpio-only"])
    assert not on_disk(tmp_path / "par.h5")
    hosts.end()
    assert [file.name for file in hosts.folder.iterdir()] == ["par.h5"]


def test_match(hosts, tmp_path):
    coupled(hosts, *MPIEXEC, "-n", 2, PROGRAM, "parallel", tmp_path / "disk.h5", options=["--match", "*.live"])
    assert on_disk(tmp_path / "disk.h5")
    coupled(hosts, *MPIEXEC, "-n", 2, PROGRAM, "parallel", tmp_path / "sim.live", options=["--match", "*.live"])
    assert not on_disk(tmp_path / "sim.live")
    hosts.end()


TWO_STREAMS = """
import h5py, os, sys
for step in range(1, 6):
    for stream in ("field", "chk"):
        with h5py.File(os.path.join(sys.argv[1], f"{stream}.{step}.h5"), "w") as file:
            file["u"] = [float(step)] * 5000
"""


@pytest.mark.parametrize(("hosts", "kept"), [
    (["--keep", "every 2"], ["chk.1.h5", "chk.3.h5", "chk.5.h5", "field.1.h5", "field.3.h5", "field.5.h5"]),
    (["--keep", "chk.*:*/field.4.h5"], ["chk.1.h5", "chk.2.h5", "chk.3.h5", "chk.4.h5", "chk.5.h5", "field.4.h5"]),
], indirect=["hosts"], ids=["every second", "patterns"])
def test_some_are_kept(hosts, tmp_path, kept):
    """Only those that were asked for are saved, and equal what the program writes without us."""
    alone = tmp_path / "alone"
    alone.mkdir()
    coupled(hosts, sys.executable, "-c", TWO_STREAMS, tmp_path)
    output = hosts.end()
    assert output.count("snapshot ") == 10, output
    run(sys.executable, "-c", TWO_STREAMS, alone)
    assert sorted(file.name for file in hosts.folder.iterdir()) == kept
    for name in kept:
        assert (hosts.folder / name).read_bytes() == (alone / name).read_bytes()


@pytest.mark.parametrize(("words", "why"), [
    (["--save", "saved", "--keep", "every 0"], 'unknown rule "every 0": enter all'),
    (["--keep", "all"], "--keep requires --save"),
])
def test_what_to_keep_is_refused(tmp_path, words, why):
    refused = run(BIN / "dsm-serve", "--contact", tmp_path / "run.dsm", *words, check=False)
    assert refused.returncode != 0 and why in refused.stdout + refused.stderr


def test_name_of_other_bytes(hosts, tmp_path):
    """A file on disk whose name is no UTF-8 is opened as without us; one that is written is a snapshot of that name."""
    name = os.fsdecode(b"caf\xe9.h5")
    run(sys.executable, "-c", H5PY, tmp_path / name)
    read = "import h5py, sys; print(h5py.File(sys.argv[1])['a'][...])"
    assert coupled(hosts, sys.executable, "-c", read, tmp_path / name).stdout == "[1 2]\n"
    assert coupled(hosts, sys.executable, "-c", H5PY, tmp_path / f"live-{name}").stdout.startswith("[1 2] ")
    assert not on_disk(tmp_path / f"live-{name}")
    hosts.end()
    assert [file.name for file in hosts.folder.iterdir()] == [f"live-{name}"]


def test_identifiers():
    """H5FD_MPIO is one thing all through the program, whoever stands behind it."""
    run(*MPIEXEC, "-n", 2, PROGRAM, "identifiers", LD_PRELOAD=LOADER)
    run(*MPIEXEC, "-n", 2, PROGRAM, "identifiers")


def test_loader_is_harmless(tmp_path):
    """Whatever else starts under dsm-run (shells, tools with another HDF5) does not notice."""
    environment = {"LD_PRELOAD": LOADER, "HDF5_DRIVER": "dsm", "HDF5_PLUGIN_PATH": LOADER.parent}
    assert run("bash", "-c", "echo fine", **environment).stderr == ""
    # Launchers ask for each variable that they pass on.
    passed = run(*MPIEXEC, "-n", 2, "printenv", "HDF5_DRIVER", **environment)
    assert (passed.stdout, passed.stderr) == ("dsm\ndsm\n", ""), passed
    run(PROGRAM, "serial", tmp_path / "file.h5", **environment)
    assert on_disk(tmp_path / "file.h5")
    plain = run("h5dump", tmp_path / "file.h5")
    ours = run("h5dump", tmp_path / "file.h5", **environment)
    assert (ours.stdout, ours.stderr) == (plain.stdout, plain.stderr)
    assert run(sys.executable, "-c", H5PY, tmp_path / "py.h5", **environment).stdout.startswith("[1 2] ")


def test_plugin_path(hosts, tmp_path):
    """Who has filters in a folder of its own says so by HDF5_PLUGIN_PATH, and has the driver all the same."""
    live = coupled(hosts, sys.executable, "-c", H5PY, tmp_path / "py.h5", HDF5_PLUGIN_PATH=tmp_path / "nowhere")
    assert live.stdout.startswith("[1 2] ") and not on_disk(tmp_path / "py.h5")
    hosts.end()
    assert [file.name for file in hosts.folder.iterdir()] == ["py.h5"]


def linked_symbolically(library, folder):
    """A copy of an HDF5 whose own calls of H5FD_mpio_init stay within it, as in one that was linked with
    -Bsymbolic-functions: the function has another name there, with the same hash."""
    name, other = b"\0H5FD_mpio_init\0", b"\0H5FD_mpio_ioHt\0"
    copy = folder / library.name
    folder.mkdir()
    content = library.read_bytes()
    assert content.count(name) >= 1
    copy.write_bytes(content.replace(name, other))
    return copy


@pytest.mark.parametrize("ranks", [1, 3])
def test_hdf5_linked_symbolically(hosts, tmp_path, ranks):
    """Ubuntu's HDF5, say, whose calls of itself do not pass through what is preloaded."""
    needed = [line.split() for line in run("ldd", PROGRAM).stdout.splitlines() if "libhdf5" in line]
    copy = linked_symbolically(pathlib.Path(needed[0][2]), tmp_path / "symbolic")
    symbolic = ("env", f"LD_LIBRARY_PATH={copy.parent}", PROGRAM)
    run(*MPIEXEC, "-n", ranks, *symbolic, "identifiers", LD_PRELOAD=LOADER)
    live = tmp_path / "sim.h5"
    coupled(hosts, *MPIEXEC, "-n", ranks, *symbolic, "parallel", live)
    assert not on_disk(live)
    hosts.end()
    disk = tmp_path / "disk.h5"
    run(*MPIEXEC, "-n", ranks, PROGRAM, "parallel", disk)
    assert (hosts.folder / "sim.h5").read_bytes() == disk.read_bytes()


FORK = """
import os, sys, h5py
name = sys.argv[1]
with h5py.File(name, "w") as file:
    file["a"] = [1, 2]
parent = h5py.File(name)
child = os.fork()
if child == 0:
    again = h5py.File(name)
    os._exit(0 if list(again["a"][...]) == [1, 2] else 1)
assert os.waitpid(child, 0)[1] == 0
print(parent["a"][...])
"""


def test_forked_reader(hosts, tmp_path):
    """As a program does whose workers are forked: each opens what its parent has open."""
    assert coupled(hosts, sys.executable, "-c", FORK, tmp_path / "py.h5").stdout == "[1 2]\n"
    hosts.end()


WRITES_IN_CHILD = """
import os, sys, h5py, numpy
name, chunks = sys.argv[1], {"contiguous": None, "chunked": (10,)}[sys.argv[2]]
with h5py.File(name, "w") as file:
    data = file.create_dataset("a", data=numpy.zeros(100), chunks=chunks)
    file.flush()
    child = os.fork()
    if child == 0:
        try:
            data[...] = 7
            file.flush()
        except OSError as error:
            os.write(2, str(error).encode())
            os._exit(9)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    data[1] = 1
with h5py.File(name) as file:
    print(file["a"][:3])
"""


@pytest.mark.parametrize("layout", ["contiguous", "chunked"])
def test_forked_child_cannot_write_into_its_parents_file(hosts, tmp_path, layout):
    """On disk the parent would find the child's values."""
    name = tmp_path / "py.h5"
    done = coupled(hosts, sys.executable, "-c", WRITES_IN_CHILD, name, layout)
    assert done.stdout == "9\n[0. 1. 0.]\n", done.stderr
    assert f"cannot write to {name} in process" in done.stderr
    assert "Write to it in process" in done.stderr
    hosts.end()


CLOSES_IN_CHILD = """
import os, sys, h5py
with h5py.File(sys.argv[1], "w") as file:
    file["a"] = [1, 2]
    child = os.fork()
    if child == 0:
        sys.exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    file["b"] = [3]
with h5py.File(sys.argv[1]) as file:
    print(sorted(file), file["a"][...])
"""


def test_forked_child_may_close_its_parents_file(hosts, tmp_path):
    """As on disk. HDF5 cannot tell us whether the child has changed anything, so the child says what it would mean."""
    done = coupled(hosts, sys.executable, "-c", CLOSES_IN_CHILD, tmp_path / "py.h5")
    assert done.stdout == "0\n['a', 'b'] [1 2]\n", done.stderr
    assert done.stderr.count("dsm warning") == 1, done.stderr
    assert "made to the file are not stored" in done.stderr
    hosts.end()


USER_BLOCK = """
import sys, h5py
name = sys.argv[1]
for number in (1, 2):
    with h5py.File(name + str(number), "w", userblock_size=512) as file:
        file["a"] = [1, 2]
    with open(name + str(number), "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(128))
with h5py.File(name + "1", "a") as file:
    file["b"] = [3]
with h5py.File(name + "1") as file:
    print(sorted(file), file["a"][...], file.userblock_size)
"""


@pytest.mark.parametrize("hosts", [
    [], ["--also-on-disk", "all"],
    pytest.param(["--no-node-memory", "--transport", "fabric"], marks=pytest.mark.skipif(not FABRIC, reason="none"))
], indirect=True)
def test_user_block_written_after_close(hosts, tmp_path):
    """As hdf5storage does for MATLAB, and everybody who has one: HDF5 has no call that writes a user block."""
    name = tmp_path / "a.mat"
    done = coupled(hosts, sys.executable, "-c", USER_BLOCK, name)
    assert done.stdout == "['a', 'b'] [1 2] 512\n", done.stderr
    assert done.stderr.count("\n") == 1 and "a.mat1 has a user block" in done.stderr, done.stderr
    hosts.end()
    for number in (1, 2):
        written = pathlib.Path(f"{name}{number}").read_bytes()
        assert written.startswith(b"MATLAB 7.3 MAT-file") and written[512:520] == b"\x89HDF\r\n\x1a\n"
    # Viewers have seen the first as well.
    assert {file.name for file in hosts.folder.iterdir()} == {"a.mat1", "a.mat2"}


PARTS = """
import h5py, numpy, sys
kind, order = sys.argv[1:3]
def parts(step):
    for part in 0, 1:
        with h5py.File(f"p{part}.h5", "w") as file:
            file["d"] = numpy.full(10, step * 10.0 + part)
def master(step):
    with h5py.File("m.h5", "w") as file:
        if kind == "virtual":
            layout = h5py.VirtualLayout((2, 10), "f8")
            for part in 0, 1:
                layout[part] = h5py.VirtualSource(f"p{part}.h5", "d", (10,))
            file.create_virtual_dataset("d", layout, fillvalue=-1)
        else:
            for part in 0, 1:
                file[f"d{part}"] = h5py.ExternalLink(f"p{part}.h5", "d")
for step in range(4):
    for write in {"parts first": (parts, master), "master first": (master, parts)}[order]:
        write(step)
"""
READ_PARTS = """
import h5py, sys
for name in sys.argv[1:]:
    for again in range(2):
        with h5py.File(name) as file:
            try:
                part = lambda p: file["d"][p, 0] if "d" in file else file[f"d{p}"][0]
                print(name.split("/")[-1], [float(part(p)) for p in (0, 1)])
            except (KeyError, OSError):
                print(name.split("/")[-1], "error")
"""


@pytest.mark.parametrize("kind", ["virtual", "linked"])
@pytest.mark.parametrize("order", ["parts first", "master first"])
def test_old_master_shows_the_parts_of_its_time(hosts, tmp_path, monkeypatch, kind, order):
    """Also to a viewer in another folder, who opens the master by its number."""
    folder = tmp_path / "simulation"
    folder.mkdir()
    monkeypatch.chdir(folder)
    # Connected as long as the readers are, so that the hosts stay.
    script = f"import subprocess, sys\nexec({PARTS!r})\n" \
        f"for cwd in {str(folder)!r}, {str(tmp_path)!r}:\n" \
        f"    subprocess.run([sys.executable, '-c', {READ_PARTS!r}, *sys.argv[3:]], cwd=cwd, check=True)"
    second = {"parts first": 6, "master first": 4}[order]
    done = coupled(hosts, sys.executable, "-c", script, kind, order, f"{hosts.contact}#{second}",
                   f"{hosts.contact}#latest" if order == "parts first" else folder / "m.h5", folder / "m.h5")
    lines = done.stdout.splitlines()
    assert lines[:2] == [f"run.dsm#{second} [10.0, 11.0]"] * 2, done.stdout + done.stderr
    assert all(line.endswith("[30.0, 31.0]") for line in lines[2:6]), done.stdout
    assert lines[6:] == lines[:6]
    hosts.end()


@pytest.mark.parametrize("hosts", [["--maximum-snapshots", "5"]], indirect=True)
@pytest.mark.parametrize("kind", ["virtual", "linked"])
def test_parts_that_have_left_the_memory(hosts, tmp_path, monkeypatch, kind):
    """HDF5 shows fill values for a virtual dataset's and has no word for it: we have one, once for each part."""
    monkeypatch.chdir(tmp_path)
    # More than the hosts have room for, since a busy machine may save the parts late, and drops others until then.
    evict = "\nmaster = h5py.File('m.h5')\nfor number in range(40):\n    h5py.File(f'other{number}.h5', 'w').close()\n"
    script = f"import subprocess, sys\nexec({PARTS!r}){evict}" \
        f"subprocess.run([sys.executable, '-c', {READ_PARTS!r}, 'm.h5'], check=True)"
    done = coupled(hosts, sys.executable, "-c", script, kind, "parts first")
    expected = "m.h5 [-1.0, -1.0]" if kind == "virtual" else "m.h5 error"
    assert done.stdout.splitlines() == [expected] * 2
    told = [line for line in done.stderr.splitlines() if "a virtual dataset shows fill values in its place" in line]
    assert len(told) == (2 if kind == "virtual" else 1), done.stderr
    assert "p0.h5" in told[0] and "to make room" in told[0]
    hosts.end()


def test_where_nothing_is_preloaded(hosts, tmp_path):
    """A container, a static program, another user: as without us."""
    plain = coupled(hosts, "env", "-u", "LD_PRELOAD", sys.executable, "-c", H5PY, tmp_path / "py.h5")
    assert plain.stdout == "[1 2] sec2\n" and on_disk(tmp_path / "py.h5")


def test_driver_chosen_by_the_user(hosts, tmp_path):
    chosen = coupled(hosts, sys.executable, "-c", H5PY, tmp_path / "py.h5", HDF5_DRIVER="stdio")
    assert chosen.stdout == "[1 2] stdio\n" and on_disk(tmp_path / "py.h5")


def test_hdf5_inside_a_program(hosts, tmp_path):
    """Nobody can put a driver into it."""
    if not STATIC_HDF5.exists():
        pytest.skip(f"there is no {STATIC_HDF5}")
    program = tmp_path / "hidden"
    run("cc", "-I/usr/include/hdf5/serial", pathlib.Path(__file__).with_name("hidden_hdf5.c"), STATIC_HDF5, "-lcrypto",
        "-lcurl", "-lpthread", "-lsz", "-lz", "-ldl", "-lm", "-o", program)
    done = coupled(hosts, program, tmp_path / "file.h5")
    assert done.stderr.count("\n") == 1 and "hidden has its HDF5 inside itself" in done.stderr, done.stderr
    assert "1, 2, 3" in run("h5dump", tmp_path / "file.h5").stdout


def test_loader_is_thin():
    """It is loaded into everything: nothing but the C library may come with it."""
    needs = [line for line in run("readelf", "-d", LOADER).stdout.splitlines() if "NEEDED" in line]
    assert len(needs) == 1 and "libc.so" in needs[0], needs


def test_without_server(tmp_path):
    contact = tmp_path / "nobody.dsm"
    failed = run(BIN / "dsm-run", "--contact", contact, "--without-server", "fail", "echo", "started", check=False)
    assert failed.returncode == 1 and failed.stdout == ""
    assert str(contact) in failed.stderr and "--without-server disk" in failed.stderr
    for policy, words in (("disk", "go to disk"), ("wait", "waits for ParaView"), ("discard", "are discarded")):
        options = ["--without-server", policy] if policy != "disk" else []
        went_on = run(BIN / "dsm-run", "--contact", contact, *options, "echo", "--wait", "started")
        assert went_on.stdout == "--wait started\n"
        assert str(contact) in went_on.stderr and words in went_on.stderr
    # What a user has got wrong is said before the program starts, whatever is to be done without a server.
    for wrong in ({"DSM_WITHOUT_SERVER": "sink"}, {"DSM_PUBLISH": "never"}, {"DSM_TIMEOUT": "soon"},
                  {"DSM_WAIT_LIMIT": "long"}):
        refused = run(BIN / "dsm-run", "--contact", contact, "echo", "started", check=False, **wrong)
        assert refused.returncode == 1 and refused.stdout == "", refused
        assert f"{next(iter(wrong))} is " in refused.stderr, refused
    assert run(BIN / "dsm-run", check=False).returncode == 2
    started = run(BIN / "dsm-run", "--contact", contact, "--", "echo", "--", "started")
    assert started.stdout == "-- started\n", started
    mistyped = run(BIN / "dsm-run", "--contct", contact, "echo", "started", check=False)
    assert mistyped.returncode == 2 and "there is no option --contct" in mistyped.stderr, mistyped


@pytest.mark.parametrize("tool", ["run", "serve", "rescue", "archive", "archive-hdf5", "describe", "invite", "steer",
                                  "mpmd"])
def test_tool_needs_no_mpi(tool):
    """It starts where there is none, and under any; those that read no file need no HDF5 either."""
    tools = BIN.parent / "lib" / "dsm" / "tools"
    folder = tools if tool == "archive-hdf5" else BIN
    reads = tool in ("archive-hdf5", "describe")
    for file in folder / f"dsm-{tool}", tools / f"dsm-{tool}.so":
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", file).stdout)
        others = [name for name in needed if re.match("lib(mpi|hdf5|dsmcore)", name)]
        assert needed and [name for name in others if not (reads and "hdf5_serial" in name)] == [], needed
        undefined = run("nm", "-D", "--undefined-only", file).stdout
        assert not re.findall(r" MPI_\w+" if reads else r" (MPI_\w+|H5\w+)", undefined), undefined


@pytest.mark.parametrize("how", ["-static", "-static-pie"])
def test_static_program(hosts, tmp_path, how):
    """Nothing is preloaded into it, so dsm-run says it, wherever the program stands in the command."""
    source = tmp_path / "static.c"
    source.write_text('#include <stdio.h>\nint main(void) { return puts("HDF5 library version: none") < 0; }\n')
    program = tmp_path / "static"
    run("cc", how, source, "-o", program)
    for command in ([program], ["env", "A=B", program], [*MPIEXEC, "-n", 2, program]):
        done = coupled(hosts, *command)
        assert done.stderr.count(f"{program} is linked statically") == 1, done
        # A launcher may have something to say as well.
        assert sum(line.startswith("dsm") for line in done.stderr.splitlines()) == 1, done
    # A library, and one that is linked as usual.
    shared = tmp_path / "library.so"
    run("cc", "-shared", "-fPIC", source, "-o", shared)
    run("cc", source, "-o", program)
    assert not coupled(hosts, program, shared).stderr
    in_path = coupled(hosts, "true", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert not in_path.stderr
