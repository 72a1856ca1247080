# SPDX-License-Identifier: BSD-3-Clause

import atexit
import contextlib
import dataclasses
import json
import os
import re
import time
import warnings
import weakref

from paraview import servermanager

from . import _compare, _plugin, _proxy, _settings, _states
from ._errors import Error
from ._run import Origin, Run
from ._snapshot import Snapshot
from ._steering import Steering

# Waits are cut into slices of as many seconds, so that Ctrl+C works.
_WAIT_SLICE = 0.5
# No snapshot has a number above this.
_NEVER = 2**62
# How often is asked how far a file is that is brought back; most are at once.
_RESTORE_SLICE = 0.05


@dataclasses.dataclass(frozen=True)
class Status:
    """The status of a server."""

    state: str
    """idle, listening, connected, receiving, paused (by steering), simulation lost or hosts lost (separate: the
    processes that hold the memory cannot be reached)."""
    writers: str
    """The simulations connected now."""
    writers_seen: int
    sealed: int
    """Snapshots since the start."""
    dropped: int
    """Snapshots that were dropped to make room before anybody had read them."""
    skipped: int
    """New files that were not kept, with when_full="drop newest"."""
    abandoned: int
    """Files that were begun and never closed."""
    memory_used: int
    memory_budget: int
    last_error: str
    """The last error of a simulation or a host; may be empty."""
    crashes: tuple
    """separate: of each snapshot of which a ParaView before this one crashed, and that is still there, what it is and
    what to do. It is not read so again by itself."""
    pending: str
    """Changes that are not in force yet; empty if all are."""
    received: int
    """Bytes that simulations wrote since the start."""
    throughput: float
    """Bytes per second at which the newest snapshot was written."""
    blocked_seconds: float
    """Seconds for which writing files kept simulations from computing, since the start."""
    waiting_seconds: float
    """How long a simulation has been waiting for room; 0 if none waits."""
    numbers: tuple
    """The snapshots in memory, oldest first."""
    saved: tuple
    """Those of them that are on disk as well, whoever has saved them."""
    outgrown: int
    """Bytes on the ranks' disks, of files that have outgrown the memory."""
    waiting_for_disk: int
    """How many are to be on disk as well (also_on_disk), and are not there yet."""
    waiting_for_disk_bytes: int
    """Their size: at most so much would be lost with the ranks."""
    disk_trouble: str
    """Why some of those could not be written; empty if all could."""
    saving: tuple
    """What the hosts write to disk now (write_to_disk, archive): its number, bytes written, bytes; or empty."""
    orders: tuple
    """The orders of archive() that go on: dictionaries with Ticket, Rule, Path, Form, Written, Waiting, Failure."""
    host_bytes: tuple
    """Bytes that transfers put to each rank since the start."""
    transports: tuple
    """The transports that the ranks offer."""
    record: dict
    """All that the server says of itself, by the names in its own record (dsm::ServerStatus)."""


