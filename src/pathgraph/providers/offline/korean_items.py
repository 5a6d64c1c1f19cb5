"""A Korean sentence as a row of items: noun phrases with their particles, and predicates.

Belongs here: cutting the row. Does not: what is inside a noun phrase (`korean_names`), who did what
(`korean_clauses`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pathgraph.providers.offline.facts import CONCEPT, DATE, LAW, Fact, Name
from pathgraph.providers.offline.korean_lexicon import lexicon
from pathgraph.providers.offline.korean_morphemes import Morpheme, Word, is_noun, words_of
from pathgraph.providers.offline.korean_names import NounPhrase, name_type, noun_phrase, relate
from pathgraph.providers.offline.korean_predicates import Predicate, attached_verb, read_predicate, starts_predicate

TOPIC, SUBJECT, OBJECT, GENITIVE, AND, BARE, COPULA, ADVERB, NONE = (
    "topic", "subject", "object", "genitive", "and", "bare", "copula", "adverb", "none",
)  # fmt: skip
PARENTHESIS_CONFIDENCE = 0.8
_ADVERBIAL = {
    "에": "에", "에서": "에서", "서": "에서", "에게": "에게", "한테": "에게", "께": "에게", "더러": "에게",
    "로": "로", "으로": "로", "로서": "로", "으로서": "로", "와": "와", "과": "와", "랑": "와", "이랑": "와",
    "하고": "와", "로부터": "부터", "으로부터": "부터", "에게서": "부터", "한테서": "부터",
}  # fmt: skip
_CONJUNCTIONS = frozenset({"및", "또는", "그리고", "혹은", "내지"})
_DATE_UNITS = frozenset({"년", "월", "일", "년대", "세기"})
_PRONOUNS = frozenset({"NP"})


@dataclass(frozen=True)
class Argument:
    """A noun phrase in its role; `form` is the canonical particle of an ADVERB.

    Attributes:
        adjacent_comma: a comma follows it.
    """

    phrase: NounPhrase
    role: str
    form: str = ""
    comma: bool = False


Item = Argument | Predicate


@dataclass
class _Reader:
    text: str
    morphemes: Sequence[Morpheme]
    at: int
    items: list[Item]
    owners: tuple[Name, ...] = ()
    definite: bool = False


def items_of(morphemes: Sequence[Morpheme], text: str) -> list[Item]:
    """Cut a sentence's morphemes into arguments and predicates, in order."""
    reader = _Reader(text, morphemes, 0, [])
    while reader.at < len(morphemes):
        _step(reader)
    return reader.items


def _step(r: _Reader) -> None:
    m = r.morphemes[r.at]
    if _date(r) or _quantity(r):
        return
    if is_noun(r.morphemes, r.at):
        _noun_run(r)
    elif m.tag in _PRONOUNS:
        r.at += 1
        _argument(r, NounPhrase(None, m.form))
    elif starts_predicate(m):
        predicate, r.at = read_predicate(r.morphemes, r.at, "")
        _predicate(r, predicate)
    else:
        _other(r, m)


def _other(r: _Reader, m: Morpheme) -> None:
    r.at += 1
    if m.tag == "MM":
        r.definite = m.form in {"이", "그", "저", "본", "동", "각", "모든", "어느", "어떤", "양"}
    elif m.form in _CONJUNCTIONS and r.items and isinstance(r.items[-1], Argument) and r.items[-1].role == BARE:
        r.items[-1] = replace(r.items[-1], role=AND)
    elif m.tag == "NNB" and r.items and isinstance(r.items[-1], Predicate):
        _argument(r, NounPhrase(None, m.form), bare=NONE)
    elif m.tag == "XR":
        _root_predicate(r, m)


def _root_predicate(r: _Reader, m: Morpheme) -> None:
    if r.at < len(r.morphemes) and attached_verb(r.morphemes[r.at], m.end):
        predicate, r.at = read_predicate(r.morphemes, r.at, m.form)
        _predicate(r, predicate)


