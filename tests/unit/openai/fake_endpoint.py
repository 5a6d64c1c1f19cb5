"""A model endpoint over real HTTP whose answers a test scripts; faults of the wire are `tests/protocol`'s business."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def chat(text, finish="stop", **message):
    body = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return 200, {"choices": [{"index": 0, "finish_reason": finish, "message": body}], "usage": usage}


def error(status, message, **headers):
    return status, {"error": {"message": message}}, headers


class FakeEndpoint:
    """Answers each POST by `respond(path, body, number)`, a tuple of status, body (bytes or JSON) and headers."""

    def __init__(self, respond):
        self.bodies, self.keys = [], []
        lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    outer.bodies.append(body)
                    outer.keys.append(self.headers.get("Authorization"))
                    number = len(outer.bodies)
                status, out, *headers = respond(self.path, body, number)
                raw = out if isinstance(out, bytes) else json.dumps(out).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(raw)), **(headers[0] if headers else {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(raw)
                except OSError:
                    self.close_connection = True

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
