# SPDX-License-Identifier: BSD-3-Clause
"""Checks that #include lines follow the arrows between components, and that each conversion stands in one component.

    Widgets -> Plugin (by proxy name) -> Readers -> Readers/Describe, DSMCore
    in DSMCore: Base <- Encoding, Mapping, Memory <- Mpi, Protocol, Control, Steering <- Transport
                     <- Server/Core, Server/Host <- Server <- Archive, Attach <- Client, Viewer, Tools, AnyHdf5, Serial
                     <- Peer <- Driver, Archive, Attach

Server and Peer are the two sides of the protocol: neither includes the other.

check_includes.py [CHECKOUT]   prints one line per broken rule; status 1 if there is any
check_includes.py --self-test  proves that each rule catches what it should, and nothing else
"""
import os
import re
import sys
import tempfile
from pathlib import Path

# Component -> what it may include besides itself: a component, or one header of a component.
BELOW_BOTH_SIDES = ["Base", "Encoding", "Mapping", "Memory", "Mpi", "Protocol", "Control", "Transport", "Steering"]
SERVER = ["Server", "Server/Core", "Server/Host"]
BOTH_SIDES = [*BELOW_BOTH_SIDES, *SERVER, "Peer"]
LEAVES = [*BOTH_SIDES, "Driver", "Archive", "Attach"]
CORE = {
    "Base": [],
    "Encoding": ["Base"],
    "Mapping": ["Base"],
    "Memory": ["Base", "Mapping"],
    "Mpi": ["Base", "Encoding"],
    "Protocol": ["Base", "Encoding", "Mapping"],
    # Carries messages, whatever they are about.
    "Control": ["Base", "Encoding"],
    "Transport": ["Base", "Encoding", "Mapping", "Memory", "Mpi", "Protocol", "Control/RequestId.h"],
    # Bookkeeping alone: the session carries its messages.
    "Steering": ["Base", "Encoding", "Control/RequestId.h"],
    # The decisions of host rank 0. It sends and receives nothing itself.
    "Server/Core": ["Base", "Encoding", "Mapping", "Memory", "Protocol", "Steering", "Control/RequestId.h",
                    "Control/Envelope.h", "Transport/TransportMediator.h"],
    # The code that runs on every host.
    "Server/Host": BELOW_BOTH_SIDES,
    "Server": [*BELOW_BOTH_SIDES, "Server/Core", "Server/Host"],
    "Peer": BELOW_BOTH_SIDES,
    "Driver": [*BELOW_BOTH_SIDES, "Peer"],
    # A file that is brought back has a name on disk, as one that a simulation writes.
    "Archive": [*BOTH_SIDES, "Driver/Placeholder.h"],
    "Attach": BOTH_SIDES,
    # The same objects, linked otherwise.
    "AnyHdf5": [],
    # Stands in for what it leaves out.
    "Serial": ["Transport", "Driver"],
    # The simulation's side of steering loads the library for viewers to read arrays out of the hosts' memory.
    "Client": ["Base", "Encoding", "Mpi", "Protocol", "Control", "Steering"],
    # A viewer lists snapshots, steers, and writes and reads such arrays.
    "Viewer": ["Base", "Encoding", "Mpi", "Protocol", "Control", "Steering", "Peer/Connection.h",
               "Peer/SnapshotView.h", "Peer/StoreFile.h", "Client/Status.h"],
    "Tools": LEAVES,
}
ALLOWED = {f"DSMCore/{component}": [f"DSMCore/{other}" for other in others] for component, others in CORE.items()}
LIBRARY = [f"DSMCore/{component}" for component in CORE if component != "Tools"]
# What a file holds, without VTK, and what shows it.
ALLOWED["Readers/Describe"] = ["DSMCore/Base", "DSMCore/Encoding"]
ALLOWED["Readers/Described"] = ["Readers/Describe", "DSMCore/Base", "DSMCore/Encoding"]
ALLOWED["Readers/Tools"] = ["Readers/Describe", "DSMCore/Tools/CommandLine.h", *LIBRARY]
ALLOWED["Readers"] = ["Readers/Describe", *LIBRARY]
ALLOWED["Plugin"] = ["Readers", "DSMCore/Tools/CommandLine.h", "DSMCore/Tools/ExecProgram.h", *LIBRARY]
ALLOWED["Widgets"] = []
# An example is what a user copies: it sees what a user sees.
ALLOWED["Examples"] = ["DSMCore/Client"]

