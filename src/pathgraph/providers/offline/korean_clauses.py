"""Who did what: from the arguments and predicates of a Korean sentence to facts.

Korean is read left to right: arguments wait until their predicate comes, and the predicate's ending says whether
it closes the sentence, links to the next clause, is quoted, or modifies the noun after it.

Belongs here: which argument belongs to which predicate. Does not: what a clause's roles state (`korean_statements`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pathgraph.providers.offline.facts import ORGANISATION, PLACE, Fact
from pathgraph.providers.offline.korean_items import (
    ADVERB,
    AND,
    BARE,
    COPULA,
    GENITIVE,
    NONE,
    OBJECT,
    SUBJECT,
    TOPIC,
    Argument,
    Item,
)
from pathgraph.providers.offline.korean_lexicon import lexicon
from pathgraph.providers.offline.korean_names import NounPhrase
from pathgraph.providers.offline.korean_predicates import Ending, Predicate
from pathgraph.providers.offline.korean_statements import Clause, Group, copula_facts, facts_of

RELATIVE_FACTOR = 0.85
INHERITED_FACTOR = 0.85


@dataclass
class _State:
    waiting: list[Group] = field(default_factory=list)
    topic: Group | None = None
    topic_at: int = 0
    carried: Group | None = None
    gap: tuple[Predicate, list[Group]] | None = None
    cleft: tuple[Predicate, list[Group], NounPhrase] | None = None
    quoted: bool = False
    facts: list[Fact] = field(default_factory=list)


def read_clauses(items: Sequence[Item]) -> list[Fact]:
    """Return the facts that a sentence's predicates state, in order of the predicates."""
    state = _State()
    pending: list[Argument] = []
    for i, item in enumerate(items):
        if isinstance(item, Predicate):
            _flush(state, pending)
            _predicate(state, item, _next_argument(items, i))
            continue
        state.facts += item.phrase.facts
        if item.role in {GENITIVE, NONE}:
            _fill_gap(state, item)
            continue
        pending.append(item)
        _fill_gap(state, item)
        if item.role != AND:
            _flush(state, pending)
    return state.facts


def _next_argument(items: Sequence[Item], i: int) -> Argument | None:
    after = items[i + 1] if i + 1 < len(items) else None
    return after if isinstance(after, Argument) else None


def _flush(state: _State, pending: list[Argument]) -> None:
    """Turn the coordinated arguments seen so far into one group in the last one's role."""
    if not pending:
        return
    last = pending[-1]
    same = [a for a in pending[:-1] if a.phrase.date or not _comitative(a, last)]
    for argument in pending[:-1]:
        if argument not in same:
            _place(state, Group((argument.phrase,), ADVERB, "와"))
        elif argument.phrase.date:
            _place(state, Group((argument.phrase,), ADVERB, "에"))
    members = tuple(a.phrase for a in same if not a.phrase.date)
    if not (members and any(a.form == "등" for a in same) and not last.phrase.proper):
        members = (*members, last.phrase)
    role = BARE if last.role == AND else last.role
    if last.form == "로" and last.comma and state.topic is not None and last.phrase.owners:
        state.facts += copula_facts(state.topic, last.phrase, 1.0)
    else:
        _place(state, Group(members, role, last.form))
    pending.clear()


def _comitative(one: Argument, last: Argument) -> bool:
    """Whether "A와 B를" means together with A: A is a proper name and B only a common noun."""
    return bool(one.form) and one.phrase.proper and last.phrase.name is None and last.role == OBJECT


def _place(state: _State, group: Group) -> None:
    if group.role == TOPIC:
        if state.topic is not None and any(g.role == SUBJECT for g in state.waiting):
            group = Group(group.phrases, OBJECT, "")
        else:
            state.topic, state.topic_at = group, len(state.waiting)
            return
    if group.role == BARE and group.phrases[-1].date:
        group = Group(group.phrases, ADVERB, "에")
    state.waiting.append(group)


def _predicate(state: _State, predicate: Predicate, after: Argument | None) -> None:
    if predicate.serial:
        return
    if predicate.ending is Ending.RELATIVE:
        _relative(state, predicate, after)
    elif predicate.ending is Ending.QUOTE:
        _quoted(state, predicate)
    else:
        _main(state, predicate)


def _subject(state: _State) -> tuple[Group | None, float]:
    """Return the clause's subject and how far to trust it."""
    own = _last(state.waiting, SUBJECT)
    if own is not None:
        return own, 1.0
    if state.topic is not None:
        return state.topic, 1.0
    carried = state.carried
    if carried is not None and not any(p.proper for p in carried.phrases):
        return None, 0.0
    return carried, INHERITED_FACTOR


def _last(groups: Sequence[Group], role: str) -> Group | None:
    return next((g for g in reversed(groups) if g.role == role), None)


def _cleft(state: _State, predicate: Predicate) -> None:
    """Fill the gap of a clause before a common noun from the other side of 이다.

    "평안북도를 이끄는 사람은 이윤영이다" and "이윤영은 평안북도를 이끄는 사람이다" both say who leads.
    """
    waiting, state.cleft = state.cleft, None
    if waiting is None or not predicate.copula or predicate.unreal:
        return
    complement = _last(state.waiting, COPULA)
    other = _subject(state)[0] if complement is not None and complement.phrases[-1] is waiting[2] else complement
    for phrase in other.phrases if other is not None else ():
        if phrase.proper:
            state.gap = waiting[:2]
            _fill_gap(state, Argument(phrase, COPULA))


