"""Which names are one node: legal forms, the dictionary, and that no order matters."""

import random

from hypothesis import given
from hypothesis import strategies as st

from pathgraph.resolution.aliases import Alias
from pathgraph.resolution.resolve import resolve


def alias(canonical, other, kind="", line=2):
    return Alias(canonical, other, kind, line)


def same(names, *pair, aliases=()):
    found = resolve(names, aliases)
    return len({found[name].node_id for name in pair}) == 1


def test_a_bare_name_joins_the_one_known_form():
    names = ["Deutsche Bank", "Deutsche Bank AG"]
    assert same(names, *names)


def test_two_forms_of_one_name_stay_two_and_the_bare_name_is_a_third():
    names = ["Deutsche Bank", "Deutsche Bank AG", "Deutsche Bank GmbH"]
    found = resolve(names, ())
    assert len({who.node_id for who in found.values()}) == 3


def test_spellings_of_one_form_are_one():
    assert same(["㈜한빛", "한빛 주식회사", "(주)한빛"], "㈜한빛", "한빛 주식회사", "(주)한빛")


def test_look_alikes_stay_apart():
    for one, other in [("LG전자", "LG화학"), ("한빛전자", "한빛전기"), ("카카오", "카카오뱅크"), ("이재형", "이재명")]:
        assert not same([one, other], one, other)


def test_the_dictionary_joins_and_names_and_types():
    found = resolve(
        ["Hanbit Electronics Co., Ltd.", "한빛전자"], [alias("한빛전자", "Hanbit Electronics", "ORGANISATION")]
    )
    who = found["Hanbit Electronics Co., Ltd."]
    assert who.node_id == found["한빛전자"].node_id
    assert (who.name, who.type, who.method) == ("한빛전자", "ORGANISATION", "alias")
    assert found["한빛전자"].method == "normalised"


def test_chains_are_followed_to_the_end():
    found = resolve(["a", "b", "c"], [alias("b", "a"), alias("c", "b")])
    assert len({who.node_id for who in found.values()}) == 1
    assert found["a"].name == "c"


def test_a_cycle_that_only_normalisation_closes_still_ends():
    found = resolve(["X Inc", "Y"], [alias("Y", "X Inc"), alias("X Corp", "Y")])
    assert len({who.node_id for who in found.values()}) >= 1


def test_names_without_letters_are_left_out():
    assert resolve(["...", " ", "A"], ()).keys() == {"A"}


NAMES = st.lists(
    st.sampled_from(["Acme", "Acme AG", "Acme GmbH", "ACME Inc", "한빛", "㈜한빛", "LG", "엘지", "b", "c"]), max_size=8
)
LINES = st.lists(st.tuples(st.sampled_from(["Acme", "한빛", "LG"]), st.sampled_from(["엘지", "b", "c"])), max_size=4)


@given(NAMES, LINES, st.randoms())
def test_order_never_matters(names, lines, shuffler):
    owner = {other: canonical for canonical, other in lines}
    aliases = [alias(canonical, other) for other, canonical in owner.items()]
    first = resolve(names, aliases)
    mixed_names, mixed = random.Random(1).sample(names, len(names)), list(aliases)
    shuffler.shuffle(mixed)
    assert resolve(mixed_names, mixed) == first
