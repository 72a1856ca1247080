# SPDX-License-Identifier: BSD-3-Clause
"""What a file name means, as one process would keep it that does one thing after the other.

`DiskModel` is HDF5's own driver on a POSIX file system, with HDF5's file locks. `MemoryModel` is the product: the same
names and locks, without the moments in which HDF5 on disk shows a half-made file, and with what memory adds (versions
that leave the ring, programs that are not coupled). A file's content is the set of values that were written to it.
"""

from copy import copy
from fnmatch import fnmatch
from typing import NamedTuple

from history import OPENS

NOT_THERE = "not there"
THERE = "there already"
LOCKED = "locked"
UNREADABLE = "unreadable"
GONE = "gone"  # evicted, and not on disk
UNFINISHED = "ended before it had closed it"  # and the version before has left the memory
FULL = "full"  # no room in the ring, and none came in time
NOT_ON_DISK = "placeholder"  # what a program that is not coupled finds for a file in memory

EMPTY = "no HDF5 yet"  # content of a file that was created and never flushed
TORN = "torn"  # content that nobody can know: HDF5 on disk truncated a file that others have open
HALF = "half"  # the same: a process died in a call that changed a file behind its last flush
UNKNOWN = (TORN, HALF)


class File(NamedTuple):
    content: object  # of the newest state that others can see: a frozenset, EMPTY, TORN or GONE
    past: frozenset = frozenset()  # older contents, which may still be on disk
    linked: bool = False  # it has had several names
    moved: bool = False  # it was renamed, and the server may not know its name


class Handle(NamedTuple):
    file: tuple
    mode: str  # r: reads, w: writes, o: is being opened and has no lock yet
    view: object = frozenset()  # what it reads; while it is being opened, the content at the beginning
    kept: object = None  # in memory: what was flushed


class State(NamedTuple):
    names: tuple = ()  # (name, file's number), sorted
    files: tuple = ()  # (file's number, File), sorted
    handles: tuple = ()  # (process, Handle), sorted

    def __str__(self):
        files = dict(self.files)
        text = [f"{name}: file {number}" for name, number in self.names]
        text += [f"file {number}: {told(file.content)}" for number, file in files.items()]
        text += [f"process {process} has file {handle.file} open ({handle.mode}), sees {told(handle.view)}"
                 for process, handle in self.handles]
        return "\n".join(f"  {line}" for line in text) or "  nothing"


def told(content):
    return "{" + " ".join(map(str, sorted(content))) + "}" if isinstance(content, frozenset) else content


def without(pairs, key):
    return tuple(pair for pair in pairs if pair[0] != key)


def with_one(pairs, key, value):
    return tuple(sorted((*without(pairs, key), (key, value))))


def get(pairs, key):
    for each, value in pairs:
        if each == key:
            return value
    return None


