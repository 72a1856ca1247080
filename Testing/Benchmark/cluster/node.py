# SPDX-License-Identifier: BSD-3-Clause
"""One emulated machine: a set of Linux namespaces that lives as long as a process holds them."""

import os
import select
import subprocess
import time

START_LIMIT = 20

# The new mount namespace starts as a copy of ours, so its mounts may still be linked with ours:
# what is mounted below must not appear outside. In a chroot "/" is no mount point, which is why
# each one is named. sysfs shows the network devices of who mounts it. A /dev/shm of its own makes
# the machine a node of its own for whoever shares memory (DSMCore/Base/NodeIdentity).
PREPARE = """
for mount in / /proc /sys /dev /dev/shm; do mount --make-rprivate $mount 2>/dev/null || true; done
mount -t sysfs sysfs /sys && hostname "$1" && ip link set lo up || exit 1
if [ -n "$2" ]; then
  mount -t proc proc /proc && mount -t tmpfs -o "mode=1777,size=$2" tmpfs /dev/shm || exit 1
fi
echo ready
read forever
"""


class Failed(Exception):
    """A cluster could not be made; the text says what and why."""


class Node:
    """Network, host name, mounts and, with `memory`, processes and /dev/shm of its own.

    Nothing of it has a name in the file system or outlives us: a process holds the namespaces and
    waits for the end of its input, which also comes when we are killed; with `memory` it is the
    first process of a process namespace, whose end takes all others in it along.
    """

    def __init__(self, name, memory=None):
        self.name = name
        own = ["--pid", "--fork", "--kill-child"] if memory else []
        try:
            self.holder = subprocess.Popen(
                ["unshare", "--net", "--uts", "--mount", "--propagation", "unchanged", *own,
                 "sh", "-c", PREPARE, "sh", name, memory or ""],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                start_new_session=True)  # an interrupt at the terminal is for us alone
        except OSError as error:
            raise Failed(f"cannot start unshare (package util-linux): {error}") from error
        self._wait_until_ready()
        self.pid = self.holder.pid
        if memory:
            children = f"/proc/{self.pid}/task/{self.pid}/children"
            with open(children, encoding="ascii") as file:
                self.pid = int(file.read().split()[0])

    def _wait_until_ready(self):
        end = time.monotonic() + START_LIMIT
        said = ""
        while not said.endswith("ready\n"):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.holder.stdout], [], [], left)[0]:
                self.close()
                raise Failed(f"the namespaces of {self.name} were not there after {START_LIMIT} s: {said.strip()}")
            line = self.holder.stdout.readline()
            if not line:
                self.close()
                raise Failed(f"cannot make the namespaces of {self.name}: {said.strip() or 'no reason given'}")
            said += line

    def enter(self, *command):
        """The command line that runs a command inside, in the present folder."""
        own = ["--pid"] if self.pid != self.holder.pid else []
        return ["nsenter", f"--target={self.pid}", "--net", "--uts", "--mount", *own, "--root",
                f"--wd={os.getcwd()}", "--", *map(str, command)]

    def run(self, *command, text=None, limit=30):
        """Runs a command inside and returns what it says; raises Failed with it otherwise."""
        done = subprocess.run(self.enter(*command), input=text, capture_output=True, text=True, timeout=limit,
                              check=False)
        if done.returncode != 0:
            raise Failed(f"in {self.name}: {' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def close(self):
        """Ends everything inside."""
        if self.holder.poll() is None:
            self.holder.stdin.close()
            try:
                self.holder.wait(5)
            except subprocess.TimeoutExpired:
                self.holder.kill()
                self.holder.wait()
        self.holder.stdout.close()
