# SPDX-License-Identifier: BSD-3-Clause
"""Passes connections on, as one end of SSH's forwarded port does: forward.py ADDRESS PORT TO_ADDRESS TO_PORT"""

import select
import socket
import socketserver
import sys

ADDRESS, PORT, TO_ADDRESS, TO_PORT = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])


class Forward(socketserver.BaseRequestHandler):
    def handle(self):
        with socket.create_connection((TO_ADDRESS, TO_PORT)) as other:
            ends = [self.request, other]
            while True:
                for end in select.select(ends, [], [])[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    ends[end is self.request].sendall(data)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True


with Server((ADDRESS, PORT), Forward) as server:
    print("ready", flush=True)
    server.serve_forever()
