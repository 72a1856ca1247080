#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the user's benchmarks, and writes a table of results, plots of it and the tables of the READMEs.

    ./dev bench                         everything, about half an hour on an idle machine
    ./dev bench --short                 small sizes, to see that everything works
    ./dev bench --only user,picture     some benchmarks
    ./dev bench --render                the READMEs' tables again, from the results that are there

The results are one CSV file, Testing/Benchmark/results/bench.csv, with a row per measurement. Results of a benchmark
that is run again are replaced, those of others stay. Results of --short are in build/bench, are marked, and are never
rendered.
"""

import argparse
import datetime
import os
import platform
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import running
import user_bench
from processes import adopt_orphans, end_everything
from readme_part import ReadmePart

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
RESULTS = HERE / "results"
LIBRARIES = {"openmpi": "Open MPI", "mpich": "MPICH"}
COLUMNS = ["commit", "date", "machine", "cores", "memory_GiB", "kernel", "mpi", "others_percent", "short", "benchmark",
           "options", "case", "way", "step", "statistic", "unit", "value"]


# The step of a row that says, in place of a statistic, why a way cannot be measured.
NOT_MEASURED = "not measured"


class Failed(Exception):
    """An error that a user reads without a traceback."""


def tables(text):
    """Yields the tables that a benchmark has printed: the line above each, its header and its rows."""
    title, header, rows = "", None, []
    for line in [*text.splitlines(), ""]:
        cells = [cell.strip() for cell in line.split("|")[1:-1]] if line.startswith("|") else None
        if cells is None:
            if header:
                yield title, header, rows
            title, header, rows = line.strip(), None, []
        elif header is None:
            header = cells
        elif not all(set(cell) <= set("-:") for cell in cells):
            assert len(cells) == len(header), f"the header has {len(header)} columns: {line}"
            rows.append(cells)


def measured(case, way, step, statistic, unit, cell):
    """Returns a measurement. A cell may have more behind its number: 84 (1.60)."""
    return {"case": case, "way": way, "step": step, "statistic": statistic, "unit": unit,
            "value": f"{float(cell.split()[0]):g}"}


# The steps that were measured in the user's cases, by the unit.
STEPS = {"ms": "create to close", "files/s": "many files"}


def user_results(text, _):
    for title, header, rows in tables(text):
        case, _, unit = title.rpartition(", ")
        for row in rows:
            for statistic, cell in zip(header[1:], row[1:], strict=True):
                if not statistic.startswith("of "):
                    yield measured(case, row[0], STEPS.get(unit, "write and flush"), statistic, unit, cell)


def picture_results(text, case):
    for _, header, rows in tables(text):
        for row in rows:
            way = row[0] if header[0] == "way" else f"pvbatch, {row[0]} rank{'s' * (row[0] != '1')}"
            if reason := row[1].partition("cannot be measured: ")[2]:
                yield measured(case, way, NOT_MEASURED, reason, "none", "0")
                continue
            for step, cell in zip(header[2:], row[2:], strict=True):
                name, _, unit = step.partition(", ")
                yield measured(case, way, name, row[1], unit or "ms", cell)


def append_results(text, _):
    for title, header, rows in tables(text):
        for row in rows:
            case, _, way = row[0].partition(", ")
            for column, cell in zip(header[1:], row[1:], strict=True):
                part = re.sub(r"^(first|last) \d+", r"\1 tenth", column)
                size = re.search(r"rows of (\d+ KiB)", title)[1]
                yield measured(f"rows of {size}, {case}", "DSM" if "dsm-run" in way else way, "append", part, "ms",
                               cell)


def names_results(text, _):
    for _, header, rows in tables(text):
        for row in rows:
            for case, cell in zip(header[1:], row[1:], strict=True):
                yield measured(case, row[0].replace("`", ""), "one name", "mean", "µs", cell)


def read_results(text, case):
    for _, header, rows in tables(text):
        for row in rows:
            for column, cell in zip(header[1:], row[1:], strict=True):
                way, _, of_what = column.partition(" : ")
                way = way.removesuffix(" GB/s")
                yield measured(f"{case}, {row[0]} rank{'s' * (row[0] != '1')}", way, "into VTK's array",
                               f"of {of_what} in a round" if of_what else "median", "ratio" if of_what else "GB/s",
                               cell)


# Columns of work_bench.py's tables whose step, or statistic, is called otherwise in the results.
WORK_COLUMNS = {"longer": ("longer", "median"), "least": ("longer", "least"), "most": ("longer", "most"),
                "of computing": ("hosts' CPU of computing", "median")}


def work_results(text, _):
    for title, header, rows in tables(text):
        case, is_kernel, _ = title.partition(" kernel, ")
        for row in rows:
            for column, cell in zip(header[1:], row[1:], strict=True):
                name, _, unit = column.partition(", ")
                step, statistic = WORK_COLUMNS.get(name, (name, "median"))
                yield measured(case, row[0] if is_kernel else "idle", step, statistic, unit, cell)


class Benchmark:
    """A program, the options of each of its runs by the name of the case, and what reads the tables it prints."""

    def __init__(self, results, full, short):
        self.results = results
        self.full = full
        self.short = short


# The points along each axis of a field of doubles that has about as many bytes.
FIELDS = {"1 MiB": 51, "16 MiB": 128, "128 MiB": 256}
BENCHMARKS = {
    "user": Benchmark(user_results, {"": ["--rounds", 3]}, {"": [
        "--rounds", 1, "--large", 16, "--files", 8, "--small-files", 8, "--head-start", 1]}),
    "picture": Benchmark(picture_results, {case: ["--size", size] for case, size in FIELDS.items()}, {
        "1 MiB": ["--size", FIELDS["1 MiB"], "--snapshots", 3, "--interval", 0.3]}),
    "append": Benchmark(append_results, {"": []}, {"": ["--appends", 200]}),
    "names": Benchmark(names_results, {"": ["--names", 10000]}, {"": ["--names", 200]}),
    "read": Benchmark(read_results, {"512 MiB": ["--size", 512]}, {
        "32 MiB": ["--size", 32, "--ranks", 1, "--rounds", 3]}),
    "work": Benchmark(work_results, {"": ["--rounds", 3, "--files", 3]}, {"": [
        "--rounds", 1, "--seconds", 0.1, "--files", 2, "--size", 4, "--arrays", 6, "--idle", 1, "--head-start", 0.5]}),
}


def machine():
    """Returns the columns that say on what something is measured."""
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"machine": found[1].strip() if found else platform.machine(), "cores": len(os.sched_getaffinity(0)),
            "memory_GiB": round(memory / 2**30), "kernel": platform.release()}


def others_percent(seconds):
    """Returns how much of all cores is in use while this program sleeps, in percent."""
    def spent():
        times = [int(word) for word in Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:9]]
        return sum(times), times[3] + times[4]

    total, idle = spent()
    time.sleep(seconds)
    now, idle_now = spent()
    return round(100 * (1 - (idle_now - idle) / max(1, now - total)))


def printed(words):
    """Runs a program, passes its output on, and returns that. Throws if the program fails."""
    lines = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
        try:
            for line in program.stdout:
                lines.append(line)
                print(line, end="", flush=True)
        except BaseException:
            program.terminate()
            raise
    if program.returncode:
        raise Failed(f"{words[1].name} ended with status {program.returncode}")
    print(flush=True)
    return "".join(lines)


def run(name, build, short, more):
    """Runs a benchmark and returns its rows, without the columns that all benchmarks have alike."""
    benchmark = BENCHMARKS[name]
    found = []
    for case, options in (benchmark.short if short else benchmark.full).items():
        words = [str(word) for word in [*options, *more]]
        others = others_percent(1 if short else 3)
        if others > 10 and not short:
            print(f"bench: other work uses {others} % of the cores. Repeat {name} on an idle machine.", file=sys.stderr)
        print(f"bench: {name}_bench.py {' '.join(words)}", flush=True)
        text = printed([sys.executable, HERE / f"{name}_bench.py", "--build", build, *words])
        try:
            rows = list(benchmark.results(text, case))
        except (AssertionError, ValueError, TypeError) as problem:
            raise Failed(f"cannot read the results of {name}_bench.py: {problem}") from problem
        if not rows:
            raise Failed(f"cannot read the results of {name}_bench.py: it printed no table")
        found += [{"benchmark": name, "options": " ".join(words), "others_percent": others, **row} for row in rows]
    return found


def merged(table, fresh):
    """Returns the rows of a table with those of the benchmarks in `fresh` replaced, by benchmark."""
    measured_now = {row["benchmark"] for row in fresh}
    kept = [row for row in (running.rows(table) if table.exists() else []) if row["benchmark"] not in measured_now]
    return sorted([*kept, *fresh], key=lambda row: list(BENCHMARKS).index(row["benchmark"]))


def number(value):
    """Returns a number with two digits, or all before its point. Returns nothing if it was not measured."""
    if value is None:
        return ""
    size = abs(value)
    return f"{value:.{0 if size >= 10 else 1 if size >= 1 else 2 if size >= 0.1 or value < 0 else 3}f}"


class Measurements:
    """The rows of one benchmark, by what they measure."""

    def __init__(self, rows):
        self.rows = rows

    def values(self, key):
        """Returns what stands in a column, each once and in the table's order."""
        return list(dict.fromkeys(row[key] for row in self.rows))

    def value(self, **wanted):
        """Returns a number, or None if that was not measured."""
        found = [row for row in self.rows if all(row[key] == value for key, value in wanted.items())]
        return float(found[0]["value"]) if found else None

    def conditions(self):
        """Returns the sentence below a table."""
        row = self.rows[0]
        day = datetime.date.fromisoformat(row["date"])
        kernel = re.match(r"[\d.]*\d", row["kernel"])[0]
        others = max(int(each["others_percent"]) for each in self.rows)
        return (f"`{row['benchmark']}_bench.py` at {row['commit']} on {day.day} {day:%B %Y}: {row['machine']}, "
                f"{row['cores']} cores, {row['memory_GiB']} GiB, Linux {kernel}, "
                f"{LIBRARIES[row['mpi']]}. Other work used {others} % of the cores.")


