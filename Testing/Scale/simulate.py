#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The control plane of a coupling, simulated: what a file costs host rank 0 with up to 100,000 ranks.

    simulate.py --costs results/costs.json --results results [--check results/ranks.csv results/programs.csv]

A discrete-event simulation of the messages alone, in the order in which the library sends them. Host rank 0 works on
one message after the other; each costs what scale.py has measured on real peers (costs.json says with which commit).
What was not measured here, the collectives of MPI and the bandwidth of a network, is given in costs.json too.

"one channel" is the library as it is: rank 0 of the program speaks for all, and a rank that needs more room says so in
host 0's memory. "a channel each" is what it was before: a rank that needed more room, or read, connected by itself.
"""

import argparse
import collections
import csv
import heapq
import json
import math
import pathlib

HERE = pathlib.Path(__file__).parent
RANKS = [2, 8, 32, 128, 512, 2048, 8192, 32768, 100000]
HOSTS = [1, 4, 16, 64, 256, 1024]


class Events:
    """Things that happen at a time, in order."""

    def __init__(self):
        self.now = 0.0
        self.queue = []
        self.number = 0

    def at(self, when, call):
        self.number += 1
        heapq.heappush(self.queue, (when, self.number, call))

    def run(self):
        while self.queue:
            self.now, _, call = heapq.heappop(self.queue)
            call()


class HostZero:
    """One thread that works on messages as they come, and counts them by name: received, sent."""

    def __init__(self, events, costs):
        self.events = events
        self.costs = costs
        self.free = 0.0
        self.channels = 0
        self.most_channels = 0
        self.messages = collections.defaultdict(lambda: [0, 0])

    def busy(self, seconds):
        self.free = max(self.free, self.events.now) + seconds
        return self.free

    def receive(self, name, then=None, cost="message"):
        """A message has arrived; `then` is called when it has been read."""
        self.messages[name][0] += 1
        done = self.busy(self.costs[cost])
        if then:
            self.events.at(done, then)

    def send(self, name, then=None):
        """`then` is called where it has arrived."""
        self.messages[name][1] += 1
        done = self.busy(self.costs["message"])
        if then:
            self.events.at(done + self.costs["latency"], then)

    def connect(self, then):
        """A handshake, and the first request with its answer."""
        def greeted():
            self.channels += 1
            self.most_channels = max(self.most_channels, self.channels)
            self.send("hello", then)
        self.busy(self.costs["handshake"])
        self.receive("hello", greeted)

    def request(self, name, then, work=None):
        """A peer asks; `work`, if any, is done before the answer."""
        def arrived():
            self.receive(name, lambda: work(answer) if work else answer())

        def answer():
            self.send(name, then)
        self.events.at(self.events.now + self.costs["latency"], arrived)

    def ask_hosts(self, hosts, then):
        """Each host prepares memory and says so."""
        left = [hosts]

        def said():
            left[0] -= 1
            if left[0] == 0:
                then()

        def prepared():
            self.receive("cleaned", said)
        for _ in range(hosts):
            self.send("prepare", lambda: self.events.at(
                self.events.now + self.costs["reserve"] + self.costs["latency"], prepared))


def collective(costs, ranks, size=0):
    """A broadcast or a reduction over all ranks."""
    levels = math.ceil(math.log2(ranks)) if ranks > 1 else 0
    return levels * (costs["collective"] + size / costs["bandwidth"])


def one_file(costs, ranks, hosts, each=False, first=False):
    """A file that all ranks write beyond what it was granted, and read: seconds of each part, and what host rank 0 had
    to do with it. `each`: with a channel for each rank; `first`: no rank knows the server yet."""
    events = Events()
    zero = HostZero(events, costs)
    zero.channels = zero.most_channels = 1
    taken = {}

    def timed(what, collectives, begin):
        """One part of a file's life; runs to its end."""
        started = events.now
        begin()
        events.run()
        taken[what] = events.now - started + collectives

    # What rank 0 has got, to all; whether all know the server; whether all have made it.
    description = collective(costs, ranks, hosts * costs["host bytes"]) if first or each else 0
    timed("begin", 3 * collective(costs, ranks) + description,
          lambda: zero.request("begin", lambda: None, lambda answer: zero.ask_hosts(hosts, answer)))

    def extend_together():
        # The first is seen when host rank 0 looks; all see the answer at the same place.
        seen = costs["look"] + costs["latency"]
        events.at(events.now + seen, lambda: zero.ask_hosts(hosts, lambda: events.at(
            events.now + costs["latency"], lambda: None)))

    def extend_each():
        # Each that finds no room connects, asks, and stays connected. The hosts are asked once.
        asked = [False]

        def work(answer):
            if asked[0]:
                answer()
            else:
                asked[0] = True
                zero.ask_hosts(hosts, answer)
        for _ in range(ranks - 1):
            zero.connect(lambda: zero.request("extend", lambda: None, work))
        zero.request("extend", lambda: None, work)

    timed("extend", 0, extend_each if each else extend_together)
    timed("seal", 3 * collective(costs, ranks) + collective(costs, ranks, 8 * hosts),
          lambda: zero.request("seal", lambda: None))
    if each:
        def open_each():
            for _ in range(ranks):
                zero.request("open", lambda: zero.events.at(
                    zero.events.now + costs["latency"], lambda: zero.receive("close")))
        timed("open", 2 * collective(costs, ranks), open_each)
    else:
        timed("open", 4 * collective(costs, ranks), lambda: zero.request("open", lambda: zero.events.at(
            zero.events.now + costs["latency"], lambda: zero.receive("close"))))
    messages = {name: tuple(counts) for name, counts in zero.messages.items()}
    return {
        **taken,
        "messages": messages,
        "channels": zero.most_channels,
        "busy": sum(received + sent for received, sent in messages.values()) * costs["message"]
                + (zero.most_channels - 1) * costs["handshake"],
        "memory": zero.most_channels * costs["channel memory"] + hosts * costs["channel memory"],
    }


