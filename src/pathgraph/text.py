"""Text at the border: what every string goes through once before it enters the pipeline.

Belongs here: sanitising. Does not: decoding bytes (`pathgraph.loading`), normalising names (`pathgraph.resolution`).
"""

import re
import unicodedata

# Control characters but tab and newline, lone surrogates, the byte-order mark and noncharacters: none of them
# carries meaning in a document, and each has broken a peer's store, JSON or embedding model.
_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufdd0-\ufdef\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NEWLINES = re.compile("\r\n?|\x0b|\x0c|\x85|\u2028|\u2029")


def is_unicode(text: str) -> bool:
    """Tell whether the text can be written as UTF-8; a file name that is none holds lone surrogates in Python."""
    return not _SURROGATE.search(text)


def sanitise(text: str) -> str:
    """Return the text in NFC with one kind of newline and without NUL, control characters and lone surrogates.

    Spans everywhere in the store count code points of the result. Idempotent. Zero-width joiners stay: they are
    part of emoji and of Indic words.
    """
    clean = _UNWANTED.sub("", _NEWLINES.sub("\n", text))
    return unicodedata.normalize("NFC", clean)
