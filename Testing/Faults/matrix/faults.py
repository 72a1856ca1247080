# SPDX-License-Identifier: BSD-3-Clause
"""What each fault does. `strike` makes it happen; one that `lasts` (seconds) is over with `lift`. One that is not
`within` the phase comes when what the phase began is done."""

import json
import signal

from conftest import BIN
from processes import Job, environ

from . import axes

GIVEN_UP = 4  # seconds: DSM_PEER_TIMEOUT where a silence is to be noticed; enough for a loaded machine
PATIENT = 15  # where it is not
LONG, SHORT = 1.6 * GIVEN_UP, 0.8


class Fault:
    """Those that neither end by themselves nor end their victim are over when the file of the phase is closed."""

    within = True
    lasts = 0.0
    silence = GIVEN_UP
    hosts, ranks = 2, 2
    server_status = 0

    def prepare(self, trial):
        """Before anything is started."""

    def contact_of_viewer(self, trial):
        """By which the viewer comes."""
        return trial.contact

    def strike(self, trial):
        """It happens."""

    def lift(self, trial):
        """It is over."""


class Kill(Fault):
    """No more. A launcher ends a job that has lost a rank."""

    def strike(self, trial):
        trial.signal_all(signal.SIGKILL, trial.victims())


class EndHosts(Fault):
    """As they are asked to end."""

    def strike(self, trial):
        trial.signal_all(signal.SIGTERM, trial.victims())


class EndProgram(Fault):
    """exit(), with what is open."""

    within = False

    def strike(self, trial):
        rank = {"first": " 0", "other": " 1"}.get(trial.injection.victim.partition(" ")[0], "")
        victim = trial.viewer or trial.writer
        victim.ask("exit" + rank)
        victim.pending = None


class Stop(Fault):
    """SIGSTOP, and SIGCONT after a while."""

    def __init__(self, lasts):
        self.lasts = lasts
        self.silence = GIVEN_UP if lasts == LONG else PATIENT
        self.stopped = []

    def strike(self, trial):
        self.stopped = trial.victims()
        trial.signal_all(signal.SIGSTOP, self.stopped)
        trial.stay_stopped(self.stopped)

    def lift(self, trial):
        trial.signal_all(signal.SIGCONT, self.stopped)


class Cut(Fault):
    """The link drops all, and carries again after a while."""

    def __init__(self, lasts):
        self.lasts = lasts
        self.silence = GIVEN_UP if lasts == LONG else PATIENT

    def strike(self, trial):
        trial.place.link("off")

    def lift(self, trial):
        trial.place.link("on")


class MemoryFull(Fault):
    """Somebody else takes all memory of the node. No MPI here that would want some for itself."""

    hosts = ranks = 1

    def strike(self, trial):
        trial.place.fill_memory()

    def lift(self, trial):
        trial.place.empty_memory()


class NoRoomToSave(Fault):
    """The folder of --save takes small files only."""

    server_status = 1

    def prepare(self, trial):
        trial.saved.mkdir()
        trial.place.mount(trial.saved, "64k")


class NoRoomOnDisk(Kill):
    """Nor does the simulation's, when it has lost its hosts; what these had is saved when there is room again."""

    def prepare(self, trial):
        trial.place.mount(trial.folder, "512k")

    def strike(self, trial):
        trial.signal_all(signal.SIGKILL, trial.hosts.values())

    def lift(self, trial):
        trial.place.mount_again(trial.folder, "64m")


class ForeignKey(Fault):
    """The contact file has the keys of another server."""

    silence = PATIENT

    def strike(self, trial):
        forged = self._forged(trial)
        trial.contact.rename(self._aside(trial))
        trial.contact.touch(mode=0o600)
        trial.contact.write_text(forged)

    def lift(self, trial):
        self._aside(trial).rename(trial.contact)

    @staticmethod
    def _aside(trial):
        return trial.contact.with_suffix(".ours")

    @staticmethod
    def _forged(trial):
        """With each key of another server."""
        forged = json.loads(trial.contact.read_text())
        for name, value in json.loads(trial.contact_of_another_server()).items():
            if "key" in name.lower():
                assert forged[name] != value
                forged[name] = value
        return json.dumps(forged)


class WithdrawnKey(Fault):
    """The viewer is a guest, whose invitation is withdrawn. It is refused from then on, and told why."""

    silence = PATIENT
    withdrawal = None

    def contact_of_viewer(self, trial):
        path = trial.folder / "guest.dsm"
        invitation = self._invite(trial, "--view", path, "--name", "ada")
        assert invitation.status() == 0, invitation.text
        return path

    def strike(self, trial):
        # Hosts that are held do it when they go on.
        self.withdrawal = self._invite(trial, "--withdraw", "ada")

    def lift(self, trial):
        status = self.withdrawal.status()
        assert status == 0, self.withdrawal.text
        if not trial.viewer.finished:
            how = trial.viewer.tell("open 1")
            assert how == "failed" and "was withdrawn" in trial.viewer.text, f"{how}\n{trial.viewer.text}"
        (trial.folder / "guest.dsm").unlink()

    @staticmethod
    def _invite(trial, *options):
        return Job([BIN / "dsm-invite", "--contact", trial.contact, *options], environ(**trial.environment))


def fault_of(injection):
    of_hosts = injection.victim in axes.HOSTS
    return {
        "kill": Kill,
        "end": EndHosts if of_hosts else EndProgram,
        "short stop": lambda: Stop(SHORT),
        "long stop": lambda: Stop(LONG),
        "short cut": lambda: Cut(SHORT),
        "long cut": lambda: Cut(LONG),
        "memory full": MemoryFull,
        "disk full": NoRoomToSave if of_hosts else NoRoomOnDisk,
        "foreign key": ForeignKey,
        "withdrawn key": WithdrawnKey,
    }[injection.fault]()
