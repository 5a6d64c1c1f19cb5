"""The Files and Batches endpoints: requests go in as a file of lines, answers come out as files of lines, later."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from protocol.options import Options, share
from protocol.wire import Reply, Request, error_reply, json_reply

ENDPOINT = "/v1/chat/completions"
Answer = Callable[[dict[str, Any]], tuple[int, Any]]  # request body -> status, answer body


@dataclass
class Batch:
    """A batch: `shown` is its object as the API gives it."""

    shown: dict[str, Any]
    lines: list[dict[str, Any]] = field(default_factory=list)
    due: float = 0.0


class Batches:
    """Files and batches of one server. A batch runs when it is looked at after its time has come."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._files: dict[str, tuple[dict[str, Any], bytes]] = {}
        self._batches: dict[str, Batch] = {}

    def reply(self, request: Request, options: Options) -> Reply | None:
        """Return the answer to a request for files or batches, None for other paths."""
        what, *rest = request.path.removeprefix("/v1/").split("/")
        if what == "files":
            return self._file_reply(request, rest)
        if what == "batches":
            return self._batch_reply(request, rest, options)
        return None

    def _file_reply(self, request: Request, rest: list[str]) -> Reply:
        if not rest:
            if request.method == "POST":
                form = read_form(request)
                return json_reply(self._add(form["file"], form.get("purpose", b"").decode(), "input.jsonl"))
            return json_reply({"object": "list", "data": [shown for shown, _ in self._files.values()]})
        if rest[0] not in self._files:
            return error_reply(404, f"No such File object: {rest[0]}")
        shown, body = self._files[rest[0]]
        if rest[1:] == ["content"]:
            return Reply(body=body, kind="application/octet-stream")
        if request.method == "DELETE":
            del self._files[rest[0]]
            return json_reply({"id": rest[0], "object": "file", "deleted": True})
        return json_reply(shown)

    def _add(self, body: bytes, purpose: str, name: str) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "id": f"file-{len(self._files) + 1:06d}",
            "object": "file",
            "bytes": len(body),
            "filename": name,
        }
        shown |= {"purpose": purpose, "created_at": int(time.time()), "status": "processed"}
        self._files[shown["id"]] = (shown, body)
        return shown

    def _batch_reply(self, request: Request, rest: list[str], options: Options) -> Reply:
        for batch in self._batches.values():
            self._proceed(batch, options)
        if not rest:
            if request.method == "POST":
                return self._create(json.loads(request.body), options)
            return json_reply(self._page(request.query))
        if rest[0] not in self._batches:
            return error_reply(404, f"No batch found with id '{rest[0]}'.")
        batch = self._batches[rest[0]]
        if rest[1:] == ["cancel"] and batch.shown["status"] in {"validating", "in_progress"}:
            self._end(batch, "cancelled", [], [])
        return json_reply(batch.shown)

    def _page(self, query: Mapping[str, str]) -> dict[str, Any]:
        listed = [batch.shown for batch in reversed(self._batches.values())]
        names = [shown["id"] for shown in listed]
        begin = names.index(query["after"]) + 1 if query.get("after") in names else 0
        end = begin + int(query.get("limit", 20))
        return {"object": "list", "data": listed[begin:end], "has_more": end < len(listed)}

    def _create(self, body: Mapping[str, Any], options: Options) -> Reply:
        if body["input_file_id"] not in self._files:
            return error_reply(400, f"No such File object: {body['input_file_id']}")
        now = int(time.time())
        shown: dict[str, Any] = {"id": f"batch_{len(self._batches) + 1:06d}", "object": "batch", "status": "validating"}
        shown |= {name: body.get(name) for name in ("input_file_id", "endpoint", "completion_window", "metadata")}
        shown |= {"created_at": now, "expires_at": now + 86400, "output_file_id": None, "error_file_id": None}
        batch = Batch(shown, due=time.monotonic() + options.batch_seconds)
        self._batches[shown["id"]] = batch
        try:
            batch.lines = _read_lines(self._files[body["input_file_id"]][1])
        except ValueError as error:
            _fail(shown, "invalid_json_line", str(error))
        if codes := options.batch_errors[len(self._batches) - 1 : len(self._batches)]:
            _fail(shown, codes[0], f"The batch failed: {codes[0]}.") if codes[0] != "ok" else None
        shown["request_counts"] = {"total": len(batch.lines), "completed": 0, "failed": 0}
        return json_reply(shown)

    def _proceed(self, batch: Batch, options: Options) -> None:
        if batch.shown["status"] not in {"validating", "in_progress"}:
            return
        if time.monotonic() < batch.due:
            batch.shown["status"] = "in_progress"
            return
        kept = len(batch.lines) // 2 if options.batch_expires else len(batch.lines)
        done = [self._line(line) for line in batch.lines[:kept]]
        # The API promises no order.
        done.sort(key=lambda line: share("batch", options.seed, line["custom_id"]))
        late = {"code": "batch_expired", "message": "This request could not be executed before the window expired."}
        bad = [line for line in done if line["response"]["status_code"] != 200]
        bad += [{"custom_id": line["custom_id"], "response": None, "error": late} for line in batch.lines[kept:]]
        good = [line for line in done if line["response"]["status_code"] == 200]
        self._end(batch, "expired" if options.batch_expires else "completed", good, bad)

    def _line(self, line: Mapping[str, Any]) -> dict[str, Any]:
        status, body = self._answer(line["body"])
        response = {"status_code": status, "request_id": f"req-{line['custom_id']}", "body": body}
        return {
            "id": f"batch_req_{line['custom_id']}",
            "custom_id": line["custom_id"],
            "response": response,
            "error": None,
        }

    def _end(self, batch: Batch, status: str, good: list[dict[str, Any]], bad: list[dict[str, Any]]) -> None:
        shown = batch.shown
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                body = "".join(json.dumps(line) + "\n" for line in lines).encode()
                shown[name] = self._add(body, "batch_output", f"{shown['id']}_{name}.jsonl")["id"]
        shown["request_counts"] |= {"completed": len(good), "failed": len(bad)}
        shown |= {"status": status, f"{status}_at": int(time.time())}


def _fail(shown: dict[str, Any], code: str, message: str) -> None:
    problem = {"code": code, "message": message, "line": None, "param": None}
    shown |= {"status": "failed", "errors": {"object": "list", "data": [problem]}, "failed_at": int(time.time())}


def _read_lines(body: bytes) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in body.decode("utf-8").split("\n") if line.strip()]
    names = [line.get("custom_id") for line in lines]
    if not lines or None in names or len(set(names)) < len(names):
        raise ValueError("every line needs a custom_id of its own")
    if any(line.get("url") != ENDPOINT or line.get("method") != "POST" for line in lines):
        raise ValueError(f"every line must be a POST to {ENDPOINT}")
    return lines


def read_form(request: Request) -> dict[str, bytes]:
    """Return the fields of a multipart form."""
    mark = b"--" + request.headers["content-type"].partition("boundary=")[2].strip('"').encode()
    fields = {}
    for part in request.body.split(mark)[1:-1]:
        head, _, value = part.partition(b"\r\n\r\n")
        name = head.decode("utf-8").partition('name="')[2].partition('"')[0]
        fields[name] = value.removesuffix(b"\r\n")
    return fields