@_settings.described
class Server:
    """Memory that ParaView's ranks lend to running simulations; starts at once.

    An argument that is not given, or None, has the default of the panel's settings: that of the proxy's property.
    Sizes are bytes, or texts like "512 MiB". Headings such as Expected File Size are those of the panel: the argument
    is expected_file_size.

    SETTINGS

    Each argument that can change while the server runs is also an attribute, with the value in force, and can be
    assigned: server.transport = "fabric/tcp". status().pending has the changes that are not in force yet.

    A script that starts again with separate=True and the same contact file finds its processes, with all that is in
    memory (see attached) and their settings, but for those that it gives.

    Use it as a context manager, or call stop(); it also stops when the script ends, unless separate. All methods
    are collective over the ranks that run the script. Errors are raised as paraviewdsm.Error.
    """

    @_settings.takes_settings
    def __init__(self, properties):
        self._make()
        self._begin(**properties)

    def _make(self):
        self._running = False
        _plugin.load()
        # In ParaView's window this is the panel's; it is part of state files.
        self._proxy = _proxy.registered_idle() or _proxy.register(_proxy.create("misc", "DSMServer"))

    def _begin(self, **properties):
        _proxy.command(self._proxy, "Start", **{"Watching": 0, **properties})
        _proxy.assign(self._proxy, Active=1)
        self._take(bool(properties.get("Separate")))
        if self._attached:
            _proxy.apply_again(self._proxy, {
                name: value for name, value in properties.items()
                if value is not None and name not in ("ContactFile", "Separate", "Active")
            })
        self._atexit = _stop_at_exit(self)

    def _take(self, separate):
        """The proxy's server, which runs."""
        self._readers = {}
        self._steering = {}
        self._waitedFor = 0
        self._found = None
        self._atexit = None
        self._running = True
        self._separate = separate
        self._contact, self._attached = _proxy.scalar(self._proxy, "ContactPath", "FoundRunning")

    @property
    def contact(self):
        """Absolute path of the contact file."""
        return self._contact

    @property
    def attached(self):
        """Whether processes of their own held the memory already when this began; see separate."""
        return bool(self._attached)

    @property
    def watched(self):
        """Whether another program has started this server, and this only watches it; see watch()."""
        return bool(_proxy.scalar(self._proxy, "Watched"))

    @property
    def proxy(self):
        """The DSMServer proxy, as paraview.servermanager has it."""
        return servermanager._getPyProxy(self._proxy)

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        # A corrected script finds its snapshots again.
        if not (self._separate and error):
            self.stop()

    def stop(self):
        """Disconnects the simulations, gives the memory back and removes the contact file. Processes of their own that
        hold the memory end. A server that is only watched goes on as it is."""
        if self._running:
            self._running = False
            _attached.pop(self._proxy, None)
            if self._atexit:
                atexit.unregister(self._atexit)
            _proxy.command(self._proxy, "Stop")
            _proxy.assign(self._proxy, Active=0)

    def redistribute(self, strategy=None, block_size=None, blocks_per_cycle=None, seed=None):
        """How new files are distributed over the ranks, with the arguments of the constructor.

        Files that are in memory, or being written, stay as they are.
        """
        self.change(**_settings.properties(
            strategy=strategy, block_size=block_size, blocks_per_cycle=blocks_per_cycle, seed=seed))

    def change(self, **properties):
        """Changes settings of the running server, by the names of the proxy's properties, all at once."""
        _proxy.command(self._proxy, "Refresh")
        _proxy.change(self._proxy, **properties)

    def reader(self, stream=""):
        """The source that shows this server's snapshots, or those of one stream; the same one at each call.

        stream  for a simulation that writes several kinds of files in turn: which of them, by the name that
                streams() and Snapshot.stream have for it, such as "particles.#.h5"; "particles.#.h5@2" is what
                run 2 wrote of it, whatever comes; or shell patterns of files' names, such as "diag0.h5" or
                "*/fields/*.h5". One that has not come yet shows nothing

        In the loop over snapshots() it shows the snapshot at hand, whatever time is asked for; that of another
        stream goes on showing its last one. Otherwise it offers the times in memory and follows the newest:
        see refresh().
        """
        if stream not in self._readers:
            from paraview import simple

            # Both at once: else it would look into files of other streams.
            self._readers[stream] = simple.DSMReader(FilePattern=stream, ContactFile=self._contact)
        return self._readers[stream]

    def streams(self):
        """The names of the streams that simulations write: files whose names differ in numbers only. Those that
        are in memory, in the order in which they came."""
        return list(dict.fromkeys(snapshot["Stream"] for snapshot in self._record()["Snapshots"]))

    def _has(self, stream):
        """Whether there is something of a stream, or of one run of it."""
        return any(_fits(stream, {"stream": one["Stream"], "run": one["Run"], "file": one["FileName"]})
                   for one in self._record()["Snapshots"])

    def _record(self):
        """The dsm::ServerStatus now."""
        _proxy.command(self._proxy, "Refresh")
        return json.loads(_proxy.scalar(self._proxy, "ServerStatus"))

    def runs(self):
        """The runs of simulations that snapshots in memory, or simulations that are connected, are of, and those that
        they began from, as a Run each, in the order in which they began. Their numbers are those of Snapshot.run."""
        return [_run(each) for each in self._record()["Runs"]]

    def compare(self, one, other, array=None, titles=None, timeout=0):
        """Shows two streams or runs side by side, and how far they are apart, in a layout of three views: a Comparison.

        one, other  what to compare: a stream, or what one run has written of it, as reader() has them:
                    "out.#.h5@1", "out.#.h5@2"
        array       whose difference it is: a name, or ("CELLS", name); None: that by which the one is coloured where it
                    is shown already, else the first that both have
        titles      what the two are called in the picture
        timeout     seconds to wait until both have a snapshot of the same time; 0: not at all

        Both are shown at the same time: of the times that both have in memory the last one up to that of the views, so
        the picture follows where both go on. Error with the reason, and nothing is shown, where there is no such time,
        or the meshes differ.
        """
        return _compare.compare(self._contact, one, other, array, titles, timeout)

    def open(self, snapshot):
        """A source of its own that goes on showing one snapshot (a Snapshot or its number).

        For a file that comes once, such as a geometry. Update it while the snapshot is in memory, for
        instance in the body of the loop that yields it: it keeps the data that it has read.
        """
        from paraview import simple

        # The number first: with only a contact file it would open the newest, which then counts as read.
        made = simple.DSMReader(Snapshot=getattr(snapshot, "number", snapshot))
        _proxy.assign(made.SMProxy, ContactFile=self._contact)
        return made

    def refresh(self):
        """Lets the readers ask for new snapshots; their next updates show the newest."""
        for reader in list(self._readers.values()) or [self.reader()]:
            _proxy.ask_again(reader)

    def snapshots(self, timeout=60, every=True, pattern=None):
        """Yields each snapshot, as a Snapshot, when it is there; waits for it.

        timeout  seconds to wait for each; TimeoutError if none came
        every    False skips to the newest, for a script that is slower than the simulation
        pattern  a stream ("ez-#.h5"), or shell pattern of the files wanted ("ez-*.h5"; several joined by
                 ':'); others are skipped

        In the loop's body the readers that it fits show that snapshot, and the snapshot stays in memory. The loop
        ends when the simulation has disconnected and everything was seen. A reader() that nothing has fitted by then
        is named in a warning. So is the number of snapshots that left the memory before the loop came to them, unless
        every is False.

        With separate=True: if this process is suspended for longer than DSM_PEER_TIMEOUT, the hosts release what it
        has. Then the loop raises Error; another loop goes on with what is in memory.
        """
        if not self._readers:
            self.reader()
        seen = 0
        waited = 0.0
        missed = said = 0
        try:
            while True:
                found, finished, seconds = self._wait(seen, every, min(_WAIT_SLICE, timeout - waited))
                waited += seconds
                if not found and finished:
                    self._warn_of_unfit(seen)
                    return
                if not found and waited >= timeout:
                    raise TimeoutError(self._timeout_message(timeout, seen))
                if not found:
                    continue
                seen = found
                entry = self._entry(found)
                if every:
                    missed += entry["missed"]
                if missed and not said:
                    said = missed
                    self._warn_of_missed(missed, f"before snapshot {found}")
                try:
                    if pattern is None or _fits(pattern, entry):
                        waited = 0.0
                        shown = self._show(found, entry)
                        if shown is None:
                            self._wait(_NEVER, True, 0)  # raises why this process was given up
                            warnings.warn(f"snapshot {found} ({entry['file']}) left the memory before it was shown, "
                                          f"and is skipped", stacklevel=2)
                        else:
                            yield shown
                finally:
                    if self._running:
                        _proxy.command(self._proxy, "Release", Number=found)
        finally:
            if missed > said:
                self._warn_of_missed(missed, "in all")
            if self._running:
                for reader in self._readers.values():
                    _proxy.assign(reader.SMProxy, Snapshot=0)

    def for_each_snapshot(self, callback, timeout=60, every=True, pattern=None):
        """Calls callback(snapshot) for each snapshot, as snapshots() yields them; returns how many there were.

        Ends when the simulation has disconnected, or when the callback returns False. (With when_full="block" a
        simulation that goes on then waits for room, and takes no command meanwhile.)
        """
        count = 0
        for snapshot in self.snapshots(timeout, every, pattern):
            count += 1
            if callback(snapshot) is False:
                break
        return count

    def each(self, timeout=600):
        """Yields the number of the newest snapshot whenever there is another, until the simulation has ended: see
        wait()."""
        while (number := self.wait(timeout)) is not None:
            yield number

    def wait(self, timeout=600, stream=None):
        """Waits until the simulation has written more than at the last call; returns the newest number.

        stream  until there is also a file of that stream

        Readers of this server then have its time, and those of the others in memory. Returns None if the
        simulation has ended. TimeoutError if neither happened within timeout seconds. For traces of
        ParaView's window; in your own scripts use snapshots().
        """
        if stream is not None:
            number = self._waitedFor
            while number is not None and not self._has(stream):
                number = self.wait(timeout)
            _refresh_readers(self._contact)
            return number
        waited = 0.0
        found, finished = 0, False
        while not found and not finished:
            if waited >= timeout:
                raise TimeoutError(self._timeout_message(timeout, self._waitedFor))
            found, finished, seconds = self._wait_for_newer(min(_WAIT_SLICE, timeout - waited))
            waited += seconds
        return found or None

    def _wait_for_newer(self, seconds):
        """Waits as _wait does, for more than wait() has returned; the readers then have it."""
        found, finished, waited = self._wait(self._waitedFor, False, seconds)
        if not found:
            # A program that is steered and writes nothing never counts as a writer.
            return found, finished or self.steering().all_have_ended(), waited
        self._waitedFor = found
        try:
            _refresh_readers(self._contact)
        finally:
            _proxy.command(self._proxy, "Release", Number=found)
        return found, finished, waited

    def follow(self, each=None, timeout=600, others=()):
        """Shows each snapshot that comes, or only the newest if they come faster than it can, in all views, until the
        simulation has ended. For Python states; in ParaView's window it returns at once, since the panel follows.

        each     called with the number of each, when the views show it
        timeout  seconds to wait for each; TimeoutError if none came
        others   further servers, followed in the same way: until the simulations of all have ended
        """
        from paraview import simple

        if _states.in_window():
            return
        waited = dict.fromkeys((self, *others), 0.0)
        found = {server: server._waitedFor for server in waited}
        while waited:
            for server in list(waited):
                finished = False
                if not found.get(server):
                    found[server], finished, seconds = server._wait_for_newer(_WAIT_SLICE / len(waited))
                    waited[server] += seconds
                if number := found.pop(server):
                    waited[server] = 0.0
                    simple.GetAnimationScene().GoToLast()
                    simple.RenderAllViews()
                    if each:
                        each(number)
                elif finished:
                    del waited[server]
                elif waited[server] >= timeout:
                    raise TimeoutError(server._timeout_message(timeout, server._waitedFor))

    def save(self, snapshot, path):
        """Writes a snapshot (a Snapshot or its number) byte by byte to a plain HDF5 file. Of one in several files, path
        is the folder for them."""
        number = getattr(snapshot, "number", snapshot)
        _proxy.command(self._proxy, "SaveSnapshot", Number=int(number), SavePath=os.path.abspath(path))

    def write_to_disk(self, path=None, next=False, file="*", timeout=60, form="single"):
        """Has the hosts write the newest snapshot to their disk as a plain HDF5 file; returns the file's name.

        path     a file or a folder; None: a folder beside the contact file, where it replaces no file
        next     the next snapshot that comes, instead of the newest
        file     only of a file whose name matches this shell pattern
        form     "single"; "subfiles" as HDF5's Subfiling driver has them, one for each host; or "subfiles 4", one for
                 each 4 hosts

        The file is written whole or not at all. save() does the same for any snapshot, in this script's own
        thread. Raises Refused with the reason, or TimeoutError; it may still be written then.
        """
        when = "next" if next else "newest"
        outcome = self.steering().save(timeout, path=_absolute(path), when=when, file=file, form=form)
        return outcome["detail"]["path"]

    def archive(self, rule="all", path=None, form="single", hold=False, timeout=60):
        """Has the hosts write all snapshots that a rule keeps into a folder, those that are there and each that comes,
        in the background; returns the order's number, for end_archive().

        rule     "all"; "every 5": of each stream the first, and every fifth from there; or shell patterns of names,
                 with ':' between them
        path     the folder, where no file is replaced; None: one beside the contact file
        form     as for write_to_disk()
        hold     none leaves the memory before it is written, also where that fails: for checkpoints. A simulation
                 that needs the room waits
        """
        return self.steering().save(timeout, path=_absolute(path), when="each", rule=rule, hold=hold, form=form)[
            "transaction"
        ]

    def end_archive(self, order, timeout=60):
        """No more for an order of archive(); what waits is still written."""
        self.steering().save(timeout, when="end", number=order)

    def restore(self, path, name=None, timeout=600):
        """Makes a file on disk a snapshot; returns its number when it is among what readers see.

        path     a plain HDF5 file, or the stub of one in subfiles, on the machine of the first rank
        name     that by which programs open it, such as a simulation that starts again; None: its own

        The server's first rank reads it, in the background: after TimeoutError it may still become one.
        """
        _proxy.command(self._proxy, "Restore", RestorePath=os.path.abspath(path), RestoreName=_absolute(name))
        # Counted, so that all ranks that run the script do the same.
        waited = 0.0
        while not _is_back(record := self._record()):
            if waited >= timeout:
                file = record["Restored"]
                raise TimeoutError(f"{path} was not brought back from disk within {timeout:g} s: "
                                   f"{file['Bytes']} of {file['FileSize']} bytes were")
            time.sleep(_RESTORE_SLICE)
            waited += _RESTORE_SLICE
        if record["Restored"]["Failure"]:
            raise Error(record["Restored"]["Failure"])
        return record["Restored"]["Number"]

    # ---- Steering: see paraviewdsm.Parameters.

    def declare(self, program="simulation", parameters=(), commands=()):
        """What can be changed in a program that does not use dsm.h: it reads the values from "dsm#Interactions".

        parameters  dictionaries: {"name": "feed", "default": 0.04, "minimum": 0, "maximum": 0.1,
                    "unit": "1/s", "text": "...", "group": "..."}; also "choices" for an enumeration
        commands    names, or dictionaries with "name" and "text"; the program reads how often each was sent

        A change takes effect when the program opens that file the next time. Returns its Steering.
        """
        named = self.steering(program)
        named.declare(list(parameters), list(commands))
        return named

    @property
    def parameters(self):
        """The simulation's parameters, like a dictionary: parameters["feed"] = 0.04, then apply()."""
        return self.steering().parameters

    @property
    def observables(self):
        """The simulation's observables by name: lists of steps, times and values."""
        return self.steering().observables

    def steering(self, program=""):
        """The Steering of one simulation by its name; "": of the one that connected last."""
        if program not in self._steering:
            self._steering[program] = Steering(self._proxy, program)
        return self._steering[program]

    def apply(self, timeout=60):
        """Applies what was assigned to parameters, as one change; see Steering.apply."""
        return self.steering().apply(timeout=timeout)

    def send(self, name, source, array=None, grid=None, outside=0.0, timeout=60):
        """Sets an array of the simulation to values of a pipeline's data; see Steering.send."""
        return self.steering().send(name, source, array, grid, outside, timeout)

    def command(self, name, count=None, timeout=60):
        """Has the simulation carry out one of its commands."""
        return self.steering().command(name, count, timeout)

    def pause(self, timeout=60, at=None):
        """Lets the simulation wait in its next step, or, with `at`, at that step (now if it has passed)."""
        return self.command("pause", timeout=timeout) if at is None else self.command("pause at", at, timeout)

    def resume(self, timeout=60):
        return self.command("resume", timeout=timeout)

    def advance(self, steps=1, timeout=60, wait=False):
        """Goes on for some steps, then pauses; see Steering.advance."""
        return self.steering().advance(steps, timeout, wait)

    def stop_simulation(self, timeout=60):
        """Lets the simulation end by itself."""
        return self.command("stop", timeout=timeout)

    def status(self):
        """The server's status now, as a Status."""
        _proxy.command(self._proxy, "Refresh")
        text, writers, pending, throughput = _proxy.scalar(
            self._proxy, "ServerStatus", "Writers", "PendingChanges", "Throughput"
        )
        record = json.loads(text)  # a dsm::ServerStatus
        saving = record.get("SavingNow")
        return Status(
            state=record["State"],
            writers=writers,
            writers_seen=record["WritersSeen"],
            sealed=record["SnapshotsSealed"],
            dropped=record["SnapshotsDropped"],
            skipped=record["SnapshotsSkipped"],
            abandoned=record["ImagesAbandoned"],
            memory_used=record["MemoryUsed"],
            memory_budget=record["MemoryBudget"],
            last_error=record["LastError"],
            crashes=tuple(record["Crashes"]),
            pending=pending,
            received=record["BytesReceived"],
            throughput=throughput,
            blocked_seconds=record["BlockedSeconds"],
            waiting_seconds=record["WaitingSeconds"],
            numbers=tuple(snapshot["Number"] for snapshot in record["Snapshots"]),
            saved=tuple(record["Saved"]),
            outgrown=record["OutgrownBytes"],
            waiting_for_disk=record["WaitingForDisk"],
            waiting_for_disk_bytes=record["WaitingForDiskBytes"],
            disk_trouble=record["DiskTrouble"],
            saving=(saving["Number"], saving["Bytes"], saving["FileSize"]) if saving else (),
            orders=tuple(record["Standing"]),
            host_bytes=tuple(record["HostBytes"]),
            transports=tuple(record["Transports"]),
            record=record,
        )

    def _wait(self, seen, every, seconds):
        """The number found (0: none), whether the simulation has ended, and seconds waited.

        All three come from rank 0, so that all ranks that run the script do the same.
        """
        _proxy.command(
            self._proxy, "WaitForSnapshot",
            WaitAfter=seen, WaitNext=int(bool(every)), WaitSeconds=max(float(seconds), 0.0),
        )
        text = _proxy.scalar(self._proxy, "FoundSnapshot")
        if not text:
            return 0, *_proxy.scalar(self._proxy, "Finished", "Waited")
        # The record has all of it: each property that is asked for takes 0.1 ms.
        self._found = json.loads(text)
        return self._found["Snapshot"]["Number"], False, self._found["Waited"]

    def _entry(self, number):
        """Describes the snapshot that the last wait has found."""
        found = self._found
        record = found["Snapshot"]
        statistics = record["Statistics"]
        return {
            "number": number, "file": record["FileName"], "step": record["Step"], "size": record["FileSize"],
            "bytes": statistics["Bytes"], "write_seconds": statistics["WriteSeconds"],
            "blocked_seconds": statistics["BlockedSeconds"], "files": max(len(record["Parts"]), 1),
            "in_memory": found["Counts"]["InMemory"], "stream": record["Stream"], "run": record["Run"],
            "program": record["Program"], "missed": found["Counts"]["Missed"],
        }

    def _show(self, number, entry):
        """Has the readers show a snapshot. None if it has left the memory, although it was held: the hosts had given
        this process up."""
        # Those that it fits, that of all among them; or that of all, made now.
        names = [name for name in self._readers if not name or _fits(name, entry)] or [""]
        for reader in map(self.reader, names):
            _proxy.assign(reader.SMProxy, Snapshot=number)
            reader.UpdatePipelineInformation()
            shown, time = _proxy.scalar(reader.SMProxy, "ShownSnapshot", "ShownTime")
            if shown != number:
                return None
        return Snapshot(**entry, time=time, name=f"{self._contact}#{number}")

    def _warn_of_unfit(self, seen):
        """Says which readers no snapshot has fitted: they show nothing."""
        for name, reader in self._readers.items():
            if seen and name and not _proxy.scalar(reader.SMProxy, "ShownSnapshot") and not self._has(name):
                warnings.warn(f"no snapshot fits reader({name!r}), which shows nothing: the streams are "
                              f"{', '.join(self.streams()) or 'gone'}", stacklevel=3)

    def _warn_of_missed(self, count, which):
        """Warns that snapshots have gone that snapshots() did not come to."""
        what = "1 snapshot" if count == 1 else f"{count} snapshots"
        warnings.warn(f"{what} ({which}) left the memory before the loop came to them: share more memory, keep more "
                      f"snapshots, let the simulation wait (when_full=\"block\"), or ask for the newest only "
                      f"(every=False)", stacklevel=3)

    def _timeout_message(self, timeout, seen):
        """Why no snapshot came, by the server's status."""
        status = self.status()
        what = f"no snapshot {'after number ' + str(seen) + ' ' if seen else ''}came within {timeout:g} s"
        if status.writers:
            return f"{what}, though {status.writers} is connected: does it still run, and does it close its files?"
        if status.writers_seen:
            return f"{what}: the last simulation has left" + (f" ({status.last_error})" if status.last_error else "")
        return (
            f"{what}: no simulation has connected to {self._contact}. Start it with "
            f"dsm-run --contact {self._contact}, or with DSM_CONTACT set to that file"
        )