def table(header, rows):
    """Returns the lines of a table."""
    return ["|" + "".join(f" {cell} |" if cell else " |" for cell in cells)
            for cells in [header, ["---"] * len(header), *rows]]


def divided(value, by):
    """Returns the ratio as text, or nothing if one of them was not measured."""
    return f"{value / by:.{0 if value / by >= 10 else 1 if value / by >= 2 else 2}f}" if value and by else ""


def user_lines(found):
    """Yields the name of each line of the user's tables, its unit, and its number by way."""
    for case in found.values("case"):
        of_case = Measurements([row for row in found.rows if row["case"] == case])
        unit = of_case.rows[0]["unit"]
        statistics_of = ["median", *(["first"] if "300 ms apart" in case else [])]
        for statistic in statistics_of:
            yield ("the first of them" if statistic == "first" else case, unit,
                   {way: of_case.value(way=way, statistic=statistic) for way in of_case.values("way")})


def summary_table(found):
    """Renders the root README's table: how long a program is held up."""
    ways = {"DSM": "DSM", "memcpy": "memcpy", "tmpfs": "parallel HDF5 on tmpfs", "SST": "ADIOS2 SST"}
    return table(["", *ways.values()],
                 [[name, *(number(by_way.get(way)) + (f" {unit}" if way == "DSM" else "") for way in ways)]
                  for name, unit, by_way in user_lines(found)])


