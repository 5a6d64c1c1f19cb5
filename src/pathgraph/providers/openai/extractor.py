"""Extraction by a model: prompts out, replies in, a chunk halved when its reply was cut, more rounds when wanted.

Belongs here: the conversation about one chunk. Does not: reading its facts (`pathgraph.extraction.reply`), the cache.
"""

import json
from pathlib import Path

from pathgraph.chunking.sentences import sentences
from pathgraph.extraction.reply import Part, join_replies, parse_reply
from pathgraph.extraction.schema import FREE, Schema
from pathgraph.ids import content_hash
from pathgraph.prompts.forms import EXTRACTION, EXTRACTION_WORDS
from pathgraph.prompts.render import LANGUAGES, Prompt, fenced, prompt
from pathgraph.providers.openai.chat import Answer, Ask, Message, Question, ask
from pathgraph.providers.openai.errors import TooLong, Unusable
from pathgraph.settings import Endpoint

PROMPT, GLEAN = "extract.v1", "glean.v1"
MIN_SPLIT = 200  # characters; a cut reply to a shorter text is taken as it is
MAX_HALVINGS = 4


class OpenAIExtractor:
    """Asks a model for the facts of a chunk. Thread-safe; equal requests have equal keys, whatever the endpoint."""

    provider = "openai"

    def __init__(
        self,
        endpoint: Endpoint,
        gleanings: int = 0,
        prompts: Path | None = None,
        schema: Schema = FREE,
        asker: Ask = ask,
    ) -> None:
        """Read the prompts; nothing is called yet.

        Args:
            endpoint: whom to ask.
            gleanings: how often, at most, the model is asked for what it missed.
            prompts: folder of the user's own prompts.
            schema: what the model is told to look for; a free one without entries says nothing.
            asker: how a question is asked: at once, or in batches.

        Raises:
            SettingsError: a prompt is wrong.
        """
        self.model, self.parallel = str(endpoint.model), endpoint.concurrency
        self._endpoint, self._gleanings, self._asker = endpoint, gleanings, asker
        self._prompts = {language: prompt(PROMPT, language, prompts) for language in LANGUAGES}
        self._forms = {language: form_of(schema, language) for language in LANGUAGES}
        self._gleans = {language: prompt(GLEAN, language, prompts) for language in LANGUAGES}
        self.prompt_hash = content_hash(*(self._prompt_key(language) for language in LANGUAGES))

    def request_key(self, text: str, language: str) -> str:
        """Return a hash of model, prompt, form, sampling, text and the prompt's language, and of nothing else."""
        sampling = f"{self._endpoint.temperature:g} {self._endpoint.max_output_tokens} {self._gleanings}"
        return content_hash("extract", self.model, self._prompt_key(_known(language)), sampling, text)

    def reply(self, text: str, language: str) -> str:
        """Return the raw reply, or several joined by `join_replies`.

        Raises:
            ModelError: no usable reply came, see `chat.ask`; ModelRejected when none will ever come.
        """
        parts = self._parts(text, _known(language), 0, MAX_HALVINGS)
        return parts[0].raw if len(parts) == 1 else join_replies(parts)

    def _prompt_key(self, language: str) -> str:
        glean = self._gleans[language].hash if self._gleanings else ""
        form = json.dumps(EXTRACTION, sort_keys=True) + self._forms[language]
        return content_hash(self._prompts[language].hash, glean, form)

    def _parts(self, text: str, language: str, start: int, halvings: int) -> list[Part]:
        """Return the replies about a text that begins at `start` of the chunk."""
        may_split = halvings > 0 and len(text) >= MIN_SPLIT
        try:
            rounds = self._rounds(text, language, may_split, urgent=halvings < MAX_HALVINGS)
        except TooLong:
            if not may_split:
                raise
            rounds = []
        if rounds and not (rounds[0].cut and may_split):
            return [Part(start, start + len(text), answer.text) for answer in rounds]
        at = middle(text)
        first = self._parts(text[:at], language, start, halvings - 1)
        return first + self._parts(text[at:], language, start + at, halvings - 1)

    def _rounds(self, text: str, language: str, may_be_cut: bool, urgent: bool) -> list[Answer]:
        """Ask, then ask for what is missing until nothing new comes; a cut first answer ends it.

        A gleaning to which no usable answer comes, or for which the conversation has grown too long, ends it too: the
        rounds before it are good.
        """

        def question(messages: tuple[Message, ...], may_be_cut: bool, last: bool) -> Question:
            def check(answer: str) -> object:
                return parse_reply(answer, text)

            return Question(messages, "facts", EXTRACTION, check, may_be_cut, urgent, goes_on=urgent or not last)

        values = {"format": self._forms[language].strip(), "document": fenced(text)}
        messages = self._prompts[language].messages(values)
        first = question(messages, may_be_cut, last=not self._gleanings)
        rounds = [self._asker(first, self._endpoint, "extraction")]
        told = _facts(rounds[0].text, text) if self._gleanings and not rounds[0].cut else frozenset()
        for left in reversed(range(self._gleanings if told else 0)):
            messages = _asked_again(messages, rounds[-1].text, self._gleans[language])
            try:
                answer = self._asker(question(messages, True, last=not left), self._endpoint, "gleanings")
            except (TooLong, Unusable):
                break
            new = frozenset() if answer.cut else _facts(answer.text, text) - told
            if not new:
                break
            rounds.append(answer)
            told |= new
        return rounds


def form_of(schema: Schema, language: str) -> str:
    """Return what a model is told about the form of its reply, and about the schema where there is one."""
    section = schema.prompt_section(language)
    return f"{EXTRACTION_WORDS.rstrip()}\n\n{section}\n" if section else EXTRACTION_WORDS


def middle(text: str) -> int:
    """Return where to halve a text: at the sentence start nearest to its middle, else at a blank, else right there."""
    half = len(text) // 2
    starts = [start for start, _ in sentences(text) if 0 < start < len(text)]
    if starts:
        return min(starts, key=lambda at: (abs(at - half), at))
    blank = text.rfind(" ", 1, half + 1)
    return blank if blank > 0 else half


def _known(language: str) -> str:
    return language if language in LANGUAGES else "en"


def _facts(reply: str, text: str) -> frozenset[tuple[str, ...]]:
    parsed = parse_reply(reply, text)
    return frozenset((t.subject.casefold(), t.relation.casefold(), t.object.casefold()) for t in parsed.triples)


def _asked_again(messages: tuple[Message, ...], reply: str, glean: Prompt) -> tuple[Message, ...]:
    return (*messages, {"role": "assistant", "content": reply}, *glean.messages({}))
