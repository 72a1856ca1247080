#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many real peers of one server on one machine: what they cost host rank 0.

    scale.py ranks     --build BUILD [--peers 1000] [--files 100]    ranks of one program
    scale.py programs  --build BUILD [--peers 1000] [--files 10]     programs of one process each
    scale.py costs     --build BUILD [--peers 200]                   what single messages cost, for simulate.py
    scale.py requests  --build BUILD                                 how long a request takes, by mailbox and by socket

Peers speak the protocol and map the hosts' memory (dsm_scale.cxx), 25 to a process. Ranks write each file together, far
beyond what it was granted, and read it together; programs write and read files of their own, of which every second
outgrows what it was granted. Prints what it took, the messages that the control channel carried, and the sockets,
threads and memory of host rank 0's process; --csv FILE adds a line to a table.
"""

import argparse
import contextlib
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PER_PROCESS = 12  # each maps each host's whole address space, of terabytes
LIMIT = 600  # seconds, for one step of all peers
# What is not counted, since it depends on time: heartbeats, and memory that hosts make ready.
BY_TIME = {"ping", "pong", "prepare", "cleaned", "failure"}


class Failure(RuntimeError):
    """A program ended, or said something else than was asked."""


class Server:
    """dsm-serve, and what its first process has."""

    def __init__(self, binaries, folder, hosts, memory, mpiexec):
        self.contact = folder / "run.dsm"
        command = [binaries / "dsm-serve", "--contact", self.contact, "--memory-per-host", memory, "--limit", 3600]
        if hosts > 1:
            command = [*mpiexec, "-n", hosts, *command]
        self.log = open(folder / "serve.log", "w", encoding="utf-8")  # noqa: SIM115 (until it ends)
        self.program = subprocess.Popen([str(word) for word in command], stdout=self.log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 60
        while not (self.contact.exists() and self.contact.stat().st_size):
            if self.program.poll() is not None or time.monotonic() > deadline:
                raise Failure(f"dsm-serve did not begin:\n{(folder / 'serve.log').read_text()}")
            time.sleep(0.02)
        self.process = pathlib.Path("/proc", str(json.loads(self.contact.read_text())["Process"]))

    def sockets(self):
        found = 0
        for one in (self.process / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                found += os.readlink(one).startswith("socket:")
        return found

    def memory(self):
        """Bytes of its own: not those that hosts lend."""
        for line in (self.process / "status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
        raise Failure("the kernel does not tell RssAnon")

    def seconds(self):
        """Of a processor, that it has used."""
        fields = (self.process / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.program.terminate()
        self.program.wait(60)
        self.log.close()


class Group:
    """One process of peers."""

    def __init__(self, binaries, contact, first, count):
        self.program = subprocess.Popen(
            [str(word) for word in (binaries / "dsm_scale", "--contact", contact, "--first", first, "--peers", count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def say(self, *words):
        self.program.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.program.stdin.flush()

    def hear(self):
        line = self.program.stdout.readline()
        if not line:
            raise Failure(f"peers ended: {self.program.stderr.read()}")
        return line.strip()

    def ask(self, *words):
        self.say(*words)
        return self.hear()

    def end(self):
        self.program.stdin.close()
        self.program.wait(60)


class Peers:
    """All of them."""

    def __init__(self, binaries, contact, count):
        self.count = count
        self.groups = [Group(binaries, contact, first, min(PER_PROCESS, count - first))
                       for first in range(0, count, PER_PROCESS)]

    def all(self, *words):
        """All do the same at once. Returns the seconds until the last has done it."""
        begin = time.monotonic()
        for group in self.groups:
            group.say(*words)
        for group in self.groups:
            group.hear()
        return time.monotonic() - begin

    def first(self, *words):
        return self.groups[0].ask(*words)

    def traffic(self):
        """Messages by name, both ways; not those that come by the time."""
        told = json.loads(self.first("traffic"))
        return {one["Message"]: (one["Received"], one["Sent"]) for one in told["Messages"]
                if one["Message"] not in BY_TIME}

    def times(self):
        """The medians of what single peers took, and the longest, over all groups."""
        all_times = {}
        for group in self.groups:
            for what, taken in json.loads(group.ask("times")).items():
                count, median, longest = all_times.get(what, (0, 0.0, 0.0))
                total = count + taken["count"]
                all_times[what] = (total, (count * median + taken["count"] * taken["median"]) / total,
                                   max(longest, taken["longest"]))
        return all_times

    def end(self):
        for group in self.groups:
            group.end()


def difference(after, before):
    """Messages between two looks, without those that looked; a message is counted when it comes, and its answer after
    the count was taken."""
    found = {}
    for name, (received, sent) in after.items():
        counts = (received - before.get(name, (0, 0))[0], sent - before.get(name, (0, 0))[1])
        if name != "traffic" and any(counts):
            found[name] = counts
    return found


def since(begin, peers, limit=10, quiet=0.1):
    """The same until now, when nothing comes any more: what needs no answer may still have been on its way."""
    end = time.monotonic() + limit
    before, found = None, difference(peers.traffic(), begin)
    while found != before and time.monotonic() < end:
        time.sleep(quiet)
        before, found = found, difference(peers.traffic(), begin)
    return found


def run_ranks(peers, server, files, each):
    """Ranks of one program, `each` bytes of each in every file."""
    found = {"sockets before": server.sockets()}
    description = peers.first("lead", peers.count)
    begin = peers.traffic()
    found["map"] = peers.all("follow", description)
    found["sockets connected"] = server.sockets()
    most = 0
    steps = {"write": 0.0, "read": 0.0}
    started = time.monotonic()
    for file in range(files):
        # A stream of its own, so that nothing is known of its size.
        image = peers.first("begin", f"/scale/{chr(97 + file % 26)}{chr(97 + file // 26)}/field.h5")
        steps["write"] += peers.all("write", each, image)
        most = max(most, server.sockets())
        number = peers.first("seal", each * peers.count)
        snapshot = peers.first("open", number)
        steps["read"] += peers.all("read", each, snapshot)
        most = max(most, server.sockets())
        peers.first("close")
    found["seconds"] = time.monotonic() - started
    found.update({f"all {what}": seconds / files for what, seconds in steps.items()})
    found["sockets most"] = most
    found["messages"] = since(begin, peers)
    return found


def run_programs(peers, server, files, each):
    """Programs with files of their own."""
    found = {"sockets before": server.sockets()}
    begin = {}
    found["connect all"] = peers.all("connect")
    found["sockets connected"] = server.sockets()
    started = time.monotonic()
    peers.all("write-own", files, each)
    found["seconds"] = time.monotonic() - started
    found["sockets most"] = server.sockets()
    found["messages"] = since(begin, peers)
    return found


def run_costs(peers, server):
    """What the simulator needs to know."""
    memory, used = server.memory(), server.seconds()
    peers.all("connect")
    connected = server.seconds()
    costs = {"handshake": (connected - used) / peers.count, "channel memory": (server.memory() - memory) // peers.count}
    asked = 200
    peers.all("ask", asked)
    costs["message"] = (server.seconds() - connected) / (2 * asked * peers.count)
    peers.times()
    alone = peers.groups[-1]  # which has one peer
    alone.ask("ask", 1000)
    round_trip = json.loads(alone.ask("times"))["ask"]["median"]
    costs["latency"] = round_trip / 2 - costs["message"]
    peers.first("lead", 2)
    begun = []
    for file in range(21):
        peers.first("begin", f"/scale/{chr(97 + file)}/field.h5")
        begun.append(json.loads(peers.first("times"))["begin"]["median"])
        peers.first("seal", 1 << 20)
    # Two messages to the host and back, which is what waits here.
    costs["reserve"] = max(0.0, sorted(begun)[len(begun) // 2] - round_trip - 2 * (costs["message"] + costs["latency"]))
    costs["host bytes"] = len(peers.first("lead", 2)) // 2
    # Not measured here: a network between nodes, and how often host rank 0 looks at its memory, in the mean.
    costs.update({"collective": 2e-6, "bandwidth": 1e10, "look": 0.0025})
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False,
                            cwd=pathlib.Path(__file__).parent)
    return {"commit": commit.stdout.strip() or "unknown", **costs}


def measure_costs(build, peers):
    binaries = pathlib.Path(build) / "bin"
    with tempfile.TemporaryDirectory(prefix="dsm-scale-") as folder:
        server = Server(binaries, pathlib.Path(folder), 1, "256 MiB", ())
        try:
            count = peers // PER_PROCESS * PER_PROCESS + 1
            all_peers = Peers(binaries, server.contact, count)
            costs = run_costs(all_peers, server)
            all_peers.end()
        finally:
            server.end()
    return costs


# Milliseconds between requests, and how many.
APART = ((0, 2000), (1, 500), (20, 100))


def measure_requests(build, rounds=3, apart=APART):
    """Microseconds until a small request is answered: medians of the rounds, by whether it goes by the mailbox, and by
    the milliseconds for which its program sleeps before each."""
    found = {}
    for _ in range(rounds):
        for mailbox in ("on", "off"):
            with tempfile.TemporaryDirectory(prefix="dsm-scale-") as folder:
                server = Server(pathlib.Path(build) / "bin", pathlib.Path(folder), 1, "256 MiB", ())
                try:
                    os.environ["DSM_MAILBOX"] = mailbox
                    peer = Peers(pathlib.Path(build) / "bin", server.contact, 1)
                    peer.all("connect")
                    peer.all("map")
                    for pause, times in apart:
                        peer.all("ask", times, pause)
                        _, median, longest = peer.times()["ask"]
                        found.setdefault((mailbox, pause), []).append((1e6 * median, 1e6 * longest))
                    peer.end()
                finally:
                    del os.environ["DSM_MAILBOX"]
                    server.end()
    return {key: tuple(sorted(values)[rounds // 2] for values in zip(*times, strict=True))
            for key, times in found.items()}


def measure(kind, build, peers, files, each=64 << 10, hosts=1, memory="256 MiB", mpiexec=("mpiexec",)):
    """What `scale.py` prints, as a dictionary."""
    binaries = pathlib.Path(build) / "bin"
    with tempfile.TemporaryDirectory(prefix="dsm-scale-") as folder:
        server = Server(binaries, pathlib.Path(folder), hosts, memory, mpiexec)
        try:
            before, used = server.memory(), server.seconds()
            all_peers = Peers(binaries, server.contact, peers)
            found = (run_ranks if kind == "ranks" else run_programs)(all_peers, server, files, each)
            found["memory"] = server.memory() - before
            found["processor seconds"] = server.seconds() - used
            found["threads"] = len(list((server.process / "task").iterdir()))
            found["times"] = all_peers.times()
            all_peers.end()
        finally:
            server.end()
    return {"kind": kind, "peers": peers, "files": files, "hosts": hosts, **found}


def tell(found):
    print(f"{found['peers']} {found['kind']}, {found['files']} files, {found['hosts']} hosts: "
          f"{found['seconds']:.1f} s, host rank 0 used {found['processor seconds']:.2f} s of a processor")
    print(f"  sockets: {found['sockets before']} before, {found['sockets connected']} connected, "
          f"{found['sockets most']} at most")
    print(f"  memory of its own: {found['memory'] / (1 << 20):.1f} MiB more; {found['threads']} threads")
    for what in ("connect all", "map", "all write", "all read"):
        if what in found:
            print(f"  {what}: {found[what]:.3f} s")
    for what, (count, median, longest) in sorted(found["times"].items()):
        print(f"  {what}: {count} times, {1000 * median:.2f} ms in the median, {1000 * longest:.1f} ms at most")
    for name, (received, sent) in sorted(found["messages"].items()):
        print(f"  {name}: {received} received, {sent} sent")


COLUMNS = ["kind", "peers", "files", "hosts", "seconds", "processor seconds", "sockets before", "sockets connected",
           "sockets most", "memory", "threads", "received", "sent"]


def note(found, path):
    """Adds a line to a table."""
    row = {column: found.get(column) for column in COLUMNS}
    row["received"] = sum(received for received, _ in found["messages"].values())
    row["sent"] = sum(sent for _, sent in found["messages"].values())
    for column in ("seconds", "processor seconds"):
        row[column] = f"{row[column]:.3f}"
    columns = COLUMNS + [f"{what} ms" for what in sorted(found["times"])]
    row.update({f"{what} ms": f"{1000 * median:.3f}" for what, (_, median, _) in found["times"].items()})
    is_new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["ranks", "programs", "costs", "requests"])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--peers", type=int, default=1000)
    parser.add_argument("--files", type=int)
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--kib", type=int, default=64, help="of each peer in a file")
    parser.add_argument("--memory-per-host", default="256 MiB")
    parser.add_argument("--mpiexec", default=os.environ.get("DSM_TEST_MPIEXEC", "mpiexec"))
    parser.add_argument("--csv", type=pathlib.Path)
    options = parser.parse_args()
    if options.kind == "costs":
        print(json.dumps(measure_costs(options.build, min(options.peers, 200)), indent=2))
        return
    if options.kind == "requests":
        for (mailbox, pause), (median, longest) in measure_requests(options.build).items():
            print(f"by {'mailbox' if mailbox == 'on' else 'socket'}, {pause} ms apart: {median:.0f} µs in the median, "
                  f"{longest:.0f} µs at most")
        return
    files = options.files or (100 if options.kind == "ranks" else 10)
    found = measure(options.kind, options.build, options.peers, files, options.kib << 10, options.hosts,
                    options.memory_per_host, options.mpiexec.split())
    tell(found)
    if options.csv:
        note(found, options.csv)


if __name__ == "__main__":
    sys.exit(main())
