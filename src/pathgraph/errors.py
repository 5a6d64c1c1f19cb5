"""Every error a person may see. Each ends with its remedy; none is raised for a single bad document or reply.

Belongs here: exception classes. Does not: rows of the `failures` table (`pathgraph.failure`).

    PathgraphError              base: catch this to catch all
    ├── UsageError              wrong arguments or settings; the process exits with 2
    │   └── SettingsError       a settings, alias or schema file is wrong; says file and line where it can
    ├── MissingExtra            an optional package is not installed; names the extra
    ├── InputError              the sources cannot be used as a whole (missing root, empty glob)
    ├── SchemaError             rows do not fit the declared table
    ├── StoreError              the store cannot be used
    │   ├── StoreNotFound       there is no store, or no snapshot in it yet
    │   ├── StoreLocked         another process publishes now
    │   ├── StoreBroken         a file of a published snapshot is missing or damaged
    │   ├── PublishConflict     CURRENT kept moving; the bounded retries are used up
    │   └── SnapshotRejected    the staged snapshot failed a check and was not published
    └── ModelError              a model endpoint or provider cannot be used
        └── ModelRejected       permanent: bad key, unknown model, no quota; the run stops at once
            └── BudgetExhausted what the user allowed to pay (--budget) is used up
"""


class PathgraphError(Exception):
    """Base of all errors of this package.

    Args:
        message: what happened, one sentence, with the names that matter.
        remedy: what the reader can do about it, one sentence; shown on a line of its own.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n{self.remedy}" if self.remedy else self.message


class UsageError(PathgraphError):
    """Arguments or settings are wrong; nothing was done."""


class SettingsError(UsageError):
    """A settings, alias or schema file is wrong."""


class MissingExtra(PathgraphError):
    """An optional package is missing.

    Args:
        what: the thing that needs it, as a subject ("the offline provider").
        extra: the extra of this distribution that brings it ("offline").
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}'.", f"Install it: pip install 'pathgraph[{extra}]'")
        self.extra = extra


class InputError(PathgraphError):
    """The sources as a whole cannot be used."""


class SchemaError(PathgraphError):
    """Rows do not fit the table they were written for."""


class StoreError(PathgraphError):
    """The store cannot be used."""


class StoreNotFound(StoreError):
    """There is no store, or nothing was published in it."""


class StoreLocked(StoreError):
    """Another process holds the store's lock."""


class StoreBroken(StoreError):
    """A file of a published snapshot is missing or damaged."""


class PublishConflict(StoreError):
    """The current snapshot kept changing while this run tried to publish."""


class SnapshotRejected(StoreError):
    """The staged snapshot failed a check."""


class ModelError(PathgraphError):
    """A model endpoint or provider cannot be used, or gives no usable answer to one request.

    Args:
        message: see the base class.
        remedy: see the base class.
        raw: what came instead of an answer, for the failure row.
        attempts: how often it was tried.
    """

    def __init__(self, message: str, remedy: str = "", raw: str = "", attempts: int = 1) -> None:
        super().__init__(message, remedy)
        self.raw = raw
        self.attempts = attempts


class ModelRejected(ModelError):
    """The endpoint refuses for good: bad key, unknown model, exhausted quota."""


class BudgetExhausted(ModelRejected):
    """The user's budget has no room for another call; finished calls are kept."""
