"""The reader of Korean sentences: kiwipiepy's morphemes and particle rules.

Belongs here: the tokenizer (loaded once, on first use), protecting the user's names and quoted titles from it, and
what a reading holds. Does not: the rules themselves (`korean_items`, `korean_clauses`, `korean_statements`).
"""

import re
import threading
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pathgraph.errors import MissingExtra
from pathgraph.providers.offline.facts import CONCEPT, Fact, GazetteerEntry, Name, Reading
from pathgraph.providers.offline.gazetteer import Gazetteer
from pathgraph.providers.offline.korean_clauses import read_clauses
from pathgraph.providers.offline.korean_items import Argument, Item, items_of
from pathgraph.providers.offline.korean_lexicon import lexicon
from pathgraph.providers.offline.korean_morphemes import Morpheme

RULES = "1"
MAX_PHRASES = 8
# Longer "sentences" are tables or dumps: no rule finds roles in them, and a lattice over them costs minutes.
MAX_LENGTH = 2000
_TITLE = re.compile(r"《([^》]{1,40})》|『([^』]{1,40})』|「([^」]{1,40})」|〈([^〉]{1,40})〉")
_NAME_PIECES = frozenset({"NNG", "NNP", "NNB", "NR", "MM", "XPN", "XSN"})
Span = tuple[int, int, str | None]
_LOCK = threading.Lock()


@cache
def _load() -> Any:
    try:
        from kiwipiepy import Kiwi
    except ImportError as error:
        raise MissingExtra("the Korean reader", "offline") from error
    return Kiwi(num_workers=1)


class KoreanReader:
    """Reads Korean sentences; see `facts.Reader`. Thread-safe: one tokenizer is shared and locked."""

    def __init__(self) -> None:
        try:
            library = f"kiwipiepy-{version('kiwipiepy')}/{version('kiwipiepy-model')}"
        except PackageNotFoundError as error:
            raise MissingExtra("the Korean reader", "offline") from error
        self.version = f"{library}+rules-{RULES}-{lexicon().version}"

    def read(self, sentences: Sequence[str], known: Sequence[GazetteerEntry]) -> list[Reading]:
        """Return one reading a sentence; raises MissingExtra when kiwipiepy is not installed."""
        gazetteer = Gazetteer(known)
        return [_read(sentence, gazetteer) for sentence in sentences]


def _read(sentence: str, gazetteer: Gazetteer) -> Reading:
    if len(sentence) > MAX_LENGTH:
        hits = gazetteer.find(sentence)[:MAX_PHRASES]
        return Reading((), tuple(Name(h.entry.surface, h.entry.type, h.start, h.end) for h in hits))
    items = items_of(morphemes_of(sentence, gazetteer), sentence)
    facts = _unique(read_clauses(items))
    return Reading(tuple(facts), _phrases(items))


def _unique(facts: Sequence[Fact]) -> list[Fact]:
    """Keep the surest of equal statements, in order of the sentence."""
    best: dict[tuple[Name, str, Name], Fact] = {}
    for fact in facts:
        key = (fact.subject, fact.relation, fact.object)
        if key not in best or fact.confidence > best[key].confidence:
            best[key] = fact
    return sorted(best.values(), key=lambda f: (min(f.subject.start, f.object.start), f))


def _phrases(items: Sequence[Item]) -> tuple[Name, ...]:
    """Names of the arguments, in order, without repeats, at most MAX_PHRASES: proper names before common ones."""
    phrases = [i.phrase for i in items if isinstance(i, Argument) and not i.phrase.date and not i.phrase.weak]
    names = {name for p in phrases for name in (p.name, *p.owners, *p.extra) if name is not None}
    ranked = sorted(names, key=lambda n: (n.type == CONCEPT, n.start, n.end, n.text))[:MAX_PHRASES]
    return tuple(sorted(ranked, key=lambda n: (n.start, n.end, n.text)))


def morphemes_of(sentence: str, gazetteer: Gazetteer) -> list[Morpheme]:
    """Return the sentence's morphemes; protected spans (names, quoted titles) come as one proper noun each."""
    spans = _protected(sentence, gazetteer)
    tokens = _tokenize(sentence, spans)
    people = _torn_people(sentence, tokens)
    if people:
        spans = _without_overlap([*spans, *people])
        tokens = _tokenize(sentence, spans)
    types = {(start, end): kind for start, end, kind in spans}
    return [m._replace(known=types.get((m.start, m.end))) for m in tokens]


def _tokenize(sentence: str, spans: Sequence[Span]) -> list[Morpheme]:
    with _LOCK:
        tokens = _load().tokenize(sentence, pretokenized=[(start, end, "NNP") for start, end, _ in spans])
    return [Morpheme(t.form, str(t.tag).split("-")[0], t.start, t.start + t.len) for t in tokens]


def _protected(sentence: str, gazetteer: Gazetteer) -> list[Span]:
    spans: list[Span] = [(h.start, h.end, h.entry.type) for h in gazetteer.find(sentence)]
    for match in _TITLE.finditer(sentence):
        start, end = next(match.span(g) for g in range(1, 5) if match.group(g) is not None)
        spans.append((start, end, None))
    return _without_overlap(spans)


def _torn_people(sentence: str, tokens: Sequence[Morpheme]) -> list[Span]:
    """Return the name-shaped words before a title that the tokenizer did not leave whole."""
    found = [m.span(1) for m in _person_before_title().finditer(sentence)]
    return [(start, end, None) for start, end in found if _torn(tokens, start, end)]


def _torn(tokens: Sequence[Morpheme], start: int, end: int) -> bool:
    """Whether the span is several tokens, all noun-like: a verb or a particle inside means that it is no name."""
    inside = [m for m in tokens if m.start < end and m.end > start]
    exact = bool(inside) and inside[0].start == start and inside[-1].end == end
    return exact and len(inside) > 1 and all(m.tag in _NAME_PIECES for m in inside)


def _without_overlap(spans: Sequence[Span]) -> list[Span]:
    """Keep the earlier given of overlapping spans; sorted by place."""
    out: list[Span] = []
    for span in spans:
        if all(span[1] <= o[0] or o[1] <= span[0] for o in out):
            out.append(span)
    return sorted(out, key=lambda s: s[:2])


@cache
def _person_before_title() -> re.Pattern[str]:
    """A name-shaped word before a title ("한종희 부회장"): the tokenizer takes unknown names apart."""
    lex = lexicon()
    given = "".join(sorted(lex.given))
    last = "".join(sorted(lex.given - set("의은이을도로가만과와")))
    surname = "".join(sorted(s for s in lex.surnames if len(s) == 1))
    titles = "|".join(sorted((t for t in lex.titles if len(t) >= 2 or t == "씨"), key=lambda t: (-len(t), t)))
    name, office = f"[{surname}][{given}][{last}]", rf" ?(?:[가-힣\w]{{2,12}} ){{0,2}}[가-힣]{{0,10}}(?:{titles})"
    return re.compile(rf"(?<![가-힣\w])({name})(?={office}(?:[은는이가을를의도,와과.)]|에게|께|$|\s))")
