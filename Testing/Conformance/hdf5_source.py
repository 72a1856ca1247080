# SPDX-License-Identifier: BSD-3-Clause
"""Gets the source of the HDF5 that is installed, for its test programs.

From DSM_HDF5_SOURCE, a folder with an unpacked HDF5 of the same version, or else from the archive
the machine's own packages come from: apt reads it through private lists, so that the machine's apt
configuration stays as it is.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

FETCH_LIMIT = 300  # seconds for each step with the network in it
KEPT = ["src", "test", "testpar", "COPYING"]


class Unavailable(Exception):
    """The source cannot be had here: a reason to skip, not a failure."""


def run(command, limit, **options):
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit, check=False,
                              **options)
    except FileNotFoundError as error:
        raise Unavailable(f"{command[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"{' '.join(map(str, command[:2]))}… took longer than {limit} s") from error
    if done.returncode != 0:
        raise Unavailable(f"{command[0]} failed with status {done.returncode}:\n{done.stdout[-1500:]}")
    return done.stdout


def package_of(library):
    """('hdf5', '1.14.5+repack-3'): the source package a library was installed from."""
    owner = run(["dpkg-query", "-S", os.path.realpath(library)], 60).split(": ")[0].split(",")[0]
    name, version = run(["dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", owner], 60).split()
    return name, version


def write_source_lists(folder):
    """The machine's own package sources, asked for source packages instead."""
    folder.mkdir(parents=True)
    etc = Path("/etc/apt")
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if not path.is_file():
            continue
        text = path.read_text(errors="replace")
        if path.suffix == ".sources":
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", text)
        elif path.suffix == ".list":
            text = re.sub(r"(?m)^deb(-src)?(?=\s)", "deb-src", text)
        else:
            continue
        (folder / path.name).write_text(text)


def download(name, version, folder):
    """Leaves the package's .dsc and archives in a folder; returns the path of the .dsc."""
    private = folder / "apt"
    write_source_lists(private / "sources")
    (private / "lists" / "partial").mkdir(parents=True)
    (private / "cache" / "archives" / "partial").mkdir(parents=True)
    options = []
    for key, value in {"Dir::Etc::SourceList": "/dev/null", "Dir::Etc::SourceParts": private / "sources",
                       "Dir::State::Lists": private / "lists", "Dir::Cache": private / "cache",
                       "APT::Sandbox::User": "", "APT::Update::Error-Mode": "any", "Acquire::Retries": 1}.items():
        options += ["-o", f"{key}={value}"]
    run(["apt-get", *options, "update"], FETCH_LIMIT)
    run(["apt-get", *options, "source", "--download-only", f"{name}={version}"], FETCH_LIMIT, cwd=folder)
    descriptions = list(folder.glob("*.dsc"))
    if not descriptions:
        raise Unavailable(f"apt-get said it downloaded the source of {name} {version}, but left no .dsc in {folder}")
    return descriptions[0]


def fetch(library, cache):
    """The folder of the unpacked source, fetched at the first call. The caller holds a lock on the cache."""
    given = os.environ.get("DSM_HDF5_SOURCE")
    if given:
        if not (Path(given) / "testpar" / "testphdf5.c").is_file():
            raise Unavailable(
                f"DSM_HDF5_SOURCE is {given}, which holds no HDF5 source (there is no testpar/testphdf5.c)"
            )
        return Path(given)
    name, version = package_of(library)
    target = cache / f"{name}-{version}"
    if target.is_dir():
        return target
    scratch = cache / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        description = download(name, version, scratch)
        run(["dpkg-source", "-x", description, scratch / "unpacked"], 120)
        (scratch / "kept").mkdir()
        for part in KEPT:
            (scratch / "unpacked" / part).rename(scratch / "kept" / part)
        (scratch / "kept").rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target
