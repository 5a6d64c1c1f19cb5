"""Answers within conversations that broke off: what one run paid for, the next does not ask again.

Belongs here: which answers are kept, and finding them. Does not: asking (`chat`), conversations (`extractor`).
"""

from pathgraph.providers.openai.batch import pack, request_key, unpack
from pathgraph.providers.openai.batch_post import NAMESPACE
from pathgraph.providers.openai.chat import Answer, Question, ask, decide
from pathgraph.settings import Endpoint
from pathgraph.store.cache import Cache


class Memory:
    """Asks at once, as `chat.ask` does, but not what is known.

    Kept are the answers after which a conversation goes on: a first round before gleanings, the half of a chunk, a
    reply that was cut. The last one becomes part of the chunk's reply, which is kept as a whole.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def ask(self, question: Question, endpoint: Endpoint, stage: str) -> Answer:
        """Return a usable answer; raises what `chat.ask` raises."""
        key = request_key(question, endpoint, 0)
        stored = self._cache.get_many(NAMESPACE, [key]).get(key)
        known = unpack(stored) if stored is not None else None
        if isinstance(known, Answer) and decide(question, endpoint, [known]) is not None:
            return known
        answer = ask(question, endpoint, stage)
        if question.goes_on or answer.cut:
            self._cache.put_many(NAMESPACE, {key: pack(answer)})
        return answer
