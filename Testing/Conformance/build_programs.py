# SPDX-License-Identifier: BSD-3-Clause
"""Compiles HDF5's own test programs against the HDF5 that is installed.

Not HDF5 itself: the shared library exports all the programs need, and the installed H5pubconf.h
says how it was configured. So this takes seconds. Programs and source stay in a cache outside the
checkout; `--link` is made to point to the programs.

Ends with 77 (skipped) when the source cannot be had.
"""
import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hdf5_source

SKIPPED = 77
LIMIT = 300  # seconds for one compilation; the slowest takes 5
SUPPORT = ["test/h5test.c", "test/testframe.c"]
PARALLEL = ["t_pread", "t_select_io_dset", "t_filters_parallel", "t_pmulti_dset", "t_shapesame", "t_vfd", "t_pflush1",
            "t_pflush2", "t_pshutdown", "t_prestart", "t_init_term", "t_2Gio", "t_bigio"]
TESTPHDF5 = ["testphdf5", "t_dset", "t_file", "t_file_image", "t_mdset", "t_ph5basic", "t_coll_chunk", "t_span_tree",
             "t_chunk_alloc", "t_filter_read", "t_prop", "t_coll_md", "t_oflush"]
PROGRAMS = {name: [f"testpar/{name}.c"] for name in PARALLEL}
PROGRAMS["testphdf5"] = [f"testpar/{name}.c" for name in TESTPHDF5]
COMPATIBILITY = Path(__file__).resolve().parent / "compat.h"
# As HDF5 compiles itself: private structures must have the library's layout.
DEFINITIONS = ["-DNDEBUG", "-D_GNU_SOURCE", "-D_POSIX_C_SOURCE=200809L", "-UH5_DEBUG_API"]


def cache_folder():
    """Inside the Debian 13 root this lies in the host's cache folder, like the root itself."""
    given = os.environ.get("DSM_CONFORMANCE_CACHE")
    if given:
        return Path(given)
    if os.access("/var/cache", os.W_OK):
        return Path("/var/cache/paraview-dsm/conformance")
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "paraview-dsm" / "conformance"


def require_same_version(source, include):
    """Private headers of another version would compile, and then break at run time."""
    public = Path(include) / "H5public.h"
    if (source / "src" / "H5public.h").read_bytes() != public.read_bytes():
        raise hdf5_source.Unavailable(f"the HDF5 source in {source} is not that of the installed {public}: their H5public.h differ")


def call(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=LIMIT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}")


def compile_programs(source, arguments, folder):
    generated = folder / "include"
    generated.mkdir(parents=True)
    # What HDF5's configure would write; only tests that read example files use it.
    (generated / "H5srcdir_str.h").write_text(f'#define config_srcdir "{source / "test"}"\n')
    includes = [generated, source / "src", source / "src" / "H5FDsubfiling", source / "test", source / "testpar", arguments.include]
    flags = ["-O1", "-w", *DEFINITIONS, *(f"-I{path}" for path in includes)]
    units = sorted({unit for units in PROGRAMS.values() for unit in units} | set(SUPPORT))
    objects = {unit: folder / (Path(unit).stem + ".o") for unit in units}

    def compile_one(unit):
        added = [] if unit in SUPPORT else ["-include", COMPATIBILITY]
        call([arguments.mpicc, *flags, *added, "-c", source / unit, "-o", objects[unit]])

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(compile_one, units))
        list(pool.map(lambda item: call([arguments.mpicc, "-o", folder / item[0],
                                         *(objects[unit] for unit in item[1] + SUPPORT), arguments.library, "-lm"]),
                      PROGRAMS.items()))
    for path in objects.values():
        path.unlink()


def identity(source, arguments):
    """Changes when the programs must be compiled again."""
    library = Path(arguments.library).stat()
    parts = [Path(__file__).read_bytes(), COMPATIBILITY.read_bytes(), repr([source, arguments.mpicc, arguments.include, library.st_size, library.st_mtime_ns]).encode()]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def build(arguments):
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    # Both MPI libraries' builds share the source and may run at the same time.
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        source = hdf5_source.fetch(arguments.library, cache)
        require_same_version(source, arguments.include)
    with open(cache / f"lock-{arguments.flavour}", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        programs = cache / f"{arguments.flavour}-{identity(source, arguments)}"
        if not programs.is_dir():
            for old in cache.glob(f"{arguments.flavour}-*"):
                shutil.rmtree(old)
            partial = cache / f"partial-{arguments.flavour}"
            shutil.rmtree(partial, ignore_errors=True)
            compile_programs(source, arguments, partial)
            partial.rename(programs)
    return programs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flavour", required=True, help="openmpi or mpich: names the folder")
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--include", required=True, help="where the installed hdf5.h stands")
    parser.add_argument("--library", required=True, help="the installed shared library")
    parser.add_argument("--link", required=True, help="made to point to the folder of programs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    link = Path(arguments.link)
    if link.is_symlink():
        link.unlink()
    try:
        programs = build(arguments)
    except hdf5_source.Unavailable as why:
        print(f"skipped: HDF5's test programs need HDF5's source, which is not to be had here: {why}\n"
              "Name an unpacked source of the installed version with DSM_HDF5_SOURCE to run them.")
        return SKIPPED
    link.symlink_to(programs)
    print(f"HDF5's test programs: {programs}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
