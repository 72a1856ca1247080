# SPDX-License-Identifier: BSD-3-Clause
"""One injection: hosts, a writer and where it is the victim a viewer; the fault in the phase; and what comes then."""

import contextlib
import os
import pathlib
import signal
import time

from conftest import BIN, MPIEXEC
from peers import by_rank, wait_until_gone
from processes import LIMIT, Job, descendants, environ, on_disk

from . import axes
from .faults import fault_of
from .program import ENDS, STEP, Program

END = None  # a phase's command: no more commands

# Of the writer: what it does before the phase, and in it.
OF_WRITERS = {
    "connect": ([], "begin"),
    "create": ([], "begin"),
    "write": (["begin", "write 64"], "write 700"),
    "flush": (["begin", "write 64"], "flush"),
    "close": (["begin", "write 64", "write 300"], "close"),
    "between": ([], "file"),
    "read": ([], "read 1"),
    "detach": ([], "detach"),
    "finalize": ([], END),
}
# Of a viewer, where it is the victim; in the other phases it has a snapshot open.
OF_VIEWERS = {
    "connect": ([], "open 1"),
    "between": (["open 1", "check"], "check"),
    "read": (["open 1", "check"], "check"),
    "detach": (["open 1", "check"], "detach"),
    "finalize": (["open 1", "check"], END),
}


