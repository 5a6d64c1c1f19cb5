"""Facts that noun phrases state without a verb: appositions, roles, possessives, places in places.

Belongs here: "Lisa Su, CEO of AMD", "Apple's CEO Tim Cook", "Tainan, Taiwan", "CERN in Geneva", "X is a Y". Does not:
clauses (`english_verbs`).
"""

import re
from collections.abc import Iterator
from typing import Any

from pathgraph.providers.offline.english_arguments import conjuncts, is_real, names_of, subjects
from pathgraph.providers.offline.english_names import Names
from pathgraph.providers.offline.english_words import (
    EMPTY_ADJECTIVES,
    LOCATIVES,
    PERSON_ROLES,
    PORTFOLIO_ROLES,
    ROLE_ADJECTIVES,
)
from pathgraph.providers.offline.facts import CONCEPT, ORGANISATION, PERSON, PLACE, Fact, Name

ROLE, CLASS, LOCATED, OWNED = 0.9, 0.8, 0.8, 0.6
_ROLE_PREPOSITIONS = {"of", "in", "at", "for", "from", "to", "on", "with", "between", "near"}


def role_name(noun: Any) -> str:
    """Return a noun with what belongs to its meaning, as words of a relation: "chief_executive", "joint_venture"."""
    words = []
    for left in noun.lefts:
        kept = (left.dep_ == "compound" and left.pos_ != "PROPN") or left.lower_ in ROLE_ADJECTIVES
        words += [left.lower_] if kept and left.is_alpha else []
    if noun.i and noun.nbor(-1).tag_ == "HYPH":
        start = noun.i - 2 if noun.i >= 2 else noun.i
        return re.sub(r"[\W_]+", "_", noun.doc[start : noun.i + 1].text.lower()).strip("_")
    head = noun.lemma_.lower() if noun.tag_ in {"NN", "NNS"} else noun.lower_
    return re.sub(r"[\W_]+", "_", "_".join([*words, head])).strip("_")


def roles(holders: list[Name], noun: Any, names: Names) -> Iterator[Fact]:
    """Yield what a noun says its holders are: `capital_of`, `subsidiary_of`; or a class, `is_a`."""
    if noun.lower_ == "one":  # "one of the schools of Barry University"
        noun = next((p for c in noun.children if c.lower_ == "of" for p in c.children if p.dep_ == "pobj"), noun)
    for role in (t for t in conjuncts(noun) if t.pos_ in {"NOUN", "PROPN"} and t.i not in names.of_token):
        found = False
        for prep in (c for c in role.children if c.dep_ == "prep" and c.lower_ in _ROLE_PREPOSITIONS):
            targets = [n for p in prep.children if p.dep_ == "pobj" for n in names_of(p, names)]
            relation = f"{role_name(role)}_{prep.lower_}"
            if role.lower_ in PORTFOLIO_ROLES:
                targets = [t for t in targets if t.type == PLACE]  # not "Minister of State"
            yield from (Fact(h, relation, t, ROLE) for h in holders for t in targets)
            found = found or bool(targets) or prep.lower_ == "of"
        owners = [n for c in role.children if c.dep_ == "poss" for n in names_of(c, names)]
        yield from (Fact(h, f"{role_name(role)}_of", o, ROLE) for h in holders for o in owners)
        if not found and not owners:
            yield from _class(holders, role, names)


def _class(holders: list[Name], noun: Any, names: Names) -> Iterator[Fact]:
    """Yield `is_a` when the class says more than a bare category: "a programming language", not "a company"."""
    indefinite = any(c.dep_ == "det" and c.lower_ in {"a", "an"} for c in noun.lefts)
    if not indefinite or any(c.dep_ == "neg" for c in noun.children):
        return
    left = [c for c in noun.lefts if c.dep_ in {"amod", "compound", "nmod"} and c.lower_ not in EMPTY_ADJECTIVES]
    if not left or any(c.dep_ == "nummod" for c in noun.lefts):
        return
    start, end = names.start(left[0].left_edge), names.end(noun)
    text = names.frame.text[start:end]
    yield from (
        Fact(h, "is_a", Name(text, CONCEPT, start, end), CLASS) for h in holders if not h.start <= start < h.end
    )


