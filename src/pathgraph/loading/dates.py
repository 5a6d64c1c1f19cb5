"""Dates of documents, as the many formats write them.

Belongs here: one function from a written date to a UTC time. Does not: where the date stands in a format.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_PDF = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?'?)?.*", re.DOTALL)
_YEAR_FIRST = re.compile(
    r"(\d{4})\s*[-./년]\s*(\d{1,2})\s*[-./월]\s*(\d{1,2})\s*[.일]?(?:[T\s]+(\d\d?:\d\d(?::\d\d)?))?"
)
_YEARS = range(1000, 2200)


def parse_date(text: str) -> datetime | None:
    """Return the time in UTC, or None for what is no date, is ambiguous (01/02/2024) or lies outside 1000-2199.

    Reads ISO 8601, `2024.1.5`, `2024/01/05`, `2024년 1월 5일`, RFC 2822 and PDF dates. Without a zone it is UTC.
    """
    text = text.strip()
    for reader in (_iso, _pdf, _year_first, _mail):
        try:
            found = reader(text)
        except (ValueError, OverflowError, TypeError, IndexError):
            continue
        if found is not None:
            return _utc(found)
    return None


def _utc(found: datetime) -> datetime | None:
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    try:
        found = found.astimezone(UTC)
    except OverflowError:
        return None
    return found if found.year in _YEARS else None


def _iso(text: str) -> datetime | None:
    # A bare number is a year or an amount, not a date, unless it has the eight digits of one.
    if text.isdigit() and len(text) != 8:
        return None
    return datetime.fromisoformat(text)


def _pdf(text: str) -> datetime | None:
    match = _PDF.fullmatch(text)
    if match is None or not (text.startswith("D:") or re.match(r"\d{14}(?:Z|[+-]|$)", text)):
        return None
    year, month, day, hour, minute, second, sign, zone_hours, zone_minutes = match.groups()
    zone = f"{sign}{zone_hours}:{zone_minutes or '00'}" if sign else "+00:00"
    clock = f"{hour or '00'}:{minute or '00'}:{second or '00'}"
    return datetime.fromisoformat(f"{year}-{month or '01'}-{day or '01'}T{clock}{zone}")


def _year_first(text: str) -> datetime | None:
    match = _YEAR_FIRST.fullmatch(text)
    if match is None:
        return None
    year, month, day, clock = match.groups()
    hours, minutes, seconds = (*map(int, (clock or "0:0").split(":")), 0)[:3]
    return datetime(int(year), int(month), int(day), hours, minutes, seconds, tzinfo=UTC)


def _mail(text: str) -> datetime | None:
    return parsedate_to_datetime(text) if re.match(r"(?:[A-Z][a-z]{2},\s*)?\d{1,2}\s[A-Z][a-z]{2}", text) else None
