# SPDX-License-Identifier: BSD-3-Clause
"""One injection, in a process of its own."""

import pathlib
import shutil
import time
import traceback

from . import library


def run(injection, folder, alone_folder, keep):
    """Its Outcome. The process is used up by it. The folder goes unless something was wrong, or it is to be kept."""
    library.use(injection.library)
    # Now that it is decided whose programs they are.
    from processes import adopt_orphans, end_everything

    from .alone import Alone
    from .judge import Judge, Outcome
    from .place import Place
    from .trial import Trial

    begin = time.monotonic()
    adopt_orphans()
    folder = pathlib.Path(folder)
    (folder / "run").mkdir(parents=True)
    place = Place()
    trial = Trial(injection, folder / "run", place)
    try:
        trial.run()
        trial.resume_all()
        outcome = Judge(trial, Alone(alone_folder)).judge()
    except Exception:  # noqa: BLE001 (whatever it is, it is this injection's result)
        outcome = Outcome([*trial.problems, traceback.format_exc()])
    outcome.log = trial.log()
    end_everything(2)
    place.end()
    outcome.seconds = time.monotonic() - begin
    if outcome.good and not keep:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        (folder / "log.txt").write_text(f"{injection}\n\n" + "\n".join(outcome.problems) + "\n\n" + outcome.log)
    return outcome
