"""Tasks that open a run."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from pathgraph.cost import meter
from pathgraph.cost.budget import parse_limit
from pathgraph.cost.prices import load_prices, tariffs
from pathgraph.loading.scan import Item
from pathgraph.pipeline.plan import plan_index
from pathgraph.pipeline.run import Run
from pathgraph.settings import Settings
from pathgraph.store.layout import Store
from pathgraph.tasks.stage import stage


@stage
def open_run(store_root: Path, paths: Sequence[str], settings: Settings, budget: str | None = None) -> Run:
    """List what is to be read and open the staging folder for it; the same work finds its finished tables there.

    From here on everything paid is counted, and held to the budget ("5.00", "2000000tok") if there is one.
    """
    prices = load_prices(settings.prices)
    meter.begin(parse_limit(budget) if budget else None, tariffs(settings, prices), prices.currency)
    store = Store.create(store_root)
    plan = plan_index(store, paths, settings)
    started = datetime.now(UTC)
    run = Run(
        flow="index",
        store_root=store.root,
        run_id=f"{started:%Y%m%dT%H%M%S}-{uuid4().hex[:8]}",
        work_key=plan.work_key,
        started=started,
        parent=store.current_id(),
        sources=tuple(source.to_json() for source in plan.sources),
        settings=settings,
    )
    run.staging.claim()
    run.keep("items", [[vars(item), key] for item, key in plan.items])
    run.keep_failures("scan", plan.failures)
    return run


def items_of(run: Run) -> list[tuple[Item, str]]:
    """Return the items the run was opened with, each with its key."""
    return [(Item(**fields), key) for fields, key in run.kept("items", [])]
