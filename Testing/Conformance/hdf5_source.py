# SPDX-License-Identifier: BSD-3-Clause
"""The source of the HDF5 that is installed, and how its test programs are compiled.

Not HDF5 itself: the shared library exports all the programs need, and the installed H5pubconf.h says how it was
configured. So this takes seconds.
"""

import re
from pathlib import Path

from debian_source import Source, Unavailable

SOURCE = Source(["src", "test", "testpar", "COPYING"], "testpar/testphdf5.c", "DSM_HDF5_SOURCE")
# As HDF5 compiles itself: private structures must have the library's layout.
DEFINITIONS = ["-DNDEBUG", "-D_GNU_SOURCE", "-D_POSIX_C_SOURCE=200809L", "-UH5_DEBUG_API"]


def fetch(library, include):
    """The source of an installed library, whose headers are in `include`."""
    source = SOURCE.fetch(library)
    # Private headers of another version would compile, and then break at run time.
    public = Path(include) / "H5public.h"
    if (source / "src" / "H5public.h").read_bytes() != public.read_bytes():
        raise Unavailable(f"the HDF5 source in {source} is not that of the installed {public}: their H5public.h differ")
    return source


def flags(source, include):
    folders = [source / "src", source / "src" / "H5FDsubfiling", source / "test", source / "testpar", include]
    return [*DEFINITIONS, *(f"-I{path}" for path in folders)]


def headers(source):
    """What HDF5's configure would write; only tests that read example files use it."""
    return {"H5srcdir_str.h": f'#define config_srcdir "{source / "test"}"\n'}


def listed(text, name):
    """The words of a list in one of its CMake files."""
    words = re.search(rf"set \({name}\n(.*?)\)", re.sub("#.*", "", text), re.DOTALL)
    return words.group(1).split()