def noun_facts(token: Any, names: Names) -> Iterator[Fact]:
    """Yield the facts of the noun phrase a token heads."""
    if token.dep_ == "appos":
        yield from _apposition(token, names)
    if token.lemma_ == "be" and token.pos_ in {"AUX", "VERB"} and is_real(token):
        for child in (c for c in token.children if c.dep_ == "attr"):
            yield from roles(subjects(token, names), child, names)
    if token.dep_ == "poss":
        yield from _possessive(token, names)
    if token.dep_ == "prep" and token.lower_ in LOCATIVES:
        yield from _located(token, names)
    if token.lower_ in PERSON_ROLES and token.i not in names.of_token:
        yield from _titled(token, names)


def _apposition(token: Any, names: Names) -> Iterator[Fact]:
    if any(t.pos_ in {"VERB", "AUX"} for t in token.doc[token.head.i + 1 : token.left_edge.i]):
        return  # so far away, it is the parser's guess
    own, before = names.at(token), names.at(token.head)
    if own is None and before is not None:
        # A place is nobody's bishop: "Archbishop of Rouen, Bishop of Ely".
        if before.type != PLACE or token.lower_ not in PERSON_ROLES:
            yield from roles([before], token, names)
    elif own is not None and own.type and token.head.i not in names.of_token and token.head.pos_ in {"NOUN", "PROPN"}:
        yield from roles([own], token.head, names)
    elif own is not None and before is not None and own.type == before.type == PLACE and not _listed(token, own):
        yield Fact(before, "located_in", own, LOCATED)


def _listed(token: Any, name: Name) -> bool:
    """Tell whether an apposition is rather an item of a list, or no place: "Disney, Dow", "Texas, 388 U.S. 14"."""
    return (
        token.head.dep_ == "conj" or any(c.dep_ == "conj" for c in token.children) or any(map(str.isdigit, name.text))
    )


def _possessive(token: Any, names: Names) -> Iterator[Fact]:
    """Yield "Sony's PlayStation 5": has; a role noun in between is `roles`' affair."""
    owner, owned = names.at(token), names.at(token.head)
    if owner is not None and owned is not None and token.head.i in names.of_token and owner.end <= owned.start:
        title = _role_before(token, names)
        if title:
            yield Fact(owned, f"{title}_of", owner, ROLE)
        elif owner.type and not _in_title(token):
            yield Fact(owner, "has", owned, OWNED)


def _in_title(token: Any) -> bool:
    """Tell "The Devil's Daughter": a capital article inside a sentence opens a title."""
    return any(c.dep_ == "det" and c.text[0].isupper() and c.i > 0 for c in token.lefts)


def _role_before(token: Any, names: Names) -> str:
    """Return the role between an owner and a person's name when the parser takes it into the name's phrase."""
    head = token.head
    words = [
        c for c in head.lefts if c.i > token.i and c.i not in names.of_token and c.pos_ in {"NOUN", "PROPN", "ADJ"}
    ]
    return "_".join(w.lower_ for w in words if w.is_alpha) if words and words[-1].lower_ in PERSON_ROLES else ""


def _located(prep: Any, names: Names) -> Iterator[Fact]:
    head = host_before(prep, names) or names.at(prep.head)
    if head is None or head.type == PERSON or not 0 <= names.start(prep) - head.end <= 1:
        return
    for target in (c for c in prep.children if c.dep_ == "pobj"):
        yield from (Fact(head, "located_in", n, LOCATED) for n in names_of(target, names) if n.type == PLACE)


def host_before(prep: Any, names: Names) -> Name | None:
    """Return CERN for the second preposition of "work at CERN in Geneva"; both hang on the verb."""
    before = names.of_token.get(prep.i - 1)
    if prep.lower_ not in LOCATIVES or before is None or before.type == PERSON or prep.head.pos_ != "VERB":
        return None
    hosts = [p for c in prep.head.children if c.dep_ == "prep" and c.lower_ == "at" for p in c.children]
    return before if any(names.of_token.get(h.i) == before for h in hosts) else None


def _titled(token: Any, names: Names) -> Iterator[Fact]:
    """Yield "Nvidia CEO Jensen Huang": an organisation right before a role, a name right after."""
    before, after = (
        names.of_token.get(token.i - 1),
        names.of_token.get(token.i + 1) if token.i + 1 < len(token.doc) else None,
    )
    start = token.i
    while before is None and start > 0 and token.doc[start - 1].lower_ in PERSON_ROLES | ROLE_ADJECTIVES:
        start -= 1
        before = names.of_token.get(start - 1)
    if (
        before is not None
        and after is not None
        and before.type in {ORGANISATION, PLACE, ""}
        and after.type in {PERSON, ""}
    ):
        role = "_".join(t.lower_ for t in token.doc[start : token.i + 1])
        yield Fact(after, f"{role}_of", before, ROLE)
