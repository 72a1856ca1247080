# SPDX-License-Identifier: BSD-3-Clause
"""A comparison of two runs in saved states, which another session goes on with, and in a trace that pvbatch runs."""

import pytest

from test_panel_streams import APART, COMPARED, end, start, write

VIEWS = "len(GetViews())"
# What a script of pvbatch is asked at its end.
TELL = """
difference = FindSource('abs(Δdensity)')
difference.UpdatePipeline(GetAnimationScene().AnimationTime)
print("compared", len(GetViews()), list(difference.PointData['abs(Δdensity)'].GetRange()))
SaveScreenshot({picture!r}, GetLayout(GetViews()[-1]))
"""


def two_runs(programs, contact):
    """A run that ends, and a branch of it that goes on."""
    first = start(programs, contact, "density particles checkpoint")
    write(first, 0, 1, 2)
    end(first)
    begun = programs.folder / "density" / "density.0001.h5"
    branch = start(programs, contact, f"density particles checkpoint density 3 {begun}")
    write(branch, 0, 1)
    return branch


def compared(window):
    """The snapshots that a comparison shows, how far they are apart, and how many views there are."""
    shown, apart, views = window.evaluate(COMPARED, APART, VIEWS)
    return shown, apart, views


@pytest.fixture
def saved(window, programs):
    """The contact file of a session in which two runs were compared, and its states and trace."""
    contact = programs.folder / "run.dsm"
    window.python("from paraview import smtrace\nsmtrace.start_trace()")
    window.listen(contact)
    branch = two_runs(programs, contact)
    window.until(lambda: len(window.groups()) == 6, "both runs")
    views = window.evaluate(VIEWS)[0]
    window.choose_from_menu("density.#.h5", "Compare With > density.#.h5, run 1")
    window.until(lambda: window.evaluate(VIEWS)[0] == views + 3, "the comparison")
    assert window.panel("errorText") == ""
    expected = compared(window)
    window.python("from paraview import smtrace\n"
                  f"open({str(programs.folder / 'trace.py')!r}, 'w').write(smtrace.stop_trace())")
    for name in ("session.pvsm", "session.py"):
        assert window.ask(do="saveState", file=str(programs.folder / name))
    end(branch)
    window.stop_hosting()
    return contact, expected


def test_comparison_goes_on(window, programs, saved):
    contact, expected = saved
    assert expected[1] == [3, 3]
    for state in ("session.pvsm", "session.py"):
        window.reset()
        window.ask(do="loadState", file=str(programs.folder / state))
        window.until(lambda: window.state() == "Listening", f"listening after {state} was loaded")
        branch = two_runs(programs, contact)
        window.until(lambda: window.evaluate(COMPARED)[0] == expected[0], f"the comparison of {state}")
        assert compared(window) == expected
        write(branch, 2)
        window.until(lambda: window.evaluate(COMPARED)[0][1] > expected[0][1], "the branch's next step")
        assert compared(window)[1:] == expected[1:] and window.panel("errorText") == ""
        window.screenshot(f"compared-{state.replace('.', '-')}")
        end(branch)
        window.stop_hosting()
    for name in ("trace.py", "session.py"):
        script = programs.folder / name
        picture = script.with_suffix(".png")
        text = script.read_text().replace("\ndsm.follow()", "\ndsm.follow()" + TELL.format(picture=str(picture)))
        script.write_text(text)
        batch = programs.pvbatch(script)
        batch.wait_for_file(contact)
        end(two_runs(programs, contact))
        said = batch.wait(120)
        assert f"compared {expected[2]} [3.0, 3.0]" in said, said
        assert picture.stat().st_size > 10000
