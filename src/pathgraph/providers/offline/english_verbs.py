"""Facts that verbs state: who did what to whom, where, with whom.

Belongs here: active and passive clauses, their objects and prepositional phrases. Does not: facts without a verb of
their own (`english_nouns`), who the subject is (`english_arguments`).
"""

import re
from collections.abc import Iterator
from typing import Any

from pathgraph.providers.offline.english_arguments import (
    conjuncts,
    disagrees,
    intent,
    is_passive,
    is_real,
    names_of,
    subjects,
)
from pathgraph.providers.offline.english_names import Names
from pathgraph.providers.offline.english_nouns import host_before, role_name, roles
from pathgraph.providers.offline.english_words import (
    LIGHT_VERBS,
    OBJECT_ROLE_VERBS,
    PERSON_ROLES,
    PREDICATE_VERBS,
    SKIPPED_PREPOSITIONS,
    SUBJECT_ROLE_VERBS,
)
from pathgraph.providers.offline.facts import Fact, Name

# How often each kind of rule is right, measured on the tuned half of the gold set and rounded.
AGENT, OBJECT, OBLIQUE, CONCEPT_OBJECT, NESTED, PLANNED = 0.95, 0.9, 0.85, 0.7, 0.6, 0.6


# A name has no complement with these, so a phrase the parser hangs on an object's name is the verb's.
CARRIED = {"with", "to", "from", "against"}


def snake(text: str) -> str:
    """Return words joined by underscores, lower case, nothing but letters and digits."""
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_")


def verb_facts(verb: Any, names: Names) -> Iterator[Fact]:
    """Yield the facts of one verb; nothing when the sentence does not state them as true."""
    if verb.i in names.of_token or not is_real(verb) or disagrees(verb):
        return
    if any(c.dep_ == "xcomp" and c.pos_ == "VERB" for c in verb.children) and not is_passive(verb):
        return  # "agree to buy": "buy" tells
    who = subjects(verb, names)
    if is_passive(verb):
        yield from _passive(verb, who, names)
    elif verb.lemma_ != "be":
        yield from _active(verb, who, names)


def particle(verb: Any) -> str:
    """Return the particle of a phrasal verb as the end of a relation: "_down" of "break down"."""
    found = next((c.lower_ for c in verb.children if c.dep_ == "prt"), "")
    return f"_{found}" if found else ""


def _passive(verb: Any, who: list[Name], names: Names) -> Iterator[Fact]:
    lemma = snake(verb.lemma_) + particle(verb)
    for agent in (c for c in verb.children if c.dep_ == "agent"):
        doers = [n for p in agent.children if p.dep_ == "pobj" for n in names_of(p, names)]
        yield from (Fact(doer, lemma, name, AGENT) for doer in doers for name in who)
    given = _object_names(verb, names)
    yield from (Fact(name, snake(verb.text), other, OBJECT) for name in who for other in given)
    yield from _obliques(verb, snake(verb.text) + particle(verb), who, names)
    yield from _predicate(verb, who, names)


def _active(verb: Any, who: list[Name], names: Names) -> Iterator[Fact]:
    plan = intent(verb)
    lemma = plan + snake(verb.lemma_) + particle(verb)
    confidence = PLANNED if plan else OBJECT
    if verb.lemma_.lower() not in LIGHT_VERBS:
        for target in _objects(verb):
            found = names_of(target, names)
            yield from (Fact(name, lemma, other, confidence) for name in who for other in found)
    yield from _object_phrases(verb, lemma, who, names)
    yield from _obliques(verb, lemma, who, names)
    yield from _predicate(verb, who, names)


def _objects(verb: Any) -> list[Any]:
    return [c for c in verb.children if c.dep_ in {"dobj", "dative"} and c.pos_ in {"NOUN", "PROPN", "X", "NUM", "ADJ"}]


