import codecs
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.loading.encoding import decode

KOREAN = "대한민국의 수도는 서울이다. 한강이 도시를 가로지른다.\n"
JAPANESE = "日本の首都は東京です。これは日本語で書かれた文章であり、漢字とひらがなが混ざっています。\n" * 5
CHINESE = "中国的首都是北京。这是一篇用简体中文写的文章，内容是关于城市的历史和文化。\n" * 5
RUSSIAN = "Столица России — Москва. Это текст на русском языке о городе и его истории.\n" * 5
FRENCH = "La capitale de la France est Paris. Été comme hiver, les élèves vont à l'école après le déjeuner.\n" * 5


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf_8"),
        (codecs.BOM_UTF16_LE, "utf_16_le"),
        (codecs.BOM_UTF16_BE, "utf_16_be"),
        (codecs.BOM_UTF32_LE, "utf_32_le"),
        (codecs.BOM_UTF32_BE, "utf_32_be"),
    ],
)
def test_byte_order_marks(mark, encoding):
    found = decode(mark + KOREAN.encode(encoding))
    assert (found.text, found.encoding, found.replaced) == (KOREAN, encoding, 0)


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (KOREAN, "utf_8"),
        (KOREAN, "cp949"),
        (KOREAN, "johab"),
        (KOREAN, "iso2022_kr"),
        (KOREAN * 4, "utf_16_le"),
        (KOREAN * 4, "utf_32_be"),
        ("English text without any accent.", "utf_8"),
        ("plain English again, " * 20, "utf_16_le"),
        (JAPANESE, "iso2022_jp"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (CHINESE, "gb18030"),
        (RUSSIAN.replace("—", "-"), "koi8_r"),
        (RUSSIAN, "cp1251"),
        (FRENCH, "cp1252"),
        ("café", "cp1252"),
    ],
)
def test_text_without_mark(text, codec):
    assert decode(text.encode(codec)).text == text


@pytest.mark.parametrize("text", ["한글", "가", "서울 2024년", "AI 기본법", "똠방각하 펲시콜라", "㈜한빛"])
def test_short_korean_in_cp949_is_korean(text):
    found = decode(text.encode("cp949"))
    assert (found.text, found.encoding) == (text, "cp949")


def test_what_the_file_declares_counts_before_guesses_and_after_utf8():
    assert decode("Москва".encode("koi8_r"), "KOI8-R").text == "Москва"
    assert decode("서울".encode("cp949"), "euc-kr").text == "서울"
    assert decode("서울".encode(), "euc-kr").text == "서울"
    for nonsense in ("rot13", "zip", "no-such-codec", "utf-7", "\0"):
        assert decode(KOREAN.encode("cp949"), nonsense).text == KOREAN


@pytest.mark.parametrize("codec", ["utf_8", "cp949"])
def test_damaged_text_is_kept_and_counted(codec):
    data = (KOREAN * 20).encode(codec)
    cut = decode(data[:-3] if codec == "utf_8" else data[:-4])
    broken = decode(data[:301] + b"\xff" + data[301:])
    for found in (cut, broken):
        assert found.encoding == codec
        assert found.text.startswith(KOREAN[:20])
    assert broken.replaced >= 1


def test_bytes_that_are_no_text():
    noise = random.Random(1).randbytes(4096)
    assert decode(noise) is None
    assert decode(bytes(2000)) is None
    assert decode(bytes(range(256)) * 8) is None


def test_nothing_decodes_to_nothing():
    assert decode(b"").text == ""


def test_fifty_megabytes_in_one_line_take_seconds():
    import time

    data = ("대한민국 " * 4_000_000).encode("cp949")
    start = time.process_time()
    assert decode(data).encoding == "cp949"
    assert time.process_time() - start < 10


@given(st.binary(max_size=400), st.sampled_from(["", "euc-kr", "utf-16", "shift_jis"]))
def test_any_bytes_give_text_or_none(data, declared):
    found = decode(data, declared)
    assert found is None or isinstance(found.text, str)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=200))
def test_utf8_is_always_read_as_itself(text):
    if not text.startswith("\ufeff"):
        assert decode(text.encode()).text == text