def user_table(found):
    """Renders the same lines with ratios."""
    rows = []
    for name, unit, by_way in user_lines(found):
        dsm, memcpy, tmpfs, sst = (by_way.get(way) for way in ("DSM", "memcpy", "tmpfs", "SST"))
        rows.append([f"{name}, {unit}", *map(number, (dsm, memcpy, tmpfs, sst)), divided(dsm, memcpy),
                     divided(dsm, tmpfs), divided(sst, dsm)])
    return table(["", "DSM", "memcpy", "tmpfs", "SST", "DSM of memcpy", "of tmpfs", "SST, times DSM"], rows)


def picture_table(found):
    """Renders the steps in pvbatch."""
    units = {row["step"]: row["unit"] for row in found.rows}
    return table(["ms", *(step if unit == "ms" else f"{step}, {unit}" for step, unit in units.items())],
                 [[f"{case}, {way}" + (", first file" if statistic == "first file" else ""),
                   *(number(found.value(case=case, way=way, statistic=statistic, step=step)) for step in units)]
                  for case in found.values("case") for way in found.values("way")
                  for statistic in found.values("statistic")])


def ways_table(found):
    """Renders the spans of all ways to a picture, and says below why one was not measured."""
    reasons = {row["way"]: row["statistic"] for row in found.rows if row["step"] == NOT_MEASURED}
    columns = [("to the picture", "total", "median"), ("of the first file", "total", "first file"),
               ("program held up", "create to close", "median"), ("both together", "create to picture", "median")]

    def cells(case, way):
        if way in reasons:
            return [NOT_MEASURED, *[""] * (len(columns) - 1)]
        return [number(found.value(case=case, way=way, step=step, statistic=statistic))
                for _, step, statistic in columns]

    rows = [[f"{case}, {way}", *cells(case, way)] for case in found.values("case") for way in found.values("way")]
    return [*table(["ms", *(title for title, _, _ in columns)], rows),
            *(line for way, reason in reasons.items() for line in ("", f"{way} is not measured: {reason}"))]