def expected_ranks(files):
    """The messages that scale.py's ranks exchange with host rank 0 for so many files, and the channels they have."""
    costs = collections.defaultdict(lambda: 0.0, bandwidth=1.0)
    counts = collections.defaultdict(lambda: [0, 0])
    channels = 0
    for _ in range(files):
        one = one_file(costs, 2, 1)
        channels = max(channels, one["channels"])
        for name, (received, sent) in one["messages"].items():
            if name not in ("prepare", "cleaned"):
                counts[name][0] += received
                counts[name][1] += sent
    return {name: tuple(both) for name, both in counts.items()}, channels


def expected_programs(programs, files, hosts):
    """The same of scale.py's programs: each connects, and every second of its files grows."""
    events = Events()
    zero = HostZero(events, collections.defaultdict(float))
    for _ in range(hosts):
        zero.connect(lambda: None)
    events.run()
    zero.channels = zero.most_channels = 0  # those of hosts were there before

    def file(number):
        if number == files:
            return

        def read():
            zero.receive("close")
            file(number + 1)

        def opened():
            zero.request("open", read)

        def sealed():
            zero.request("seal", opened)

        def begun():
            if number % 2 == 1:
                zero.request("extend", sealed)
            else:
                sealed()
        zero.request("begin", begun)
    for _ in range(programs):
        zero.connect(lambda: file(0))
    events.run()
    return {name: tuple(counts) for name, counts in zero.messages.items()}, zero.most_channels


COLUMNS = ["ranks", "hosts", "how", "begin", "extend", "seal", "open", "received", "sent", "channels", "busy", "memory"]


def simulate(costs):
    rows = []
    pairs = [(ranks, 16) for ranks in RANKS] + [(100000, hosts) for hosts in HOSTS if hosts != 16]
    for ranks, hosts in pairs:
        for how in ("one channel", "a channel each"):
            one = one_file(costs, ranks, hosts, how == "a channel each")
            rows.append({"ranks": ranks, "hosts": hosts, "how": how,
                         **{part: f"{one[part]:.6f}" for part in ("begin", "extend", "seal", "open", "busy")},
                         "received": sum(received for received, _ in one["messages"].values()),
                         "sent": sum(sent for _, sent in one["messages"].values()),
                         "channels": one["channels"], "memory": round(one["memory"])})
    return rows


