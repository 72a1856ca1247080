# SPDX-License-Identifier: BSD-3-Clause
"""Changing a running simulation that declares parameters, commands and observables with dsm.h."""

import collections.abc
import json
import time

from . import _proxy
from ._errors import Error
from ._sampled import SampledArray

# Waits are cut into slices of as many seconds, so that Ctrl+C works.
_WAIT_SLICE = 0.5
_POLL_INTERVAL = 0.05


class Refused(Error):
    """A change that was refused; `reasons` has the reason for each name."""

    def __init__(self, refusals):
        self.reasons = {entry["name"]: entry["reason"] for entry in refusals}
        super().__init__("; ".join(f"{name} {reason}" for name, reason in self.reasons.items()))


class Parameters(collections.abc.MutableMapping):
    """A simulation's parameters by name. An assigned value is sent with Server.apply()."""

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
        # For JSON: NumPy's scalars become numbers, its arrays and tuples become lists.
        value = value.tolist() if hasattr(value, "tolist") else value
        self._changes[name] = list(value) if isinstance(value, tuple) else value

    def __delitem__(self, name):
        """Removes a change that was not applied."""
        del self._changes[name]

    def __iter__(self):
        return iter(self._steering.describe()["values"])

    def __len__(self):
        return len(self._steering.describe()["values"])

    def reset(self):
        """Removes the changes that were not applied."""
        self._changes.clear()


class Steering:
    """The steering of one simulation. All methods are collective over the ranks that run the script."""

    def __init__(self, proxy, program=""):
        self._proxy = proxy
        self._program = program
        self.parameters = Parameters(self)

    def describe(self):
        """The simulation's declarations, values, step, time, whether it is paused, and observables."""
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
        """Waits until a simulation has connected and declared its parameters; returns describe()."""
        found = self._wait_until(lambda program: program["state"] == "connected", timeout)
        if found:
            return found
        raise TimeoutError(f"no simulation that can be steered connected within {timeout:g} s")

    def apply(self, timeout=60, commands=()):
        """Applies the assigned parameters and some commands [(name, count or None)] as one change.

        Returns the outcome, with the "step" and "time" at which it took effect and the old and new values.
        Raises Refused with the reasons, and then nothing was changed; TimeoutError if the simulation made
        no step in time: the change then waits for its next step. timeout=0 does not wait, and returns the
        transaction's number, for outcome(): use it in the body of a loop over snapshots with
        when_full="block", where the simulation may wait until the body has ended.
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

    def send(self, name, source, array=None, grid=None, outside=0.0, timeout=60):
        """Sets an array that the simulation has declared (dsm_array) to values of a pipeline's data, together with the
        assigned parameters; returns as apply() does.

        source   a source or filter, as paraview.simple has it, or an OutputPort
        array    its array of points, or else of cells; or ("CELLS", name). None: 1 where the source has data, else
                 outside
        grid     a source whose data gives the places of the values if they are resampled; None: the source itself.
                 The places are the points or cells of its grid if that has the declared sizes, or else spread evenly
                 over its bounds
        outside  the value of places where the source has no data

        Values are taken as they are where the source has the declared sizes, else resampled. Raises Error with the
        reason if they can be neither, or the server has no room.
        """
        self.parameters[name] = SampledArray(self._proxy, self._program, name, source, array, grid, outside).store()
        return self.apply(timeout)

    def command(self, name, count=None, timeout=60):
        """Sends one command. Parameters that were assigned and not applied stay so."""
        kept, self.parameters._changes = self.parameters._changes, {}
        try:
            return self.apply(timeout, [(name, count)])
        finally:
            self.parameters._changes = kept

    def advance(self, steps=1, timeout=60, wait=False):
        """Goes on for some steps, then pauses.

        wait  return when the steps are done: observables and values are then those of the last one. Not for
              the loop over snapshots(), where the simulation may wait for room until the body has ended.
        """
        outcome = self.command("advance", steps, timeout)
        begin, end = outcome["step"], outcome["step"] + steps

        def done(program):
            if program["state"] == "ended":
                raise Error(
                    f"the simulation ended at step {program['step']}, before the {steps} steps from {begin} on "
                    "were done"
                )
            # Another viewer may have paused it in between, or resumed it.
            return program["step"] >= end or (program["paused"] and program["step"] > begin)

        if wait and not self._wait_until(done, timeout):
            raise TimeoutError(
                f"the simulation has not made the {steps} steps from {begin} on within {timeout:g} s: it goes on"
            )
        return outcome

    def declare(self, parameters, commands):
        """See Server.declare."""
        declarations = {"parameters": parameters, "commands": commands}
        self._ask({"do": "declare", "program": self._program, "declarations": declarations})

    def save(self, timeout, **request):
        """Has the hosts write to disk (SaveRequest); the outcome."""
        answer = self._ask({"do": "save", **request})
        if answer["state"] == "refused":
            raise Refused(answer["refusals"])
        return self.outcome(answer["transaction"], timeout)

    def outcome(self, transaction, timeout=60):
        """Waits for the outcome of a transaction."""
        left = float(timeout)
        while True:
            answer = self._ask({"do": "wait", "transaction": transaction, "seconds": min(_WAIT_SLICE, left)})
            if answer["state"] == "refused":
                raise Refused(answer["refusals"])
            if answer["state"] == "applied":
                return answer
            left -= _WAIT_SLICE
            if left <= 0:
                raise TimeoutError(
                    f"the simulation made no step within {timeout:g} s: change {transaction} still waits for it"
                )

    def _wait_until(self, condition, timeout):
        """The simulation's state when a condition has become true; None if it has not in time."""
        # Polls are counted, not seconds: all ranks that run the script must do the same.
        for _ in range(int(timeout / _POLL_INTERVAL) + 1):
            programs = self._ask({"do": "status", "program": self._program})["programs"]
            if programs and condition(programs[0]):
                return programs[0]
            time.sleep(_POLL_INTERVAL)
        return None

    def all_have_ended(self):
        """Whether there were simulations, all of which have ended."""
        programs = self._ask({"do": "status"})["programs"]
        return bool(programs) and all(program["state"] == "ended" for program in programs)

    def _ask(self, request):
        _proxy.command(self._proxy, "Steer", SteerRequest=json.dumps(request))
        return json.loads(_proxy.scalar(self._proxy, "SteerReply"))
