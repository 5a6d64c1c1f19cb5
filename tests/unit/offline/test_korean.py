"""The Korean reader: what each rule reads out of a sentence, and what it must leave out."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("kiwipiepy")

from pathgraph.providers.offline.facts import GazetteerEntry, Reading
from pathgraph.providers.offline.korean import MAX_PHRASES, KoreanReader
from pathgraph.text import sanitise


@pytest.fixture(scope="module")
def reader():
    return KoreanReader()


def triples(reader, text, known=()):
    (reading,) = reader.read([text], list(known))
    return {(f.subject.text, f.relation, f.object.text) for f in reading.facts}


def phrases(reader, text, known=()):
    (reading,) = reader.read([text], list(known))
    return {name.text: name.type for name in reading.phrases}


STATEMENTS = [
    ("object", "카카오는 로엔엔터테인먼트를 인수했다.", {("카카오", "인수", "로엔엔터테인먼트")}),
    ("native verb", "구글이 안드로이드를 만들었다.", {("구글", "만들다", "안드로이드")}),
    ("noun + 을 하다", "카카오는 네이버를 비판을 했다.", set()),
    ("progressive", "네이버는 밴드닷컴을 운영하고 있다.", {("네이버", "운영", "밴드닷컴")}),
    ("by", "유튜브는 구글에 의해 인수되었다.", {("구글", "인수", "유튜브")}),
    ("passive, 에", "하만은 삼성전자에 인수됐다.", {("삼성전자", "인수", "하만")}),
    ("passive, place", "하만은 서울에 설립됐다.", {("하만", "설립", "서울")}),
    ("당하다", "고구려는 신라에 멸망당했다.", {("신라", "멸망", "고구려")}),
    ("어지다", "거북선은 이순신에 의해 만들어졌다.", {("이순신", "만들다", "거북선")}),
    ("causative", "신라는 백제를 멸망시켰다.", {("신라", "멸망", "백제")}),
    ("instead", "증권거래법은 자본시장법으로 대체되었다.", {("자본시장법", "대체", "증권거래법")}),
    ("supersedes", "자본시장법은 증권거래법을 대체한다.", {("자본시장법", "대체", "증권거래법")}),
    ("headquarters", "쿠팡은 서울에 본사를 두고 있다.", {("쿠팡", "본사", "서울")}),
    ("headquarters, owner", "쿠팡의 본사는 서울에 있다.", {("쿠팡", "본사", "서울")}),
    ("place", "불국사는 경주시에 위치한다.", {("불국사", "위치", "경주시")}),
    ("birth", "윤동주는 북간도에서 태어났다.", {("윤동주", "출생", "북간도")}),
    ("title after", "삼성전자 이재용 회장이 웃었다.", {("이재용", "회장", "삼성전자")}),
    ("title, organisation between", "최수연 네이버 대표이사가 웃었다.", {("최수연", "대표이사", "네이버")}),
    ("title fused", "김영록 전라남도지사가 웃었다.", {("김영록", "지사", "전라남도")}),
    ("title in parentheses", "고흥군(군수 송귀근)은 바쁘다.", {("송귀근", "군수", "고흥군")}),
    ("title is who", "카카오의 대표이사는 정신아이다.", {("정신아", "대표이사", "카카오")}),
    ("who is title", "정신아는 카카오의 대표이사이다.", {("정신아", "대표이사", "카카오")}),
    ("honorific is no relation", "카카오의 정신아 씨가 웃었다.", set()),
    ("member", "새누리당 조원진이 웃었다.", {("조원진", "소속", "새누리당")}),
    ("apposition", "대한민국의 수도 서울이 붐빈다.", {("서울", "수도", "대한민국")}),
    ("apposition, no 의", "카카오 자회사 카카오뱅크가 성장했다.", {("카카오뱅크", "자회사", "카카오")}),
    ("copula", "서울은 대한민국의 수도이다.", {("서울", "수도", "대한민국")}),
    ("copula, attribute", "김소월의 대표작은 진달래꽃이다.", {("김소월", "대표작", "진달래꽃")}),
    ("copula, relative", "대한민국의 수도인 서울은 붐빈다.", {("서울", "수도", "대한민국")}),
    ("copula, no 의", "이승만은 대한민국 국적이다.", {("이승만", "국적", "대한민국")}),
    ("copula with 로,", "손흥민은 대한민국의 축구 선수로, 런던에서 살았다.",
     {("손흥민", "선수", "대한민국"), ("손흥민", "살다", "런던")}),
    ("alias", "세계보건기구(WHO)는 바쁘다.", {("세계보건기구", "별칭", "WHO")}),
    ("relative, object gap", "김범수가 창업한 카카오는 바쁘다.", {("김범수", "창업", "카카오")}),
    ("relative, subject gap", "챗GPT을 개발한 OpenAI는 바쁘다.", {("OpenAI", "개발", "챗GPT")}),
    ("relative, outer subject", "구글이 유튜브를 만든 페이팔을 도왔다.",
     {("페이팔", "만들다", "유튜브"), ("구글", "돕다", "페이팔")}),
    ("relative, time noun", "카카오는 로엔엔터테인먼트를 인수한 뒤 웃었다.", {("카카오", "인수", "로엔엔터테인먼트")}),
    ("relative, 에서", "구글에서 개발한 안드로이드가 인기다.", {("구글", "개발", "안드로이드")}),
    ("에서 with a topic", "안드로이드는 구글에서 개발하였다.", {("구글", "개발", "안드로이드")}),
    ("topic as object", "거북선은 이순신이 만들었다.", {("이순신", "만들다", "거북선")}),
    ("coordinated objects", "아모레퍼시픽은 설화수와 이니스프리를 판매한다.",
     {("아모레퍼시픽", "판매", "설화수"), ("아모레퍼시픽", "판매", "이니스프리")}),
    ("coordinated subjects", "넥슨과 넷마블은 메이플스토리를 출시했다.",
     {("넥슨", "출시", "메이플스토리"), ("넷마블", "출시", "메이플스토리")}),
    ("및 and comma", "한화는 한화큐셀, 한화오션 및 한화시스템을 보유했다.",
     {("한화", "보유", "한화큐셀"), ("한화", "보유", "한화오션"), ("한화", "보유", "한화시스템")}),
    ("mutual", "삼성물산과 제일모직은 합병했다.", {("삼성물산", "합병", "제일모직")}),
    ("comitative", "카카오는 네이버와 협약을 체결했다.", {("카카오", "협약 체결", "네이버")}),
    ("linked clauses", "네이버는 라인플러스를 설립하고 왓챠를 인수했다.",
     {("네이버", "설립", "라인플러스"), ("네이버", "인수", "왓챠")}),
    ("folded object", "텐센트는 크래프톤의 지분을 매입했다.", {("텐센트", "지분 매입", "크래프톤")}),
    ("receiver", "삼성디스플레이는 애플에 OLED 패널을 공급한다.",
     {("삼성디스플레이", "공급", "OLED 패널"), ("삼성디스플레이", "공급", "애플")}),
    ("appoint", "LG전자는 조주완을 대표이사로 선임했다.",
     {("LG전자", "선임", "조주완"), ("조주완", "대표이사", "LG전자")}),
    ("appointed", "한국은행 총재에 이창용이 임명됐다.", {("이창용", "총재", "한국은행")}),
    ("capital", "고려는 개경을 수도로 삼았다.", {("고려", "수도", "개경")}),
    ("quotation", '금융감독원은 "카카오가 은행법을 위반했다"고 밝혔다.', {("카카오", "위반", "은행법")}),
    ("reported", "구글은 애플이 비츠뮤직을 인수했다고 말했다.", {("애플", "인수", "비츠뮤직")}),
    ("date alone", "포항제철은 1968년에 설립되었다.", {("포항제철", "설립", "1968년")}),
    ("date beside an object", "카카오는 2021년 로엔엔터테인먼트를 인수했다.", {("카카오", "인수", "로엔엔터테인먼트")}),
    ("amount", "Microsoft는 GitHub를 75억 달러에 인수했다.", {("Microsoft", "인수", "GitHub")}),
    ("legal form", "㈜안랩은 V3를 개발했다.", {("안랩", "개발", "V3")}),
    ("law with a year", "신용정보법은 2015년 신용정보법을 대체한다.", {("신용정보법", "대체", "2015년 신용정보법")}),
    ("titles in brackets", "박경리는 『토지와 바다』를 썼다.", {("박경리", "쓰다", "토지와 바다")}),
    ("cleft", "평안북도를 이끄는 사람은 이윤영이다.", {("이윤영", "이끌다", "평안북도")}),
    ("cleft, other side", "이윤영은 평안북도를 이끄는 사람이다.", {("이윤영", "이끌다", "평안북도")}),
    ("cleft, place", "신라가 있는 곳은 경주시이다.", {("신라", "위치", "경주시")}),
    ("attribute of a common noun", "윤보선의 직업은 정치가이다.", {("윤보선", "직업", "정치가")}),
    ("unlisted attribute", "카카오의 마스코트는 라이언이다.", {("카카오", "마스코트", "라이언")}),
    ("mutual copula", "박원종과 류자광은 친척이다.", {("박원종", "친척", "류자광")}),
    ("shared genitive", "하랄드는 노르웨이와 덴마크의 지도자이다.",
     {("하랄드", "지도자", "노르웨이"), ("하랄드", "지도자", "덴마크")}),
    ("genitive place passed over", "쿠팡은 김범석이 설립한 대한민국의 기업이다.", {("김범석", "설립", "쿠팡")}),
    ("regnal number", "교황 비오 5세는 로마에서 사망했다.", {("비오 5세", "사망", "로마")}),
    ("as its subsidiary", "두산은 밥캣코리아를 자회사로 두고 있다.", {("밥캣코리아", "자회사", "두산")}),
    ("amount beside a noun", "한화는 대우조선의 지분 51%를 인수했다.", {("한화", "지분 인수", "대우조선")}),
    ("amount as object", "산업은행은 대우조선에 1,200억 원을 대출했다.", {("산업은행", "대출", "대우조선")}),
    ("list with 등", "네이버, 쿠팡 등 대기업이 넷마블에 투자했다.",
     {("네이버", "투자", "넷마블"), ("쿠팡", "투자", "넷마블")}),
    ("law and date", "국회는 2021년 7월 1일 개인정보 보호법을 시행했다.", {("국회", "시행", "개인정보 보호법")}),
    ("torn name", "누리금융의 회장은 길서진이다.", {("길서진", "회장", "누리금융")}),
    ("two-syllable surname", "남궁설은 한국은행의 총재이다.", {("남궁설", "총재", "한국은행")}),
    ("prefix taken for a determiner", "윤가람은 한가람대학교를 졸업했다.", {("윤가람", "졸업", "한가람대학교")}),
    ("other subject after 자", "안창호가 작고하자 삼일문을 세웠다.", set()),
    ("two common nouns", "의사 단체는 환자 단체를 지원했다.", set()),
    ("hanja", "金九는 臨時政府를 이끌었다.", {("金九", "이끌다", "臨時政府")}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in STATEMENTS], ids=[case[0] for case in STATEMENTS])
def test_statement(reader, text, expected):
    assert triples(reader, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "카카오는 로엔엔터테인먼트를 인수하지 않았다.",
        "카카오는 로엔엔터테인먼트를 인수하지 못했다.",
        "카카오는 로엔엔터테인먼트를 안 인수했다.",
        "카카오가 로엔엔터테인먼트를 인수할까?",
        "카카오가 로엔엔터테인먼트를 인수했는가?",
        "카카오가 로엔엔터테인먼트를 인수했습니까?",
        "카카오가 로엔엔터테인먼트를 인수하면 좋다.",
        "카카오는 로엔엔터테인먼트를 인수할 것이다.",
        "카카오는 로엔엔터테인먼트를 인수할 수 있다.",
        "카카오는 로엔엔터테인먼트를 인수할 계획이다.",
        "카카오는 로엔엔터테인먼트를 인수하려고 한다.",
        "카카오는 로엔엔터테인먼트를 인수하기로 했다.",
        "카카오는 로엔엔터테인먼트를 인수하고 싶다.",
        "카카오는 로엔엔터테인먼트를 인수하겠다고 말했다.",
        "카카오는 로엔엔터테인먼트의 자회사가 아니다.",
    ],
)
def test_what_did_not_happen_is_no_fact(reader, text):
    assert triples(reader, text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "그는 이 회사를 설립했다.",
        "그녀는 해당 기관의 대표이사이다.",
        "이 회사는 서울에 본사를 두고 있다.",
        "동사는 서울에 위치하고 있다.",
        "우리는 그것을 인수했다.",
        "2019년에 서비스를 종료했다.",
    ],
)
def test_pronouns_and_bare_definites_are_no_nodes(reader, text):
    names = set(phrases(reader, text)) | {name for s, _, o in triples(reader, text) for name in (s, o)}
    assert names <= {"서울"}
    assert triples(reader, text) == set()


@pytest.mark.parametrize(
    "particle",
    [
        "가",
        "는",
        "를",
        "의",
        "에",
        "에서",
        "에게",
        "와",
        "로",
        "도",
        "만",
        "까지",
        "부터",
        "보다",
        "에는",
        "로부터",
        "",
    ],
)
def test_particles_are_cut_off(reader, particle):
    text = f"어제 삼성전자{particle} 새 소식이 들렸다."
    (reading,) = reader.read([text], [])
    (name,) = [n for n in reading.phrases if "삼성" in n.text]
    assert (name.text, name.start, name.end) == ("삼성전자", 3, 7)


TYPES = [
    ("한국은행이 바쁘다.", "한국은행", "ORGANISATION"),
    ("고려대학교가 붐빈다.", "고려대학교", "ORGANISATION"),
    ("경주시가 붐빈다.", "경주시", "PLACE"),
    ("프랑스가 이겼다.", "프랑스", "PLACE"),
    ("개인정보 보호법이 바뀌었다.", "개인정보 보호법", "LAW"),
    ("명량해전이 일어났다.", "명량해전", "EVENT"),
    ("배우 송강호가 왔다.", "송강호", "PERSON"),
    ("김철수가 왔다.", "김철수", "PERSON"),
    ("영화 아바타가 개봉했다.", "아바타", "PRODUCT"),
    ("양자 역학이 어렵다.", "양자 역학", "CONCEPT"),
]


@pytest.mark.parametrize(("text", "name", "kind"), TYPES)
def test_types(reader, text, name, kind):
    assert phrases(reader, text).get(name) == kind


def test_general_nouns_are_no_phrases(reader):
    assert phrases(reader, "많은 사람들이 그 소식을 듣고 회사에서 책임감을 느꼈다.") == {}


def test_known_names_come_whole(reader):
    known = [GazetteerEntry("우아한형제들", "ORGANISATION"), GazetteerEntry("배달의민족", "PRODUCT")]
    text = "우아한형제들은 배달의민족을 운영한다."
    assert triples(reader, text, known) == {("우아한형제들", "운영", "배달의민족")}
    assert phrases(reader, text, known) == {"우아한형제들": "ORGANISATION", "배달의민족": "PRODUCT"}
    assert "우아한형제들" not in phrases(reader, text)


def test_known_names_stay_out_of_longer_words(reader):
    assert "카카오" not in phrases(reader, "카카오뱅크가 성장했다.", [GazetteerEntry("카카오", "ORGANISATION")])


def test_person_torn_by_the_tokenizer(reader):
    assert triples(reader, "한종희 삼성전자 부회장이 왔다.") == {("한종희", "부회장", "삼성전자")}


def test_at_most_a_few_phrases(reader):
    text = ", ".join(f"서울시{i}동아리" for i in range(30)) + "가 모였다."
    assert len(reader.read([text], [])[0].phrases) <= MAX_PHRASES


def test_independent_of_batch_and_order(reader):
    texts = [case[1] for case in STATEMENTS]
    alone = {text: reader.read([text], [])[0] for text in texts}
    shuffled = random.Random(3).sample(texts, len(texts))
    assert reader.read(shuffled, []) == [alone[text] for text in shuffled]


def test_threads_share_one_tokenizer(reader):
    texts = [case[1] for case in STATEMENTS]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: KoreanReader().read([text], [])[0], texts))
    assert together == reader.read(texts, [])


def test_what_is_too_long_to_read_still_shows_the_users_names(reader):
    text = "가" * 3000 + " 우아한형제들은 바쁘다."
    assert phrases(reader, text, [GazetteerEntry("우아한형제들", "ORGANISATION")]) == {"우아한형제들": "ORGANISATION"}


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n", "ㅋㅋㅋㅋ ㅠㅠ", "👨‍👩‍👧 카카오가 🎉로엔엔터테인먼트를 인수했다.", "가" * 100_000,
     "Only Latin words here.",
     "韓國銀行", "()()[[", "《》『』", "1,234.5%", "은는이가을를", "이다.", "의 의 의", "\U0001f600" * 50, "ᄀᆞᆫ ᄒᆞᆫ글"],
)  # fmt: skip
def test_any_text_is_survived(reader, text):
    (reading,) = reader.read([text], [])
    assert_exact(text, reading)


def test_emoji_do_not_shift_spans(reader):
    text = "👨‍👩‍👧🎉 카카오가 로엔엔터테인먼트를 인수했다."
    assert triples(reader, text) == {("카카오", "인수", "로엔엔터테인먼트")}
    assert_exact(text, reader.read([text], [])[0])


def assert_exact(text: str, reading: Reading) -> None:
    names = [*reading.phrases, *(n for f in reading.facts for n in (f.subject, f.object))]
    assert all(n.text == text[n.start : n.end] and n.text.strip() == n.text != "" for n in names)
    assert all(0 < f.confidence <= 1 and f.relation and f.subject.text != f.object.text for f in reading.facts)


WORDS = """카카오 네이버 이재용 서울 삼성전자 회장 본사 는 은 이 가 을 를 의 에 에서 와 과 로 인수 하 했다
한 되었다 고 며 ㄴ 뒤 2020년 3월 75억 달러 ( ) , . ? " ' 《 》 · 等 金
OpenAI GPT-4o 😀 ㅋ 그는 이 회사 등 및 이다 아니다 지 않았다"""
PIECES = st.sampled_from([*WORDS.split(), " "])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join).map(sanitise))
def test_spans_hold(text):
    reader = KoreanReader()
    assert_exact(text, reader.read([text], [GazetteerEntry("카카오", "ORGANISATION"), GazetteerEntry("본사 는")])[0])


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40).map(sanitise))
def test_spans_hold_for_any_text(text):
    assert_exact(text, KoreanReader().read([text], [])[0])


def test_version_names_what_can_change_a_reading(reader):
    assert "kiwipiepy-" in reader.version
    assert "rules-" in reader.version
