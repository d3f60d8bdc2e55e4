# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""A headless Chromium, spoken to by the WebDriver protocol, and the pictures it takes."""

import base64
import json
import re
import struct
import subprocess
import urllib.request
import zlib


class Browser:
    """One window. All that its page asks the network for, and all that it complains of, is kept."""

    def __init__(self, directory):
        self.driver = subprocess.Popen(["chromedriver", "--port=0", "--log-level=SEVERE"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.session = None
        for line in self.driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                self.base = f"http://127.0.0.1:{found.group(1)}"
                break
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", f"--user-data-dir={directory}"]
        answer = self._post("/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = answer["sessionId"]
        # The page that every new window has loads what is its own.
        self._post(f"/session/{self.session}/url", {"url": "about:blank"})
        self.requests()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.session:
            self._call("DELETE", f"/session/{self.session}")
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        # No proxy of the tester's stands between.
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def _post(self, path, body):
        return self._call("POST", path, body)

    def _devtools(self, command, **parameters):
        return self._post(f"/session/{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def show(self, file, width, dark=False):
        self._devtools("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                       mobile=width < 600)
        self._devtools("Emulation.setEmulatedMedia",
                       features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self._post(f"/session/{self.session}/url", {"url": "file://" + file})

    def run(self, script):
        """What a script returns."""
        return self._post(f"/session/{self.session}/execute/sync", {"script": script, "args": []})

    def picture(self, region=None):
        """PNG of a region {x, y, width, height} of the page, or of all of it."""
        region = region or self.run("return {x: 0, y: 0, width: document.documentElement.scrollWidth,"
                                    " height: document.documentElement.scrollHeight}")
        answer = self._devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                                clip={**region, "scale": 1})
        return base64.b64decode(answer["data"])

    def complaints(self):
        return [entry["message"] for entry in self._post(f"/session/{self.session}/se/log", {"type": "browser"})]

    def requests(self):
        """The addresses of all that was asked for."""
        messages = [json.loads(entry["message"])["message"]
                    for entry in self._post(f"/session/{self.session}/se/log", {"type": "performance"})]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def colours_of(png):
    """How many pixels of each colour (red, green, blue) a PNG has."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour_type = struct.unpack(">IIBB", png[at + 8:at + 18])
            assert depth == 8 and colour_type in (2, 6), (depth, colour_type)
            size = 3 if colour_type == 2 else 4
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += length + 12
    rows, stride = zlib.decompress(data), width * size
    above, counts = bytearray(stride), {}
    for y in range(height):
        line = _unfiltered(rows[y * (stride + 1)], bytearray(rows[y * (stride + 1) + 1:(y + 1) * (stride + 1)]), above, size)
        for x in range(0, stride, size):
            colour = (line[x], line[x + 1], line[x + 2])
            counts[colour] = counts.get(colour, 0) + 1
        above = line
    return counts


def _unfiltered(kind, line, above, size):
    """A row of pixels, from its differences to what is left of it and above."""
    for i in range(len(line)):
        left = line[i - size] if i >= size else 0
        up = above[i]
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + up) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + up) // 2) & 255
        elif kind == 4:
            corner = above[i - size] if i >= size else 0
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            line[i] = (line[i] + nearest[2]) & 255
    return line
