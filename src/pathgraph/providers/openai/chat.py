"""One chat request, whatever the endpoint can do: JSON schema, else JSON mode, else plain text.

Belongs here: request bodies, what an endpoint turned out not to take, reading the reply's envelope, asking again when
it holds nothing usable. Does not: prompts, the meaning of the text, waiting and trying again (`client`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pathgraph.cost import meter
from pathgraph.errors import ModelError
from pathgraph.providers.openai import loop
from pathgraph.providers.openai.client import Body, client_of
from pathgraph.providers.openai.errors import BadReply, Unsupported, Unusable
from pathgraph.settings import Endpoint
from pathgraph.tokens import estimate

Message = dict[str, str]
FORMATS = ("json_schema", "json_object", "text")
ASKS = 3  # times a question is asked whose answer is empty, refused or unreadable
CUT_REMEDY = "Raise endpoint.max_output_tokens: the model spent them before it had answered."
_WARMER = 0.5  # temperature of the second time on: at 0 the same answer would come again
_ADAPTATIONS = 6


@dataclass(frozen=True)
class Dialect:
    """What an endpoint takes for a model, as found out so far."""

    format: int = 0
    temperature: bool = True
    limit: str = "max_tokens"


@dataclass(frozen=True)
class Answer:
    """One reply: its text, why it ended (`stop`, `length`, ...), a refusal, and the tokens paid."""

    text: str
    finish: str
    refusal: str
    tokens_in: int
    tokens_out: int

    @property
    def total_tokens(self) -> int:
        """Tokens in and out."""
        return self.tokens_in + self.tokens_out

    @property
    def cut(self) -> bool:
        """The reply ended because it reached the limit."""
        return self.finish == "length"


@dataclass(frozen=True)
class Question:
    """A conversation and what its answer must look like.

    Attributes:
        messages: role and content of each.
        name: names the schema.
        schema: JSON schema of the answer.
        check: raises ValueError for an answer's text that cannot be used.
        may_be_cut: an answer that was cut is returned unchecked, even when it is empty.
        urgent: where answers come in batches, this one is not waited for: few questions are of its kind.
        goes_on: more questions follow, for whose sake this one must not be asked again.
    """

    messages: tuple[Message, ...]
    name: str
    schema: Mapping[str, Any]
    check: Callable[[str], object]
    may_be_cut: bool = False
    urgent: bool = False
    goes_on: bool = False


_dialects: dict[tuple[str, str], Dialect] = {}  # touched on the shared loop only


Ask = Callable[[Question, Endpoint, str], Answer]


def dialect_of(endpoint: Endpoint) -> Dialect | None:
    """Return what the endpoint is known to take; None when this process has not asked it anything yet."""
    return _dialects.get((endpoint.base_url, str(endpoint.model)))


def ask(question: Question, endpoint: Endpoint, stage: str) -> Answer:
    """Return a usable answer; one that was cut where the question allows it, or if none that is whole comes.

    Raises:
        ModelRejected: the endpoint refuses for good, or the budget is used up (BudgetExhausted).
        TooLong: the conversation does not fit the model.
        Unusable: answers came, and none of them can be used; `raw` holds the last.
        ModelError: no answer came.
        Stopped: somebody asked to stop.
    """
    return loop.run(_ask(question, endpoint, stage))


async def _ask(question: Question, endpoint: Endpoint, stage: str) -> Answer:
    answers: list[Answer] = []
    while True:
        answers.append(await answer_once(question, warmed(endpoint, len(answers)), stage))
        if (chosen := decide(question, endpoint, answers)) is not None:
            return chosen


def warmed(endpoint: Endpoint, number: int) -> Endpoint:
    """Return how a question is asked for the time `number`, the first being 0."""
    return endpoint.model_copy(update={"temperature": max(endpoint.temperature, _WARMER)}) if number else endpoint


def decide(question: Question, endpoint: Endpoint, answers: Sequence[Answer]) -> Answer | None:
    """Return the answer to take, None when the question is worth asking again; see `ask`.

    Args:
        question: what was asked.
        endpoint: whom.
        answers: all that came, in order; at least one.
    """
    last = answers[-1]
    problem = _problem(last, question)
    if not problem:
        return last
    if len(answers) < ASKS:
        return None
    for answer in answers:
        if answer.cut and answer.text.strip() and not _complaint(answer, question):
            return answer
    remedy = CUT_REMEDY if last.cut else ""
    raise Unusable(f"{endpoint.model}: {problem}", remedy, raw=last.text or last.refusal, attempts=len(answers))


async def answer_once(question: Question, endpoint: Endpoint, stage: str) -> Answer:
    """Return the answer of one paid call, usable or not; raises what `ask` raises."""
    async with meter.call(stage, *expected_tokens(question, endpoint)) as payment:
        answer = await _answer(question, endpoint)
        payment.tokens_in, payment.tokens_out = answer.tokens_in, answer.tokens_out
    return answer


def expected_tokens(question: Question, endpoint: Endpoint) -> tuple[int, int]:
    """Return the tokens in and out of a call, roughly: replies are far shorter than their limit."""
    tokens_in = sum(estimate(message["content"]) for message in question.messages)
    return tokens_in, min(tokens_in, endpoint.max_output_tokens)


def _problem(answer: Answer, question: Question) -> str:
    if answer.cut and question.may_be_cut:
        return ""
    if answer.refusal:
        return f"the model refused: {answer.refusal[:200]}"
    if not answer.text.strip():
        return "the answer is empty"
    return "the answer was cut" if answer.cut else _complaint(answer, question)


def _complaint(answer: Answer, question: Question) -> str:
    try:
        question.check(answer.text)
    except ValueError as error:
        return str(error)
    return ""


async def _answer(question: Question, endpoint: Endpoint) -> Answer:
    client = await client_of(endpoint)
    key = (client.url, str(endpoint.model))

    def tokens_in() -> int:
        return sum(estimate(message["content"]) for message in question.messages)

    def read(reply: Mapping[str, Any]) -> Answer:
        return read_answer(reply, tokens_in)

    # Replies are far shorter than their limit; the true number is settled afterwards.
    expected = 2 * tokens_in() if endpoint.tokens_per_minute else 0
    for _ in range(_ADAPTATIONS):
        dialect = _dialects.setdefault(key, Dialect())
        body = request_body(question, endpoint, dialect)
        try:
            answer, _ = await client.call("/chat/completions", body, read, endpoint, expected)
        except Unsupported as error:
            if _dialects[key] == dialect:  # else another call has found it out meanwhile
                _dialects[key] = _adapted(dialect, str(error))
        else:
            return answer
    raise ModelError(f"{endpoint.model} at {client.url} takes no form of the request.")


def request_body(question: Question, endpoint: Endpoint, dialect: Dialect) -> Body:
    """Return the body of a request."""
    body: Body = {"model": endpoint.model, "messages": list(question.messages)}
    form = FORMATS[dialect.format]
    if form == "json_schema":
        schema = {"name": question.name, "strict": True, "schema": question.schema}
        body["response_format"] = {"type": form, "json_schema": schema}
    elif form == "json_object":
        body["response_format"] = {"type": form}
    if dialect.temperature:
        body["temperature"] = endpoint.temperature
    if dialect.limit:
        body[dialect.limit] = endpoint.max_output_tokens
    return body


def _adapted(dialect: Dialect, said: str) -> Dialect:
    """Return the dialect without what the endpoint complains about; raises ModelError when nothing is left to drop."""
    text = said.lower()
    if "max_completion_tokens" in text and dialect.limit == "max_tokens":
        return replace(dialect, limit="max_completion_tokens")
    if dialect.limit and dialect.limit in text:
        return replace(dialect, limit="")
    if dialect.temperature and "temperature" in text:
        return replace(dialect, temperature=False)
    if dialect.format + 1 < len(FORMATS):
        return replace(dialect, format=dialect.format + 1)
    raise ModelError(f"The endpoint does not take the request: {said[:300]}", raw=said)


def read_answer(reply: Mapping[str, Any], estimated_in: Callable[[], int]) -> Answer:
    """Return the answer in a reply's body; raises BadReply when there is none."""
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadReply("the reply holds no choices", str(reply))
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise BadReply("the reply holds no message", str(reply))
    text, finish = _content(message.get("content")), str(choice.get("finish_reason") or "")
    refusal = str(message.get("refusal") or "")
    if finish == "content_filter":
        refusal = refusal or "content filter"
    paid = reply.get("usage")
    paid = paid if isinstance(paid, dict) else {}
    tokens_in = _count(paid, "prompt_tokens", estimated_in)
    return Answer(text, finish, refusal, tokens_in, _count(paid, "completion_tokens", lambda: estimate(text)))


def _count(paid: Mapping[str, Any], name: str, otherwise: Callable[[], int]) -> int:
    value = paid.get(name)
    return value if isinstance(value, int) and value > 0 else otherwise()


def _content(content: object) -> str:
    """Return a message's text; some endpoints send it as a list of parts."""
    if isinstance(content, str):
        return content
    parts: Sequence[object] = content if isinstance(content, list) else ()
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