class DiskModel:
    """Each step returns a list of (state after it, stage); the stage is None if the operation is complete, else what
    step() gets when the operation goes on. An empty list: the result cannot be."""

    def first(self):
        return State()

    def with_short_openings(self):
        """The model in which no other process does anything within an opening, where that allows less."""
        return self

    def step(self, state, op, stage):
        if op.kind in OPENS:
            return self.open(state, op, op.kind[5:], stage)
        if op.kind == "link":
            return self.link(state, op, stage)
        return getattr(self, op.kind)(state, op)

    # ---- names ----

    def rename(self, state, op):
        file = get(state.names, op.name)
        if file is None:
            return self.told(state, op, NOT_THERE)
        if file != get(state.names, op.other):  # two names of one file stay as they are, as POSIX says
            names = with_one(without(state.names, op.name), op.other, file)
            state = tidy(state._replace(names=names))
        return self.told(state, op, "ok")

    def move(self, state, op):
        return self.rename(state, op)

    def remove(self, state, op):
        if get(state.names, op.name) is None:
            return self.told(state, op, NOT_THERE)
        return self.told(tidy(state._replace(names=without(state.names, op.name))), op, "ok")

    def link(self, state, op, file):
        """The kernel looks the first name up, then the second; the file may have lost all its names by then."""
        if file is None:
            file = get(state.names, op.name)
            return [(state, file)] if file is not None else self.told(state, op, NOT_THERE)
        if get(state.names, op.other) is not None:
            return self.told(state, op, THERE)
        if all(number != file for _, number in state.names):
            return self.told(state, op, NOT_THERE)
        linked = with_file(state, file, linked=True)
        return self.told(linked._replace(names=with_one(state.names, op.other, file)), op, "ok")

    def exists(self, state, op):
        return self.told(state, op, get(state.names, op.name) is not None)

    # ---- opening ----

    def open(self, state, op, mode, stage):
        file = get(state.names, op.name)
        if stage is None and mode in ("r", "r+", "a"):
            if file is not None:
                return [(opening(state, op.process, file), "lock")]
            if mode == "a":
                return [(state, "create")]
            return self.told(state, op, NOT_THERE)
        if stage in (None, "create"):
            if file is None:
                state, number = self.created(state, op)
                return [(opening(state, op.process, number), "lock")]
            if mode in ("x", "a"):
                return self.told(state, op, THERE)
            return [(opening(self.truncated(state, file), op.process, file), "lock")]
        if stage == "lock":
            return self.lock(state, op, mode)
        return self.opened(state, op, stage == "check changed")

    def created(self, state, op):
        number = (op.start, op.process)  # the same in whatever order files are created
        return state._replace(names=with_one(state.names, op.name, number),
                              files=with_one(state.files, number, File(EMPTY))), number

    def truncated(self, state, number):
        """HDF5 truncates before it locks: whoever has the file open loses it."""
        file = get(state.files, number)
        holders = [process for process, handle in state.handles if handle.file == number and handle.mode != "o"]
        content = TORN if holders or file.content == TORN else EMPTY
        state = state._replace(files=with_one(state.files, number, file._replace(content=content)))
        for process in holders:
            state = hold(state, process, get(state.handles, process)._replace(view=TORN))
        return state

    def lock(self, state, op, mode):
        number = get(state.handles, op.process).file
        content = get(state.files, number).content
        # HDF5 that fails in a torn file may keep it, and its lock, although the program closes it.
        if locked(state, number, op.process, mode) or (content == TORN and op.result == LOCKED):
            return self.told(release(state, op.process), op, LOCKED)
        # HDF5 has looked how long the file is before it had the lock. What has no bytes then is a new file, whatever
        # others have written meanwhile.
        changed = content != get(state.handles, op.process).view
        new = mode != "r" and get(state.handles, op.process).view == EMPTY
        if new and changed:
            state, content = half(state, number), TORN
        view = frozenset() if new and content != TORN else content
        state = hold(state, op.process, Handle(number, "r" if mode == "r" else "w", view))
        if failed(op) or op.result is None:
            return [(state, "check changed" if changed else "check")]  # it has the lock until it gives up
        return self.told(state, op, "ok") if view != EMPTY else []

    def opened(self, state, op, changed):
        """HDF5 has the lock and fails: it cannot read the file, or misses it under its name."""
        handle = get(state.handles, op.process)
        may = changed or handle.view in (EMPTY, TORN) or get(state.names, op.name) != handle.file
        if handle.view == frozenset() and op.kind in ("open w", "open x", "open a"):
            state = half(state, handle.file)  # it had begun to write
        return [(release(state, op.process), None)] if may or op.result is None else []

    # ---- an open file ----

    def read(self, state, op):
        view = get(state.handles, op.process).view
        return [(state, None)] if view in UNKNOWN else self.told(state, op, view)

    def write(self, state, op):
        handle = get(state.handles, op.process)
        if handle.view in UNKNOWN:
            return [(state, None)]
        return self.told(hold(state, op.process, handle._replace(view=handle.view | {op.value})), op, "ok")

    def flush(self, state, op):
        handle = get(state.handles, op.process)
        results = [(state, None)] if handle.view == TORN else self.told(seen(state, handle), op, "ok")
        return results + self.half_done(state, op, handle)

    def close(self, state, op):
        handle = get(state.handles, op.process)
        after = release(seen(state, handle) if handle.mode == "w" else state, op.process)
        results = [(after, None)] if handle.view == TORN else self.told(after, op, "ok")
        return results + self.half_done(state, op, handle)

    def half_done(self, state, op, handle):
        """A process that died while it wrote left any part of it."""
        return [(half(state, handle.file), None)] if op.result is None and handle.mode == "w" else []

    def death(self, state, op):
        """What was not flushed is lost; a file that never was is none, or half of one."""
        handle = get(state.handles, op.process)
        if handle and handle.mode == "w" and get(state.files, handle.file).content == EMPTY:
            state = half(state, handle.file)
        return [(release(state, op.process), None)]

    def told(self, state, op, result):
        """The state, if the operation had this result, or none since its process died."""
        return [(state, None)] if op.result is None or op.result == result else []


