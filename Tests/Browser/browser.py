"""A headless Chromium, driven with the DevTools protocol over pipes. Standard library only."""

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]


def path():
    """The path of Chromium; None if it is not installed."""
    return next(filter(None, map(shutil.which, [os.environ.get("CHROMIUM", "")] + NAMES)), None)


class Failed(Exception):
    pass


def ends():
    """The ends of a pipe for reading and writing, with numbers above those that Chromium expects."""
    numbers = []
    for end in os.pipe():
        numbers.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return numbers


class Browser:
    """Events of the page are collected: exceptions, console messages, requests, dialogs and violations."""

    def __init__(self, limit=30):
        self.limit = limit
        self.profile = tempfile.mkdtemp(prefix="apnscope-browser-")
        to_read, self.writing = ends()
        self.reading, to_write = ends()

        def connect():
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        flags = [
            "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run",
            "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
            "--hide-scrollbars", "--disable-dev-shm-usage",
        ] + (["--no-sandbox"] if os.getuid() == 0 else [])
        self.process = subprocess.Popen(
            [path()] + flags + ["about:blank"], preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.problems = []
        self.requests = []
        self.loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log", "Audits", "DOM", "Accessibility", "Performance"]:
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (Failed, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.writing)
        os.close(self.reading)
        shutil.rmtree(self.profile, ignore_errors=True)

    # Messages

    def call(self, method, **parameters):
        """Calls a method and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self._write(json.dumps(message).encode() + b"\0")
        number, end = self.number, time.monotonic() + self.limit
        while True:
            reply = self._read(end, method)
            if reply.get("id") == number:
                if "error" in reply:
                    raise Failed(f"{method}: {reply['error']['message']}")
                return reply["result"]

    def _write(self, data):
        while data:
            data = data[os.write(self.writing, data):]

    def _read(self, end, what):
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.reading], [], [], left)[0]:
                raise Failed(f"{what}: no reply")
            data = os.read(self.reading, 1 << 20)
            if not data:
                raise Failed(f"{what}: Chromium ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, event, about):
        if event == "Page.loadEventFired":
            self.loaded = True
        elif event == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif event == "Runtime.consoleAPICalled":
            self.problems.append(f"console: {about['args']}")
        elif event == "Log.entryAdded":
            self.problems.append(f"log: {about['entry']['text']}")
        elif event == "Audits.issueAdded":
            self.problems.append(f"issue: {json.dumps(about['issue'])[:400]}")
        elif event == "Page.javascriptDialogOpening":
            self.problems.append(f"dialog: {about['message']}")

    # The page

    def open(self, file):
        """Loads a file, and returns the seconds until its scripts have run."""
        self.loaded, self.problems, self.requests = False, [], []
        start = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(file))
        while not self.loaded:
            self._read(start + self.limit, "load")
        return time.monotonic() - start

    def run(self, script):
        """Evaluates an expression, which need not be allowed by the policy of the page."""
        reply = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, allowUnsafeEvalBlockedByCSP=False)
        if "exceptionDetails" in reply:
            raise Failed(f"{script}: {reply['exceptionDetails'].get('exception', {}).get('description')}")
        return reply["result"].get("value")

    def until(self, condition, seconds=5):
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        script = (
            "new Promise(resolve => { const check = left => { if (" + condition + ") resolve(true); else if (left <= 0) "
            "resolve(false); else setTimeout(() => check(left - 1), 10); }; check(" + str(seconds * 100) + "); })")
        if not self.run(script) or time.monotonic() > end + seconds:
            raise Failed(f"never true: {condition}")

    def place(self, selector):
        """The middle of an element, scrolled into view."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null; "
            "e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect(); "
            "return [b.left + Math.min(b.width, 40) / 2, b.top + b.height / 2]; })()")
        if box is None:
            raise Failed(f"no element {selector}")
        return box

    def hover(self, selector):
        x, y = self.place(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector):
        x, y = self.place(selector)
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        self.call("Input.insertText", text=text)

    KEYS = {
        "Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "End": 35,
        "Home": 36, "PageDown": 34, "/": 191,
    }

    def press(self, *keys):
        for key in keys:
            about = {"key": key, "windowsVirtualKeyCode": self.KEYS.get(key, ord(key.upper()[0]))}
            if len(key) == 1:
                about["text"] = key
            elif key == "Enter":
                about["text"] = "\r"
            self.call("Input.dispatchKeyEvent", type="keyDown" if "text" in about else "rawKeyDown", **about)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def size(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def scripts(self, allowed):
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def picture(self, file, full=False):
        import base64
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"]
        with open(file, "wb") as out:
            out.write(base64.b64decode(data))

    def names(self):
        """The roles and names in the accessibility tree."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node.get("role", {}).get("value"), node.get("name", {}).get("value", ""))
            for node in nodes if not node.get("ignored")]

    def memory(self):
        """The bytes of the page's script heap, and the number of its nodes."""
        metrics = {metric["name"]: metric["value"] for metric in self.call("Performance.getMetrics")["metrics"]}
        return int(metrics["JSHeapUsedSize"]), int(metrics["Nodes"])
