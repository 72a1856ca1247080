# SPDX-License-Identifier: BSD-3-Clause
"""Where one injection runs: a network and a /dev/shm of its own, so that what is left of it is seen, and what is cut
or filled is its own."""

import os
import pathlib
import subprocess

LIMIT = 20
ADDRESS, REMOTE = "10.77.1.1", "10.77.1.2"
LISTENING = "0A"
# A link that carries packets of a few bytes only: the kernel drops all that there are.
SMALLER_THAN_ANY = ["tbf", "rate", "8bit", "burst", "10", "limit", "10"]


def _run(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True, timeout=LIMIT)


def why_not():
    """Why this process may not have a place of its own; None where it may."""
    child = os.fork()
    if child == 0:
        try:
            Place()
        except (OSError, subprocess.SubprocessError):
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return None if status == 0 else "namespaces cannot be made here (they need root rights)"


class Place:
    """From now on, of this process and those it starts. What is left vanishes with the last of them."""

    def __init__(self):
        os.unshare(os.CLONE_NEWNET | os.CLONE_NEWNS | os.CLONE_NEWIPC)
        _run("mount", "--make-private", "/dev/shm")
        self.mount("/dev/shm", "128m")
        _run("ip", "link", "set", "lo", "up")
        _run("ip", "link", "add", "bridge", "type", "bridge")
        _run("ip", "address", "add", f"{ADDRESS}/24", "dev", "bridge")
        _run("ip", "link", "set", "bridge", "up")
        self.remote = None

    def mount(self, folder, size):
        """A small file system of its own."""
        _run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)

    def mount_again(self, folder, size):
        """The same one with more or less room."""
        _run("mount", "-o", f"remount,size={size}", folder)

    def behind_the_link(self):
        """What stands before a command for it to run on the other side of a link; memory and disks are the same."""
        if not self.remote:
            self.remote = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE)
            self.remote.stdout.readline()
            inside = self._inside()
            _run("ip", "link", "add", "cable", "type", "veth", "peer", "name", "remote", "netns", self.remote.pid)
            _run("ip", "link", "set", "cable", "master", "bridge", "up")
            _run(*inside, "ip", "link", "set", "lo", "up")
            _run(*inside, "ip", "address", "add", f"{REMOTE}/24", "dev", "remote")
            _run(*inside, "ip", "link", "set", "remote", "up")
        return self._inside()

    def _inside(self):
        return ["nsenter", f"--net=/proc/{self.remote.pid}/ns/net", "--"]

    def link(self, state):
        """"off": whatever is sent vanishes, both ways; "on": it arrives again."""
        for before, device in (([], "cable"), (self._inside(), "remote")):
            _run(*before, "tc", "qdisc", "replace", "dev", device, "root",
                 *{"on": ["pfifo"], "off": SMALLER_THAN_ANY}[state])

    def fill_memory(self):
        """Somebody else's file takes what is left of /dev/shm."""
        subprocess.run(["sh", "-c", "cat /dev/zero >/dev/shm/full"], check=False, capture_output=True, timeout=LIMIT)

    def empty_memory(self):
        pathlib.Path("/dev/shm/full").unlink(missing_ok=True)

    def end(self):
        if self.remote:
            self.remote.stdin.close()
            self.remote.wait(LIMIT)
            self.remote.stdout.close()

    def listening(self):
        """Ports that somebody listens at."""
        found = []
        for name in ("tcp", "tcp6"):
            for line in pathlib.Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == LISTENING:
                    found.append(int(words[1].rpartition(":")[2], 16))
        return sorted(found)

    def in_memory(self):
        """Our names in /dev/shm; what killed MPI processes leave there is theirs."""
        return sorted(name for name in os.listdir("/dev/shm") if name.startswith("dsm"))
