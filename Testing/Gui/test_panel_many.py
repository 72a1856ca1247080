# SPDX-License-Identifier: BSD-3-Clause
"""A list of thousands of snapshots: a click on a row costs what a click on a row of a short list costs."""

import os

from window import BIN, HOSTS, PANEL

# Writes files until it has as many as each line of its input says.
SIMULATION = """
import sys, h5py, numpy
z, y, x = numpy.mgrid[0:4.0, 0:4, 0:4]
print("ready", flush=True)
step = 0
for line in sys.stdin:
    while step < int(line):
        with h5py.File(f"{sys.argv[1]}/many.{step:05d}.h5", "w") as file:
            file["u"] = x + y + step
        step += 1
    print("wrote", step, flush=True)
"""
STATUS = f"len({HOSTS}.GetProperty('ServerStatus').GetElement(0))"
# Milliseconds: the panel does nothing but what the clicks ask for.
NEVER = 3600000


def cost_of_clicks(window, count):
    """Clicks rows among `count`. Returns the processor time of a click, how many rows it changed, how often all rows
    did, and how many characters the server takes to say what is new."""
    window.until(lambda: len(window.rows()) == count, f"{count} rows")
    window.poll_every(NEVER)
    middle = count // 2
    window.pick(middle)
    window.changed_rows()
    before, clicks = window.processor_time(), 10
    for click in range(clicks):
        window.pick(middle + click % 3 + 1)
    seconds = (window.processor_time() - before) / clicks
    rows, resets = window.changed_rows()
    text = window.evaluate(STATUS)[0]
    window.poll_as_usual()
    print(f"\n{count} rows: a click takes {1000 * seconds:.0f} ms of processor time, changes {rows / clicks:.1f} rows, "
          f"and asks for {text} characters")
    return seconds, rows / clicks, resets, text


def test_many_rows(window, programs):
    contact = programs.folder / "run.dsm"
    window.listen(contact, memory="1 GiB", MaximumSnapshots=5000)
    program = programs.start([BIN / "dsm-run", "--contact", contact, os.environ["DSM_TEST_PYTHON"], "-c", SIMULATION,
                              programs.folder], "simulation", talk=True)
    program.wait_for_line("ready")
    costs = []
    for count in (20, 2000):
        program.say(str(count))
        program.wait_for_line(f"wrote {count}", 300)
        costs.append(cost_of_clicks(window, count))
    (few, *_), (many, rows, resets, text) = costs
    # The snapshot that was shown and the one that is, each with its pin.
    assert rows <= 6 and resets == 0
    # Thousands of snapshots are a megabyte.
    assert text < 20000
    # ParaView's own lists of times grow. It was more than five times as much.
    assert many < 3 * few + 0.05
    # Snapshots that come and go change their own rows only.
    window.changed_rows()
    program.say("2010")
    program.wait_for_line("wrote 2010")
    window.until(lambda: len(window.rows()) == 2010, "the next rows")
    rows, resets = window.changed_rows()
    assert 10 <= rows <= 60 and resets == 0, (rows, resets)
    window.pin(1000)
    window.until(lambda: 1000 in window.pinned(), "the pin")
    rows, resets = window.changed_rows()
    # The times of the new ones may have come meanwhile.
    assert rows <= 20 and resets == 0, (rows, resets)
    window.set_setting("MaximumSnapshots", 30)
    window.click(PANEL + "discardQuestion/discard")
    # The next file makes them go.
    program.say("2011")
    window.until(lambda: len(window.rows()) <= 30 and window.rows()[0][0] == 2011, "fewer rows")
    kept = [row[0] for row in window.rows()]
    assert kept == sorted(kept, reverse=True) and 1000 in kept and 2011 in kept, kept
    program.process.stdin.close()
    program.wait()