def draw(rows, costs, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "dsm"
    import matplotlib.pyplot as plt
    figure, all_axes = plt.subplots(2, 3, figsize=(11, 6))
    styles = {"one channel": "-", "a channel each": ":"}
    colours = {"begin": "tab:blue", "extend": "tab:orange", "seal": "tab:green", "open": "tab:red"}

    def lines(axes, across, chosen, columns, scale=1.0):
        for how, style in styles.items():
            mine = [row for row in rows if row["how"] == how and chosen(row)]
            mine.sort(key=lambda row: row[across])
            for column in columns:
                label = (column if column in colours else how) + (", a channel each" if column in colours and
                                                                   how != "one channel" else "")
                axes.loglog([row[across] for row in mine], [float(row[column]) * scale for row in mine], style,
                            marker="o", markersize=2.5, color=colours.get(column, "black"), label=label)

    def by_ranks(row):
        return row["hosts"] == 16

    def by_hosts(row):
        return row["ranks"] == 100000
    lines(all_axes[0][0], "ranks", by_ranks, colours, 1000)
    all_axes[0][0].set_title("Time of one file's parts, 16 hosts")
    all_axes[0][0].set_ylabel("ms")
    lines(all_axes[0][1], "ranks", by_ranks, ["received"])
    all_axes[0][1].set_title("Messages to host rank 0 for a file, 16 hosts")
    lines(all_axes[0][2], "ranks", by_ranks, ["channels"])
    all_axes[0][2].set_title("Sockets of the program at host rank 0")
    lines(all_axes[1][0], "hosts", by_hosts, colours, 1000)
    all_axes[1][0].set_title("Time of one file's parts, 100,000 ranks")
    all_axes[1][0].set_ylabel("ms")
    lines(all_axes[1][1], "hosts", by_hosts, ["received"])
    all_axes[1][1].set_title("Messages to host rank 0, 100,000 ranks")
    lines(all_axes[1][2], "hosts", by_hosts, ["memory"], 1 / (1 << 20))
    all_axes[1][2].set_title("Memory for channels at host rank 0")
    all_axes[1][2].set_ylabel("MiB")
    for number, axes in enumerate(all_axes.flat):
        axes.set_xlabel("ranks" if number < 3 else "hosts", fontsize=8)
        axes.title.set_fontsize(8)
        axes.yaxis.label.set_fontsize(8)
        axes.tick_params(labelsize=7)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=5.5)
    figure.suptitle(f"Control plane, simulated from the costs of commit {costs['commit']}", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def check(table, costs):
    """What was measured beside what is simulated: messages are to be the same, seconds are not. What a host does with
    its memory is not simulated, and is most of what its process uses here."""
    with open(table, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            peers, files, hosts = (int(row[name]) for name in ("peers", "files", "hosts"))
            messages, channels = (expected_ranks(files) if row["kind"] == "ranks"
                                  else expected_programs(peers, files, hosts))
            received, sent = (sum(both[way] for both in messages.values()) for way in (0, 1))
            busy = (received + sent) * costs["message"] + (channels if channels > 1 else 0) * costs["handshake"]
            print(f"{peers} {row['kind']}, {files} files, {hosts} hosts: measured and simulated: "
                  f"received {row['received']} and {received}, sent {row['sent']} and {sent}, "
                  f"sockets {int(row['sockets most']) - int(row['sockets before'])} and {channels}; host rank 0 used "
                  f"{float(row['processor seconds']):.2f} s of a processor, of which messages {busy:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--costs", type=pathlib.Path, default=HERE / "results" / "costs.json")
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--check", type=pathlib.Path, nargs="+", default=[])
    options = parser.parse_args()
    costs = json.loads(options.costs.read_text(encoding="utf-8"))
    rows = simulate(costs)
    options.results.mkdir(exist_ok=True)
    with open(options.results / "simulated.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    draw(rows, costs, options.results / "simulated.svg")
    for table in options.check:
        check(table, costs)


if __name__ == "__main__":
    main()
