"""Language of texts and names."""

import time

import pytest

from pathgraph.language import detect, script_language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("삼성전자는 Harman을 인수했다.", "ko"),
        ("PathRAG는 GraphRAG, LightRAG, HippoRAG 2 paper보다 낫다", "ko"),
        ("Samsung acquired Harman.", "en"),
        ("The company is based in Seoul (서울) and sells phones to the world.", "en"),
        ("Der Hund ist in dem Haus und schläft.", "de"),
        ("Le chat est sur la table et le chien dort.", "fr"),
        ("El perro es de la casa que está en la calle.", "es"),
        ("Il cane è nella casa che non è di Paolo.", "it"),
        ("O cachorro não é da casa mas está em casa.", "pt"),
        ("東京は日本の首都です。", "ja"),
        ("北京是中国的首都。", "zh"),
        ("Привет, как вы?", "ru"),
        ("Αθήνα", "el"),
        ("กรุงเทพ", "th"),
        ("", "und"),
        ("123 !! \U0001f600", "und"),
        ("qwx zzk " * 30, "und"),
    ],
)
def test_detect(text, code):
    assert detect(text) == code


def test_detect_takes_bounded_time_on_long_text():
    text = "가나다 abc def. " * 3_500_000
    begin = time.process_time()
    assert detect(text) == "ko"
    assert time.process_time() - begin < 0.5


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("삼성전자", "ko"), ("㈜LG", "ko"), ("삼성 SDI", "ko"), ("Samsung", "en"), ("Ünïon", "en"), ("ＬＧ", "en"),
        ("三星", "zh"), ("ソニー", "ja"), ("123", "und"), ("", "und"), ("Газпром", "und"),
    ],
)  # fmt: skip
def test_script_language(name, code):
    assert script_language(name) == code
