#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How fast H5Dwrite and H5Dread move data between a CUDA device and the hosts' memory, beside cuMemcpyDtoH and
cuMemcpyHtoD to and from memory of the program. Needs a machine with such a device, and says so otherwise.

    ./dev shell python3 Testing/Benchmark/device_bench.py --build build/openmpi [--size MIB] [--times N]

Prints medians in GB/s, with sparse and with pinned memory of the hosts. Fails when a value is not what was written.
"""

import argparse
import ctypes
import subprocess
import sys
from pathlib import Path

from separate_jobs import one_host

PROGRAM = r"""
import ctypes, json, statistics, sys, time
import h5py, numpy
size, times = int(sys.argv[2]), int(sys.argv[3])
cuda = ctypes.CDLL("libcuda.so.1")
def call(function, *words):
    status = getattr(cuda, function)(*words)
    assert status == 0, f"{function} failed with {status}"
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
values = numpy.arange(size // 8, dtype="f8")
host = values.ctypes.data_as(ctypes.c_void_p)
hdf5 = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps")
                        if "/libhdf5" in line and "_hl" not in line))
for function in ("H5Dwrite", "H5Dread"):
    getattr(hdf5, function).argtypes = [ctypes.c_int64] * 5 + [ctypes.c_uint64]
def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
def rate(seconds):
    return size / statistics.median(seconds) / 1e9
call("cuMemcpyHtoD_v2", memory, host, ctypes.c_size_t(size))
results = {
    "cuMemcpyDtoH": rate([timed(lambda: call("cuMemcpyDtoH_v2", host, memory, ctypes.c_size_t(size)))
                          for _ in range(times)]),
    "cuMemcpyHtoD": rate([timed(lambda: call("cuMemcpyHtoD_v2", memory, host, ctypes.c_size_t(size)))
                          for _ in range(times)])}
def moved(function, dataset):
    type_id = h5py.h5t.NATIVE_DOUBLE.id
    assert getattr(hdf5, function)(dataset.id.id, type_id, 0, 0, 0, memory.value) == 0, function
writes, reads = [], []
for number in range(times):
    name = f"{sys.argv[1]}.{number}.h5"
    with h5py.File(name, "w") as file:
        dataset = file.create_dataset("values", values.shape, "f8")
        writes.append(timed(lambda: moved("H5Dwrite", dataset)))
    with h5py.File(name) as file:
        call("cuMemsetD8_v2", memory, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        call("cuCtxSynchronize")
        reads.append(timed(lambda: moved("H5Dread", file["values"])))
    back = numpy.zeros_like(values)
    call("cuMemcpyDtoH_v2", back.ctypes.data_as(ctypes.c_void_p), memory, ctypes.c_size_t(size))
    assert (back == values).all(), name
results.update({"H5Dwrite": rate(writes), "H5Dread": rate(reads)})
print(json.dumps(results))
"""


def has_device():
    """Whether CUDA has a device here."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--size", type=int, default=256, help="MiB of a file")
    parser.add_argument("--times", type=int, default=9)
    given = parser.parse_args()
    if not has_device():
        print("There is no CUDA device here: nothing was measured.")
        return
    for lending in ("sparse", "pinned"):
        with one_host(given.build.resolve() / "bin", "--memory-per-host", f"{given.size * 5} MiB", "--lending", lending,
                      "--expected-file-size", f"{given.size} MiB") as (_, run, folder):
            words = [*run, "--without-server", "fail", sys.executable, "-c", PROGRAM, folder / "run",
                     given.size << 20, given.times]
            told = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True, check=True).stdout
        print(f"{lending}, {given.size} MiB, GB/s: {told.strip()}")


if __name__ == "__main__":
    main()
