# SPDX-License-Identifier: BSD-3-Clause
"""Each installed tool has --version, a man page that says what --help says, and completion in bash."""

import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from processes import environ

ROOT = pathlib.Path(__file__).parents[2]
VERSION = re.search(r"project\(ParaViewDSM VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
LIBRARY = pathlib.Path("/usr/share/bash-completion/bash_completion")
# Lines of --help that a page has in other words.
HEADINGS = re.compile(r"\s*(\w+:|positional arguments:|\[Option Group: .*\])", re.IGNORECASE)


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environ(**environment), check=False)


def tools(prefix):
    found = sorted((prefix / "bin").iterdir())
    assert {"dsm-archive", "dsm-mpmd", "dsm-perf", "dsm-run", "dsm-serve", "dsm-trace"} <= {one.name for one in found}
    return found


def help_of(tool):
    done = run(tool, "--help", COLUMNS="1000", DSM_DEFAULTS="off")
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def squeezed(text):
    return re.sub(r"\s", "", text)


def test_version(prefix):
    for tool in tools(prefix):
        done = run(tool, "--version")
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{tool.name} {VERSION}\n", ""), done


def test_version_behind_a_program_is_the_programs(prefix, tmp_path):
    python = f"Python {sys.version.split()[0]}\n"
    coupled = run(prefix / "bin/dsm-run", "--contact", tmp_path / "none.dsm", sys.executable, "--version")
    assert coupled.stdout == python, coupled
    first = run(prefix / "bin/dsm-mpmd", "1", sys.executable, "--version",
                OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="1")
    assert first.stdout == python, first


@pytest.mark.parametrize("check", [
    ["groff", "-man", "-ww", "-z"],
    ["mandoc", "-T", "lint", "-W", "warning"],
], ids=["groff", "mandoc"])
def test_pages_have_no_warnings(prefix, check):
    if not shutil.which(check[0]):
        pytest.skip(f"{check[0]} is not installed")
    for tool in tools(prefix):
        done = run(*check, prefix / f"share/man/man1/{tool.name}.1")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


def test_pages_say_what_help_says(prefix):
    """Each line of --help, each section, and each other tool."""
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    for tool in tools(prefix):
        # groff prints it without hyphenation and in one colour.
        page = run("groff", "-man", "-Tutf8", "-P-cbou", "-rHY=0", prefix / f"share/man/man1/{tool.name}.1").stdout
        sections = re.findall(r"^[A-Z].*$", page, re.MULTILINE)[1:-1]
        assert sections == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"], page
        assert page.count(", --help\n") == 1, page
        said = help_of(tool)
        assert "--version" in said, said
        for line in said.splitlines():
            if not HEADINGS.fullmatch(line):
                words = re.sub(r"^usage: ", "", line, flags=re.IGNORECASE)
                assert squeezed(words) in squeezed(page), f"{tool.name}: {line}\n{page}"
        for other in tools(prefix):
            assert other == tool or f"{other.name}(1)" in page, page


def offered(prefix, *words, loaded=False):
    """Returns what bash offers for the last of these words, which are divided as bash divides them, and how bash was
    told to complete. If `loaded`, bash-completion finds the file; otherwise there is no bash-completion."""
    completions = prefix / "share/bash-completion/completions"
    find = f"source {LIBRARY}; _comp_load {words[0]} || __load_completion {words[0]}" if loaded else (
        f"source {completions / words[0]}")
    script = f"""
{find}
COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1} COMP_LINE={shlex.quote(' '.join(words))}
COMP_POINT=${{#COMP_LINE}}
complete -p {words[0]} >&2
_dsm_tool {words[0]} {shlex.quote(words[-1])} {shlex.quote(words[-2])}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = run("bash", "--norc", "-c", script, PATH=f"{prefix}/bin:/usr/bin:/bin", XDG_DATA_DIRS=f"{prefix}/share")
    return set(done.stdout.split()), done.stderr


def test_completion_has_the_options_of_help(prefix):
    for tool in tools(prefix):
        names = re.findall(r"^ {2,12}(-[\w-]+(?:, *-[\w-]+)*)", help_of(tool), re.MULTILINE)
        options = set(re.split(r", *", ",".join(names)))
        assert len(options) >= 3
        assert offered(prefix, tool.name, "-")[0] == options
        assert offered(prefix, tool.name, "--versi")[0] == {"--version"}


@pytest.mark.parametrize(("words", "choices"), [
    (["dsm-run", "--without-server", ""], {"disk", "fail", "wait", "discard"}),
    (["dsm-run", "--contact", "run.dsm", "--read", "ne"], {"newest", "next"}),
    (["dsm-run", "--read", "=", "new"], {"newest"}),
    (["dsm-run", "--read", "="], {"newest", "next"}),
    (["dsm-serve", "--when-full", "drop"], {"drop-oldest", "drop-newest"}),
    (["dsm-perf", "-A", "p"], {"posix", "phdf5"}),
    (["dsm-steer", "--next", "--write"], {"--write-to-disk"}),
])
def test_completion_has_the_choices_of_help(prefix, words, choices):
    assert offered(prefix, *words)[0] == choices


@pytest.mark.parametrize("words", [
    ["dsm-run", "--contact", ""],
    ["dsm-steer", "--declare", ""],
    ["dsm-describe", ""],
    ["dsm-trace", "--plot", "=", "x"],
])
def test_completion_leaves_names_of_files_to_bash(prefix, words):
    found, registered = offered(prefix, *words)
    assert not found and "-o default" in registered, (found, registered)


@pytest.mark.parametrize("loaded", [False, True], ids=["alone", "bash-completion"])
@pytest.mark.parametrize("words", [
    ["dsm-run", "dsm-stee"],
    ["dsm-run", "--contact", "run.dsm", "--mpio-only", "dsm-stee"],
    ["dsm-run", "--contact", "=", "run.dsm", "dsm-stee"],
    ["dsm-mpmd", "2", "dsm-stee"],
    ["dsm-mpmd", "2", "true", "-x", "::", "3", "dsm-stee"],
])
def test_completion_finds_the_command(prefix, words, loaded):
    if loaded and not LIBRARY.exists():
        pytest.skip("bash-completion is not installed")
    assert offered(prefix, *words, loaded=loaded)[0] == {"dsm-steer"}


@pytest.mark.parametrize("words", [
    ["dsm-run", "--contact", "run.dsm", "dsm-steer", "--decl"],
    ["dsm-mpmd", "2", "true", "::", "3", "dsm-run", "--wait", "60", "dsm-steer", "--decl"],
])
def test_completion_goes_on_with_the_commands_own(prefix, words):
    if not LIBRARY.exists():
        pytest.skip("bash-completion is not installed")
    assert offered(prefix, *words, loaded=True)[0] == {"--declare"}


def test_completion_is_quiet_about_what_it_does_not_know(prefix):
    for words in ["dsm-steer", "--no-such[", ""], ["dsm-run", "--no-such", "--also-none"]:
        found, said = offered(prefix, *words)
        assert not found and said.count("\n") == 1, said