def _run(record):
    """A dsm::RunDescription as a Run."""
    begun = record.get("From")
    return Run(
        number=record["Number"],
        program=record["Program"],
        node=record["Node"],
        since=record["Since"],
        origin=begun and Origin(
            run=begun["Run"], program=begun["Program"], stream=begun["Stream"], snapshot=begun["Snapshot"],
            file=begun["FileName"], step=begun["Step"],
        ),
        changed={change["name"]: (change["old"], change["new"]) for change in record["Changed"]},
    )


def _absolute(path):
    """As the hosts get it; empty: their choice."""
    return os.path.abspath(path) if path else ""


def _is_back(record):
    """Whether what is brought back from disk is shown, was shown and has gone since, or never will be."""
    number = record["Restored"]["Number"]
    return bool(record["Restored"]["Failure"]) or (
        number > 0 and any(shown["Number"] >= number for shown in record["Snapshots"]))


def _fits(pattern, entry):
    """Whether a snapshot is one that a pattern names, as dsm::FitsStream has it: by its stream, where '#' stands for
    any number, by what one run has written of that, or by shell patterns of its file's name."""
    import fnmatch

    number = r"(?:\d+|#)(?:\.(?:\d+|#))?"
    streams = [pattern, pattern.removesuffix(f"@{entry['run']}")]
    if any(re.fullmatch(re.escape(one).replace(r"\#", number), entry["stream"]) for one in streams):
        return True
    names = (entry["file"], os.path.basename(entry["file"]))
    patterns = [one for one in pattern.split(":") if one]
    return any(fnmatch.fnmatchcase(name, one) for one in patterns for name in names)


