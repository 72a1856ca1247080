# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium, driven over its DevTools protocol."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import time

from processes import LIMIT, Failure

SIZE = (1500, 950)
NAMES = ("chromium", "chromium-browser", "google-chrome")


def program():
    """Returns the path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def _moved(end):
    """Returns an end of a pipe with a number that does not collide with those that the browser expects."""
    moved = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(end)
    return moved


class Browser:
    """A browser with one tab. The profile is in a folder of the test."""

    def __init__(self, folder, size=SIZE, enter=lambda *command: list(command)):
        ends = [_moved(end) for end in (*os.pipe(), *os.pipe())]
        to_browser, self._out, self._in, from_browser = ends
        options = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                   f"--window-size={size[0]},{size[1]}", f"--user-data-dir={folder}", "about:blank"]
        # The protocol's ends are 3 and 4 in the browser.
        script = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            enter("bash", "-c", script, "browser", program(), *options), pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0,
            env={**os.environ, "HOME": str(folder)})
        os.close(to_browser)
        os.close(from_browser)
        self._received, self._number, self._session = b"", 0, None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Network.enable")

    def close(self):
        """Kills the browser with all its processes, as a crash would."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
            os.close(self._out)
            os.close(self._in)

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + LIMIT
        while True:
            answer = self._next(deadline, method)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise Failure(f'{method}: {answer["error"]["message"]}')
                return answer["result"]
            self.events.append(answer)

    def _next(self, deadline, method):
        while b"\0" not in self._received:
            if not select.select([self._in], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Failure(f"the browser did not answer {method} within {LIMIT} s")
            read = os.read(self._in, 1 << 20)
            if not read:
                raise Failure(f"the browser ended during {method}")
            self._received += read
        message, _, self._received = self._received.partition(b"\0")
        return json.loads(message)

    def go(self, address):
        """Opens a page and returns the status of its answer."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait("document.readyState == 'complete'")
        return next((event["params"]["response"]["status"] for event in reversed(self.events)
                     if event.get("method") == "Network.responseReceived"
                     and event["params"]["type"] == "Document"), None)

    def enter_frame(self, address):
        """Has all that follows be about a frame of the page, which shows an address of another site."""
        deadline = time.monotonic() + LIMIT
        while True:
            page, self._session = self._session, None  # targets are the browser's
            found = [one["targetId"] for one in self.call("Target.getTargets")["targetInfos"]
                     if one["type"] == "iframe" and one["url"].startswith(address)]
            self._session = page
            if found:
                break
            if time.monotonic() > deadline:
                raise Failure(f"the page had no frame with {address} within {LIMIT} s")
            time.sleep(0.05)
        self._page, self._session = self._session, None
        self._session = self.call("Target.attachToTarget", targetId=found[0], flatten=True)["sessionId"]

    def leave_frame(self):
        """Has all that follows be about the page that has the frame."""
        self._session = self._page

    def evaluate(self, expression):
        """Returns the value of an expression in JavaScript, or of what it promises."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failure(f'{expression}: {answer["exceptionDetails"]}')
        return answer["result"].get("value")

    def wait(self, expression, limit=LIMIT):
        """Waits until an expression is true, and returns its value."""
        deadline = time.monotonic() + limit
        while not (value := self.evaluate(expression)):
            if time.monotonic() > deadline:
                raise Failure(f"{expression} was not so within {limit} s; the page says:\n{self.text('body')}")
            time.sleep(0.05)
        return value

    def text(self, selector):
        """Returns the text of an element, or None if there is no such element."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def wait_for_text(self, selector, words, limit=LIMIT):
        """Waits until an element's text has these words, and returns the text."""
        find = f"(document.querySelector({json.dumps(selector)})?.innerText ?? '')"
        return self.wait(f"{find}.includes({json.dumps(words)}) && {find}", limit)

    def click(self, selector):
        self.wait(f"!!document.querySelector({json.dumps(selector)}) && "
                  f"!document.querySelector({json.dumps(selector)}).disabled")
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def enter(self, selector, text):
        """Replaces the text of a field, as typing does."""
        self.wait(f"!!document.querySelector({json.dumps(selector)})")
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus(); "
                      f"document.querySelector({json.dumps(selector)}).select()")
        self.call("Input.insertText", text=text)

    def choose(self, selector, text):
        """Chooses an entry of a drop-down list."""
        find = f"document.querySelector({json.dumps(selector)})"
        self.wait(f"!!{find}")
        self.evaluate(f"{find}.closest('.v-field').dispatchEvent(new MouseEvent('mousedown', {{bubbles: true}}))")
        entries = ("[...document.querySelectorAll('.v-overlay--active .v-list-item')]"
                   f".find(one => one.innerText.trim() == {json.dumps(text)})")
        self.wait(f"!!{entries}")
        self.evaluate(f"{entries}.click()")
        self.wait("!document.querySelector('.v-overlay--active .v-list')")

    def drag(self, start, end):
        """Moves the mouse with its left button pressed."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=start[0], y=start[1])
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        for part in range(1, 6):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", button="left", buttons=1,
                      x=start[0] + (end[0] - start[0]) * part / 5, y=start[1] + (end[1] - start[1]) * part / 5)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
