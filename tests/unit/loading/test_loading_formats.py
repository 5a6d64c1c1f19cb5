"""Each format read from a file made here, and damaged or hostile files of each kind."""

import io
import logging
import zipfile

import docx
import openpyxl
import pptx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fpdf import FPDF

from pathgraph.loading.formats import _DAMAGE, FORMATS, format_of, read_parts
from pathgraph.loading.formats.parts import CannotRead, Part, Problem
from pathgraph.loading.formats.pdf import join_lines
from pathgraph.settings import Loading


def parts(data, suffix, **settings):
    data = data.encode() if isinstance(data, str) else data
    return list(read_parts(format_of(suffix, data), data, suffix, Loading(**settings)))


def only(data, suffix, **settings):
    (part,) = parts(data, suffix, **settings)
    assert isinstance(part, Part), part
    return part


def problem(data, suffix, **settings):
    (part,) = parts(data, suffix, **settings)
    assert isinstance(part, Problem), part
    return part


def saved(thing):
    stream = io.BytesIO()
    thing.save(stream)
    return stream.getvalue()


# Markdown and text


def test_markdown_front_matter_is_metadata():
    part = only("---\ntitle: 회사 소개\ndate: 2024-03-05\ntags: [a, b]\n---\n# Other\n\nBody", ".md")
    assert part.text == "# Other\n\nBody"
    assert (part.title, part.modified, part.metadata) == ("회사 소개", "2024-03-05", {"tags": "a, b"})


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n## Second level ##\n", "Second level"),
        ("Heading\n=======\ntext", "Heading"),
        ("```\n# no\n```\n# yes", "yes"),
        ("#hash is no heading", ""),
    ],
)
def test_markdown_title(text, title):
    assert only(text, ".md").title == title


@pytest.mark.parametrize("text", ["---\nnot: [closed\n---\nBody", "---\njust words\n---\nBody", "---\nno end"])
def test_what_is_no_front_matter_stays_text(text):
    assert only(text, ".md").text == text


def test_decoding_is_told_in_metadata():
    assert only("한국어 문서입니다.".encode("cp949"), ".txt").metadata == {"encoding": "cp949"}
    damaged = only(("한국어 문서입니다. " * 30).encode() + b"\xff", ".txt")
    assert damaged.metadata == {"encoding": "utf_8", "replaced_characters": "1"}


# HTML and XML

PAGE = """<!doctype html><html lang="ko"><head><title>제목 &amp; 더</title><meta charset="utf-8">
<meta name="author" content="Kim"><meta property="article:modified_time" content="2024-03-05T00:00:00Z">
<style>p{}</style><script>var x = "no"</script></head><body><nav>Menu</nav>
<h2>Heading</h2><p>First <b>bold</b>
line.<br>Second line.</p><ul><li>one</li><li>two</li></ul>
<table><tr><th>이름</th><th>값</th></tr><tr><td><p>a</p></td><td>b<br>c</td></tr><tr><td></td><td></td></tr></table>
<pre>x
  y</pre><div hidden>secret</div><script>no</script>tail</body></html>"""


def test_html_text_headings_lists_and_tables():
    part = only(PAGE, ".html")
    assert part.text == (
        "## Heading\n\nFirst bold line.\nSecond line.\n\n- one\n- two\n\n이름 | 값\na | b c\n\nx\ny\n\ntail"
    )
    assert (part.title, part.modified) == ("제목 & 더", "2024-03-05T00:00:00Z")
    assert part.metadata == {"author": "Kim", "lang": "ko"}


def test_html_prefers_the_main_part_and_skips_navigation():
    part = only("<body><div>top</div><main><div role='navigation'>no</div><p>Body</p></main><p>end</p></body>", ".htm")
    assert part.text == "Body"


def test_html_charset_is_believed():
    page = "<html><head><meta charset=euc-kr><title>가</title></head><body>나다</body></html>".encode("cp949")
    assert (only(page, ".html").title, only(page, ".html").text) == ("가", "나다")


@pytest.mark.parametrize("page", ["<", "<p", "<html></html>", "<!-- -->", "<table><tr><td>", "\0<p>x", "<p>" * 20000])
def test_broken_html_does_not_raise(page):
    assert all(isinstance(part, Part | Problem) for part in parts(page, ".html"))


def test_layout_tables_keep_their_blocks():
    page = (
        "<table><tr><td><h1>Title</h1><p>One.</p><p>Two.</p><p>Three.</p><table><tr><td>a</td><td>b</td></tr></table>"
    )
    assert only(page, ".html").text == "# Title\n\nOne.\n\nTwo.\n\nThree.\n\na | b"


