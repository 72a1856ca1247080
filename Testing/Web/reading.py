# SPDX-License-Identifier: BSD-3-Clause
"""Readings of the page, and of the simulation's output."""

import time

import pytest

NUMBERS = ("maximum", "mean", "minimum")


def shown(browser, least=0):
    """Waits until the page shows a step of at least this number, and returns the step and the numbers of its array."""
    found = browser.wait(f"""(() => {{
        const step = document.querySelector('#shown')?.innerText.split(' ').pop();
        const numbers = {list(NUMBERS)}.map(name => document.querySelector('#statistics-' + name)?.innerText);
        return step && numbers[0] && Number(step) >= {least} && [step, ...numbers].map(Number);
    }})()""")
    return int(found[0]), found[1:]


def waves_by_step(simulation):
    """Returns what the simulation has written so far, by steps."""
    words = [line.split() for line in simulation.lines if line.startswith("wrote")]
    return {int(word[1]): [float(number) for number in word[3:6]] for word in words}


def colours(browser):
    """Returns the share of the picture's points that are coloured, and a sum that differs between pictures."""
    return browser.evaluate("""(async () => {
        const image = [...document.querySelectorAll('.dsm-picture img')].find(one => one.naturalWidth);
        if (!image) return [0, 0];
        const canvas = document.createElement('canvas');
        canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;
        const context = canvas.getContext('2d', {willReadFrequently: true});
        context.drawImage(image, 0, 0);
        const data = context.getImageData(0, 0, 0.85 * canvas.width, canvas.height).data;
        let coloured = 0, sum = 0;
        for (let i = 0; i < data.length; i += 4) {
            if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) {
                coloured += 1; sum += (i % 9973) * (data[i] + 2 * data[i + 1] + 3 * data[i + 2]) % 1000003;
            }
        }
        return [coloured * 4 / data.length, sum];
    })()""")


def another_picture(browser, before):
    """Waits until the picture is another one, and returns its share of coloured points and its sum."""
    deadline = time.monotonic() + 20
    while (now := colours(browser))[1] == before[1]:
        assert time.monotonic() < deadline, "the picture did not change"
        time.sleep(0.05)
    return now


def check_values(browser, simulation, least=0):
    """Checks that the page shows the values that the simulation has written, and returns the step."""
    step, numbers = shown(browser, least)
    simulation.wait_until(lambda: step in waves_by_step(simulation), f"step {step}")
    assert numbers == pytest.approx(waves_by_step(simulation)[step], rel=1e-6)
    return step


def hold(browser):
    """Presses Hold, and returns the step that is held."""
    browser.click("#hold")
    browser.wait("document.querySelector('#hold').classList.contains('v-btn--active')"
                 " && !document.querySelector('#busy')")
    return shown(browser)[0]
