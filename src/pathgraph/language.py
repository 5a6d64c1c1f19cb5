"""Which language a text or a name is in, by script and by common words; no model, no network.

Belongs here: language codes (ISO 639-1, `und` when unknown). Does not: splitting text by language
(`pathgraph.providers.offline`), sentence boundaries (`pathgraph.chunking.sentences`).
"""

from collections import Counter

import regex

SAMPLE_PIECES = 10
SAMPLE_CHARACTERS = 4_000
# Korean prose may be full of English terms, English prose names a few Korean things: a quarter parts them well.
_KOREAN_SHARE = 0.25
_JAPANESE_SHARE = 0.05
_STOP_WORD_SHARE = 0.04
_ENOUGH_WORDS = 20

_WORDS = regex.compile(r"[\p{L}\p{M}]+")
_HANGUL = regex.compile(r"\p{Script=Hangul}")
_KANA = regex.compile(r"[\p{Script=Hiragana}\p{Script=Katakana}]")
_HAN = regex.compile(r"\p{Script=Han}")
_LATIN = regex.compile(r"\p{Script=Latin}")
# One language a script, near enough; scripts that several large languages share are told apart below or left alone.
_SCRIPTS = {
    "el": regex.compile(r"\p{Script=Greek}"),
    "he": regex.compile(r"\p{Script=Hebrew}"),
    "th": regex.compile(r"\p{Script=Thai}"),
    "ka": regex.compile(r"\p{Script=Georgian}"),
    "hy": regex.compile(r"\p{Script=Armenian}"),
    "ta": regex.compile(r"\p{Script=Tamil}"),
    "cyrillic": regex.compile(r"\p{Script=Cyrillic}"),
    "arabic": regex.compile(r"\p{Script=Arabic}"),
}
_STOP_WORDS = {
    "en": "the of and to in is that for it with was on as are by this be from at an which or have not his were has its",
    "de": "der die das und ist in den von zu mit nicht ein eine auf für im dem des sich als auch wird es an werden bei",
    "fr": "le la les de des et est un une dans que pour qui sur avec pas au par du il ne se plus sont ce cette aux",
    "es": "el la los las de del y en que un una es por con para se no su al como más lo fue son este pero sus",
    "it": "il la di che e è un una per in del della con non sono si da nel le gli anche alla dei come più lo ha",
    "pt": "o a os as de do da e em que um uma é para com não por no na se mais como ao dos foi das são pelo",
    "nl": "de het een van en in is dat op te zijn met voor niet aan er die om ook als bij werd door naar uit",
    "sv": "och att det som en är på av för med till den inte har de ett om var han vid från kan men",
    "pl": "i w na z do się nie to jest że o jak po od za przez dla są ale był oraz jego tym",
    "tr": "ve bir bu da de için ile olarak daha çok olan gibi en kadar ne ise olduğu var sonra",
    "vi": "và của là các có được cho một trong không với người những này đã khi từ đến",
    "id": "yang dan di dengan untuk pada ini dari dalam itu adalah tidak ke oleh sebagai juga atau akan",
}
_STOP_WORD_SETS = {code: frozenset(words.split()) for code, words in _STOP_WORDS.items()}


def detect(text: str) -> str:
    """Return the ISO 639-1 code of the language most of the text is in, `und` when it cannot be told.

    Looks at no more than ten pieces of 4,000 characters, evenly spread, whatever the length of the text. Latin text
    too short for common words to show is taken for English.
    """
    words = _WORDS.findall(_sample(text))
    if not words:
        return "und"
    joined = " ".join(words)
    hangul = sum(1 for word in words if _HANGUL.search(word))
    if hangul >= _KOREAN_SHARE * len(words):
        return "ko"
    kana, han, latin = (len(script.findall(joined)) for script in (_KANA, _HAN, _LATIN))
    # One CJK character weighs about as much as two or three letters.
    if 2 * (kana + han) > latin and kana + han > 0:
        return "ja" if kana > _JAPANESE_SHARE * (kana + han) else "zh"
    if 2 * latin >= len(joined) - len(words):
        return _latin_language([word.lower() for word in words if _LATIN.match(word)])
    return _other_script(joined)


def script_language(name: str) -> str:
    """Return the language a short name is written in, by script alone: `ko`, `ja`, `zh`, `en` (any Latin) or `und`.

    Hangul wins over everything else in the name (㈜ and 삼성 SDI are Korean), kana over Han, Han over Latin.
    """
    for code, script in (("ko", _HANGUL), ("ja", _KANA), ("zh", _HAN), ("en", _LATIN)):
        if script.search(name):
            return code
    return "und"


def _sample(text: str) -> str:
    """Return the text, or evenly spread pieces of it when it is long."""
    if len(text) <= SAMPLE_PIECES * SAMPLE_CHARACTERS:
        return text
    step = (len(text) - SAMPLE_CHARACTERS) // (SAMPLE_PIECES - 1)
    return "\n".join(text[i * step : i * step + SAMPLE_CHARACTERS] for i in range(SAMPLE_PIECES))


def _latin_language(words: list[str]) -> str:
    """Return the language whose common words are the largest share of the words."""
    counts = Counter(words)
    shares = {
        code: sum(counts[word] for word in sorted(common)) / max(1, len(words))
        for code, common in _STOP_WORD_SETS.items()
    }
    best = max(shares, key=lambda code: shares[code])
    if shares[best] >= _STOP_WORD_SHARE and (len(words) >= _ENOUGH_WORDS or shares[best] > 1.5 * shares["en"]):
        return best
    return "und" if len(words) >= _ENOUGH_WORDS else "en"


def _other_script(letters: str) -> str:
    """Return the language of text that is neither CJK nor Latin."""
    counts = {code: len(script.findall(letters)) for code, script in _SCRIPTS.items()}
    best = max(counts, key=lambda code: counts[code])
    if counts[best] == 0:
        return "und"
    if best == "cyrillic":
        return _by_letters(letters, (("uk", "їєґі"), ("ru", "ыэё")))
    if best == "arabic":
        return "und" if regex.search("[پچژگٹڈےۆەێ]", letters) else "ar"
    return best


def _by_letters(letters: str, telling: tuple[tuple[str, str], ...]) -> str:
    """Return the first language one of whose telling letters occurs."""
    lowered = letters.lower()
    return next((code for code, only in telling if any(letter in lowered for letter in only)), "und")