# Headers of others: what it is, how one recognises it, and the components that may include it.
FOREIGN = [
    ("MPI", r"mpi\.h|vtkMPI.*",
     ["DSMCore/Mpi", "DSMCore/Driver", "DSMCore/Client", "DSMCore/Tools", "Readers", "Plugin", "Examples"]),
    ("HDF5", r"(.*/)?(hdf5(_hl)?|H5\w*)\.h|vtk_hdf5\.h",
     ["DSMCore/Driver", "DSMCore/Serial", "DSMCore/Archive", "DSMCore/Client", "DSMCore/Tools", "Readers",
      "Readers/Describe", "Readers/Described", "Plugin", "Examples"]),
    ("libfabric", r"rdma/\w+\.h", ["DSMCore/Transport"]),
    # Records are plain; one component knows how they travel.
    ("nlohmann-json", r"nlohmann/.*", ["DSMCore/Encoding"]),
    ("ZeroMQ", r"zmq(_addon)?\.h(pp)?", ["DSMCore/Control"]),
    # What decides is one thread's at a time, and deterministic.
    ("threads", r"thread|mutex|shared_mutex|condition_variable|future|semaphore|pthread\.h",
     [*(name for name in ALLOWED if name != "DSMCore/Server/Core"), "DSMCore/Server/Core/RequestRouter.h"]),
    ("VTK", r"vtk\w*\.h(xx|pp)?", ["Readers", "Plugin", "Widgets"]),
    ("ParaView's Qt", r"pq\w*\.h", ["Widgets"]),
    ("Qt", r"Q(t|[A-Z])\w*(/\w+)?", ["Widgets"]),
]
# Headers of components that may be used, but not these: the core gets the time with each event.
FORBIDDEN = {"DSMCore/Server/Core": ["DSMCore/Base/Deadline.h", "DSMCore/Base/WallClock.h"]}
# Expressions that belong to one component: what to use elsewhere, the pattern, and the components that may contain it.
CONVERSIONS = [
    ("Error::From", r"dynamic_(pointer_)?cast<\s*(const\s+)?(dsm::)?Error\b", ["DSMCore/Base"]),
]
# Ours, of others' names: whoever includes that name does not mean ours.
STAND_INS = ["DSMCore/Serial/mpi.h"]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
ENDINGS = {".h", ".hxx", ".hpp", ".c", ".cc", ".cpp", ".cxx", ".in"}


def component_of(path):
    """'DSMCore/Base/Log.h' is in 'DSMCore/Base', 'Widgets/x/y.h' in 'Widgets'."""
    parts = path.parts
    folder = "/".join(parts[:2])
    room = "/".join(parts[:3])
    if room in ALLOWED:
        return room
    return folder if parts[0] == "DSMCore" or folder in ("Readers/Describe", "Readers/Tools") else parts[0]


def project_files(checkout, folders=("DSMCore", "Readers", "Plugin", "Widgets", "Examples")):
    return sorted(
        path.relative_to(checkout)
        for top in folders
        for path in (checkout / top).rglob("*")
        if path.suffix in ENDINGS and path.is_file() and len(path.relative_to(checkout).parts) > 1)


def resolve(name, includer, files, by_name):
    """The project's file that an include names, or None: it is somebody else's."""
    for place in (includer.parent / name, Path("DSMCore") / name, Path("Readers") / name, Path(name)):
        candidate = Path(os.path.normpath(place))
        if candidate in files:
            return candidate
    # VTK modules put each component's folder on the path, so a bare name can come from any component.
    return by_name.get(name)


def problems(checkout):
    found = []
    listing = project_files(checkout)
    files = set(listing)
    by_name = {path.name: path for path in listing if str(path) not in STAND_INS}
    for path in listing:
        component = component_of(path)
        if component.startswith("DSMCore/") and len(path.parts) > 2 and component not in ALLOWED:
            found.append(f"{path}: {component} is a component without a rule: add it to {Path(__file__).name}")
            continue
        text = (checkout / path).read_text(errors="replace")
        for match in INCLUDE.finditer(text):
            name, where = match.group(1), f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}"
            target = resolve(name, path, files, by_name)
            if target is not None:
                other = component_of(target)
                allowed = ALLOWED.get(component, [])
                if other != component and other not in allowed and str(target) not in allowed:
                    usable = ", ".join(allowed) or "nothing of ours"
                    found.append(f"{where}: {component} must not include {target} (it may use: {usable})")
                if str(target) in FORBIDDEN.get(component, []):
                    found.append(f"{where}: {component} must not include {target}")
                continue
            for what, pattern, components in FOREIGN:
                if re.fullmatch(pattern, name) and component not in components and str(path) not in components:
                    allowed = ", ".join(components)
                    found.append(f"{where}: {component} must not include <{name}>: only {allowed} may use {what}")
    for path in [*listing, *project_files(checkout, ["Testing"])]:
        text = (checkout / path).read_text(errors="replace")
        for instead, pattern, components in CONVERSIONS:
            found += [f"{path}:{text.count(chr(10), 0, match.start()) + 1}: use {instead} instead of {match.group()}"
                      for match in re.finditer(pattern, text) if component_of(path) not in components]
    return found