class Trial:
    """The programs of one injection, and what is known of them. `folder` is its own."""

    def __init__(self, injection, folder, place):
        self.injection = injection
        self.folder = pathlib.Path(folder)
        self.place = place
        self.contact = self.folder / "run.dsm"
        self.saved = self.folder / "saved"
        self.fault = fault_of(injection)
        self.held = set()
        self.servers = []
        self.writer = self.viewer = self.next = None
        self.went_on = None  # seconds between the fault, or its end, and the first thing done
        self.problems = []
        self.read_back = set()  # numbers of files

    # What there is

    @property
    def hosts(self):
        return by_rank("dsm-serve", self.contact)

    @property
    def environment(self):
        over_fabric = {"DSM_TRANSPORT": "fabric/tcp", "DSM_NODE_MEMORY": "off"}
        return {"DSM_PEER_TIMEOUT": self.fault.silence, "DSM_TIMEOUT": 20,
                **(over_fabric if self.injection.path == "fabric" else {})}

    def serve(self, *options):
        command = [*MPIEXEC, "-n", self.fault.hosts, BIN / "dsm-serve", "--contact", self.contact, "--save", self.saved,
                   "--memory-per-host", "8 MiB", "--limit", 3 * LIMIT, *options]
        self.servers.append(Job(command, environ(**self.environment)))
        self.servers[-1].wait_for_line("ready", STEP)

    @property
    def server(self):
        return self.servers[-1]

    def contact_of_another_server(self):
        """What a server wrote that is gone."""
        other = self.folder / "other.dsm"
        server = Job([BIN / "dsm-serve", "--contact", other, "--memory-per-host", "1 MiB", "--limit", LIMIT])
        server.wait_for_line("ready", STEP)
        text = other.read_text()
        server.stop()
        return text

    def program(self, **more):
        contact = more.pop("contact", self.contact)
        return Program(self, contact, **{**self.environment, "ranks": self.fault.ranks, **more})

    def saves(self, name):
        """Waits until the hosts have told of a snapshot of this file, which they saved before."""
        self.server.wait_to_say(f"/{name} ", STEP)

    def told(self, name):
        """How many snapshots of a file hosts have told of."""
        return sum(line.startswith("snapshot ") and line.split()[2].endswith("/" + name)
                   for server in self.servers for line in server.lines)

    @property
    def rescue_log(self):
        """What the first hosts' dsm-rescue has to say, if it had to do anything."""
        return self.contact.with_suffix(".dsm.rescue.log")

    def hosts_live(self):
        return self.server.process.poll() is None

    @property
    def actor(self):
        """Who is in the phase."""
        return self.viewer if self.viewer and self.injection.phase in OF_VIEWERS else self.writer

    @property
    def victim(self):
        """The program that is the victim, or that is cut off; None where hosts are."""
        return None if self.injection.victim in axes.HOSTS else self.viewer or self.writer

    @property
    def ends_victim(self):
        return self.injection.fault in ("kill", "end")

    @property
    def ends_hosts(self):
        """Whether the fault takes the hosts away for good."""
        of_hosts = self.injection.victim in axes.HOSTS
        return self.ends_victim if of_hosts else self.injection.fault == "disk full"

    @property
    def is_refused(self):
        """Whether the victim is not to be let in at all."""
        return self.injection.fault == "foreign key" and self.injection.phase == "connect"

    def victims(self):
        """The victim's processes."""
        whose = self.injection.victim
        if whose == "viewer":
            return [self.viewer.job.process.pid]
        ranks = self.hosts if whose in axes.HOSTS else by_rank("dsmObedient", self.writer.mark)
        which = {"first": [0], "other": [1]}.get(whose.partition(" ")[0], list(ranks))
        return [ranks[rank] for rank in which if rank in ranks]

    @staticmethod
    def signal_all(number, pids):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def stay_stopped(self, pids):
        """When the hosts are held no more, these are."""
        self.held -= set(pids)

    def resume_all(self):
        """A stopped process hears of no end."""
        self.signal_all(signal.SIGCONT, descendants())

    def log(self):
        """What all have said."""
        jobs = [*self.servers, *(program.job for program in (self.writer, self.viewer, self.next) if program)]
        said = [f"$ {job}\n{job.text}" for job in jobs]
        if self.rescue_log.exists():
            said.append(f"{self.rescue_log}:\n{self.rescue_log.read_text()}")
        return "\n\n".join(said)

    # How it goes

    def run(self):
        try:
            self._begin()
            if self.is_refused:
                self._be_refused()
            else:
                self._befall()
            self._go_on()
        except AssertionError as failure:
            self.problems.append(str(failure))

    def _begin(self):
        behind = self.place.behind_the_link() if self.injection.fault in axes.CUTS else []
        viewing = self.injection.victim == "viewer"
        self.fault.prepare(self)
        self.serve()
        if not self.is_refused or viewing:
            self.writer = self.program(before=[] if viewing else behind)
            self.writer.listening()
        if self.injection.phase != "connect" or viewing:
            self.writer.does("file")
            self.saves("sim.1.h5")
        if viewing and not self.is_refused:
            contact = self.fault.contact_of_viewer(self)
            self.viewer = self.program(contact=contact, before=behind, how="serial", ranks=1)
            self.viewer.listening()
            if self.actor is self.writer:
                self.viewer.does("open 1", "check")
        if not self.is_refused:
            before, self.command = (OF_VIEWERS if self.actor is self.viewer else OF_WRITERS)[self.injection.phase]
            self.actor.does(*before)

    def _be_refused(self):
        """The victim ends before it has begun, and says why."""
        since = time.monotonic()
        self.fault.strike(self)
        victim = self.program()
        if self.injection.victim == "viewer":
            self.viewer = victim
        else:
            self.writer = victim
        victim.ended = victim.status()
        self.went_on = time.monotonic() - since
        assert victim.ended != 0 and "key" in victim.text, victim.text
        self.fault.lift(self)

    @contextlib.contextmanager
    def _in_the_phase(self):
        """While the hosts are held, where they are to be, nothing that needs them is over."""
        self.held = set(self.hosts.values()) if self.injection.held else set()
        self.signal_all(signal.SIGSTOP, self.held)
        try:
            if self.command is END:
                self.actor.finish()
            elif self.injection.phase != "between":
                self.actor.ask(self.command)
            time.sleep(self.injection.delay)
            yield
        finally:
            self.signal_all(signal.SIGCONT, self.held)

    def _befall(self):
        fault = self.fault
        with self._in_the_phase():
            if fault.within:
                fault.strike(self)
        if not fault.within:
            self._end_phase()
            fault.strike(self)
        since = time.monotonic()
        # Who has lost somebody for long goes on meanwhile.
        stopped = self.victim is self.actor and self.injection.fault not in axes.CUTS
        waits = fault.lasts < fault.silence or stopped
        if fault.within and not waits:
            self._end_phase()
            self.went_on = time.monotonic() - since
        if fault.lasts:
            time.sleep(max(0, since + fault.lasts - time.monotonic()))  # the fault itself: nothing to wait for
            fault.lift(self)
            since = time.monotonic() if waits else since
        if self.went_on is None:
            self._end_phase()
            self.went_on = time.monotonic() - since

    def _end_phase(self):
        """What the phase has begun is answered; where it began nothing, what comes next."""
        if self.injection.phase == "between" and not (self.victim is self.actor and self.ends_victim):
            self.actor.ask(self.command)
        if self.actor.pending:
            self.actor.answer()

    def _go_on(self):
        """From there on."""
        if self.ends_hosts:
            self.server.status(2 * ENDS)
        if self.victim and self.ends_victim:
            self.victim.ended = self.victim.status()
        goes_on = self.writer.ended is None and not self.writer.finished
        if goes_on:
            self._finish_file()
        if not self.fault.lasts and not self.is_refused:
            self.fault.lift(self)
        if self.ends_hosts:
            self.serve()
        if goes_on:
            self._couples(self.writer, "sim")
        self._next_simulation()
        self._read_back()
        self._end()

    def _finish_file(self):
        """A file that is still open is written on and closed."""
        if self.writer.ledger.files[-1].state == "open":
            self.writer.tell("write 600")
            self.writer.tell("close")

    def _read_back(self):
        """What is in memory and nowhere else has the right values."""
        held = [file.number for file in self.writer.ledger.files
                if file.state == "finished" and not self.copies(file.name)]
        if held and self.injection.fault == "disk full" and not self.ends_hosts:
            reader = self.program(how="serial", ranks=1)
            reader.listening()
            for number in held:
                reader.does(f"open {number}", "check")
                self.read_back.add(number)
            reader.finish()
            assert reader.status() == 0, reader.text

    def copies(self, name):
        """Where a file is, of the simulation's folder and that of saved ones."""
        return [place for place in (self.folder / name, self.saved / name) if on_disk(place)]

    def _couples(self, program, mark):
        """A simulation's files become snapshots, again or for the first time, by themselves and soon."""
        end = time.monotonic() + STEP
        while True:
            how = program.tell("file")
            assert how, f"the simulation ended, and was not to:\n{program.text}"
            name = program.ledger.files[-1].name.replace("sim", mark)
            if how == "ok" and not on_disk(self.folder / name):
                self.saves(name)
                return
            assert time.monotonic() < end, f"files still go to disk {STEP} s after the server is there\n{program.text}"
            time.sleep(0.2)

    def _next_simulation(self):
        """Another one is served."""
        self.next = self.program(name="next", ranks=1)
        self.next.listening()
        self._couples(self.next, "next")
        self.next.finish()
        status = self.next.status()
        assert status == 0, f"the next simulation ended with {status}:\n{self.next.text}"

    def _end(self):
        """All that lives ends as it should."""
        for name, program in (("simulation", self.writer), ("viewer", self.viewer)):
            if program and program.ended is None:
                if not program.finished:
                    program.finish()
                program.ended = program.status()
                expected = 4 if program.failures else 0
                if program.ended != expected:
                    wrong = f"the {name} ended with {program.ended} instead of {expected}"
                    self.problems.append(f"{wrong}:\n{program.text}")
        self.signal_all(signal.SIGTERM, self.hosts.values())  # their launcher would say that it was ended
        status = self.server.status(ENDS)
        if status != self.fault.server_status:
            self.problems.append(f"the server ended with {status}:\n{self.server.text}")
        wait_until_gone("dsm-rescue", self.contact, ENDS)
