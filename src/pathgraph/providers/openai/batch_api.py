"""The Files and Batches endpoints: hand a file in, look at a batch, fetch its results, find a batch again.

Belongs here: these calls, tried again by the client's rules. Does not: what lines mean (`batch`), when to call
(`batch_desk`).
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import httpx2
import openai

from pathgraph.errors import ModelRejected
from pathgraph.providers.openai import loop
from pathgraph.providers.openai.batch import PATH, results_of
from pathgraph.providers.openai.client import client_of, json_object
from pathgraph.providers.openai.errors import BadReply
from pathgraph.settings import Endpoint

T = TypeVar("T")
Sent = Callable[[openai.AsyncOpenAI], Awaitable[T]]
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
NAME = "pathgraph"  # the metadata's key under which our name of a batch stands
_FILE_SECONDS = 600.0  # for files, which are large
_PAGE, _PAGES = 100, 50  # batches a page; pages that are looked through for one


class BatchApi:
    """One endpoint's batches. Methods block until they are done, or raise Stopped; errors as of `Client.call`."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Nothing is called yet."""
        self.url = endpoint.base_url
        self._endpoint = endpoint

    def create(self, file: bytes, metadata: Mapping[str, str]) -> str:
        """Hand in a file of request lines; return the batch's id."""

        async def upload(sdk: openai.AsyncOpenAI) -> str:
            sent = await sdk.files.create(file=("requests.jsonl", file), purpose="batch", timeout=_FILE_SECONDS)
            return _id(vars(sent) if isinstance(sent, openai.BaseModel) else {})

        file_id = self._do(upload)
        body = {"input_file_id": file_id, "endpoint": PATH, "completion_window": "24h", "metadata": dict(metadata)}
        tries: list[str] = []

        async def create(sdk: openai.AsyncOpenAI) -> str:
            # A call that seemed to fail may have created the batch all the same; a second one would be paid twice.
            found = await _find(sdk, metadata[NAME]) if tries else None
            tries.append("")
            return found or _id(json_object(await sdk.post("/batches", body=body, cast_to=httpx2.Response)))

        return self._do(create)

    def find(self, name: str) -> str | None:
        """Return the id of the batch that was handed in under our name; None when there is none."""
        return self._do(lambda sdk: _find(sdk, name))

    def look(self, batch_id: str) -> Mapping[str, Any]:
        """Return a batch's object: `status`, `request_counts`, `output_file_id`, `error_file_id`, `errors`."""

        async def get(sdk: openai.AsyncOpenAI) -> Mapping[str, Any]:
            shown = json_object(await sdk.get(f"/batches/{batch_id}", cast_to=httpx2.Response))
            if not isinstance(shown.get("status"), str):
                raise BadReply("the batch has no status", str(shown))
            return shown

        return self._do(get, f"{self.url} knows no batch {batch_id}.")

    def results(self, batch: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
        """Return the records of a batch's results by key: those of its file of errors, and those of answers."""
        found: dict[str, Mapping[str, Any]] = {}
        if batch.get("error_file_id"):
            found |= self._file(str(batch["error_file_id"]), 0)
        if batch.get("output_file_id"):
            completed = (batch.get("request_counts") or {}).get("completed") or 0
            found |= self._file(str(batch["output_file_id"]), completed - len(found))
        return found

    def _file(self, file_id: str, least: int) -> dict[str, Mapping[str, Any]]:
        async def get(sdk: openai.AsyncOpenAI) -> dict[str, Mapping[str, Any]]:
            return results_of((await sdk.get(f"/files/{file_id}/content", cast_to=httpx2.Response)).content, least)

        return self._do(get, f"{self.url} knows no file {file_id}.")

    def _do(self, send: Sent[T], unknown: str = "") -> T:
        """Await a call until it succeeds; `unknown` says what a status 404 means, if not that there is no batch API."""

        async def done() -> T:
            client = await client_of(self._endpoint)

            async def sent() -> T:
                try:
                    return await send(client.sdk)
                except openai.APIStatusError as error:
                    if error.status_code not in {404, 405, 501}:
                        raise
                    raise self._unknown(unknown) from error

            value, _ = await client.attempt(sent, self._endpoint)
            return value

        return loop.run(done())

    def _unknown(self, what: str) -> ModelRejected:
        if what:
            return ModelRejected(
                what, "Use the key it was handed in with, or delete its file in cache/batches and pay again."
            )
        return ModelRejected(f"{self.url} has no batch API.", "Run again without --batch.")


def _id(shown: Mapping[str, Any]) -> str:
    found = shown.get("id")
    if not isinstance(found, str) or not found:
        raise BadReply("the reply names no id", str(shown))
    return found


async def _find(sdk: openai.AsyncOpenAI, name: str) -> str | None:
    """Look through the batches, newest first."""
    query: dict[str, object] = {"limit": _PAGE}
    for _ in range(_PAGES):
        page = json_object(await sdk.get("/batches", cast_to=httpx2.Response, options={"params": query}))
        listed = [shown for shown in page.get("data") or () if isinstance(shown, dict)]
        for shown in listed:
            if (shown.get("metadata") or {}).get(NAME) == name:
                return _id(shown)
        if not listed or not page.get("has_more"):
            return None
        query["after"] = _id(listed[-1])
    return None