# Each file's one line (an include, or code), and whether it keeps the rules.
SELF_TEST = [
    ("DSMCore/Base/Log.h", "<string>", True),
    ("DSMCore/Base/Bad.cxx", '"Mapping/Map.h"', False),
    ("DSMCore/Base/Error.cxx", "auto* known = dynamic_cast<const Error*>(&thrown);", True),
    ("DSMCore/Mapping/BadCast.cxx", "auto* known = dynamic_cast<const Error*>(&thrown);", False),
    ("Plugin/BadCast.cxx", "auto& known = dynamic_cast<dsm::Error&>(thrown);", False),
    ("Testing/Unit/BadCast.cxx", "auto* known = dynamic_cast<const Error*>(&thrown);", False),
    ("Plugin/Cast.cxx", "auto* known = dynamic_cast<const ErrorObserver*>(thrown);", True),
    ("DSMCore/Mapping/Map.h", '"Base/Log.h"', True),
    ("DSMCore/Mapping/Bad.cxx", '"Memory/Segment.h"', False),
    ("DSMCore/Mapping/BadMpi.cxx", "<mpi.h>", False),
    ("DSMCore/Memory/Segment.h", '"Base/Log.h"', True),
    ("DSMCore/Memory/Bad.cxx", '"../Mpi/Communicator.h"', False),
    ("DSMCore/Mpi/Communicator.h", "<mpi.h>", True),
    ("DSMCore/Encoding/Fields.cxx", "<nlohmann/json.hpp>", True),
    ("DSMCore/Protocol/Messages.h", '"Mapping/Map.h"', True),
    ("DSMCore/Protocol/BadJson.h", "<nlohmann/json_fwd.hpp>", False),
    ("DSMCore/Mpi/Bad.cxx", '"Protocol/Messages.h"', False),
    ("DSMCore/Control/RequestId.h", "<string>", True),
    ("DSMCore/Control/Channel.h", "<zmq.hpp>", True),
    ("DSMCore/Control/Bad.cxx", '"Protocol/Messages.h"', False),
    ("DSMCore/Transport/Transport.h", '"Protocol/Messages.h"', True),
    ("DSMCore/Transport/Bad.cxx", '"Control/Channel.h"', False),
    ("DSMCore/Transport/BadHdf5.cxx", "<hdf5.h>", False),
    ("DSMCore/Server/Server.h", '"Transport/Transport.h"', True),
    ("DSMCore/Server/Bad.cxx", '"Driver/H5FDdsm.h"', False),
    ("DSMCore/Server/BadZmq.cxx", "<zmq.hpp>", False),
    ("DSMCore/Server/BadPeer.cxx", '"Peer/Connection.h"', False),
    ("DSMCore/Server/Threads.cxx", "<mutex>", True),
    ("DSMCore/Server/Core/Images.h", '"Control/RequestId.h"', True),
    ("DSMCore/Server/Core/Bad.cxx", '"Control/Channel.h"', False),
    ("DSMCore/Server/Core/RequestRouter.h", "<mutex>", True),
    ("DSMCore/Server/Core/BadMutex.cxx", "<mutex>", False),
    ("DSMCore/Base/WallClock.h", "<string>", True),
    ("DSMCore/Server/Core/BadClock.cxx", '"Base/WallClock.h"', False),
    ("DSMCore/Server/Core/BadHost.cxx", '"Server/Host/Agent.h"', False),
    ("DSMCore/Server/Host/Agent.h", '"Control/Channel.h"', True),
    ("DSMCore/Server/Host/Bad.cxx", '"Server/Core/Images.h"', False),
    ("DSMCore/Peer/Connection.h", '"Control/Channel.h"', True),
    ("DSMCore/Peer/Bad.cxx", '"Server/Server.h"', False),
    ("DSMCore/Driver/BadServer.cxx", '"Server/Server.h"', False),
    ("DSMCore/Driver/H5FDdsm.h", "<H5FDdevelop.h>", True),
    ("DSMCore/Driver/Driver.cxx", '"Peer/Connection.h"', True),
    ("DSMCore/Driver/Bad.cxx", '"Archive/Save.h"', False),
    ("DSMCore/Steering/SteeringService.h", '"Control/RequestId.h"', True),
    ("DSMCore/Steering/Bad.cxx", '"Control/Channel.h"', False),
    ("DSMCore/Client/Agent.cxx", '"Control/Channel.h"', True),
    ("DSMCore/Client/Bad.cxx", '"Server/Server.h"', False),
    ("DSMCore/Archive/Save.h", '"Server/Server.h"', True),
    ("DSMCore/Archive/Bad.cxx", "<vtkObject.h>", False),
    ("DSMCore/Tools/serve.cxx", '"Driver/H5FDdsm.h"', True),
    ("DSMCore/Tools/Bad.cxx", '"vtkDSMReader.h"', False),
    ("DSMCore/Serial/mpi.h", '"Driver/H5FDdsm.h"', True),
    ("DSMCore/Serial/Bad.cxx", '"Server/Server.h"', False),
    ("DSMCore/Cellar/Wine.h", "<string>", False),
    ("Readers/vtkDSMReader.h", '"Driver/H5FDdsm.h"', True),
    ("Readers/Bad.cxx", '"vtkDSMServer.h"', False),
    ("Readers/Describe/Source.h", "<hdf5.h>", True),
    ("Readers/Describe/Bad.cxx", '"vtkDSMReader.h"', False),
    ("Readers/Describe/BadCore.cxx", '"Server/Server.h"', False),
    ("Readers/Describe/BadVtk.cxx", "<vtkObject.h>", False),
    ("Readers/Tools/dsm-describe.cxx", '"Describe/Source.h"', True),
    ("Readers/Tools/Bad.cxx", "<vtkObject.h>", False),
    ("Readers/Filled.cxx", '"Describe/Source.h"', True),
    ("Plugin/vtkDSMServer.h", '"vtkDSMReader.h"', True),
    ("Plugin/Server.cxx", '"Server/Server.h"', True),
    ("Plugin/Bad.cxx", "<QWidget>", False),
    ("Widgets/pqDSMPanel.h", "<pqProxyWidget.h>", True),
    ("Widgets/Panel.cxx", "<vtkSMProxy.h>", True),
    ("Widgets/BadCore.cxx", '"Base/Log.h"', False),
    ("Widgets/BadPlugin.cxx", '"vtkDSMServer.h"', False),
    ("Widgets/BadReader.cxx", '"vtkDSMReader.h"', False),
    ("Widgets/BadMpi.cxx", "  #  include <mpi.h>", False),
    ("Widgets/BadHdf5.cxx", "<H5Fpublic.h>", False),
    ("Widgets/BadVtkMpi.cxx", "<vtkMPIController.h>", False),
    ("Examples/sim/main.cxx", "<hdf5.h>", True),
    ("Examples/sim/Bad.cxx", '"Server/Server.h"', False),
]


