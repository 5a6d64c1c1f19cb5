"""Korean predicates: stem, voice, how the clause goes on, and whether it happened at all.

Belongs here: reading one predicate from its first morpheme to its last ending. Does not: who did what
(`korean_clauses`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from pathgraph.providers.offline.korean_lexicon import lexicon
from pathgraph.providers.offline.korean_morphemes import Morpheme


class Ending(Enum):
    """How a clause goes on after its predicate."""

    FINAL = "final"
    LINK = "link"
    QUOTE = "quote"
    RELATIVE = "relative"
    NOMINAL = "nominal"


@dataclass(frozen=True)
class Predicate:
    """One predicate.

    Attributes:
        lemma: what a relation is called: the noun of a 하다-verb ("인수"), else the stem with 다 ("만들다").
        stem: the lemma without 다.
        unreal: negated, asked, supposed, wanted or still to come.
        copula: 이다 (lemma "이다").
        adjective: says how something is, never what it does.
        switch: the next clause likely has another subject ("작고하자").
        serial: runs on into the next verb ("잇따라 만나").
    """

    lemma: str
    stem: str
    ending: Ending
    passive: bool = False
    unreal: bool = False
    copula: bool = False
    adjective: bool = False
    serial: bool = False
    switch: bool = False


_HADA = {"하": False, "되": True, "시키": False, "당하": True, "받": True}
_STEM_TAGS = ("VV", "VA", "VX", "VCP", "VCN")
_REPORTED = ("다고", "라고", "다며", "라며", "다면서", "라면서")
_REQUESTED = ("냐고", "자고", "으라고")
_NEGATIVE_AUXILIARIES = frozenset({"않", "못하", "말", "싶"})
_NEGATIVE_ADVERBS = frozenset({"안", "못", "아직"})


def starts_predicate(m: Morpheme) -> bool:
    """Tell whether a predicate begins at this morpheme."""
    return m.tag in {"XSV", "XSA"} or m.tag.startswith(_STEM_TAGS)


def attached_verb(m: Morpheme, noun_end: int) -> bool:
    """Tell whether the morpheme makes a verb of the noun that ends at `noun_end` ("인수" + "하", "멸망" + "당하")."""
    if m.tag in {"XSV", "XSA"}:
        return True
    return m.start == noun_end and m.tag.startswith("VV") and m.form in _HADA


def read_predicate(morphemes: Sequence[Morpheme], i: int, noun: str) -> tuple[Predicate, int]:
    """Read the predicate at `i`; returns it and the index after its last ending.

    Args:
        morphemes: the sentence.
        i: where the predicate begins.
        noun: the noun of a 하다-verb, '' for other predicates.
    """
    first = morphemes[i]
    lex = lexicon()
    stem = noun or first.form
    passive = bool(noun) and _HADA.get(first.form, False)
    if not noun and stem in lex.passives:
        stem, passive = lex.passives[stem], True
    copula = first.tag == "VCP"
    tail = _read_tail(morphemes, i + 1)
    unreal = tail.unreal or first.tag == "VCN" or _negated_before(morphemes, i, noun)
    unreal = unreal or (tail.ending is Ending.FINAL and _asks(morphemes, tail.next))
    adjective = first.tag in {"VA", "XSA"} and stem not in lex.verbs["be"]
    serial = not noun and morphemes[tail.next - 1].form in {"어", "아"} and _verb_at(morphemes, tail.next)
    switch = morphemes[tail.next - 1].form in lex.endings["switch"]
    lemma = noun or f"{stem}다"
    return (
        Predicate(lemma, stem, tail.ending, passive or tail.passive, unreal, copula, adjective, serial, switch),
        tail.next,
    )


def _verb_at(morphemes: Sequence[Morpheme], i: int) -> bool:
    return i < len(morphemes) and morphemes[i].tag.startswith("VV")


@dataclass
class _Tail:
    next: int
    ending: Ending = Ending.LINK
    passive: bool = False
    unreal: bool = False


def _read_tail(morphemes: Sequence[Morpheme], i: int) -> _Tail:
    tail = _Tail(i)
    while tail.next < len(morphemes):
        m = morphemes[tail.next]
        tail.next += 1
        if m.tag == "EP":
            tail.unreal |= m.form == "겠"
        elif m.tag == "EC" and _auxiliary(morphemes, tail):
            continue
        elif m.tag in {"EC", "EF", "ETM", "ETN"}:
            _close(morphemes, tail, m)
            return tail
        elif not m.tag.startswith("VX"):
            tail.next -= 1
            return tail
    return tail


def _auxiliary(morphemes: Sequence[Morpheme], tail: _Tail) -> bool:
    """Take the auxiliary after a connective ("고 있", "지 않", "어 지"); returns whether there was one."""
    if tail.next >= len(morphemes) or not morphemes[tail.next].tag.startswith("VX"):
        return False
    before, form = morphemes[tail.next - 1].form, morphemes[tail.next].form
    tail.unreal |= form in _NEGATIVE_AUXILIARIES or before in lexicon().endings["supposed"]
    tail.passive |= form == "지" and before in {"어", "아"}
    tail.next += 1
    return True


def _close(morphemes: Sequence[Morpheme], tail: _Tail, m: Morpheme) -> None:
    after = [x.form for x in morphemes[tail.next : tail.next + 2]]
    if m.tag == "EF":
        quoted = any(x.tag == "JKQ" for x in morphemes[tail.next : tail.next + 2])
        tail.ending = Ending.QUOTE if quoted else Ending.FINAL
        tail.unreal |= m.form in lexicon().endings["asked"]
    elif m.tag == "EC":
        reported = m.form.endswith(_REPORTED)
        tail.ending = Ending.QUOTE if reported or m.form.endswith(_REQUESTED) else Ending.LINK
        # -지 comes only before a negation, which the tokenizer does not always mark as such ("인수하지 못했다").
        tail.unreal |= m.form == "지" or m.form in lexicon().endings["supposed"] or m.form.endswith(_REQUESTED)
    elif m.tag == "ETM":
        tail.ending = Ending.QUOTE if m.form.endswith(("다는", "라는", "다던", "라던")) else Ending.RELATIVE
        tail.unreal |= m.form in {"ᆯ", "을"} or m.form.endswith(("려는", "자는"))
    else:
        tail.ending = Ending.NOMINAL
        tail.unreal |= m.form == "기"
    if (
        after[:1] == ["줄"]
        or (m.tag == "ETM" and after and after[0] in lexicon().verbs["unreal"])
        or after[:2] == ["것", "아니"]
    ):
        tail.unreal = True


def _negated_before(morphemes: Sequence[Morpheme], i: int, noun: str) -> bool:
    at = i - 1
    while noun and at >= 0 and morphemes[at].tag.startswith(("NN", "XR", "XPN", "XSN", "SL")):
        at -= 1
    return at >= 0 and morphemes[at].tag == "MAG" and morphemes[at].form in _NEGATIVE_ADVERBS


def _asks(morphemes: Sequence[Morpheme], i: int) -> bool:
    return any("?" in m.form for m in morphemes[i : i + 2] if m.tag.startswith("S"))
