"""Which relations are proposed as one, in which direction, and which are not."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.discovery.words import content, meaning, reads_backwards, type_meaning

sys.path.insert(0, str(Path(__file__).parent))
from seen_relations import fact, groups_of, named


def test_four_names_of_one_relation_in_two_languages_are_one_group_by_their_types():
    facts = [
        *(fact(n, "CEO", 100 + n) for n in range(4)),
        *(fact(10 + n, "대표이사", 110 + n) for n in range(3)),
        *(fact(20 + n, "is_ceo_of", 120 + n) for n in range(2)),
        fact(30, "leads", 130),
        *(fact(40 + n, "founded", 140 + n) for n in range(2)),
    ]
    first, second = named(groups_of(*facts))
    assert first == {"CEO": False, "대표이사": False, "is_ceo_of": False, "leads": False}
    assert second == {"founded": False}


def test_names_nobody_knows_are_one_group_when_they_connect_the_same_pairs():
    pairs = [(1, 101), (2, 102), (3, 103)]
    facts = [fact(a, "helms", b) for a, b in pairs] + [fact(a, "지휘봉", b) for a, b in pairs[:2]]
    (group,) = groups_of(*facts)
    assert named([group]) == [{"helms": False, "지휘봉": False}]
    assert group.members[1].reason == "same pairs: 2 of 2"


def test_one_shared_pair_is_too_little_between_names_that_are_not_alike():
    assert len(groups_of(fact(1, "helms", 101), fact(1, "mocks", 101))) == 2


def test_the_other_direction_is_found_by_pairs_by_types_and_by_the_passive():
    by_pairs = [fact(101, "feeds", 102), fact(103, "feeds", 104), fact(102, "eats", 101), fact(104, "eats", 103)]
    assert named(groups_of(*by_pairs)) == [{"eats": False, "feeds": True}]
    by_types = [fact(1, "leads", 101), fact(2, "leads", 102), fact(103, "CEO", 3)]
    assert named(groups_of(*by_types)) == [{"leads": False, "CEO": True}]
    by_form = [fact(101, "acquires", 102), fact(103, "acquires", 104), fact(105, "was_acquired_by", 106)]
    assert named(groups_of(*by_form)) == [{"acquires": False, "was_acquired_by": True}]


def test_another_preposition_with_another_object_is_another_relation():
    facts = [fact(101, "supply", 200), fact(102, "supply", 200), fact(101, "supply_to", 102)]
    assert len(groups_of(*facts)) == 2
    assert len(groups_of(fact(101, "supply", 102), fact(101, "supplies_to", 103))) == 1


def test_one_wrong_type_does_not_part_what_means_the_same():
    assert len(groups_of(fact(1, "leads", 101), fact(2, "leads", 102), fact(3, "is head of", 4))) == 1


def test_alike_vectors_join_only_what_has_the_same_types():
    def alike(relations):
        vectors = np.tile(np.float32([1, 0, 0]), (len(relations), 1))
        vectors[[one.name == "paints" for one in relations]] = np.float32([0, 1, 0])
        return vectors

    same = [fact(1, "helms", 101), fact(2, "guides", 102), fact(3, "paints", 103)]
    assert named(groups_of(*same, vectors=alike)) == [{"guides": False, "helms": False}, {"paints": False}]
    other = [fact(1, "helms", 101), fact(101, "guides", 200), fact(3, "paints", 103)]
    assert len(groups_of(*other, vectors=alike)) == 3


def test_unknown_types_neither_join_nor_part():
    assert len(groups_of(fact(300, "leads", 300), fact(2, "chief executive of", 102))) == 1
    assert len(groups_of(fact(300, "helms", 300), fact(2, "mocks", 102))) == 2
    assert len(groups_of(fact(300, "guides", 300), fact(300, "guided", 301))) == 1


FACTS = st.lists(
    st.builds(
        fact,
        st.sampled_from([1, 2, 101, 102]),
        st.sampled_from(["CEO", "leads", "led by", "대표이사", "owns", "own", "자회사", "mocks", "co_occurs", "_"]),
        st.sampled_from([3, 103, 104, 200, 300]),
        st.integers(1, 3),
    ),
    max_size=14,
)


@given(FACTS, st.randoms())
def test_groups_hold_every_relation_once_whatever_the_order(facts, random):
    groups = groups_of(*facts)
    members = [name for group in named(groups) for name in group]
    assert len(members) == len(set(members))
    assert sum(group.count for group in groups) == sum(f.relation not in {"_", "co_occurs"} for f in facts)
    shuffled = list(facts)
    random.shuffle(shuffled)
    assert named(groups_of(*shuffled)) == named(groups)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("acquires", "acquired"),
        ("is_ceo_of", "CEO"),
        ("isCeoOf", "대표 이사".replace(" ", "")),
        ("chief_executive_of", "leads"),
        ("인수하다", "인수"),
        ("인수했다", "acquire"),
        ("founder of", "설립"),
        ("based_in", "headquartered_in"),
    ],
)
def test_names_that_say_the_same(one, two):
    assert meaning(one) == meaning(two)


@pytest.mark.parametrize(
    ("one", "two"), [("founded", "leads"), ("owns", "자회사"), ("is_a", "is_in"), ("인수", "인증")]
)
def test_names_that_do_not(one, two):
    assert meaning(one) != meaning(two)


def test_words_of_grammar_alone_stay():
    assert content("is_in") == ("is", "in")
    assert content("") == ()


def test_passives_read_backwards():
    assert reads_backwards("acquired_by")
    assert reads_backwards("인수되다")
    assert not reads_backwards("by")
    assert not reads_backwards("acquires")


def test_types_have_synonyms():
    assert type_meaning("Company") == type_meaning("회사") == type_meaning("ORGANIZATION") == "ORGANISATION"
    assert type_meaning("Gizmo") == "gizmo"