class MemoryModel(DiskModel):
    """The product, as Documentation/Names.md has it. An opening looks the name up, and then takes the file's newest
    version, or its lock. Readers need no lock: they keep that version. A close makes a version, and so does the death
    of a writer that had flushed."""

    def __init__(self, publish="close", evicts=False, blocks=False, drops=False, on_disk="", leaves=False,
                 puts=False):
        """`publish`: whether a flush makes a version. `evicts`: versions may leave the memory. `blocks`: a file may
        find no room. `drops`: a new version may not be kept. `on_disk`: a pattern of names whose newest
        version is on disk at the end, in any case. `leaves`: versions leave the memory when they are on disk;
        programs then open the file there, where HDF5's own locks hold. `puts`: files are put on disk, each under
        one name, while its other names stay what they were."""
        self.publish = publish
        self.evicts = evicts
        self.blocks = blocks
        self.drops = drops
        self.on_disk = on_disk
        self.leaves = leaves
        self.puts = puts
        self.has_short_openings = False

    def with_short_openings(self):
        model = copy(self)
        model.has_short_openings = True
        return model

    def move(self, state, op):
        number = get(state.names, op.name)
        return self.rename(with_file(state, number, moved=True) if number is not None else state, op)

    def rename(self, state, op):
        number = get(state.names, op.name)
        is_opening = any(handle.file == number and handle.mode == "o" for _, handle in state.handles)
        if number is not None and (is_opening or op.result is None):
            # The server hears of the new name before it hears of the process that opens the file, or never.
            state = with_file(state, number, moved=True)
        renamed = super().rename(state, op)
        if self.puts and number is not None and number == get(state.names, op.other):
            # The names may be of two files on disk by now.
            renamed += self.told(state._replace(names=without(state.names, op.name)), op, "ok")
        return renamed

    def open(self, state, op, mode, stage):
        if self.blocks and mode != "r" and op.result == FULL:
            return self.without_room(state, op, stage)
        if stage == "lock":
            return self.lock_new(state, op, mode)
        if stage == "version":
            return self.take(state, op, mode, get(state.handles, op.process).file)
        number = get(state.names, op.name)
        if number is None:
            if mode in ("r", "r+"):
                return self.told(state, op, NOT_THERE)
            after, number = self.created(state, op)
            made = [(hold(after, op.process, Handle(number, "o")), "lock")]
            # h5py looks whether there is one before it creates one.
            return made + ([(state, "create")] if mode == "a" and stage is None else [])
        if mode == "x" and op.refused and op.result == LOCKED:
            return [(state, None)]  # the driver cannot tell it from h5py's "a", which hears of the lock
        if mode == "x" or stage == "create":
            return self.told(state, op, THERE)
        # Another process may close, rename or remove the file between the two.
        later = [(hold(state, op.process, Handle(number, "o")), "version")]
        return self.take(state, op, mode, number) + ([] if self.has_short_openings else later)

    def without_room(self, state, op, stage):
        """It waits for room, with the lock. When it gives up, all is as before, and a file that it created is gone."""
        if stage == "full":
            return self.unwritten(state, op.process, get(state.handles, op.process))
        number = get(state.names, op.name)
        after, number = self.created(state, op) if number is None else (state, number)
        if writer(after, number):
            return [(state, None)] + ([(state, "create")] if op.kind == "open a" and stage is None else [])
        return [(hold(after, op.process, Handle(number, "w", get(after.files, number).content)), "full")]

    def lock_new(self, state, op, mode):
        """Another process may open the new file before the one that created it has its lock, as on disk."""
        number = get(state.handles, op.process).file
        if writer(state, number) or (mode != "w" and get(state.files, number).content != EMPTY):
            without_it = release(state, op.process)
            # A program that creates exclusively may be told that the other one's file is there.
            exists = self.told(without_it, op, THERE) if mode in ("x", "a") else []
            return self.told(without_it, op, LOCKED) + exists
        return self.told(hold(state, op.process, Handle(number, "w")), op, "ok")

    def take(self, state, op, mode, number):
        """Opens that file, whatever its name is by now."""
        without_it = release(state, op.process)
        content = get(state.files, number).content
        refused = self.told(without_it, op, LOCKED)
        if mode == "a":
            # h5py creates exclusively if it cannot open, whatever the reason, unless the driver is HDF5's own.
            refused += [*self.told(without_it, op, THERE), (without_it, "create")]
        if content == EMPTY and mode == "r":  # as on disk, where the file is locked, or has no bytes yet
            is_not_kept = self.drops and op.result == GONE  # its close says so before it ends
            return [(without_it, None)] if op.result in (None, LOCKED) or is_not_kept or failed(op) else []
        if self.drops and content == GONE and writer(state, number) and op.result == LOCKED:
            return refused  # no version was ever kept, so the next one is the first to be written
        if writer(state, number) and mode != "r":
            # A program that overwrites such a file may have the lock before the placeholder says so.
            spoiled = content in (EMPTY, TORN, GONE) and UNFINISHED in str(op.result)
            refused += [(without_it, None)] if spoiled else []
            return refused + self.evicted(state, op, number)  # which is seen before the lock
        if self.leaves and op.result == LOCKED and locked(state, number, op.process, mode):
            return refused
        if mode == "w":
            anew = with_file(state, number, content=EMPTY) if content == TORN else state
            # HDF5 that fails inside such a file has its lock until then.
            spoiled = refused if content == HALF else []
            return self.told(hold(anew, op.process, Handle(number, "w")), op, "ok") + spoiled
        if content == HALF and op.result != "ok":
            return [*refused, (without_it, None)]
        if content in (EMPTY, TORN):  # its first writer died before a version was made
            return [(without_it, None)] if op.result != "ok" else []
        handle = Handle(number, "r" if mode == "r" else "w", content)
        # No other process changes what this one sees, so a later read tells which version it has opened.
        can_be = op.view is None or content in UNKNOWN or op.view == content
        good = [] if content == GONE or not can_be else self.told(hold(state, op.process, handle), op, "ok")
        if mode == "a" and self.blocks and op.result == THERE:
            good.append((without_it, None))  # it found no room, and cannot create the file, which is there
        return good + self.evicted(state, op, number)

    def evicted(self, state, op, number):
        """The newest version has left the memory and is not on disk. It does not come back. If it is on disk, it is
        there under one name, and the other hard links to the file stay placeholders."""
        if self.leaves and op.result == GONE and get(state.files, number).linked:
            return [(release(state, op.process), None)]
        is_said = op.result == GONE or (op.kind == "open a" and op.result == THERE)
        if not self.evicts or not (is_said or UNFINISHED in str(op.result)):
            return []
        return [(release(with_file(state, number, content=GONE), op.process), None)]

    def write(self, state, op):
        return super().write(state, op) + self.half_done(state, op, get(state.handles, op.process))

    def flush(self, state, op):
        handle = get(state.handles, op.process)
        after = hold(state, op.process, handle._replace(kept=handle.view))
        after = seen(after, handle) if self.publish == "flush" else after
        if handle.view == HALF:
            return [(after, None)]
        return self.told(after, op, "ok") + self.half_done(state, op, handle)

    def close(self, state, op):
        handle = get(state.handles, op.process)
        if handle.mode == "r":
            return [(release(state, op.process), None)] if handle.view == HALF else self.told(
                release(state, op.process), op, "ok")
        if handle.view == HALF:
            return [(release(seen(state, handle), op.process), None)]
        results = self.told(release(seen(state, handle), op.process), op, "ok")
        if self.drops and op.result == "ok":
            results.append((self.not_kept(state, op.process, handle), None))
        return results + self.half_done(state, op, handle)

    def half_done(self, state, op, handle):
        """A process that died in a call left any part of what it changed behind its last flush, as on disk. With
        `publish` at each flush, what a flush has shown is another version."""
        if op.result is not None or handle.mode != "w" or handle.kept is None or self.publish == "flush":
            return []
        return [(hold(state, op.process, handle._replace(view=HALF, kept=HALF)), None)]

    def death(self, state, op):
        handle = get(state.handles, op.process)
        if handle is None or handle.mode != "w":
            return [(release(state, op.process), None)]
        if handle.kept is None:
            return self.unwritten(state, op.process, handle)
        kept = [(release(seen(state, handle._replace(view=handle.kept)), op.process), None)]
        return kept + (self.unwritten(state, op.process, handle) if self.drops else [])

    def not_kept(self, state, process, handle):
        """The ring is full. The newest version stays, and a file without one has left the memory at once."""
        is_first = get(state.files, handle.file).content == EMPTY
        return release(with_file(state, handle.file, content=GONE) if is_first else state, process)

    def unwritten(self, state, process, handle):
        """The writer leaves no version. If there is none at all, the names are gone, or they are of a file that cannot
        be read."""
        left = release(state, process)
        if get(state.files, handle.file).content != EMPTY:
            return [(left, None)]
        all_gone = tuple(pair for pair in state.names if pair[1] != handle.file)
        spoiled = release(half(state, handle.file), process)
        # The server may remove only one name of a linked file.
        one_gone = [tidy(spoiled._replace(names=without(spoiled.names, name)))
                    for name, number in state.names if number == handle.file]
        return [(after, None) for after in (spoiled, *one_gone, tidy(left._replace(names=all_gone)))]

    # ---- programs that are not coupled ----

    def look(self, state, op):
        """They find a placeholder, or what is on disk: the newest state or an older one."""
        number = get(state.names, op.name)
        if number is None:
            return self.told(state, op, NOT_THERE)
        if op.result in (NOT_ON_DISK, LOCKED, None):
            return [(state, None)]
        file = get(state.files, number)
        if file.content == HALF:
            return [(state, None)]
        unmade = file.content in (EMPTY, TORN) and failed(op)  # no version has been closed yet, as on disk
        allowed = unmade or op.result == file.content or op.result in file.past
        return [(state, None)] if allowed else []

    def final(self, state, op):
        """The same when the server has ended: the newest state, or nothing that could be taken for it."""
        number = get(state.names, op.name)
        if number is None:
            return self.told(state, op, NOT_THERE)
        content = get(state.files, number).content
        unmade = content in (EMPTY, TORN) and op.result in (NOT_ON_DISK, UNREADABLE)  # it has no version
        if op.result == content or unmade or content == HALF:
            return [(state, None)]
        # The server puts a file under the name that it knows; a hard link to it stays what it was.
        if get(state.files, number).linked:
            allowed = op.result == NOT_ON_DISK or op.result in get(state.files, number).past
        else:
            is_wanted = fnmatch(op.name, self.on_disk) and not (get(state.files, number).moved and self.on_disk != "*")
            allowed = op.result == NOT_ON_DISK and not is_wanted
        return [(state, None)] if allowed else []


