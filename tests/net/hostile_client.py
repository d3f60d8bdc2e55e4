# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""A client of a shared node that lies wherever it is asked something."""

import contextlib
import fcntl
import os
import socket
import struct
import threading

from net import work

MAGIC = 0x69736f33


def sealed(size):
    memory = os.memfd_create("hostile", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.write(memory, bytes(size))
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    return memory


class HostileClient:
    """Registered as this program, and answering what it is asked for reports with `said`, once `asked` says so."""

    def __init__(self, path, said=b"null", program=b"honest", key=77, asked=lambda: None):
        self.telemetry = work(f"hostile{key}.sock")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.telemetry)
        self.listener.listen()
        self.said = said
        self.asked = asked
        threading.Thread(target=self._answer, daemon=True).start()
        request = struct.pack("<IIIHHHHB6s33s108s", MAGIC, key, 0, 1, 0xffff, 0x88b5, 0, 0, bytes((2, 0, 0, 0, key, 1)), program,
                              self.telemetry.encode())
        area, memory = sealed(1 << 15), sealed(1 << 20)
        self.desk = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.desk.connect(path)
        socket.send_fds(self.desk, [request], [area, memory])
        os.close(area)
        os.close(memory)
        magic, mtu = struct.unpack_from("<II", self.desk.recv(256))
        assert magic == MAGIC and mtu, "it is not let in"

    def _answer(self):
        while True:
            try:
                caller, _ = self.listener.accept()
            except OSError:
                return
            with caller, contextlib.suppress(OSError):
                caller.send(b"{}")
                command = caller.recv(1024)
                self.asked()
                caller.send(b'{"' + command + b'":' + self.said + b"}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.desk.close()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        os.unlink(self.telemetry)
