"""Normalising names: what must become equal, what must stay apart, and that Korean survives each step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.resolution.normalise import Normal, fold, legal_forms, normalise


@pytest.mark.parametrize(
    "name", ["㈜한빛전자", "(주)한빛전자", "주식회사 한빛전자", "한빛전자 주식회사", "한빛전자㈜", "주식회사한빛전자"]
)
def test_korean_legal_forms_leave_the_name(name):
    assert normalise(name) == Normal("한빛전자", "주식회사")


@pytest.mark.parametrize(
    ("name", "base", "form"),
    [
        ("Hanbit Electronics Co., Ltd.", "hanbit electronics", "co ltd"),
        ("HANBIT  ELECTRONICS", "hanbit electronics", ""),
        ("Deutsche Bank AG", "deutsche bank", "ag"),
        ("Deutsche Bank GmbH", "deutsche bank", "gmbh"),
        ("Apple Incorporated", "apple", "inc"),
        ("Novo Nordisk A/S", "novo nordisk", "as"),
        ("株式会社トヨタ", "トヨタ", "株式会社"),
        ("AG", "ag", ""),
        ("Company of Heroes", "company of heroes", ""),
        ("Limited Brands", "limited brands", ""),
        ("AT&T", "at&t", ""),
        ("C++", "c++", ""),
        ("교황_프란치스코", "교황 프란치스코", ""),
        ("“Le Monde”", "le monde", ""),
        ("Ｓａｍｓｕｎｇ", "samsung", ""),
        ("...", "", ""),
    ],
)
def test_names(name, base, form):
    assert normalise(name) == Normal(base, form)


@pytest.mark.parametrize(
    ("one", "other"), [("C++", "C"), ("C#", "C"), ("LG전자", "LG화학"), ("한빛전자", "한빛전기"), ("3.5", "35")]
)
def test_what_differs_in_meaning_stays_apart(one, other):
    assert normalise(one) != normalise(other)


@given(st.text(max_size=40))
def test_folding_twice_is_folding_once(name):
    assert fold(fold(name)) == fold(name)


@given(st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=20))
def test_hangul_survives_folding(name):
    assert fold(name) == name


@given(st.text(max_size=30))
def test_a_name_with_letters_keeps_a_base(name):
    assert bool(normalise(name).base) == bool(fold(name))


def test_every_listed_form_is_found_behind_a_name():
    for form, canonical in legal_forms().items():
        found = normalise(f"Qyzzel {form}")
        assert found.base.startswith("qyzzel"), form
        assert found.form, (form, canonical)