def start(**properties):
    """A Server, with the names of the proxy's properties: for traces of ParaView's window."""
    server = Server.__new__(Server)
    server._make()
    server._begin(**properties)
    return server


def watch(contact=None):
    """Watches the server that runs with a contact file, whichever program has started it: another ParaView, dsm-serve,
    or a script. Returns it as a Server, which lists, shows, saves, pins and steers as that of its owner does.

    contact  its contact file, or that of an invitation (dsm-invite); None: the default of Server

    This lends no memory and cannot change the server's settings: that is an Error, as is what an invitation does not
    allow. stop(), the end of a with block and the end of the script leave the server as it is. Collective over the
    ranks that run the script. Error if no server answers.
    """
    return start(ContactFile=contact, Watching=1)


def resume(streams=(), compared=(), timeout=600, **properties):
    """The Server of a Python state (File > Save State as .py), with the names of the proxy's properties. One that runs
    already with this contact file gets these settings.

    streams   those that the state has readers of
    compared  the pairs of streams, or runs of them, of which it has comparisons

    Outside ParaView's window it waits until there is something of each to show, and a time that those of each pair have
    in common, each for at most timeout seconds, since the state builds its pipeline on it; see follow().
    """
    _plugin.load()
    contact = os.path.abspath(properties["ContactFile"])
    running = _running()
    hosted = [path for path, proxy in running.items() if not _proxy.scalar(proxy, "Watched")]
    if contact in running:
        resumed = server(contact)
        if not resumed.watched:
            resumed.change(**{name: value for name, value in properties.items()
                              if name not in ("ContactFile", "Separate", "Watching")})
    elif hosted and not properties.get("Watching"):
        raise Error(f"this session shares memory already, with the contact file {hosted[0]}; the state's is "
                    f"{contact}: stop hosting first, then load the state")
    else:
        resumed = start(**properties)
    if not _states.in_window():
        resumed.wait(timeout)
        for stream in streams[1:]:
            resumed.wait(timeout, stream=stream)
        for pair in compared:
            _compare.when_common(resumed.contact, *pair, timeout)
    return resumed


