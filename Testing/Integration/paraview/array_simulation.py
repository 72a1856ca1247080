# SPDX-License-Identifier: BSD-3-Clause
"""A simulation of one process with arrays of each type and shape, which writes each that it is sent.

array_simulation.py FOLDER   the files are FOLDER/<name>.<step>.npy
"""

import sys
import time

import numpy

import dsm

ARRAYS = {
    "field": numpy.zeros((31, 40)),
    "mask": numpy.zeros((31, 40), "uint8"),
    "long": numpy.zeros(6, "int64"),
    "count": numpy.zeros(6, "int32"),
    "arrows": numpy.zeros((7, 3), "float32"),
    "volume": numpy.zeros((3, 31, 40), "float32"),
    "four": numpy.zeros((2, 3, 2, 5)),
}


def main(folder):
    session = dsm.Session(None)
    gain = session.parameter("gain", 1.0)
    for name, values in ARRAYS.items():
        session.array(name, values)
    for step in range(60000):
        if not session.running:
            break
        session.step(step, float(step))
        for name, values in ARRAYS.items():
            if session.changed(name):
                numpy.save(f"{folder}/{name}.{step}.{gain.value:g}.npy", values)
        time.sleep(0.002)
    session.close()


if __name__ == "__main__":
    main(sys.argv[1])
