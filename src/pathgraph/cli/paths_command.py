"""The command `paths`: the most reliable paths between two nodes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pathgraph.cli.output import SUCCESS, err, ids_as_text, out, print_json
from pathgraph.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from pathgraph.paths.search import Path as FoundPath


@dataclass(frozen=True)
class Asked:
    """The command's arguments."""

    source: str
    target: str
    store: Path
    at: str | None
    limit: int
    theta: float | None


def run(asked: Asked, as_json: bool) -> int:
    """Find and print the paths, the strongest first; none is an answer too."""
    from pathgraph.lookup import Names
    from pathgraph.paths.graph import path_graph
    from pathgraph.paths.search import find_paths
    from pathgraph.settings import Settings
    from pathgraph.store.layout import Store

    snapshot = Store.open(asked.store).snapshot(asked.at)
    names = Names(snapshot.table("nodes", ["node_id", "name", "aliases"]))
    ends = names.one(asked.source), names.one(asked.target)
    if ends[0] == ends[1]:
        raise UsageError(f"{asked.source} and {asked.target} are one node.", "Name two different ones.")
    edges = snapshot.table("edges", ["edge_id", "source", "relation", "target", "kind", "weight"])
    settings = Settings.model_validate(snapshot.manifest.settings).paths
    graph = path_graph(snapshot.table("nodes", ["node_id"])["node_id"].to_numpy(), edges, settings.co_occurs)
    found = find_paths(graph, ends, settings, asked.limit, asked.theta)
    lines = [_described(path, ends[0], names.name_of, edges) for path in found]
    if as_json:
        print_json(ids_as_text(lines))
        return SUCCESS
    for line in lines:
        out.print(f"{line['reliability']:.3f}  {line['text']}", markup=False)
    if not lines:
        err.print(
            "No path of at most three typed edges joins them at this theta; a smaller --theta lets more hubs pass.",
            style="yellow",
        )
    return SUCCESS


def _described(path: "FoundPath", start: int, names: dict[int, str], edges: "pa.Table") -> dict[str, Any]:
    """Return a path for printing, walked from the node that was named first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from pathgraph.paths.text import EdgeText, path_line

    forward = path.nodes[0] == start
    nodes = path.nodes if forward else path.nodes[::-1]
    hops = path.edges if forward else path.edges[::-1]

    wanted = pa.array([edge for hop in hops for edge in hop], pa.int64())
    rows = edges.filter(pc.is_in(edges["edge_id"], value_set=wanted)).to_pylist()
    known = {row["edge_id"]: EdgeText(row["source"], row["relation"], row["target"]) for row in rows}
    return {
        "text": path_line(nodes, hops, names, known),
        "nodes": list(nodes),
        "edges": [list(hop) for hop in hops],
        "hops": path.hops,
        "reliability": path.reliability,
    }