def _predicate(r: _Reader, predicate: Predicate) -> None:
    last = r.items[-1] if r.items else None
    if isinstance(last, Argument) and last.role == ADVERB and predicate.stem in lexicon().verbs["adposition"]:
        form = "의해" if predicate.stem in {"의하", "말미암"} and last.form in {"에", "로"} else "none"
        r.items[-1] = replace(last, form=form)
        return
    if isinstance(last, Argument) and last.role == OBJECT and predicate.stem in lexicon().verbs["adposition"]:
        r.items[-1] = replace(last, role=NONE)
        return
    r.items.append(predicate)
    r.owners, r.definite = (), False


def _date(r: _Reader) -> bool:
    """Take "2020년 3월 1일" as one argument; it tells a law from another one of the same name before it."""
    at, first = r.at, r.at
    while at + 1 < len(r.morphemes) and r.morphemes[at].tag == "SN" and r.morphemes[at + 1].form in _DATE_UNITS:
        at += 2
    if at == first:
        return False
    start, end = r.morphemes[first].start, r.morphemes[at - 1].end
    yearly = any(m.form in {"년", "년대", "세기"} for m in r.morphemes[first:at])
    run = words_of(_run(r, at), r.text)
    if run and name_type(run) == LAW and r.text.find(r.text[run[0].start : run[-1].end]) < start:
        _noun_run(r, dated=list(r.morphemes[first:at]))
        return True
    name = Name(r.text[start:end], DATE, start, end) if yearly else None
    r.at = at
    _argument(r, NounPhrase(name, r.text[start:end], date=True))
    return True


def _run(r: _Reader, at: int) -> list[Morpheme]:
    end = at
    while end < len(r.morphemes) and is_noun(r.morphemes, end):
        end += 1
    return list(r.morphemes[at:end])


def _quantity(r: _Reader) -> bool:
    """Skip "75억 달러", "30만 명", "10%": amounts are no names."""
    at = r.at
    while at < len(r.morphemes) and r.morphemes[at].tag in {"SN", "NR"}:
        at += 1
    if at == r.at or at >= len(r.morphemes):
        return False
    unit = r.morphemes[at]
    law_date = unit.form in _DATE_UNITS
    counted = unit.tag in {"NNB", "XSN", "SW"} or r.morphemes[r.at].tag == "NR"
    if law_date or not counted:
        return False
    r.at = at + 1
    while r.at < len(r.morphemes) and r.morphemes[r.at].tag in {"NNB", "NR", "XSN"}:
        r.at += 1
    last = r.items[-1] if r.items else None
    if isinstance(last, Argument) and last.role == BARE and not last.phrase.date:
        r.items.pop()  # "지분 51%를": the amount belongs to the noun before it
        _argument(r, last.phrase)
    else:
        _argument(r, NounPhrase(None, ""))
    return True


def _noun_run(r: _Reader, dated: Sequence[Morpheme] = ()) -> None:
    run = [*dated, *_run(r, r.at + len(dated))]
    r.at += len(run)
    follower = r.morphemes[r.at] if r.at < len(r.morphemes) else None
    words = words_of(run, r.text)
    if not words:
        return
    if follower and attached_verb(follower, run[-1].end):
        _verbal_noun(r, words)
        return
    phrase = noun_phrase(words, r.text, r.owners, r.definite)
    _argument(r, phrase)


def _verbal_noun(r: _Reader, words: list[Word]) -> None:
    *before, last = words
    rest = [m for m in last.morphemes if m.tag in {"NNP", "SL"}] if last.morphemes[-1].tag != "NNP" else []
    if sum(len(m.form) for m in rest) == 1:
        rest = []
    noun = "".join(m.form for m in last.morphemes[len(rest) :])
    if rest:
        before = [*before, Word(tuple(rest), r.text[rest[0].start : rest[-1].end])]
    if before:
        r.items.append(Argument(noun_phrase(before, r.text, r.owners, r.definite), BARE))
    predicate, r.at = read_predicate(r.morphemes, r.at, noun)
    _predicate(r, predicate)


