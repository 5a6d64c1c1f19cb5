"""General statements about kinds of things: "Butterflies feed on nectar", "Caffeine blocks adenosine receptors".

Belongs here: clauses in the present tense whose subject is a concept. Does not: clauses about names
(`english_verbs`).
"""

from collections.abc import Iterator
from typing import Any

from pathgraph.providers.offline.english_arguments import conjuncts, is_passive, is_real, subjects
from pathgraph.providers.offline.english_names import Names
from pathgraph.providers.offline.english_verbs import is_preposition, particle, snake
from pathgraph.providers.offline.english_words import LIGHT_VERBS
from pathgraph.providers.offline.facts import CONCEPT, Fact, Name

# Half of such facts say less than their sentence ("most", "in winter"), so they weigh less than any fact about names.
GENERIC = 0.5
_PRESENT = {"VBZ", "VBP"}


def generic_facts(verb: Any, names: Names) -> Iterator[Fact]:
    """Yield the facts of one verb whose subject is a concept, none when a name is its subject."""
    if (
        verb.i in names.of_token
        or verb.lemma_ == "include"
        or not _present(verb)
        or not is_real(verb)
        or subjects(verb, names)
    ):
        return
    who = _subjects(verb, names)
    for one, relation, other in _statements(verb, who, names):
        if one.text != other.text:
            yield Fact(one, relation, other, GENERIC)


def _present(verb: Any) -> bool:
    """Tell whether the clause is in the simple present, in which general statements are made."""
    helpers = [c for c in verb.children if c.dep_ in {"aux", "auxpass"}]
    if any(h.tag_ not in _PRESENT or h.lemma_ == "have" for h in helpers):
        return False
    return verb.tag_ == "VBN" if helpers else verb.tag_ in _PRESENT


def _subjects(verb: Any, names: Names) -> list[Name]:
    own = [c for c in verb.children if c.dep_ in {"nsubj", "nsubjpass"}]
    if not own and verb.dep_ == "conj":
        own = [c for c in verb.head.children if c.dep_ in {"nsubj", "nsubjpass"}]
    return _things(own, names)


def _things(tokens: list[Any], names: Names) -> list[Name]:
    """Return the names and concepts of noun phrases and their conjuncts; definite and counted ones are none."""
    found = [names.at(t) or _concept(t, names) for token in tokens for t in conjuncts(token)]
    return [name for name in found if name is not None]


def _concept(token: Any, names: Names) -> Name | None:
    if token.pos_ != "NOUN" or token.i in names.of_token:
        return None
    if any(c.dep_ == "poss" for c in token.lefts):
        return None
    if any(c.dep_ == "det" and c.lower_ not in {"a", "an", "some", "many", "most", "all"} for c in token.lefts):
        return None
    return names.phrase(token)


def _statements(verb: Any, who: list[Name], names: Names) -> Iterator[tuple[Name, str, Name]]:
    if not who:
        return
    if verb.lemma_ == "be" and not is_passive(verb):
        kinds = _things([c for c in verb.children if c.dep_ == "attr"], names)
        yield from ((one, "is_a", kind) for one in who for kind in kinds if kind.type == CONCEPT)
        return
    passive = is_passive(verb)
    relation = snake(verb.text if passive else verb.lemma_) + particle(verb)
    if passive:
        agents = [p for c in verb.children if c.dep_ == "agent" for p in c.children if p.dep_ == "pobj"]
        yield from ((doer, snake(verb.lemma_), one) for doer in _things(agents, names) for one in who)
    elif verb.lemma_.lower() not in LIGHT_VERBS:
        objects = _things([c for c in verb.children if c.dep_ == "dobj"], names)
        yield from ((one, relation, other) for one in who for other in objects)
    idiom = verb.lemma_.lower() in LIGHT_VERBS and any(c.dep_ == "dobj" for c in verb.children)
    for prep in (c for c in verb.children if is_preposition(c) and not idiom):  # not "take place in"
        others = _things([p for p in prep.children if p.dep_ == "pobj"], names)
        yield from ((one, f"{relation}_{prep.lower_}", other) for one in who for other in others)
