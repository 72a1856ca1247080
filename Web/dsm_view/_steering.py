# SPDX-License-Identifier: BSD-3-Clause
"""Fields for what a simulation lets others change, made of its declarations."""

import json

# Commands that have buttons of their own.
BUTTONS = ("pause", "resume", "advance", "pause at", "stop")


def text_of(value):
    """Returns a value as a field shows it."""
    if isinstance(value, list):
        return " ".join(text_of(one) for one in value)
    return value if isinstance(value, str) else json.dumps(value)


def value_of(kind, text):
    """Returns the value of what somebody entered. The server refuses what does not fit, with the reason."""
    if not isinstance(text, str) or kind in {"string", "enumeration"}:
        return text
    try:
        if kind == "vector":
            return [json.loads(word) for word in text.replace(",", " ").split()]
        return json.loads(text)
    except ValueError:
        return text


def fields_of(program):
    """Returns a field for each parameter of a program: a dictionary for the page."""
    fields = []
    for parameter in program["declarations"]["parameters"]:
        if parameter["type"] == "array":
            continue  # which scripts send (dsm.Viewer.send)
        value = program["values"].get(parameter["name"], parameter["default"])
        low, high = parameter.get("minimum"), parameter.get("maximum")
        # The page's slider counts in doubles; a whole number beyond 2^53 has only its text.
        has_slider = low is not None and high is not None and parameter["type"] in {"int64", "double"}
        fields.append({
            "name": parameter["name"], "kind": parameter["type"], "group": parameter["group"],
            "label": parameter["name"] + (f' [{parameter["unit"]}]' if parameter["unit"] else ""),
            "hint": _hint(parameter["text"], low, high),
            "choices": parameter.get("choices", []),
            "value": value if parameter["type"] in {"bool", "enumeration", "string"} else text_of(value),
            "slider": {"minimum": low, "maximum": high,
                       "step": 1 if parameter["type"] == "int64" else (high - low) / 200} if has_slider else None,
        })
    return fields


def _hint(text, low, high):
    limits = _range(low, high)
    return f"{text} ({limits})" if text and limits else text or limits


def _range(low, high):
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    if low is not None:
        return f"at least {low:g}"
    return f"at most {high:g}" if high is not None else ""


def commands_of(program):
    """Returns the names of the commands that have no button of their own."""
    return [command["name"] for command in program["declarations"]["commands"] if command["name"] not in BUTTONS]


def reasons_of(outcome):
    """Returns why a change was refused, by the names of parameters and commands."""
    return {refusal["name"]: refusal["reason"] for refusal in outcome.get("refusals", [])}


def sentence_of(outcome):
    """Returns what became of a change, for people."""
    if outcome.get("state") == "refused" or outcome.get("refusals"):
        return ""
    changes = [f'{change["name"]} = {text_of(change["new"])}' for change in outcome.get("changes") or []]
    # Each command stands with its count.
    commands = [command["name"] for command in outcome.get("commands") or []]
    note = (outcome.get("detail") or {}).get("note")
    done = ", ".join(changes + commands)
    return f'Step {outcome["step"]}: {done}.' + (f" {note}" if note else "")


def progress_of(program):
    """Returns how far a program is: "12", or "12 of 1000 (about 5 minutes left)" if it reports its last step."""
    step, last, seconds = program["step"], program["last_step"], program["seconds_left"]
    if last < 0:
        return f"{step}"
    if program["paused"] or seconds <= 0:
        return f"{step} of {last}"
    left = (f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes" if seconds < 6000
            else f"{seconds / 3600:.0f} hours")
    return f"{step} of {last} (about {left} left)"
