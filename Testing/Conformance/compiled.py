# SPDX-License-Identifier: BSD-3-Clause
"""Test programs of a library, compiled against the one that is installed, and kept outside the checkout."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from debian_source import cache_folder

LIMIT = 300  # seconds for one compilation; the slowest takes 5


def call(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=LIMIT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}")


class Programs:
    """How they are made.

    name      of their folder in the cache
    compiler  with what it needs to be called with
    source    the unpacked source
    units     {program: its files, below `source` or with their whole path}
    support   files that are linked with each
    flags     for the compiler
    library   the installed one; `more` is linked as well
    headers   {name: text}, what the library's configure would have written
    before    a file that is included before each unit but those of `support`
    """

    def __init__(self, name, compiler, source, units, library, support=(), flags=(), more=(), headers=None,
                 before=None):
        self.name = name
        self.compiler = [str(word) for word in compiler]
        self.source = source
        self.units = units
        self.support = list(support)
        self.flags = [str(flag) for flag in flags]
        self.library = library
        self.more = list(more)
        self.headers = headers or {}
        self.before = before

    def identity(self):
        """Changes when they must be compiled again."""
        library = Path(self.library).stat()
        own = [Path(unit).read_text() for each in self.units.values() for unit in each if Path(unit).is_absolute()]
        parts = [self.compiler, str(self.source), self.units, self.support, self.flags, self.more, self.headers, own,
                 library.st_size, library.st_mtime_ns, self.before.read_text() if self.before else ""]
        return hashlib.sha256(Path(__file__).read_bytes() + repr(parts).encode()).hexdigest()[:16]

    def build(self, jobs=None):
        """The folder they are in, made where it is missing."""
        cache = cache_folder()
        cache.mkdir(parents=True, exist_ok=True)
        with open(cache / f"lock-{self.name}", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            folder = cache / f"{self.name}-{self.identity()}"
            if not folder.is_dir():
                for old in cache.glob(f"{self.name}-{'[0-9a-f]' * 16}"):
                    shutil.rmtree(old)
                partial = cache / f"partial-{self.name}"
                shutil.rmtree(partial, ignore_errors=True)
                self.compile(partial, jobs or os.cpu_count())
                partial.rename(folder)
        return folder

    def compile(self, folder, jobs):
        generated = folder / "include"
        generated.mkdir(parents=True)
        for name, text in self.headers.items():
            (generated / name).write_text(text)
        units = sorted({unit for each in self.units.values() for unit in each} | set(self.support))
        objects = {unit: folder / (Path(unit).stem + ".o") for unit in units}

        def compile_one(unit):
            added = ["-include", self.before] if self.before and unit not in self.support else []
            call([*self.compiler, "-O1", "-w", f"-I{generated}", *self.flags, *added, "-c", self.source / unit,
                  "-o", objects[unit]])

        def link(item):
            program, mine = item
            call([*self.compiler, "-o", folder / program, *(objects[unit] for unit in [*mine, *self.support]),
                  self.library, *self.more, "-lm"])

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(compile_one, units))
            list(pool.map(link, self.units.items()))
        for path in objects.values():
            path.unlink()