# The Server objects for proxies that others have started.
_attached = {}


def _running():
    """Returns the proxies of the servers that run in this session by their contact files, in the same order."""
    return {_proxy.scalar(proxy, "ContactPath"): proxy for proxy in _proxy.registered_active()}


def server(contact=None):
    """Returns a server that runs in this session, as a Server: one that a panel of ParaView's window has started or
    watches, or that of a script. It goes on when the script ends. Error if none runs.

    contact  its contact file; None: the first one, that of the panel DSM
    """
    _plugin.load()
    running = _running()
    if contact is not None and os.path.abspath(contact) not in running:
        raise Error(f"no DSM server of this session has the contact file {contact}: "
                    f"{', '.join(running) or 'none runs'}")
    if not running:
        raise Error("no DSM server runs in this session: press Start in the panel DSM, or make a paraviewdsm.Server")
    proxy = next(iter(running.values())) if contact is None else running[os.path.abspath(contact)]
    if proxy not in _attached:
        made = Server.__new__(Server)
        made._proxy = proxy
        _proxy.command(proxy, "Refresh")
        made._take(bool(servermanager.vtkSMPropertyHelper(proxy, "Separate").GetAsInt()))
        for gone in set(_attached) - set(running.values()):
            del _attached[gone]
        _attached[proxy] = made
    return _attached[proxy]


def _refresh_readers(contact):
    """Lets the readers of a server ask for new snapshots."""
    from paraview import simple

    for source in simple.GetSources().values():
        if source.SMProxy.GetXMLName() == "DSMReader" and source.ContactFile == contact:
            _proxy.ask_again(source)


def _stop_at_exit(server):
    """Stops the server when a script ends without stop(): no contact file may be left, unless processes of their own
    hold the memory."""
    reference = weakref.ref(server)

    def stop():
        alive = reference()
        if alive and not alive._separate:
            # What goes wrong was reported already.
            with contextlib.suppress(Error):
                alive.stop()

    atexit.register(stop)
    return stop
