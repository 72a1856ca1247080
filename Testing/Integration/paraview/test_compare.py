# SPDX-License-Identifier: BSD-3-Clause
"""Two runs side by side and their difference, from a script, and where runs come from."""

import pytest

GRID = ("--size", 12, 10, 9, "--every", 10)


@pytest.mark.parametrize(("ranks", "symmetric"), [(1, False), (2, True)])
def test_a_run_and_its_branch(bench, ranks, symmetric):
    folder = bench.folder
    viewer = bench.pvbatch("compare.py", ranks, symmetric, DISPLAY=bench.screen())
    contact = folder / "run.dsm"
    viewer.wait_for_file(contact)
    bench.simulation(contact, 2, folder / "first", *GRID, "--steps", 40).wait()
    begun = folder / "first" / "gray_scott.00020.vtkhdf"
    bench.simulation(
        contact, 1, folder / "branch", *GRID, "--steps", 60, "--restart", begun, "--feed", 0.05).wait()
    bench.simulation(contact, 1, folder / "other", "--size", 8, 8, 8, "--every", 10, "--steps", 40).wait()
    (folder / "go").touch()
    viewer.wait()
    reports = bench.reports()
    assert len(reports) == (ranks if symmetric else 1)
    for found in reports:
        check(found, begun)


def check(found, begun):
    # Always at the same time, of those that both have: the first has not come as far as the branch.
    listed = found["listed"][0]
    assert found["listed"] == [listed, listed] and len(listed) >= 2
    assert found["times"] == [listed[-1]] * 2 and found["atFirst"] == [listed[0]] * 2
    assert found["shown"][0] < found["shown"][1]
    assert found["array"].startswith("abs(Δ") and 0 <= found["difference"][0] < found["difference"][1]
    assert len(set(found["inLayout"])) == 3 and -1 not in found["inLayout"]
    assert found["titles"] == ["first", "branch", found["array"]]

    # Both in the same colours, which have room for the values of both; those of the difference begin at none.
    lows, highs = zip(*found["values"], strict=True)
    both, apart = found["coloured"]
    assert both[0] <= min(lows) < max(highs) <= both[1], found
    assert apart[0] == 0 and apart[1] >= found["difference"][1] * 0.999, found
    assert found["turned"] == [[1, 2, 3]] * 3

    # What cannot be compared leaves nothing.
    assert "have no time in common" in found["noTime"][0]
    assert "have different meshes" in found["otherMesh"][0] and " points and " in found["otherMesh"][0]
    assert "do not both have the array w" in found["noArray"][0]
    assert found["noTime"][1:] == found["otherMesh"][1:] == found["noArray"][1:]

    first, branch, other = found["runs"]
    assert first == [1, "gray_scott", False, None, {}]
    assert branch[:4] == [2, "gray_scott", True, [1, 20, str(begun)]]
    assert branch[4] == {"feed": [0.03, 0.05]}
    assert other[2:4] == [False, None]