def append_table(found):
    return table(["ms", *found.values("statistic")],
                 [[f"{case}, {way}",
                   *(number(found.value(case=case, way=way, statistic=each)) for each in found.values("statistic"))]
                  for case in found.values("case") for way in found.values("way")])


def names_table(found):
    cases = found.values("case")
    return table(["µs", *cases],
                 [[way, *(f"{number(found.value(case=case, way=way))} "
                          f"({divided(found.value(case=case, way=way), found.value(case=case, way='alone'))})"
                          for case in cases)] for way in found.values("way")])


def read_table(found):
    ways = found.values("way")
    rows = []
    for case in found.values("case"):
        rates = [found.value(case=case, way=way, statistic="median") for way in ways]
        ratios = [found.value(case=case, statistic=f"of {way} in a round") for way in ways if way != "read"]
        rows.append([case, *map(number, rates), *map(number, ratios)])
    return table(["GB/s", *ways, *(f"read of {way}" for way in ways if way != "read")], rows)


def work_table(found):
    """Renders both kernels' tables as one, and says below what hosts with nothing to do need."""
    columns = [("longer", "median"), ("longer", "least"), ("longer", "most"), ("hosts' CPU", "median"),
               ("hosts' CPU of computing", "median"), ("held up", "median")]
    idle = Measurements([row for row in found.rows if row["way"] == "idle"])
    kernels = Measurements([row for row in found.rows if row["way"] != "idle"])
    rows = [[f"{case}, {way}", *(number(kernels.value(case=case, way=way, step=step, statistic=statistic))
                                 for step, statistic in columns)]
            for case in kernels.values("case") for way in kernels.values("way")]
    return [*table(["", "computes longer, %", "least, %", "most, %", "hosts' CPU per file, ms", "of computing, %",
                    "held up by a file, ms"], rows), "",
            f"Hosts with nothing to do wake up {number(idle.value(step='wakeups'))} times a second, which takes "
            f"{number(idle.value(step='CPU'))} ms of processor time."]


class Part:
    """A table in a README: of which benchmark, what renders its lines, the line above it, if any, and of which steps.

    `steps` is a function that is true of the names of these steps.
    """

    def __init__(self, benchmark, lines, above="", steps=lambda _: True):
        self.benchmark = benchmark
        self.lines = lines
        self.above = above
        self.steps = steps

    def of(self, rows):
        """Returns what the table is about."""
        return Measurements([row for row in rows if row["benchmark"] == self.benchmark and self.steps(row["step"])])

    def text(self, found):
        return "\n".join(["", *([self.above, ""] if self.above else []), *self.lines(found), "",
                          found.conditions(), ""])


WAYS_ABOVE = ("Time to picture, medians of all files but the first: from the end of `H5Fclose` to the pixels, that of "
              "the first file, how long the program is held up by a file, and from `H5Fcreate` to the pixels:")
# The steps of the ways to a picture; all others are pvbatch's.
SPANS = {"create to close", "total", "create to picture", NOT_MEASURED}
# The parts of each README, by the name in their mark.
PARTS = {
    Path("README.md"): {"summary": Part("user", summary_table)},
    Path("Testing/Benchmark/README.md"): {
        "user": Part("user", user_table,
                     "How long a program is held up by a file, from create to close; medians, and of the first file:"),
        "ways": Part("picture", ways_table,
                     WAYS_ABOVE,
                     SPANS.__contains__),
        "picture": Part("picture", picture_table,
                        "From `H5Fclose` to the picture, medians of all files but the first, and the first:",
                        lambda step: step not in SPANS),
        "append": Part("append", append_table, "Appending a row:"),
        "names": Part("names", names_table, "A name, in parentheses as a multiple of the program alone:"),
        "read": Part("read", read_table, "Reading, all ranks together, and as a part of memcpy's rate:"),
        "work": Part("work", work_table,
                     "A program that computes on all cores between its files, beside the same without output, and what "
                     "the hosts use meanwhile:"),
    },
}