def _main(state: _State, predicate: Predicate) -> None:
    _cleft(state, predicate)
    subject, factor = _subject(state)
    groups = state.waiting
    if _topic_is_object(state, predicate):
        assert state.topic is not None
        groups = [*groups, Group(state.topic.phrases, OBJECT, "")]
    maker = _maker(state, predicate)
    if maker is not None and state.topic is not None:
        groups = [*(g for g in groups if g is not maker), Group(state.topic.phrases, OBJECT, "")]
        subject = maker
    if not (state.quoted and predicate.stem in lexicon().verbs["say"]):
        _state_clause(state, predicate, subject, groups, factor)
    state.carried = None if predicate.switch else subject
    state.waiting, state.topic_at = [], 0
    state.quoted = False


def _topic_is_object(state: _State, predicate: Predicate) -> bool:
    """Whether "거북선은 이순신이 만들었다" is meant: a named topic and a named subject, a verb without its object."""
    own = _last(state.waiting, SUBJECT)
    if own is None or state.topic is None or predicate.passive or predicate.copula:
        return False
    if _last(state.waiting, OBJECT) is not None or _last(state.waiting, BARE) is not None:
        return False
    verbs = lexicon().verbs
    if predicate.stem in verbs["empty"] | verbs["be"] | verbs["birth"] | verbs["mutual"] | verbs["say"]:
        return False
    return own.named and state.topic.named and not any(g.role == ADVERB and g.named for g in state.waiting)


def _maker(state: _State, predicate: Predicate) -> Group | None:
    """Return the organisation with 에서 that acts on the topic: "구글 어스는 구글에서 개발하였다"."""
    if predicate.stem not in lexicon().verbs["made"] or any(g.role in {SUBJECT, OBJECT, BARE} for g in state.waiting):
        return None
    return _agent(state.waiting, predicate, None)


def _quoted(state: _State, predicate: Predicate) -> None:
    at = max((i for i, g in enumerate(state.waiting) if g.role == SUBJECT), default=state.topic_at)
    subject, factor = _subject(state)
    _state_clause(state, predicate, subject, state.waiting[at:], factor)
    state.waiting, state.topic_at = state.waiting[:at], 0
    state.quoted = True


def _relative(state: _State, predicate: Predicate, after: Argument | None) -> None:
    """A clause before a noun: keep it for the noun when that is a name, else state it when the noun is a time."""
    at = max((i for i, g in enumerate(state.waiting) if g.role == SUBJECT), default=0)
    own = state.waiting[at:]
    if (after is not None and after.phrase.head in lexicon().times and after.phrase.name is None) or after is None:
        subject, factor = _subject(state)
        _state_clause(state, predicate, subject, own, factor * RELATIVE_FACTOR)
        state.carried = subject
        state.waiting = state.waiting[:at]
        return
    state.gap = (predicate, own)
    state.waiting = state.waiting[:at]


def _fill_gap(state: _State, head: Argument) -> None:
    """State the waiting relative clause about the name it modifies."""
    if state.gap is None:
        return
    if head.role == GENITIVE and head.phrase.name is not None and head.phrase.name.type == PLACE:
        return  # "김범석이 설립한 한국의 기업": the clause modifies what comes after
    predicate, groups = state.gap
    state.gap = None
    subject, target = _last(groups, SUBJECT), _last(groups, OBJECT) or _last(groups, BARE)
    if not head.phrase.proper and head.role in {TOPIC, SUBJECT, COPULA} and (subject is None or target is None):
        state.cleft = (predicate, groups, head.phrase)
    if head.phrase.name is None or head.phrase.weak or (head.role == COPULA and not head.phrase.proper):
        state.carried = subject or state.carried
        return
    _state_about(state, head.phrase, predicate, groups)


def _state_about(state: _State, phrase: NounPhrase, predicate: Predicate, groups: list[Group]) -> None:
    """State a relative clause about its head: as the subject or the object it lacks, or as a place."""
    subject, target = _last(groups, SUBJECT), _last(groups, OBJECT) or _last(groups, BARE)
    noun = Group((phrase,), SUBJECT, "")
    if subject is not None and (target is not None or predicate.copula):
        # The subject before a relative clause that has its object belongs to the main clause.
        state.waiting.append(subject)
        groups = [g for g in groups if g is not subject]
        subject = None
    if subject is None:
        agent = _agent(groups, predicate, target)
        if agent is None:
            _state_clause(state, predicate, noun, groups, RELATIVE_FACTOR)
            return
        groups = [g for g in groups if g is not agent]
        subject = agent
    if predicate.stem in lexicon().verbs["be"] | lexicon().verbs["birth"]:
        if phrase.name is not None and phrase.name.type in {PLACE, ""}:
            _state_clause(state, predicate, subject, [*groups, Group((phrase,), ADVERB, "에")], RELATIVE_FACTOR)
        return
    if not predicate.passive:
        _state_clause(state, predicate, subject, [*groups, Group((phrase,), OBJECT, "")], RELATIVE_FACTOR)


def _agent(groups: Sequence[Group], predicate: Predicate, target: Group | None) -> Group | None:
    """Return the one who acts: an organisation with 에서 ("구글에서 개발한 안드로이드")."""
    if target is not None or predicate.passive or predicate.stem in lexicon().verbs["be"]:
        return None
    for g in groups:
        name = g.phrases[-1].name
        if g.role == ADVERB and g.form == "에서" and name and name.type == ORGANISATION:
            return g
    return None


def _state_clause(
    state: _State, predicate: Predicate, subject: Group | None, groups: Sequence[Group], factor: float
) -> None:
    if predicate.unreal or predicate.adjective:
        return
    if predicate.copula:
        complement = _last(groups, COPULA)
        if complement is not None:
            state.facts += [f for p in complement.phrases for f in copula_facts(subject, p, factor)]
        return
    roles = [g for g in groups if g.role != SUBJECT]
    state.facts += facts_of(Clause(predicate, subject, tuple(roles), factor))
