"""From requests to known answers: each is handed in once, whoever runs, and its result taken once it is there.

Belongs here: batches under way, waiting for them, taking results. Does not: the API's calls (`batch_api`), what a
result line means (`batch`), which requests there are (`batch_desk`).
"""

import asyncio
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from pathgraph import progress
from pathgraph.cost import meter
from pathgraph.errors import ModelRejected
from pathgraph.ids import content_hash
from pathgraph.providers.openai import loop
from pathgraph.providers.openai.batch import Fault, Request, pack, read_result, unpack
from pathgraph.providers.openai.batch_api import ENDED, NAME, BatchApi
from pathgraph.providers.openai.chat import Answer
from pathgraph.providers.openai.errors import Asked
from pathgraph.settings import Endpoint
from pathgraph.store.batches import Batches, SubmittedBatch
from pathgraph.store.cache import Cache

NAMESPACE = "batch"  # of the cache: what is known of a request until its conversation is over
STAGE = "batches"
_FIRST_POLL = 1.0  # seconds; then half as long again each time
_PUT = 500  # results made durable at once
_TOKENS_FULL = "token_limit_exceeded"  # the account may have no more tokens waiting in batches


class Post:
    """The batches of one endpoint and one store. Used by one thread; other processes may use the same store."""

    def __init__(self, endpoint: Endpoint, cache: Cache, batches: Batches, work_key: str) -> None:
        """Nothing is called yet; `work_key` is put into the batches' metadata, for people."""
        self._endpoint, self._cache, self._batches, self._work_key = endpoint, cache, batches, work_key
        self._api = BatchApi(endpoint)
        self._reserved: dict[str, float] = {}  # by name of the batch

    def under_way(self) -> list[SubmittedBatch]:
        """Return the batches whose results were not taken yet, oldest first."""
        return self._batches.read(self._endpoint.base_url)

    def known(self, keys: Sequence[str]) -> dict[str, Answer | Fault]:
        """Return what is known of those requests of which anything is."""
        return {key: unpack(value) for key, value in self._cache.get_many(NAMESPACE, keys).items()}

    def keep(self, results: Mapping[str, Answer | Fault]) -> None:
        """Make results durable."""
        items = list(results.items())
        for at in range(0, len(items), _PUT):
            self._cache.put_many(NAMESPACE, {key: pack(result) for key, result in items[at : at + _PUT]})

    def forget(self, keys: AbstractSet[str]) -> None:
        """Delete what is known of requests whose conversations are over."""
        self._cache.delete_many(NAMESPACE, sorted(keys))

    def recover(self) -> None:
        """Find out about batches whose creation was begun by a process that died meanwhile."""
        if all(one.id for one in self.under_way()):
            return
        with self._batches.lock():
            for one in self.under_way():
                if not one.id and (found := self._api.find(one.name)):
                    self._batches.write(replace(one, id=found))
                elif not one.id:
                    self._batches.remove(one)

    def hand_in(self, requests: Sequence[Request]) -> None:
        """Hand in as one batch those requests that are neither under way nor answered.

        Raises:
            ModelRejected: the endpoint has no batch API, or refuses for good; or the budget has no room for the batch.
            ModelError: it gave no answer; whether the batch exists shows the next `recover`.
            Stopped: somebody asked to stop; the same holds.
        """
        with self._batches.lock():
            waiting = {key for one in self.under_way() for key in one.requests}
            known = self.known([request.key for request in requests])
            new = [r for r in requests if r.key not in waiting and not isinstance(known.get(r.key), Answer)]
            if not new:
                return
            one = SubmittedBatch(
                name=uuid4().hex,
                id="",
                endpoint=self._endpoint.base_url,
                model=str(self._endpoint.model),
                submitted=datetime.now(UTC).isoformat(),
                requests={request.key: request.use.stage for request in new},
            )
            self._reserved[one.name] = meter.reserve_batch(request.use for request in new)
            self._batches.write(one)
            keys = content_hash(*sorted(one.requests))
            metadata = {NAME: one.name, "work": self._work_key, "requests": keys}
            found = self._api.create(b"".join(request.line for request in new), metadata)
            self._batches.write(replace(one, id=found))

    def take_ended(self) -> None:
        """Take the results of all batches that have ended, without waiting."""
        for one in self.under_way():
            self._taken(one)

    def wait_for(self, keys: AbstractSet[str], poll_seconds: float) -> None:
        """Wait until no batch with one of the requests is under way, and take the results.

        Raises:
            ModelRejected: a batch was refused as a whole, or the account has no room for even one.
            Stopped: somebody asked to stop.
        """
        mine = [one for one in self.under_way() if not keys.isdisjoint(one.requests)]
        progress.reporter().begin(STAGE, sum(len(one.requests) for one in mine))
        delay, took, count = min(_FIRST_POLL, poll_seconds), False, len(mine)
        while mine:
            left = []
            for one in mine:
                taken = self._taken(one)
                left += [one] if taken is None else []
                took |= bool(taken)
            mine = left
            if mine:
                loop.run(asyncio.sleep(delay))
                delay = min(delay * 1.5, poll_seconds)
        progress.reporter().end(STAGE)
        if count and not took:
            raise ModelRejected(
                f"{self._endpoint.base_url} has no room for another batch: too many tokens wait in others.",
                "Run again when they have ended, or make batches smaller (batch.max_requests).",
            )

    def _taken(self, one: SubmittedBatch) -> bool | None:
        """Take a batch's results; None: it has not ended, False: it has none, and may be handed in again."""
        progress.check_stop()
        shown = self._api.look(one.id)
        if shown["status"] not in ENDED:
            return None
        if shown["status"] == "failed":
            meter.settle_batch((), self._reserved.pop(one.name, None))
            self._batches.remove(one)
            self._require_passing(one, shown)
            return False
        self._take(one, shown)
        progress.reporter().advance(STAGE, len(one.requests))
        return True

    def _require_passing(self, one: SubmittedBatch, shown: Mapping[str, Any]) -> None:
        errors = (shown.get("errors") or {}).get("data") or [{}]
        if any(error.get("code") == _TOKENS_FULL for error in errors):
            return
        said = "; ".join(str(error.get("message") or error.get("code")) for error in errors[:3])
        raise ModelRejected(
            f"{one.endpoint} refused the batch {one.id} as a whole: {said[:300]}.",
            "Nothing of it was paid. Mend what it says, then run again; without --batch the requests go one by one.",
        )

    def _take(self, one: SubmittedBatch, shown: Mapping[str, Any]) -> None:
        """Make a batch's results durable, then forget the batch. A refusal that holds for all is raised at the end."""
        asked = Asked(one.endpoint, one.model, "")
        results: dict[str, Answer | Fault] = {}
        refusal: ModelRejected | None = None
        for key, record in self._api.results(shown).items():
            try:
                results |= {key: read_result(record, asked)} if key in one.requests else {}
            except ModelRejected as error:
                refusal = error
        if refusal is None:
            silent = Fault(f"the batch ended ({shown['status']}) without an answer")
            results |= dict.fromkeys(one.requests.keys() - results.keys(), silent)
        self.keep(self._counted(results))
        paid = {key: result for key, result in results.items() if isinstance(result, Answer)}
        uses = [meter.Use(one.requests[key], answer.tokens_in, answer.tokens_out) for key, answer in paid.items()]
        meter.settle_batch(uses, self._reserved.pop(one.name, None))
        self._batches.remove(one)
        if refusal is not None:
            raise refusal

    def _counted(self, results: Mapping[str, Answer | Fault]) -> dict[str, Answer | Fault]:
        """Return the results, with faults counted on from those that were known."""
        known = self.known([key for key, result in results.items() if isinstance(result, Fault)])
        counted = dict(results)
        for key, before in known.items():
            now = counted[key]
            if isinstance(now, Fault):
                counted[key] = before if isinstance(before, Answer) else replace(now, tries=before.tries + 1)
        return counted