def failed(op):
    """Whether HDF5 failed with an error of its own."""
    return op.result == UNREADABLE or str(op.result).startswith("OSError: ")


def locked(state, number, process, mode):
    """Whether another process's lock keeps this one from the file."""
    return any(handle.file == number and handle.mode != "o" and each != process and (mode != "r" or handle.mode == "w")
               for each, handle in state.handles)


def hold(state, process, handle):
    return state._replace(handles=with_one(state.handles, process, handle))


def opening(state, process, number):
    return hold(state, process, Handle(number, "o", get(state.files, number).content))


def release(state, process):
    return tidy(state._replace(handles=without(state.handles, process)))


def seen(state, handle):
    """What the handle's owner wrote is what others see."""
    file = get(state.files, handle.file)
    past = file.past | {file.content} if isinstance(file.content, frozenset) else file.past
    content = TORN if TORN in (handle.view, file.content) else handle.view
    return with_file(state, handle.file, content=content, past=past)


def writer(state, number):
    return any(handle.file == number and handle.mode == "w" for _, handle in state.handles)


def with_file(state, number, **changes):
    file = get(state.files, number)
    return state._replace(files=with_one(state.files, number, file._replace(**changes)))


def half(state, number):
    """A part of a file was written."""
    return with_file(state, number, content=TORN)


def tidy(state):
    """Without files that nobody can reach."""
    reached = {number for _, number in state.names} | {handle.file for _, handle in state.handles}
    if len(reached) == len(state.files):
        return state
    return state._replace(files=tuple(pair for pair in state.files if pair[0] in reached))
