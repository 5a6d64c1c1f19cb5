"""Questions answered by batches: what is known is answered, what is not is handed in, and asked for again later.

Belongs here: running conversations as far as they get, which requests are missing, what is asked at once. Does not:
batches themselves (`batch_post`), the conversations (`extractor`, `summariser`).

A conversation (about a chunk, about a community) is a function that asks questions. It is run until it asks one whose
answer is not known, and from the start again once the answers have come: with equal answers it goes the same way. So
later rounds and repeated questions are what they are in direct calls, and so is the reply.
"""

from collections.abc import Callable, Iterable, Iterator

from pathgraph import progress
from pathgraph.cost.meter import Use
from pathgraph.errors import ModelError, ModelRejected
from pathgraph.providers.openai import loop
from pathgraph.providers.openai.batch import Request, error_of, files_of, request_key, request_line
from pathgraph.providers.openai.batch_post import Post
from pathgraph.providers.openai.chat import (
    Answer,
    Question,
    answer_once,
    decide,
    dialect_of,
    expected_tokens,
    request_body,
    warmed,
)
from pathgraph.settings import Batch, Endpoint

Conversation = Callable[[], object]


class Pending(Exception):
    """A question's answer is not known yet.

    Args:
        key: of the request.
        request: to be handed in; None when it is under way.
        urgent: it is to be asked at once, but later.
    """

    def __init__(self, key: str, request: Request | None = None, urgent: bool = False) -> None:
        super().__init__(key)
        self.key, self.request, self.urgent = key, request, urgent


class Desk:
    """Asks through batches while `settle` runs; at once, where no answer is known, at other times."""

    def __init__(self, post: Post, rules: Batch) -> None:
        """Nothing is asked yet."""
        self._post, self._rules = post, rules
        self._settling = False
        self._under_way: set[str] = set()
        self._used: set[str] = set()

    def ask(self, question: Question, endpoint: Endpoint, stage: str) -> Answer:
        """Return a usable answer, as `chat.ask` does and raises.

        Raises:
            Pending: while settling: the answer is not known yet.
        """
        answers: list[Answer] = []
        while True:
            number = len(answers)
            answers.append(self._answer(question, warmed(endpoint, number), stage, number))
            if (chosen := decide(question, endpoint, answers)) is not None:
                return chosen

    def _answer(self, question: Question, endpoint: Endpoint, stage: str, number: int) -> Answer:
        key = request_key(question, endpoint, number)
        known = self._post.known([key]).get(key)
        if known is not None:
            self._used.add(key)
        if isinstance(known, Answer):
            return known
        if known is not None and (known.kind != "passing" or known.tries >= endpoint.max_attempts):
            raise error_of(known, str(endpoint.model))
        if not self._settling:
            return loop.run(answer_once(question, endpoint, stage))
        if key in self._under_way or question.urgent:
            raise Pending(key, urgent=key not in self._under_way)
        dialect = dialect_of(endpoint)
        if dialect is None:
            return self._sample(key, question, endpoint, stage)
        line = request_line(key, request_body(question, endpoint, dialect))
        raise Pending(key, Request(key, Use(stage, *expected_tokens(question, endpoint)), line))

    def _sample(self, key: str, question: Question, endpoint: Endpoint, stage: str) -> Answer:
        """Ask the first question at once: what the endpoint does not take shows now, and not tomorrow."""
        answer = loop.run(answer_once(question, endpoint, stage))
        self._post.keep({key: answer})
        self._used.add(key)
        return answer

    def settle(self, conversations: Callable[[], Iterable[Conversation]]) -> None:
        """Have every question answered that can be, in batches; afterwards the conversations run through.

        Args:
            conversations: gives the conversations, the same ones in the same order each time.

        Raises:
            Submitted: the rules say not to wait, and batches are under way.
            ModelRejected: the endpoint refuses for good; answers that had come are kept.
            Stopped: somebody asked to stop; batches stay under way.
        """
        self._settling = True
        try:
            self._post.recover()
            over: set[int] = set()
            while wanted := self._hand_in(conversations, over):
                self._await(wanted)
        finally:
            self._settling = False

    def forget(self) -> None:
        """Delete the answers used so far: the conversations they belong to are over, and kept or failed as a whole."""
        self._post.forget(self._used)
        self._used = set()

    def _hand_in(self, conversations: Callable[[], Iterable[Conversation]], over: set[int]) -> set[str]:
        """Hand in what is missing; return the keys of what is waited for."""
        self._post.take_ended()
        self._under_way = {key for one in self._post.under_way() for key in one.requests}
        wanted: set[str] = set()
        missing = self._missing(conversations(), over, wanted)
        for file in files_of(missing, self._rules.max_requests):
            self._post.hand_in(file)
        return wanted

    def _missing(self, conversations: Iterable[Conversation], over: set[int], wanted: set[str]) -> Iterator[Request]:
        """Run those that are not over; note what they wait for, and yield what is to be handed in."""
        for number, conversation in enumerate(conversations):
            if number in over:
                continue
            progress.check_stop()
            pending = _pending(conversation)
            if pending is None or pending.urgent:
                over.add(number)
            elif pending.key not in wanted:
                wanted.add(pending.key)
                if pending.request is not None:
                    yield pending.request

    def _await(self, wanted: set[str]) -> None:
        if self._rules.wait:
            self._post.wait_for(wanted, self._rules.poll_seconds)
            return
        mine = [one.id for one in self._post.under_way() if not wanted.isdisjoint(one.requests)]
        if mine:
            raise progress.Submitted(tuple(mine))


def _pending(conversation: Conversation) -> Pending | None:
    """Run a conversation; return what it waits for, None when it ran to its end, good or bad."""
    try:
        conversation()
    except Pending as pending:
        return pending
    except ModelRejected:
        raise
    except ModelError:
        pass
    return None