def test_xml_gives_its_texts_and_expands_no_entities(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    bomb = f'<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY s SYSTEM "file://{secret}">]><r><b>x</b> &a;&s; <c>y</c></r>'
    assert only(bomb, ".xml").text == "x\naaaa\ny"


# PDF


def pdf(*pages, **settings):
    document = FPDF(**settings)
    document.set_font("Helvetica", size=12)
    document.set_title("A Title")
    for page in pages:
        document.add_page()
        document.multi_cell(0, text=page, align="L")
    return document


def test_pdf_joins_the_lines_of_a_paragraph():
    long = "The company was founded in Seoul in the year of the great flood and grew quickly over the decades. " * 3
    part = only(bytes(pdf(f"Heading\n\n{long}\n\nShort end.", "Next page.").output()), ".pdf")
    assert part.text.split("\n") == ["Heading", long.strip(), "Short end.", "", "Next page."]
    assert part.title == "A Title"
    assert part.metadata["pages"] == "2"


def test_lines_are_joined_sensibly():
    width = "x" * 40
    assert (
        join_lines(f"{width} inter-\nnational {width}\nshort\nnext", False)
        == f"{width} international {width} short\nnext"
    )
    assert join_lines(f"{width} 서울특별\n시는 {width}", True) == f"{width} 서울특별시는 {width}"
    assert join_lines(f"{width} 서울은 \n수도 {width}", True) == f"{width} 서울은 수도 {width}"
    assert join_lines(f"{width} 서울은\n수도 {width}", False) == f"{width} 서울은 수도 {width}"
    assert join_lines(f"{width}\n1. {width}\n제2조 {width}", False) == f"{width}\n1. {width}\n제2조 {width}"
    assert join_lines(f"{width} COVID-\n19 {width}", False) == f"{width} COVID- 19 {width}"


def test_a_scanned_pdf_has_no_text():
    document = FPDF()
    document.add_page()
    document.rect(10, 10, 50, 50)
    found = problem(bytes(document.output()), ".pdf")
    assert (found.error, "OCR" in found.message) == ("no_text", True)


def test_pdf_encryption():
    locked = pdf("Secret text")
    locked.set_encryption(owner_password="o", user_password="u")
    assert problem(bytes(locked.output()), ".pdf").error == "encrypted"
    owned = pdf("Open text")
    owned.set_encryption(owner_password="o", user_password="")
    assert only(bytes(owned.output()), ".pdf").text == "Open text"


# Office


def test_docx_paragraphs_and_tables_in_order():
    document = docx.Document()
    document.add_heading("회사", 1)
    document.add_paragraph("First\tparagraph.")
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ["a", "b\nb", "c", ""], strict=True):
        cell.text = text
    document.add_paragraph("Last.")
    document.core_properties.author = "Kim"
    part = only(saved(document), ".docx")
    assert part.text == "# 회사\n\nFirst\tparagraph.\n\na | b b\nc | \n\nLast."
    assert part.title == "회사"
    assert part.metadata["author"] == "Kim"
    assert part.modified.startswith("20")


def test_docx_keeps_insertions_and_drops_deletions():
    document = docx.Document()
    paragraph = document.add_paragraph("kept ")._p
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    for xml in (
        f"<w:ins {space}><w:r><w:t>added</w:t></w:r></w:ins>",
        f"<w:del {space}><w:r><w:delText>gone</w:delText></w:r></w:del>",
    ):
        paragraph.append(docx.oxml.parse_xml(xml))
    control = f"<w:sdt {space}><w:sdtContent><w:p><w:r><w:t>in control</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    paragraph.addnext(docx.oxml.parse_xml(control))
    assert only(saved(document), ".docx").text == "kept added\n\nin control"


def test_pptx_slides_tables_and_notes():
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "발표"
    table = slide.shapes.add_table(1, 2, 0, 0, 100, 100).table
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    slide.notes_slide.notes_text_frame.text = "Say this."
    second = show.slides.add_slide(show.slide_layouts[1])
    second.placeholders[1].text = "Point one\nPoint two"
    part = only(saved(show), ".pptx")
    assert part.text == "발표\na | b\nSay this.\n\nPoint one\nPoint two"
    assert (part.title, part.metadata["slides"]) == ("발표", "2")


