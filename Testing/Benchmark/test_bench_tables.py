# SPDX-License-Identifier: BSD-3-Clause
"""./dev bench makes rows of the tables that benchmarks print, and the READMEs' tables of those rows."""

import pytest

import bench
import running
import user_bench

USER = """128 MiB, 300 ms apart, ms
|  | median | first | longest | of memcpy | of SST |
| --- | --- | --- | --- | --- | --- |
| memcpy | 8.000 | 7.800 | 9.000 | 1.000 | 0.100 |
| DSM | 8.800 | 23.400 | 24.000 | 1.100 | 0.110 |
| SST | 80.000 | 83.000 | 112.000 | 10.000 | 1.000 |

1 MiB, back to back, ms
|  | median | first | longest | of memcpy | of tmpfs |
| --- | --- | --- | --- | --- | --- |
| memcpy | 0.021 | 0.030 | 0.040 | 1.000 | 0.018 |
| tmpfs | 1.160 | 3.000 | 3.100 | 55.238 | 1.000 |
| DSM | 1.160 | 14.000 | 14.100 | 55.238 | 1.000 |

an attribute written and flushed, µs
|  | median |
| --- | --- |
| DSM | 2.50 |
| tmpfs | 7.70 |
"""
PICTURE = """| ranks | ms | close | draw | private, MiB |
| --- | --- | --- | --- | --- |
| 1 | median | 8.0 | 105.6 | 456 |
| 1 | first file | 23.1 | 789.0 | 450 |

time to picture
| way | ms | create to close | total | create to picture |
| --- | --- | --- | --- | --- |
| pvbatch, 1 rank | median | 9.1 | 130.2 | 139.3 |
| pvbatch, 1 rank | first file | 18.0 | 1200.0 | 1218.0 |
| browser | cannot be measured: there is no Chromium. | - | - | - |
"""
APPEND = """10000 rows of 64 KiB appended to a file of 0, milliseconds of an append
|  | first 1000, median | last 1000, median |
| --- | --- | --- |
| reopened, tmpfs | 0.36 | 0.30 |
| reopened, `dsm-run` | 3.70 | 4.10 |
"""
NAMES = """10000 names, microseconds for each (times the program alone)
|  | open | missing |
| --- | --- | --- |
| alone | 42 (1.00) | 11 (1.00) |
| files on disk, `--placeholders=off` | 84 (2.00) | 500 (45.45) |
"""
READ = """| ranks | read GB/s | fresh GB/s | warm GB/s | read : fresh | read : warm |
| --- | --- | --- | --- | --- | --- |
| 1 | 4.60 | 2.10 | 14.80 | 2.20 (2.10 to 2.30) | 0.31 (0.30 to 0.32) |
| 2 | 12.10 | 4.30 | 22.40 | 2.80 (2.70 to 2.90) | 0.49 (0.48 to 0.50) |
"""
WORK = """compute-bound kernel, 2 ranks, 2 s between files of 128 MiB, 2 hosts
| way | longer, % | least, % | most, % | ranks' CPU, % | hosts' CPU, ms per file | of computing, % | held up, ms |
| --- | --- | --- | --- | --- | --- | --- | --- |
| no output, again | -0.04 | -0.51 | 0.30 | 0.02 | 0.00 | 0.000 | 0.0 |
| full ring | 0.31 | 0.11 | 1.20 | 0.05 | 5.20 | 0.260 | 9.1 |

memory-bound kernel, 2 ranks, 2 s between files of 128 MiB, 2 hosts
| way | longer, % | least, % | most, % | ranks' CPU, % | hosts' CPU, ms per file | of computing, % | held up, ms |
| --- | --- | --- | --- | --- | --- | --- | --- |
| no output, again | 0.10 | -0.20 | 0.40 | 0.12 | 0.00 | 0.000 | 0.0 |
| full ring | 0.41 | 0.21 | 1.40 | 0.25 | 5.40 | 0.270 | 9.3 |

hosts with nothing to do
| hosts | wakeups, per s | CPU, ms per s |
| --- | --- | --- |
| 2 | 45.2 | 2.61 |
"""
PRINTED = {"user": (USER, ""), "picture": (PICTURE, "128 MiB"), "append": (APPEND, ""), "names": (NAMES, ""),
           "read": (READ, "512 MiB"), "work": (WORK, "")}
ALIKE = {"commit": "0123abcd", "date": "2026-11-30", "machine": "AMD EPYC", "cores": 2, "memory_GiB": 24,
         "kernel": "6.18.44-cloud", "mpi": "openmpi", "others_percent": 3, "short": "no", "options": ""}
UNDER = ("at 0123abcd on 30 November 2026: AMD EPYC, 2 cores, 24 GiB, Linux 6.18.44, Open MPI. "
         "Other work used 3 % of the cores.")