def _argument(r: _Reader, phrase: NounPhrase, bare: str = BARE) -> None:
    """Read what follows a noun phrase (parenthesis, 등, particles, comma) and add it in its role."""
    phrase = _parenthesis(r, phrase)
    listed = r.at < len(r.morphemes) and r.morphemes[r.at][:2] == ("등", "NNB")
    r.at += listed
    while r.at < len(r.morphemes) and r.morphemes[r.at].tag == "SSC":
        r.at += 1
    role, form = _particles(r, phrase)
    comma = r.at < len(r.morphemes) and r.morphemes[r.at].tag == "SP"
    if role == BARE and listed:
        role, form = AND, "등"
    elif role == BARE:
        role = AND if comma and bare == BARE else bare
    r.definite = False
    r.owners = ()
    if role == GENITIVE:
        r.owners = _genitive_owners(r, phrase)
    r.items.append(Argument(phrase, role, form, comma))


def _genitive_owners(r: _Reader, phrase: NounPhrase) -> tuple[Name, ...]:
    """The names before 의, those coordinated with the last one included ("노르웨이와 덴마크의")."""
    names = [phrase.name] if phrase.name is not None and not phrase.date else []
    for i in range(len(r.items) - 1, -1, -1):
        before = r.items[i]
        if not (isinstance(before, Argument) and before.role == AND and before.phrase.name and not before.phrase.date):
            break
        r.items[i] = replace(before, role=NONE)
        names.insert(0, before.phrase.name)
    return tuple(names)


def _particles(r: _Reader, phrase: NounPhrase) -> tuple[str, str]:
    role, form = BARE, ""
    while r.at < len(r.morphemes) and r.morphemes[r.at].tag.startswith("J"):
        m = r.morphemes[r.at]
        role, form = _particle(m, role, form)
        r.at += 1
        if m.tag == "JKQ":
            break
    if role == BARE and r.at < len(r.morphemes) and r.morphemes[r.at].tag == "VCP":
        return COPULA, ""
    return role, form


def _particle(m: Morpheme, role: str, form: str) -> tuple[str, str]:
    if m.tag == "JKG":
        return GENITIVE, ""
    if m.tag == "JKS":
        return SUBJECT, ""
    if m.tag == "JKO":
        return OBJECT, ""
    if m.tag == "JC":
        return AND, m.form
    if m.tag == "JKB":
        return ADVERB, _ADVERBIAL.get(m.form, "none")
    if m.tag == "JX" and role == BARE:
        return (TOPIC, "") if m.form in {"은", "는", "ᆫ", "도"} else (ADVERB, "none")
    return (role, form) if role != BARE else (NONE, "")


def _parenthesis(r: _Reader, phrase: NounPhrase) -> NounPhrase:
    """Read "카카오(대표이사 정신아)" and "세계보건기구(WHO)"; other parentheses are passed over."""
    if r.at >= len(r.morphemes) or r.morphemes[r.at].form not in {"(", "（"}:
        return phrase
    end = r.at + 1
    while end < len(r.morphemes) and r.morphemes[end].form not in {")", "）"}:
        end += 1
    inside = list(r.morphemes[r.at + 1 : end])
    if end >= len(r.morphemes):
        return phrase
    r.at = end + 1
    first = next((k for k, m in enumerate(inside) if m.tag == "SP"), len(inside))
    inside = inside[:first]
    if not inside or phrase.name is None or not all(is_noun(inside, k) for k in range(len(inside))):
        return phrase
    words = words_of(inside, r.text)
    facts, extra = _inside(phrase.name, words, r.text)
    return replace(phrase, facts=phrase.facts + facts, extra=phrase.extra + extra)


def _inside(name: Name, words: list[Word], text: str) -> tuple[tuple[Fact, ...], tuple[Name, ...]]:
    lex = lexicon()
    if len(words) >= 2 and lex.is_relational(words[0].text):
        other = noun_phrase(words[1:], text).name
        kind = lex.role_type(words[0].text)
        if other and kind and other.type in {"", CONCEPT}:
            other = replace(other, type=kind)
        return ((relate(other, words[0].text, name, PARENTHESIS_CONFIDENCE),), (other,)) if other else ((), ())
    span = noun_phrase(words, text).name
    if span is None or not any(w.proper for w in words):
        return (), ()
    if not {m.tag for w in words for m in w.morphemes} <= {"SL", "SH"}:
        return (), (span,)
    alias = replace(span, type=name.type)
    return (Fact(name, "별칭", alias, PARENTHESIS_CONFIDENCE),), (alias,)