def workbook(**sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return saved(book)


def test_xlsx_rows_and_tables():
    prose = "A sentence that is long enough to be read as text, not as a label."
    data = workbook(
        News=[["title", "body", "n"], ["t1", prose, 1], ["t2", prose + " More.", 2.5]],
        Sums=[["year", "sum"], [2024, 1.0], [None, None], [2025, 2.5]],
    )
    first, second, table = parts(data, ".xlsx")
    assert (first.title, first.text, first.row[:5]) == ("t1", prose, "News/")
    assert second.metadata == {"n": "2.5", "sheet": "News"}
    assert table.text == "## Sums\n\nyear | sum\n2024 | 1\n2025 | 2.5"
    assert table.row is None
    rows = parts(data, ".xlsx", text_column="sum", id_column="year")
    assert [part.row for part in rows if part.row] == ["Sums/2024", "Sums/2025"]


def zipped(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_X", "."), content)
    return stream.getvalue()


def test_a_zip_bomb_is_refused():
    data = zipped(xl__workbook_Xxml=b" " * (100 << 20))
    assert len(data) < 1 << 20
    for suffix in (".docx", ".pptx", ".xlsx", ".hwpx"):
        assert problem(data, suffix).error == "too_large"


HWPX = """<hs:sec xmlns:hs="s" xmlns:hp="p"><hp:p><hp:run><hp:t>첫 <hp:tab/>문단</hp:t></hp:run>
<hp:run><hp:tbl><hp:tr><hp:tc><hp:subList><hp:p><hp:run><hp:t>가</hp:t></hp:run></hp:p></hp:subList></hp:tc>
<hp:tc><hp:subList><hp:p><hp:run><hp:t>나</hp:t></hp:run></hp:p></hp:subList></hp:tc></hp:tr></hp:tbl></hp:run></hp:p>
<hp:p><hp:run><hp:ctrl><hp:footNote><hp:subList><hp:p><hp:run><hp:t>각주</hp:t></hp:run></hp:p></hp:subList>
</hp:footNote></hp:ctrl><hp:t>끝<hp:lineBreak/>줄</hp:t></hp:run></hp:p></hs:sec>"""
PACKAGE = """<opf:package xmlns:opf="o"><opf:metadata><opf:title>보고서</opf:title>
<opf:meta name="ModifiedDate">2024-03-05T00:00:00Z</opf:meta><opf:meta name="creator">김</opf:meta></opf:metadata>
</opf:package>"""


def test_hwpx_paragraphs_tables_and_properties():
    data = zipped(Contents__section0_Xxml=HWPX, Contents__section10_Xxml=HWPX, Contents__content_Xhpf=PACKAGE)
    part = only(data, ".hwpx")
    section = "첫 \t문단\n가 | 나\n끝\n줄\n각주"
    assert part.text == f"{section}\n\n{section}"
    assert (part.title, part.modified, part.metadata) == ("보고서", "2024-03-05T00:00:00Z", {"author": "김"})
    assert only(data, ".hwp").text == part.text  # hwpx under the wrong name


def test_protected_office_files_say_so():
    manifest = '<m><encryption-data xmlns="odf"/></m>'
    data = zipped(**{"META-INF__manifest_Xxml": manifest, "Contents__section0_Xxml": HWPX})
    assert problem(data, ".hwpx").error == "encrypted"
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert problem(ole, ".docx").error == "encrypted"
    assert problem(ole, ".hwp").error == "broken"
    assert problem(b"HWP Document File V3.00", ".hwp").error == "unsupported"


# All formats


@pytest.mark.parametrize("suffix", sorted(FORMATS))
@pytest.mark.parametrize(
    "data", [b"\x00" * 100, b"PK\x03\x04broken", b"%PDF-1.4 broken", b"\xff" * 9, b"x", b"<x", b"{"]
)
def test_damage_is_a_value(suffix, data, caplog, recwarn):
    assert all(isinstance(part, Part | Problem) for part in parts(data, suffix))
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(recwarn) == 0


def test_truncated_files_of_every_kind_are_values():
    document = docx.Document()
    document.add_paragraph("x" * 500)
    stream = io.BytesIO()
    pq.write_table(pa.table({"text": ["a"] * 50}), stream)
    whole = {
        ".docx": saved(document),
        ".xlsx": workbook(S=[["a", "b"], [1, 2]]),
        ".pptx": saved(pptx.Presentation()),
        ".pdf": bytes(pdf("Some text").output()),
        ".parquet": stream.getvalue(),
        ".hwpx": zipped(Contents__section0_Xxml=HWPX),
    }
    for suffix, data in whole.items():
        for cut in range(0, len(data), max(1, len(data) // 12)):
            for damaged in (data[:cut], data[:cut] + bytes(40) + data[cut + 40 :]):
                assert all(isinstance(part, Part | Problem) for part in parts(damaged, suffix))


def test_every_declared_error_exists():
    from pkgutil import resolve_name

    for form in FORMATS.values():
        for name in form.errors:
            assert issubclass(resolve_name(name), Exception)
    assert Exception not in _DAMAGE


def test_kinds_are_told_by_name_then_by_first_bytes():
    assert format_of("", b"%PDF-1.7").media_type == "application/pdf"
    assert format_of("", b"\n<!DOCTYPE html>").media_type == "text/html"
    assert format_of(".log", b"line").media_type == "text/plain"
    for suffix, data in ((".doc", b"x"), (".xyz", b"PK\x03\x04"), (".png", b"x")):
        with pytest.raises(CannotRead) as caught:
            format_of(suffix, data)
        assert caught.value.error == "unsupported"
    assert problem(bytes(range(256)) * 9, ".xyz").error == "unsupported"