def part_of(checkout, document, name):
    """Returns where a part is in a README. Throws if the README has no such marks."""
    place = ReadmePart(checkout / document, "./dev bench", f"<!-- bench: {name} -->")
    try:
        _, text, _ = place.parts()
    except AssertionError as problem:
        raise Failed(f"cannot render a table: {problem}") from None
    if "<!-- bench:" in text:
        raise Failed(f"cannot render a table: {checkout / document} has no \"{place.END}\" for \"{place.begin}\"")
    return place


def every_part(checkout):
    """Returns where in a README each part is, and the part. Throws if a README lacks marks."""
    return [(part_of(checkout, document, name), part)
            for document, parts in PARTS.items() for name, part in parts.items()]


def render(checkout, rows):
    """Writes the READMEs' tables. A table whose benchmark is not in the results stays as it is."""
    if any(row["short"] == "yes" for row in rows):
        raise Failed("cannot render results of --short: their sizes are too small")
    for place, part in every_part(checkout):
        found = part.of(rows)
        if found.rows:
            place.write(part.text(found))


def draw(rows, folder):
    """Draws the plots, if matplotlib is installed."""
    try:
        import plots
    except ImportError as problem:
        raise Failed(f"cannot draw plots: {problem}. The table is {folder / 'bench.csv'}") from problem
    plots.draw_bench(rows, folder)


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=CHECKOUT / "build" / "openmpi", help=argparse.SUPPRESS)
    parser.add_argument("--short", action="store_true", help="small sizes, never rendered into a README")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(BENCHMARKS), metavar="NAMES",
                        help=f"some of {','.join(BENCHMARKS)}")
    parser.add_argument("--render", action="store_true", help="only the tables, from the results that are there")
    parser.add_argument("--touch", type=int, default=0, metavar="MIB",
                        help="for virtual machines: use so much memory before each run of user (see user_bench.py)")
    parser.add_argument("--no-sst", action="store_true", help="leave ADIOS2's SST out")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="write CSV and plots there, and render no README (default: Testing/Benchmark/results, "
                        "build/bench if --short)")
    given = parser.parse_args()
    if unknown := sorted(set(given.only) - set(BENCHMARKS)):
        parser.error(f"unknown benchmark {', '.join(unknown)} (available: {', '.join(BENCHMARKS)})")
    return given


def measure(given, folder):
    """Runs the chosen benchmarks and adds the rows of each to the table. Returns the names of those that failed."""
    kind = running.flavour(given.build)
    reason = user_bench.why_no_sst(kind)
    if "user" in given.only and reason and not given.no_sst:
        raise Failed(f"cannot measure ADIOS2's SST: {reason} Or leave SST out with --no-sst.")
    more = {"user": [*(["--touch", given.touch] if given.touch else []), *(["--no-sst"] if given.no_sst else [])]}
    alike = {"commit": running.commit(), "date": datetime.date.today().isoformat(), **machine(), "mpi": kind,
             "short": "yes" if given.short else "no"}
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in [name for name in BENCHMARKS if name in given.only]:
        try:
            fresh = run(name, given.build.resolve(), given.short, more.get(name, []))
        except Failed as problem:
            print(f"bench: cannot measure {name}: {problem}", file=sys.stderr)
            failed.append(name)
            continue
        running.write_rows(folder / "bench.csv", COLUMNS,
                           merged(folder / "bench.csv", [{**alike, **row} for row in fresh]))
    return failed


def main():
    given = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rendered = not given.output and not given.short
    folder = given.output or (CHECKOUT / "build" / "bench" if given.short else RESULTS)
    results = folder / "bench.csv"
    failed = []
    if not given.render:
        if rendered:
            every_part(CHECKOUT)
        adopt_orphans()
        try:
            failed = measure(given, folder)
        finally:
            end_everything()
    if not results.exists():
        raise Failed(f"cannot read the results: {results} is missing. Run ./dev bench.")
    rows = running.rows(results)
    if rendered or given.render:
        render(CHECKOUT, rows)
        print(f"bench: rendered the tables of {' and '.join(map(str, PARTS))}")
    if not given.render:
        draw(rows, folder)
        print(f"bench: wrote {results} and plots beside it")
    if failed:
        raise Failed(f"cannot measure {', '.join(failed)}: see above. Their earlier results stay.")


if __name__ == "__main__":
    try:
        main()
    except Failed as problem:
        print(f"bench: {problem}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
