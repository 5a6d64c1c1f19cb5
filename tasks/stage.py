"""How every task of this project runs: the one place of retries and caching.

Belongs here: the decorator. Does not: tasks.
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun

from pathgraph.errors import PathgraphError

P = ParamSpec("P")
R = TypeVar("R")


def is_worth_a_retry(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Retry what a lost worker or a passing fault of the machine may have caused, never what a person must mend."""
    error = state.result(raise_on_failure=False)
    return not isinstance(error, (PathgraphError, KeyboardInterrupt))


def stage(function: Callable[P, R]) -> Task[P, R]:
    """Make a function a task: named after it, one retry for passing faults, no result cache.

    Prefect's own result cache is off: finished tables stay in staging and replies in the store's cache, where another
    process finds them too.
    """
    decorate = task(
        name=function.__name__.replace("_", " "),
        cache_policy=NO_CACHE,
        persist_result=False,
        retries=1,
        retry_delay_seconds=2,
        retry_condition_fn=is_worth_a_retry,
    )
    return decorate(function)
