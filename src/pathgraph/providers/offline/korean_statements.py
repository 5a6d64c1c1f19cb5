"""What one clause states: its subject, objects and adverbials turned into directed facts.

Belongs here: the meaning of roles and voices (passive, appointment, "본사를 두다"). Does not: finding the roles
(`korean_clauses`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pathgraph.providers.offline.facts import CONCEPT, DATE, PLACE, Fact, Name
from pathgraph.providers.offline.korean_lexicon import lexicon
from pathgraph.providers.offline.korean_names import NounPhrase, relate
from pathgraph.providers.offline.korean_predicates import Predicate

OBJECT_CONFIDENCE = 0.85
ADVERB_CONFIDENCE = 0.7
COPULA_CONFIDENCE = 0.85
DATE_CONFIDENCE = 0.7
_ROLES_OBJECT = frozenset({"object", "bare"})
_PARTNERS = frozenset({"에", "에게", "와", "로", "부터"})


@dataclass(frozen=True)
class Group:
    """Coordinated noun phrases in one role ("A와 B를"); `form` is the canonical particle of an adverbial."""

    phrases: tuple[NounPhrase, ...]
    role: str
    form: str = ""

    @property
    def names(self) -> tuple[Name, ...]:
        """Its nodes, dates aside."""
        return tuple(p.name for p in self.phrases if p.name is not None and not p.date)

    @property
    def dates(self) -> tuple[Name, ...]:
        """Its dates with a year."""
        return tuple(p.name for p in self.phrases if p.name is not None and p.date)

    @property
    def named(self) -> bool:
        """Whether it holds a node."""
        return bool(self.names)

    @property
    def last(self) -> NounPhrase:
        """The phrase that carries the particle."""
        return self.phrases[-1]


@dataclass(frozen=True)
class Clause:
    """One predicate with its roles; `factor` scales the confidence of what it states."""

    predicate: Predicate
    subject: Group | None
    groups: tuple[Group, ...]
    factor: float

    @property
    def object(self) -> Group | None:
        """The object nearest to the predicate."""
        return next((g for g in reversed(self.groups) if g.role in _ROLES_OBJECT), None)

    def adverbs(self, *forms: str) -> list[Group]:
        """Return the named adverbials with one of the particles."""
        return [g for g in self.groups if g.role == "adverb" and g.form in forms and g.named]


def facts_of(clause: Clause) -> list[Fact]:
    """Return the facts of a clause with a verb, without self-relations and repeats."""
    found = list(_stated(clause))
    if not found:
        found = list(_dated(clause))
    scaled = [Fact(f.subject, f.relation, f.object, round(f.confidence * clause.factor, 3)) for f in found]
    return [f for f in dict.fromkeys(scaled) if _tells(f)]


def _tells(fact: Fact) -> bool:
    """Whether a fact connects two things and at least one of them is a name."""
    return fact.subject.text != fact.object.text and not {fact.subject.type, fact.object.type} <= {CONCEPT, DATE}


def _stated(clause: Clause) -> Iterator[Fact]:
    subject = clause.subject
    if subject is None:
        return
    if not subject.named and subject.last.owners:
        yield from _owned_subject(clause, subject.last)
    if clause.predicate.passive:
        yield from _passive(clause, subject)
    else:
        yield from _active(clause, subject)


def _owned_subject(clause: Clause, phrase: NounPhrase) -> Iterator[Fact]:
    """Read "셀트리온의 본사는 인천에 있다": the owner has it there."""
    lex = lexicon()
    if phrase.head in lex.attributes and clause.predicate.stem in lex.verbs["be"]:
        for place in clause.adverbs("에"):
            for owner in phrase.owners:
                yield from (Fact(owner, phrase.head, name, OBJECT_CONFIDENCE) for name in place.names)


def _relation(predicate: Predicate) -> str:
    lex = lexicon()
    if predicate.stem in lex.verbs["be"]:
        return "위치"
    return "출생" if predicate.stem in lex.verbs["birth"] else predicate.lemma


def _pairs(subject: Group, relation: str, objects: Group, confidence: float) -> Iterator[Fact]:
    result = objects.form == "로"  # "만장일치로" tells how or into what, and names nothing
    for s in subject.names:
        yield from (Fact(s, relation, o, confidence) for o in objects.names if not (o.type == CONCEPT and result))


def _passive(clause: Clause, subject: Group) -> Iterator[Fact]:
    stem, relation = clause.predicate.stem, _relation(clause.predicate)
    verbs = lexicon().verbs
    yield from _offices(clause, subject)
    agents = clause.adverbs("의해", "부터")
    if stem in verbs["agent"] | verbs["appoint"]:
        agents += [g for g in clause.adverbs("에게", "에") if g.names[-1].type != PLACE or stem in verbs["agent"]]
    if stem in verbs["instead"]:
        agents += clause.adverbs("로")
    for agent in agents:
        yield from _pairs(agent, relation, subject, OBJECT_CONFIDENCE)
    if stem in verbs["appoint"]:
        return
    others = [g for g in clause.adverbs("에", "에서", "로", "와", "에게") if g not in agents]
    for other in others:
        yield from _pairs(subject, relation, other, ADVERB_CONFIDENCE)


def _offices(clause: Clause, holder: Group) -> Iterator[Fact]:
    """An office with 로/에 in an appointment: the holder has it at its owner, else at the one who appoints."""
    lex = lexicon()
    if clause.predicate.stem not in lex.verbs["appoint"] | {"맡", "지내"}:
        return
    for g in clause.groups:
        phrase = g.last
        if not (phrase.name is None and lex.is_role(phrase.head) and g is not holder and g.role != "topic"):
            continue
        owners = phrase.owners or (clause.subject.names if clause.subject not in (None, holder) else ())
        for owner in owners:
            yield from (Fact(h, phrase.head, owner, OBJECT_CONFIDENCE) for h in holder.names)


def _active(clause: Clause, subject: Group) -> Iterator[Fact]:
    target = clause.object
    if target is None:
        yield from _intransitive(clause, subject)
    elif target.named:
        yield from _transitive(clause, subject, target)
    else:
        yield from _folded(clause, subject, target)


def _intransitive(clause: Clause, subject: Group) -> Iterator[Fact]:
    verbs = lexicon().verbs
    stem = clause.predicate.stem
    yield from _offices(clause, subject)
    if stem in verbs["say"] or stem in verbs["empty"] - verbs["be"]:
        return
    relation = _relation(clause.predicate)
    forms = ("에", "에서") if stem in verbs["be"] | verbs["birth"] else ("에", "에서", "에게", "와", "로", "부터")
    others = clause.adverbs(*forms)
    for other in others:
        yield from _pairs(subject, relation, other, ADVERB_CONFIDENCE)
    if stem in verbs["mutual"] and not others and len(subject.names) >= 2:
        first, *rest = subject.names
        yield from (Fact(first, relation, name, OBJECT_CONFIDENCE) for name in rest)


def _transitive(clause: Clause, subject: Group, target: Group) -> Iterator[Fact]:
    lex = lexicon()
    stem, relation = clause.predicate.stem, _relation(clause.predicate)
    if stem == "삼" or stem in lex.verbs["hold"]:
        offices = [g.last.head for g in clause.groups if g.form == "로" and lex.is_relational(g.last.head)]
        for office in offices:
            ends = (subject, target) if stem == "삼" else (target, subject)
            yield from _pairs(ends[0], office, ends[1], OBJECT_CONFIDENCE)
        if offices or stem == "삼":
            return
    if stem in lex.verbs["empty"]:
        return
    yield from _pairs(subject, relation, target, OBJECT_CONFIDENCE)
    if stem in lex.verbs["appoint"]:
        yield from _offices(clause, target)
    if stem in lex.verbs["say"]:
        return
    for other in clause.adverbs(*_PARTNERS):
        yield from _pairs(subject, relation, other, ADVERB_CONFIDENCE)


def _folded(clause: Clause, subject: Group, target: Group) -> Iterator[Fact]:
    """A common noun as object belongs to the verb: "계약을 체결하다" is the relation "계약 체결"."""
    lex = lexicon()
    noun, stem = target.last.head, clause.predicate.stem
    if not noun:  # an amount
        yield from _intransitive(clause, subject)
        return
    if stem in {"맡", "지내"}:
        yield from _offices(clause, subject)
        return
    relation = noun if stem == "하" else f"{noun} {clause.predicate.lemma}"
    if stem in lex.verbs["hold"] and lex.is_relational(noun):
        relation = noun
    elif stem in lex.verbs["say"] | (lex.verbs["empty"] - {"하"}):
        return
    for owner in target.last.owners:
        yield from (Fact(s, relation, owner, ADVERB_CONFIDENCE) for s in subject.names)
    for other in clause.adverbs("에", "에게", "에서", "와", "로", "부터"):
        yield from _pairs(subject, relation, other, ADVERB_CONFIDENCE)


def _dated(clause: Clause) -> Iterator[Fact]:
    """A year, when the clause connects its subject with nothing else: "포항제철은 1968년에 설립되었다"."""
    verbs = lexicon().verbs
    stem = clause.predicate.stem
    if clause.subject is None or clause.object is not None or stem in verbs["empty"] | verbs["say"] | verbs["be"]:
        return
    for g in clause.groups:
        for s in clause.subject.names:
            yield from (Fact(s, _relation(clause.predicate), d, DATE_CONFIDENCE) for d in g.dates)


def copula_facts(subject: Group | None, complement: NounPhrase, factor: float) -> list[Fact]:
    """Return what "A는 B이다" states.

    "A는 B의 R이다" and "B의 R은 A이다" state that A is R of B (an attribute the other way round); two proper names
    alone are stated to be the same.
    """
    if subject is None:
        return []
    confidence = round(COPULA_CONFIDENCE * factor, 3)
    if complement.owners and _relates(complement.head):
        facts = list(_complement_owned(subject, complement, confidence))
    elif len(subject.names) >= 2 and complement.name is None and complement.head in lexicon().verbs["mutual"]:
        first, *rest = subject.names
        facts = [Fact(first, complement.head, name, confidence) for name in rest]
    else:
        facts = list(_subject_owned(subject.last, complement, confidence))
    return [f for f in dict.fromkeys(facts) if _tells(f)]


def _relates(head: str) -> bool:
    lex = lexicon()
    return lex.is_relational(head) or head not in lex.light | lex.passing


def _complement_owned(subject: Group, complement: NounPhrase, confidence: float) -> Iterator[Fact]:
    """Read "A는 B의 R이다"; without 의 ("이승만은 대한민국 국적이다") an attribute is not turned round."""
    for owner in complement.owners:
        for s in subject.names:
            fact = Fact(s, complement.head, owner, confidence)
            yield fact if owner in complement.extra else relate(s, complement.head, owner, confidence)


def _subject_owned(phrase: NounPhrase, complement: NounPhrase, confidence: float) -> Iterator[Fact]:
    """Read "B의 R은 A이다"; a noun that is on no list is taken for an attribute of B."""
    lex = lexicon()
    if complement.date or phrase.proper or not _relates(phrase.head):
        return
    value = complement.name
    if value is None and phrase.head in lex.attributes:
        value = complement.common
    if value is None:
        return
    for owner in phrase.owners:
        if lex.is_role(phrase.head):
            yield relate(value, phrase.head, owner, confidence)
        elif phrase.head in lex.attributes or complement.proper:
            yield Fact(owner, phrase.head, value, confidence)
