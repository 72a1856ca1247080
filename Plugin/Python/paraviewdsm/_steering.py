# SPDX-License-Identifier: BSD-3-Clause
"""Changing a running simulation: what it declared with dsm.h, as Python sees it."""

import collections.abc
import json
import time

from . import _proxy
from ._errors import Error

# So that Ctrl+C works while we wait for a simulation.
_SLICE = 0.5
_LOOK = 0.05


class Refused(Error):
    """A change that the simulation did not take; `reasons` has one for each name."""

    def __init__(self, refusals):
        self.reasons = {entry["name"]: entry["reason"] for entry in refusals}
        super().__init__("; ".join(f"{name} {reason}" for name, reason in self.reasons.items()))


class Parameters(collections.abc.MutableMapping):
    """A simulation's parameters by name. Assigning notes a change; Server.apply() makes it happen."""

    def __init__(self, steering):
        self._steering = steering
        self._changes = {}

    def __getitem__(self, name):
        if name in self._changes:
            return self._changes[name]
        values = self._steering.describe()["values"]
        if name not in values:
            raise KeyError(f"{name!r}: the simulation has {', '.join(values) or 'no parameters'}")
        return values[name]

    def __setitem__(self, name, value):
        # NumPy's scalars and arrays, and tuples, are what JSON calls numbers and lists.
        value = value.tolist() if hasattr(value, "tolist") else value
        self._changes[name] = list(value) if isinstance(value, tuple) else value

    def __delitem__(self, name):
        """Forgets a change that was not applied."""
        del self._changes[name]

    def __iter__(self):
        return iter(self._steering.describe()["values"])

    def __len__(self):
        return len(self._steering.describe()["values"])

    def reset(self):
        """Forgets the changes that were not applied."""
        self._changes.clear()


class Steering:
    """One simulation, as it can be steered. Every call is for all ranks that run the script."""

    def __init__(self, proxy, program=""):
        self._proxy = proxy
        self._program = program
        self.parameters = Parameters(self)

    def describe(self):
        """All that is known of the simulation: declarations, values, step, time, paused, observables."""
        programs = self._ask({"do": "status", "program": self._program, "history": 10000})["programs"]
        if not programs:
            raise Error(
                "no simulation that can be steered has connected: it calls dsm_open, and dsm_step in its time loop"
            )
        return programs[0]

    @property
    def observables(self):
        return self.describe()["observed"]

    def wait_for_simulation(self, timeout=60):
        """Waits until a simulation has said what it offers; returns describe()."""
        found = self._look(lambda program: program["state"] == "connected", timeout)
        if found:
            return found
        raise TimeoutError(f"no simulation that can be steered connected within {timeout:g} s")

    def apply(self, timeout=60, commands=()):
        """Applies the assigned parameters and some commands [(name, count or None)] as one change.

        Returns what became of it, with the "step" and "time" at which it took effect and the old and
        new values. Raises Refused with the reasons, and then nothing was changed; TimeoutError when
        the simulation made no step in time: the change then still waits for it. timeout=0 does not
        wait and returns the transaction's number, for outcome(): in the body of a loop over snapshots with
        full_ring="block", where the simulation may wait until the body is through.
        """
        changes = dict(self.parameters._changes)
        self.parameters.reset()
        answer = self._ask(
            {
                "do": "apply",
                "program": self._program,
                "set": changes,
                "commands": [{"name": name, "argument": count} for name, count in commands],
            }
        )
        if answer["state"] == "refused":
            raise Refused(answer["refusals"])
        return self.outcome(answer["transaction"], timeout) if timeout else answer["transaction"]

    def command(self, name, count=None, timeout=60):
        """Carries out one command; parameters that were assigned and not applied stay so."""
        kept, self.parameters._changes = self.parameters._changes, {}
        try:
            return self.apply(timeout, [(name, count)])
        finally:
            self.parameters._changes = kept

    def advance(self, steps=1, timeout=60, wait=False):
        """Goes on for some steps, then pauses.

        wait  come back when the steps are done, and observables and values are those of the last one. Not in
              the loop over snapshots(): there the simulation may wait for room that the script holds.
        """
        outcome = self.command("advance", steps, timeout)
        begin, end = outcome["step"], outcome["step"] + steps

        def done(program):
            if program["state"] == "ended":
                raise Error(f"the simulation ended at step {program['step']}, before the {steps} steps from {begin} on were done")
            # Somebody may have paused it on the way, or let it go on.
            return program["step"] >= end or (program["paused"] and program["step"] > begin)

        if wait and not self._look(done, timeout):
            raise TimeoutError(f"the simulation has not made the {steps} steps from {begin} on within {timeout:g} s: it goes on")
        return outcome

    def declare(self, parameters, commands):
        """See Server.declare."""
        declarations = {"parameters": parameters, "commands": commands}
        self._ask({"do": "declare", "program": self._program, "declarations": declarations})

    def write_to_disk(self, path, next, file, timeout):
        """See Server.write_to_disk."""
        request = {"do": "save", "path": path or "", "when": "next" if next else "newest", "file": file}
        answer = self._ask(request)
        if answer["state"] == "refused":
            raise Refused(answer["refusals"])
        return self.outcome(answer["transaction"], timeout)["detail"]["path"]

    def outcome(self, transaction, timeout=60):
        """What became of a transaction; waits for it."""
        left = float(timeout)
        while True:
            answer = self._ask({"do": "wait", "transaction": transaction, "seconds": min(_SLICE, left)})
            if answer["state"] == "refused":
                raise Refused(answer["refusals"])
            if answer["state"] == "applied":
                return answer
            left -= _SLICE
            if left <= 0:
                raise TimeoutError(
                    f"the simulation made no step within {timeout:g} s: change {transaction} still waits for it"
                )

    def _look(self, true, timeout):
        """The simulation's state once something is true of it; None when it did not become so in time."""
        # Looks are counted, not seconds: ranks that run the script side by side must agree.
        for _ in range(int(timeout / _LOOK) + 1):
            programs = self._ask({"do": "status", "program": self._program})["programs"]
            if programs and true(programs[0]):
                return programs[0]
            time.sleep(_LOOK)
        return None

    def _ask(self, request):
        _proxy.command(self._proxy, "Steer", SteerRequest=json.dumps(request))
        return json.loads(_proxy.scalar(self._proxy, "SteerReply"))
