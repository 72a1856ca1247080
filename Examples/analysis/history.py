# SPDX-License-Identifier: BSD-3-Clause
"""What a second program makes of a running simulation: the extremes and the mean of a dataset, output by output, as a
table and a picture. Plain h5py, which knows nothing of ParaView DSM: it opens the names that the simulation writes.

    dsm-run --contact run.dsm --read next python3 history.py "gray_scott.{:05d}.vtkhdf" --every 20 VTKHDF/PointData/v

With --read next, opening a file waits until the simulation has closed it, and fails when the simulation has ended. A
simulation that writes one name again and again is followed by that name, without braces. In several processes
(mpiexec -n 4 python3 ...) each would follow by itself.
"""

import argparse

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def outputs(name, first, every):
    """Each output's step and open file, as long as there are any."""
    step = first
    while True:
        try:
            file = h5py.File(name.format(step), "r")
        except OSError as error:
            print(f"the end: {error}")
            return
        with file:
            yield step, file
        step += every


def draw(history, dataset, picture):
    steps, least, mean, most = zip(*history, strict=True)
    figure, axis = plt.subplots(figsize=(6, 3.5))
    axis.fill_between(steps, least, most, alpha=0.2, label="least to most")
    axis.plot(steps, mean, marker="o", markersize=3, label="mean")
    axis.set(xlabel="step", ylabel=dataset.rsplit("/", 1)[-1], title="while the simulation runs")
    axis.legend()
    axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(picture, dpi=100)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the simulation's files, with {} where the step stands")
    parser.add_argument("dataset")
    parser.add_argument("--first", type=int, default=0, help="step")
    parser.add_argument("--every", type=int, default=1, help="steps from one output to the next")
    parser.add_argument("--picture", default="history.png")
    given = parser.parse_args()
    history = []
    for step, file in outputs(given.name, given.first, given.every):
        values = file[given.dataset][...]
        history.append((step, values.min(), values.mean(), values.max()))
        print("step {} least {:.6g} mean {:.6g} most {:.6g}".format(*history[-1]), flush=True)
        draw(history, given.dataset, given.picture)


if __name__ == "__main__":
    main()
