# SPDX-License-Identifier: BSD-3-Clause
"""One server, and simulations in each language and on different numbers of ranks, one after the other: every type,
command and refusal of each on the page Steering."""

import time

import steering_cases as cases
from steering_page import (
    PROGRAMS,
    REFUSED,
    command,
    has_ended,
    launched,
    listen,
    refuse,
    stop,
    tour,
    wait_for_pause,
)
from window import STEERING


def steer(window, program):
    """From its first step to its end."""
    wait_for_pause(window, 0)
    for changes, reasons in REFUSED:
        refuse(window, changes, reasons)
    tour(window)
    window.until(lambda: window.steering("step") > 20, "more steps")
    command(window, "pause")
    window.until(lambda: window.steering("paused"), "the pause")
    window.until(lambda: window.get(STEERING + "curve energy", "samples") > 5, "the observable's curve")
    assert window.get(STEERING + "curve energy", "last") > 1
    stop(window)
    cases.check_tour(program.wait())
    has_ended(window)
    assert not window.get(STEERING + "steeringForm", "enabled")


def test_every_language_and_ranks(window, programs):
    contact = programs.folder / "run.dsm"
    listen(window, contact)
    began = time.monotonic()
    for ranks in (1, 2, 5):
        for language in PROGRAMS:
            program = programs.start(
                launched(language, ranks), f"{language}-{ranks}", DSM_CONTACT=contact, DSM_START_PAUSED=1
            )
            steer(window, program)
            print(f"\n{language} on {ranks}: {time.monotonic() - began:.1f} s")
            began = time.monotonic()
    window.screenshot("steering-programs")
    window.report_times()