RENDERED = {
    "summary": f"""| | DSM | memcpy | parallel HDF5 on tmpfs | ADIOS2 SST |
| --- | --- | --- | --- | --- |
| 128 MiB, 300 ms apart | 8.8 ms | 8.0 | | 80 |
| the first of them | 23 ms | 7.8 | | 83 |
| 1 MiB, back to back | 1.2 ms | 0.021 | 1.2 | |
| an attribute written and flushed | 2.5 µs | | 7.7 | |

`user_bench.py` {UNDER}""",
    "user": f"""How long a program is held up by a file, from create to close; medians, and of the first file:

| | DSM | memcpy | tmpfs | SST | DSM of memcpy | of tmpfs | SST, times DSM |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 128 MiB, 300 ms apart, ms | 8.8 | 8.0 | | 80 | 1.10 | | 9.1 |
| the first of them, ms | 23 | 7.8 | | 83 | 3.0 | | 3.5 |
| 1 MiB, back to back, ms | 1.2 | 0.021 | 1.2 | | 55 | 1.00 | |
| an attribute written and flushed, µs | 2.5 | | 7.7 | | | 0.32 | |

`user_bench.py` {UNDER}""",
    "ways": f"""{bench.WAYS_ABOVE}

| ms | to the picture | of the first file | program held up | both together |
| --- | --- | --- | --- | --- |
| 128 MiB, pvbatch, 1 rank | 130 | 1200 | 9.1 | 139 |
| 128 MiB, browser | not measured | | | |

browser is not measured: there is no Chromium.

`picture_bench.py` {UNDER}""",
    "picture": f"""From `H5Fclose` to the picture, medians of all files but the first, and the first:

| ms | close | draw | private, MiB |
| --- | --- | --- | --- |
| 128 MiB, pvbatch, 1 rank | 8.0 | 106 | 456 |
| 128 MiB, pvbatch, 1 rank, first file | 23 | 789 | 450 |

`picture_bench.py` {UNDER}""",
    "append": f"""Appending a row:

| ms | first tenth, median | last tenth, median |
| --- | --- | --- |
| rows of 64 KiB, reopened, tmpfs | 0.36 | 0.30 |
| rows of 64 KiB, reopened, DSM | 3.7 | 4.1 |

`append_bench.py` {UNDER}""",
    "names": f"""A name, in parentheses as a multiple of the program alone:

| µs | open | missing |
| --- | --- | --- |
| alone | 42 (1.00) | 11 (1.00) |
| files on disk, --placeholders=off | 84 (2.0) | 500 (45) |

`names_bench.py` {UNDER}""",
    "read": f"""Reading, all ranks together, and as a part of memcpy's rate:

| GB/s | read | fresh | warm | read of fresh | read of warm |
| --- | --- | --- | --- | --- | --- |
| 512 MiB, 1 rank | 4.6 | 2.1 | 15 | 2.2 | 0.31 |
| 512 MiB, 2 ranks | 12 | 4.3 | 22 | 2.8 | 0.49 |

`read_bench.py` {UNDER}""",
    "work": f"""A program that computes on all cores between its files, beside the same without output, and what the \
hosts use meanwhile:

| | computes longer, % | least, % | most, % | hosts' CPU per file, ms | of computing, % | held up by a file, ms |
| --- | --- | --- | --- | --- | --- | --- |
| compute-bound, no output, again | -0.04 | -0.51 | 0.30 | 0.000 | 0.000 | 0.000 |
| compute-bound, full ring | 0.31 | 0.11 | 1.2 | 5.2 | 0.26 | 9.1 |
| memory-bound, no output, again | 0.10 | -0.20 | 0.40 | 0.000 | 0.000 | 0.000 |
| memory-bound, full ring | 0.41 | 0.21 | 1.4 | 5.4 | 0.27 | 9.3 |

Hosts with nothing to do wake up 45 times a second, which takes 2.6 ms of processor time.

`work_bench.py` {UNDER}""",
}


def results(*names):
    """Returns the rows of these benchmarks."""
    return [{**ALIKE, "benchmark": name, **row} for name in names
            for row in bench.BENCHMARKS[name].results(*PRINTED[name])]


def through_a_file(path, rows):
    """Returns the rows as a CSV file has them."""
    running.write_rows(path, bench.COLUMNS, rows)
    return running.rows(path)


@pytest.fixture(name="checkout")
def documents_with_marks(tmp_path):
    for document, parts in bench.PARTS.items():
        (tmp_path / document).parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"Before {name}.\n<!-- bench: {name} -->\nold\n<!-- end -->\nAfter.\n" for name in parts)
        (tmp_path / document).write_text(text, encoding="utf-8")
    return tmp_path


