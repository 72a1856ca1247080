# SPDX-License-Identifier: BSD-3-Clause
"""Gets the source of a library that is installed, for its test programs.

From the archive the machine's own packages come from: apt reads it through private lists, so that the machine's apt
configuration stays as it is. Or from a folder that a variable of the environment names, with an unpacked source of the
same version.
"""

import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

FETCH_LIMIT = 300  # seconds for each step with the network in it


class Unavailable(Exception):
    """The source cannot be had here: a reason to skip, not a failure."""


def cache_folder():
    """Inside the Debian 13 root this lies in the host's cache folder, like the root itself."""
    given = os.environ.get("DSM_CONFORMANCE_CACHE")
    if given:
        return Path(given)
    if os.access("/var/cache", os.W_OK):
        return Path("/var/cache/paraview-dsm/conformance")
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "paraview-dsm" / "conformance"


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


class Source:
    """The parts of a library's source that its tests need; None: all of it. `mark`: a file that must be in them.
    `given_by`: the variable that names a folder. `as_released`: without what Debian changed, where only tests are
    taken."""

    def __init__(self, parts, mark, given_by, as_released=False):
        self.parts = parts
        self.mark = mark
        self.given_by = given_by
        self.as_released = as_released

    def fetch(self, library):
        """The folder of the unpacked source of an installed library, fetched at the first call."""
        given = os.environ.get(self.given_by)
        if given:
            if not (Path(given) / self.mark).is_file():
                raise Unavailable(f"{self.given_by} is {given}, which is no such source (there is no {self.mark})")
            return Path(given)
        name, version = package_of(library)
        cache = cache_folder()
        cache.mkdir(parents=True, exist_ok=True)
        whole = "" if self.parts else "-whole"
        target = cache / f"{name}-{version.replace(':', '-')}{whole}"
        # Both MPI libraries' builds share the source and may run at the same time.
        with open(cache / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.is_dir():
                self.unpack(name, version, cache / "scratch", target)
        return target

    def unpack(self, name, version, scratch, target):
        shutil.rmtree(scratch, ignore_errors=True)
        unpacked, kept = scratch / "unpacked", scratch / "kept"
        kept.mkdir(parents=True)
        try:
            self.download(name, version, scratch)
            if self.as_released:
                unpacked.mkdir()
                archive = only(scratch, "*.orig.tar.*", name)
                run(["tar", "-xf", archive, "-C", unpacked, "--strip-components=1"], 120)
            else:
                run(["dpkg-source", "-x", only(scratch, "*.dsc", name), unpacked], 120)
            if not self.parts:
                unpacked.rename(target)
                return
            for part in self.parts:
                (kept / part).parent.mkdir(parents=True, exist_ok=True)
                (unpacked / part).rename(kept / part)
            kept.rename(target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def download(self, name, version, folder):
        """Leaves the package's archives in a folder."""
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
        wanted = ["--tar-only"] if self.as_released else ["--download-only"]
        run(["apt-get", *options, "source", *wanted, f"{name}={version}"], FETCH_LIMIT, cwd=folder)


def only(folder, pattern, name):
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise Unavailable(f"apt-get said it downloaded the source of {name}, but left no {pattern} in {folder}")
    return found[0]
