"""What a server has seen, for tests to compare: calls, repeats, faults, tokens, how many at once."""

import hashlib
from collections import Counter
from typing import Any


def key_of(text: str) -> str:
    """Return the hash a prompt is known by."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


class Stats:
    """Counters since the last reset."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.faults: Counter[str] = Counter()
        self.attempts: Counter[str] = Counter()  # by prompt key
        self.answered: Counter[str] = Counter()  # good answers by prompt key
        self.embedded: Counter[str] = Counter()  # good vectors by text key
        self.latency = 0.0
        self.in_flight = 0
        self.in_flight_max = 0

    def enter(self) -> None:
        """Count a chat call that starts."""
        self.in_flight += 1
        self.in_flight_max = max(self.in_flight_max, self.in_flight)

    def snapshot(self) -> dict[str, Any]:
        """Return all figures; GET /stats.

        `repeated_prompts`: chat calls for a prompt that had been answered well before. `latency_seconds`: sum over
        calls of the time they were held on purpose. `abandoned`: calls whose client left before the answer.
        """
        names = (
            "chat_calls", "embedding_calls", "other_calls", "matched", "unmatched", "abandoned", "tokens_in",
            "tokens_out", "embedding_tokens", "embedded_texts", "batch_requests", "repeated_prompts",
        )  # fmt: skip
        return {
            **{name: self.numbers[name] for name in names},
            "distinct_prompts": sum(1 for key in self.attempts if not key.startswith("embed:")),
            "answered_prompts": len(self.answered),
            "repeated_embedded_texts": sum(self.embedded.values()) - len(self.embedded),
            "distinct_embedded_texts": len(self.embedded),
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            "faults": dict(sorted(self.faults.items())),
            "in_flight": self.in_flight,
            "in_flight_max": self.in_flight_max,
            "latency_seconds": round(self.latency, 6),
        }