def circles():
    """The rules themselves must have no circle: a line for each component that is on one."""
    found = []
    for start in CORE:
        seen, open_components = set(), list(CORE[start])
        while open_components:
            component = open_components.pop()
            component = component if component in CORE else component.split("/")[0]
            if component == start:
                found.append(f"DSMCore/{start}: the rules let it use itself, by way of others")
                break
            if component not in seen:
                seen.add(component)
                open_components.extend(CORE[component])
    return found


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder)
        for name, include, _ in SELF_TEST:
            path = checkout / name
            path.parent.mkdir(parents=True, exist_ok=True)
            line = f"#include {include}" if include[0] in '<"' else include
            path.write_text(f"// SPDX\n{line}\n// #include <mpi.h>\n")
        blamed = {re.split(r":", line)[0] for line in problems(checkout)}
    wrong = [name for name, _, good in SELF_TEST if (name in blamed) == good]
    for name in wrong:
        print(f"self-test: {name} was {'blamed without cause' if name in blamed else 'not caught'}")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    checkout = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    if not (checkout / "DSMCore" / "Base").is_dir():
        print(f"{checkout} is no checkout of ParaView DSM: there is no DSMCore/Base in it")
        return 2
    found = circles() + problems(checkout)
    print("\n".join(found) if found else "every include follows the arrows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
