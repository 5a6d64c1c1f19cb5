"""Who takes part in a clause, and whether the clause says that something is so.

Belongs here: arguments of verbs through coordination, relative clauses, participles and control; negation, questions,
conditions. Does not: the facts built from them (`english_verbs`, `english_nouns`).
"""

from typing import Any

from pathgraph.providers.offline.english_names import Names
from pathgraph.providers.offline.english_words import (
    INTENT_VERBS,
    PLACE_PARTICIPLES,
    UNREAL_ADVERBS,
    UNREAL_MARKS,
    UNREAL_MODALS,
    UNREAL_VERBS,
)
from pathgraph.providers.offline.facts import Name

_RELATIVE = {"who", "which", "that", "whom"}
_MAX_DEPTH = 20


def conjuncts(token: Any) -> list[Any]:
    """Return the token and everything coordinated with it to its right, in order."""
    found = [token]
    for item in found:
        if len(found) > 200:
            break
        found.extend(c for c in item.children if c.dep_ == "conj" and c.i > item.i)
        # "A, B and C" is often parsed with B as an apposition of A that itself has a conjunct.
        found.extend(
            c
            for c in item.children
            if c.dep_ == "appos" and c.pos_ == "PROPN" and any(k.dep_ == "cc" for k in c.children)
        )
    return sorted(found, key=lambda t: t.i)


def names_of(token: Any, names: Names) -> list[Name]:
    """Return the names a noun phrase and its conjuncts stand for; a relative pronoun stands for its antecedent."""
    if token.lower_ in _RELATIVE and token.tag_ in {"WP", "WDT"}:
        clause = next((a for a in token.ancestors if a.dep_ in {"relcl", "ccomp", "acl"}), None)
        return antecedents(clause.head, token, names) if clause is not None else []
    if any(c.dep_ == "det" and c.lower_ == "no" for c in token.children):
        return []
    found = [names.at(t) for t in conjuncts(token) if not any(c.dep_ == "neg" for c in t.children)]
    return [n for n in found if n is not None]


def antecedents(head: Any, pronoun: Any, names: Names) -> list[Name]:
    """Return what a relative clause is about: its head, with the head's conjuncts where the verb is plural."""
    own = names.at(head)
    found = [own] if own else []
    if own is None and head.dep_ == "attr":
        return subjects(head.head, names)
    if own is None and head.dep_ == "appos":
        own = names.at(head.head)
        return [own] if own else []
    verb = pronoun.head
    plural = verb.tag_ == "VBP" or verb.lower_ in {"were", "are", "have"}
    other = names.at(head.head) if plural and head.dep_ == "conj" else None
    return [other, *found] if other else found


def subjects(verb: Any, names: Names, depth: int = 0) -> list[Name]:
    """Return the names that are the grammatical subject of a verb, also where it shares or inherits it."""
    if depth > _MAX_DEPTH:
        return []
    own = [c for c in verb.children if c.dep_ in {"nsubj", "nsubjpass"}]
    if own:
        return [n for s in own for n in names_of(s, names)]
    if verb.dep_ in {"acl", "relcl"}:
        return _of_modified(verb, names)
    if verb.dep_ == "xcomp" and (is_passive(verb.head) or any(c.dep_ == "dobj" for c in verb.head.children)):
        return []  # "GitHub is used to build software", "Kia chose Azure to cut costs": not GitHub, not Kia
    if any(c.dep_ == "mark" and c.lower_ == "as" for c in verb.children):
        return []  # "as stipulated in the Act, Congress met"
    if verb.dep_ in {"conj", "xcomp"} or (verb.dep_ == "advcl" and verb.tag_ in {"VBG", "VBN"}):
        return subjects(verb.head, names, depth + 1) if verb.head.pos_ in {"VERB", "AUX"} else []
    return []


def _of_modified(verb: Any, names: Names) -> list[Name]:
    """Return the subject of a participle after its noun: "Mogul, founded by X"; "Y, a company based in Z"."""
    head = verb.head
    if verb.tag_ not in {"VBN", "VBG", "VBD"}:
        return []
    name = names.at(head)
    clause = _predicate_of(head) if name is None or _after_comma(verb) else None
    if clause is not None:
        return subjects(clause, names)
    if name is None and head.dep_ == "appos":
        name = names.at(head.head)
    return [name] if name else []


def _after_comma(verb: Any) -> bool:
    return bool(verb.i > 0 and verb.left_edge.i > 0 and verb.left_edge.nbor(-1).text == ",")


def _predicate_of(noun: Any) -> Any | None:
    """Return the "is" over "an airport in Hawaii" for its last word: "X is an airport in Hawaii, located near Y"."""
    for _ in range(_MAX_DEPTH):
        if noun.dep_ == "attr":
            return noun.head
        if noun.dep_ not in {"pobj", "prep", "appos", "conj"}:
            return None
        noun = noun.head
    return None


def is_passive(verb: Any) -> bool:
    """Tell whether the verb's subject undergoes what the verb says."""
    if any(c.dep_ in {"auxpass", "nsubjpass", "agent"} for c in verb.children) or verb.lower_ in PLACE_PARTICIPLES:
        return True
    if verb.tag_ != "VBN" or any(c.dep_ in {"aux", "nsubj", "dobj"} for c in verb.children):
        return verb.tag_ == "VBD" and verb.dep_ == "acl" and not any(c.dep_ in {"dobj", "nsubj"} for c in verb.children)
    return verb.dep_ in {"acl", "advcl", "relcl"} or (verb.dep_ == "conj" and is_passive(verb.head))


def disagrees(verb: Any) -> bool:
    """Tell whether a plural verb has one singular name as its subject: a noun the tagger took for a verb."""
    if verb.tag_ != "VBP" or any(c.dep_ in {"aux", "auxpass"} for c in verb.children):
        return False
    own = [c for c in verb.children if c.dep_ == "nsubj"]
    return len(own) == 1 and own[0].tag_ == "NNP" and len(conjuncts(own[0])) == 1 and not own[0].text.endswith("s")


def is_real(verb: Any) -> bool:
    """Tell whether the sentence states the clause as a fact: no negation, question, condition or mere possibility."""
    token = verb
    for _ in range(_MAX_DEPTH):
        if _denied(token):
            return False
        if token.dep_ in {"ROOT", "relcl", "acl", "appos"} or token.head is token:
            return True
        if token.dep_ in {"ccomp", "xcomp", "pcomp"} and token.head.lemma_.lower() in UNREAL_VERBS:
            return False
        if token.dep_ == "conj" and any(c.lower_ == "but" for c in token.head.children):
            return True
        token = token.head
    return True


def _denied(token: Any) -> bool:
    for child in token.children:
        word = child.lower_
        if child.dep_ == "neg" or (child.dep_ == "advmod" and word in UNREAL_ADVERBS):
            return True
        if child.dep_ == "aux" and (word in UNREAL_MODALS or child.lemma_.lower() in UNREAL_MODALS):
            return True
        if child.dep_ in {"mark", "advmod"} and word in UNREAL_MARKS:
            return True
        if child.dep_ in {"nsubj", "nsubjpass"} and word in {"nobody", "none", "nothing", "neither"}:
            return True
    return False


def intent(verb: Any) -> str:
    """Return the words before the relation of a verb that is only planned: "agree_to_" before "buy"; else ''."""
    head = verb.head
    while verb.dep_ == "conj" and head.dep_ in {"xcomp", "conj"} and head is not verb:
        verb, head = head, head.head
    if verb.dep_ == "xcomp" and head.lemma_.lower() in INTENT_VERBS:
        return f"{head.lemma_.lower()}_to_"
    return ""