def _object_phrases(verb: Any, lemma: str, who: list[Name], names: Names) -> Iterator[Fact]:
    """Yield what common nouns as objects give: a concept, or "opened a factory in Georgia"."""
    from_light = verb.lemma_.lower() in LIGHT_VERBS
    if verb.lemma_.lower() == "include":
        return
    for target in (t for o in _objects(verb) for t in conjuncts(o)):
        if names.at(target) is not None or target.pos_ != "NOUN":
            continue
        concept = None if from_light else names.concept(target)
        if concept is not None:
            yield from (Fact(name, lemma, concept, CONCEPT_OBJECT) for name in who)
        steps = list(target.children) if concept else [*target.children, *verb.children]
        relation = f"{lemma}_{role_name(target)}"
        for prep in (c for c in steps if is_preposition(c)):
            for other in _objects_of(prep, names):
                yield from (Fact(name, f"{relation}_{prep.lower_}", other, OBLIQUE) for name in who)


def is_preposition(token: Any) -> bool:
    """Tell whether a token opens a phrase that says something about its verb's relation."""
    return (
        token.dep_ in {"prep", "dative"} and token.pos_ in {"ADP", "SCONJ"} and token.lower_ not in SKIPPED_PREPOSITIONS
    )


def _objects_of(prep: Any, names: Names) -> list[Name]:
    return [n for p in prep.children if p.dep_ == "pobj" for n in names_of(p, names)]


def _obliques(verb: Any, relation: str, who: list[Name], names: Names) -> Iterator[Fact]:
    """Yield "work at Google"; "present at a conference in San Jose"; "elected as president of France"."""
    plain = [o for o in _objects(verb) if names.at(o) is None and names.concept(o) is None]
    carried = [c for o in _objects(verb) if names.at(o) for c in o.children if c.lower_ in CARRIED and c.dep_ == "prep"]
    for prep in (c for c in [*verb.children, *carried] if is_preposition(c)):
        if prep.lower_ == "as" or _place_of_host(prep, names):
            continue
        if not plain:
            found = _objects_of(prep, names)
            yield from (Fact(n, f"{relation}_{prep.lower_}", o, OBLIQUE) for n in who for o in found)
        yield from _nested(prep, f"{relation}_{prep.lower_}", who, names)


def _place_of_host(prep: Any, names: Names) -> bool:
    """Tell "at CERN in Geneva": the place is the host's, not the verb's (`english_nouns` yields it)."""
    return host_before(prep, names) is not None


def _nested(prep: Any, relation: str, who: list[Name], names: Names) -> Iterator[Fact]:
    for target in (c for c in prep.children if c.dep_ == "pobj" and c.pos_ == "NOUN" and names.at(c) is None):
        for inner in (c for c in target.children if is_preposition(c)):
            longer = f"{relation}_{role_name(target)}_{inner.lower_}"
            yield from (Fact(n, longer, o, NESTED) for n in who for o in _objects_of(inner, names))


def _predicate(verb: Any, who: list[Name], names: Names) -> Iterator[Fact]:
    """Yield roles: "became CEO of Google", "served as mayor of London", "was appointed president of Kia"."""
    lemma = verb.lemma_.lower()
    for child in verb.children:
        if child.dep_ in {"attr", "oprd"} and lemma in PREDICATE_VERBS:
            objects = lemma in OBJECT_ROLE_VERBS and not is_passive(verb)
            yield from roles(_object_names(verb, names) if objects else who, child, names)
        if child.dep_ == "prep" and child.lower_ == "as":
            yield from _as_role(verb, child, who, names)
    for target in _objects(verb):
        for prep in (c for c in target.children if c.dep_ == "prep" and c.lower_ == "as"):
            yield from _as_role(verb, prep, who, names)


def _object_names(verb: Any, names: Names) -> list[Name]:
    return [n for o in _objects(verb) for n in names_of(o, names)]


def _as_role(verb: Any, prep: Any, who: list[Name], names: Names) -> Iterator[Fact]:
    lemma = verb.lemma_.lower()
    if lemma in OBJECT_ROLE_VERBS and not is_passive(verb):
        who = _object_names(verb, names)
    elif lemma not in SUBJECT_ROLE_VERBS | OBJECT_ROLE_VERBS:
        found = _objects_of(prep, names) if is_passive(verb) else []
        yield from (Fact(n, f"{snake(verb.text)}_as", o, OBLIQUE) for n in who for o in found)
        return
    for target in (c for c in prep.children if c.dep_ == "pobj" and c.lemma_.lower() in PERSON_ROLES):
        yield from roles(who, target, names)