def text_with(tables):
    """Returns what stands in the documents with these tables, by document."""
    return {document: "".join(f"Before {name}.\n<!-- bench: {name} -->\n" +
                              (f"\n{tables[name]}\n\n" if name in tables else "old\n") + "<!-- end -->\nAfter.\n"
                              for name in parts) for document, parts in bench.PARTS.items()}


def written(checkout):
    return {document: (checkout / document).read_text(encoding="utf-8") for document in bench.PARTS}


def test_a_row_has_every_column(tmp_path):
    rows = through_a_file(tmp_path / "bench.csv", results(*PRINTED))
    assert (tmp_path / "bench.csv").read_text(encoding="utf-8").partition("\n")[0] == (
        "commit,date,machine,cores,memory_GiB,kernel,mpi,others_percent,short,benchmark,options,case,way,step,"
        "statistic,unit,value")
    assert {row["benchmark"]: len([1 for each in rows if each["benchmark"] == row["benchmark"]]) for row in rows} == {
        "user": 20, "picture": 13, "append": 4, "names": 4, "read": 10,
        "work": 30}
    assert all(row[column] for row in rows for column in bench.COLUMNS if column != "options")
    picture = [row for row in rows if row["benchmark"] == "picture"]
    assert [(row["case"], row["way"], row["step"], row["statistic"], row["unit"], row["value"]) for row in picture[:3]
            ] == [("128 MiB", "pvbatch, 1 rank", "close", "median", "ms", "8"),
                  ("128 MiB", "pvbatch, 1 rank", "draw", "median", "ms", "105.6"),
                  ("128 MiB", "pvbatch, 1 rank", "private", "median", "MiB", "456")]
    assert [picture[-1][column] for column in ("way", "step", "statistic", "unit")] == [
        "browser", "not measured", "there is no Chromium.", "none"]


def test_tables_are_rendered_exactly_so(checkout):
    bench.render(checkout, through_a_file(checkout / "bench.csv", results(*PRINTED)))
    assert written(checkout) == text_with(RENDERED)


def test_a_benchmark_without_results_leaves_its_table(checkout):
    bench.render(checkout, through_a_file(checkout / "bench.csv", results("append")))
    assert written(checkout) == text_with({"append": RENDERED["append"]})


@pytest.mark.parametrize("mark", ["<!-- bench: names -->", "<!-- end -->"])
def test_missing_marks_are_an_error_that_names_the_file(checkout, mark):
    document = checkout / "Testing" / "Benchmark" / "README.md"
    document.write_text(document.read_text(encoding="utf-8").replace(mark, ""), encoding="utf-8")
    before = written(checkout)
    with pytest.raises(bench.Failed, match=f"{document} has no part"):
        bench.render(checkout, through_a_file(checkout / "bench.csv", results(*PRINTED)))
    assert written(checkout) == before, "nothing is rendered by half"


def test_a_part_ends_before_the_next_begins(checkout):
    document = checkout / "Testing" / "Benchmark" / "README.md"
    document.write_text(document.read_text(encoding="utf-8").replace("<!-- end -->", "", 1), encoding="utf-8")
    with pytest.raises(bench.Failed, match=f'{document} has no "<!-- end -->" for "<!-- bench: user -->"'):
        bench.every_part(checkout)


def test_short_results_are_not_rendered(checkout):
    before = written(checkout)
    with pytest.raises(bench.Failed, match="cannot render results of --short"):
        bench.render(checkout, [{**row, "short": "yes"} for row in results("names")])
    assert written(checkout) == before


def test_a_benchmark_that_is_repeated_replaces_its_own_rows(tmp_path):
    through_a_file(tmp_path / "bench.csv", results("append", "names"))
    rows = bench.merged(tmp_path / "bench.csv", [{**row, "commit": "new"} for row in results("user", "names")])
    assert list(dict.fromkeys((row["benchmark"], row["commit"]) for row in rows)) == [
        ("user", "new"), ("append", "0123abcd"), ("names", "new")]


def test_the_readmes_have_the_tables_of_the_committed_results(tmp_path):
    bench.every_part(bench.CHECKOUT)
    committed = bench.RESULTS / "bench.csv"
    if not committed.exists():
        pytest.skip("no results are committed")
    for document in bench.PARTS:
        (tmp_path / document).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / document).write_text((bench.CHECKOUT / document).read_text(encoding="utf-8"), encoding="utf-8")
    bench.render(tmp_path, running.rows(committed))
    assert written(tmp_path) == written(bench.CHECKOUT), "./dev bench --render"


def test_missing_sst_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(user_bench, "SST_HEADERS", tmp_path / "adios2")
    assert "adios2 is missing. Install libadios2-mpi-c++11-dev." in user_bench.why_no_sst("openmpi")
    assert "Use a build for Open MPI" in user_bench.why_no_sst("mpich")
