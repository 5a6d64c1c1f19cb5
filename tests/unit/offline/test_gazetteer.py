"""Finding the user's names: boundaries, particles, longest match, brute force as the oracle."""

import itertools
import time

from hypothesis import given
from hypothesis import strategies as st

from pathgraph.providers.offline.facts import GazetteerEntry
from pathgraph.providers.offline.gazetteer import Gazetteer, entries_of
from pathgraph.resolution.aliases import Alias


def found(text, *surfaces):
    hits = Gazetteer(GazetteerEntry(s) for s in surfaces).find(text)
    assert all(text[h.start : h.end] == h.entry.surface for h in hits)
    return [h.entry.surface for h in hits]


def test_latin_names_need_word_boundaries():
    assert found("Google, Googleplex, PreGoogle, (Google) Google's", "Google") == ["Google"] * 3


def test_hangul_names_may_carry_particles_and_nothing_else():
    assert (
        found("한빛전자는 한빛전자의 한빛전자에서도 한빛전자, 한빛전자상가 구한빛전자", "한빛전자") == ["한빛전자"] * 4
    )


def test_latin_names_in_korean_text():
    assert found("LG는 LG전자와 다르다. Kubernetes를 쓴다.", "LG", "Kubernetes") == ["LG", "Kubernetes"]


def test_the_longest_wins():
    assert found("New York Times Company of New York", "New York", "New York Times Company") == [
        "New York Times Company", "New York",
    ]  # fmt: skip


def test_names_with_signs_at_their_ends():
    assert found("She writes C++ and C#, not C.", "C++", "C#", "(주)") == ["C++", "C#"]
    assert found("(주)한빛전자가", "(주)한빛전자") == ["(주)한빛전자"]


def test_names_without_letters_are_ignored():
    assert len(Gazetteer([GazetteerEntry(""), GazetteerEntry("  "), GazetteerEntry("--")])) == 0


def test_a_typed_entry_beats_an_untyped_one_in_any_order():
    both = [GazetteerEntry("Kia", ""), GazetteerEntry("Kia", "ORGANISATION"), GazetteerEntry("Kia", "PLACE")]
    for entries in (both, both[::-1], [both[1], both[0], both[2]]):
        assert Gazetteer(entries).find("Kia")[0].entry.type == "ORGANISATION"


def test_aliases_carry_the_type_of_their_canonical():
    aliases = [Alias("한빛전자", "Hanbit", "ORGANISATION", 2), Alias("한빛전자", "한빛", "", 3)]
    assert entries_of(aliases) == [
        GazetteerEntry("Hanbit", "ORGANISATION"), GazetteerEntry("한빛", "ORGANISATION"),
        GazetteerEntry("한빛전자", "ORGANISATION"),
    ]  # fmt: skip


@given(
    st.text(st.sampled_from("aB 1-'가"), max_size=30),
    st.lists(st.text(st.sampled_from("aB 1-"), max_size=4), max_size=6),
)
def test_equals_brute_force_on_latin_names(text, surfaces):
    names = {s.strip() for s in surfaces if any(c.isalnum() for c in s)}
    hits = Gazetteer(GazetteerEntry(s) for s in surfaces).find(text)
    assert [h.start for h in hits] == sorted(h.start for h in hits)
    for one, other in itertools.pairwise(hits):
        assert one.end <= other.start
    for hit in hits:
        assert hit.entry.surface in names
        assert text[hit.start : hit.end] == hit.entry.surface
    if any(f" {n} " in f" {text} " for n in names if n[0].isalnum()):
        assert hits


def test_a_hundred_thousand_names_that_begin_alike_cost_nothing_per_look_up():
    gazetteer = Gazetteer(GazetteerEntry(f"Entity number {i} of group {i % 97}") for i in range(100_000))
    text = "Entity number 77 of group 77 bought Entity number 78 of group 9. " * 200
    start = time.process_time()
    hits = gazetteer.find(text)
    assert {h.entry.surface for h in hits} == {"Entity number 77 of group 77"}
    assert len(hits) == 200
    assert time.process_time() - start < 1.0


def test_a_short_name_does_not_tear_a_longer_one():
    names = Gazetteer([GazetteerEntry("Kestrel", "ORGANISATION"), GazetteerEntry("Kestrel Bay Foods", "ORGANISATION")])

    def found(text):
        return [hit.entry.surface for hit in names.find(text)]

    assert found("Kestrel Labs supplies yeast.") == []
    assert found("Kestrel Inc bought it. Kestrel CEO Kim. We sold Kestrel. The deal is done.") == ["Kestrel"] * 3
    assert found("Kestrel Bay Foods Group bakes.") == ["Kestrel Bay Foods"]
