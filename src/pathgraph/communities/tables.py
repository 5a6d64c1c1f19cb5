"""The tables `communities` and `community_members` of a hierarchy.

Belongs here: ids, parents, sizes and weights of communities. Does not: how communities are found (`hierarchy`).
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pathgraph.communities.leiden import Labels
from pathgraph.graph.projection import Projection
from pathgraph.ids import members_id
from pathgraph.schema.tables import COMMUNITIES, COMMUNITY_MEMBERS


@dataclass(frozen=True)
class _Level:
    """The communities of one level, by label.

    Attributes:
        ids: int64 (k,), community ids.
        parent: int64 (k,), label on the level above; empty on level 0.
        fresh: bool (k,), False for a community carried down whole from the level above.
        size: int64 (k,), nodes.
        weight: float64 (k,), sum of the weights inside.
    """

    ids: NDArray[np.int64]
    parent: NDArray[np.int64]
    fresh: NDArray[np.bool_]
    size: NDArray[np.int64]
    weight: NDArray[np.float64]


def community_tables(projection: Projection, membership: Labels) -> tuple[pa.Table, pa.Table]:
    """Return the tables `communities` and `community_members`, sorted by key.

    A community's id is the hash of its members, so one that is carried down unsplit is one row, from `level` to
    `last_level`. Its parent is the smallest community that holds it and more.

    Args:
        projection: n nodes.
        membership: int64 (levels, n), strictly nested, as `hierarchy` returns it.
    """
    levels: list[_Level] = []
    for depth, labels in enumerate(membership):
        above = (membership[depth - 1], levels[-1]) if depth else None
        levels.append(_level(projection, labels, above))
    return _communities(levels), _members(projection, membership, levels)


def _level(projection: Projection, labels: Labels, above: tuple[Labels, _Level] | None) -> _Level:
    size = np.bincount(labels)
    count = len(size)
    inside = labels[projection.u] == labels[projection.v]
    weight = np.bincount(labels[projection.u[inside]], projection.weight[inside], minlength=count)
    members = np.argsort(labels, kind="stable")
    begin = np.cumsum(size) - size
    ids, parent, fresh = np.empty(count, np.int64), np.empty(0, np.int64), np.ones(count, bool)
    if above is not None and count:
        parent = above[0][members[begin]]
        fresh = size < above[1].size[parent]
        ids = above[1].ids[parent]
    ordered = projection.node_ids[members].tolist()
    for label in np.flatnonzero(fresh).tolist():
        ids[label] = members_id("community", ordered[begin[label] : begin[label] + size[label]])
    return _Level(ids, parent, fresh, size, weight.astype(np.float64))


def _communities(levels: list[_Level]) -> pa.Table:
    last_level: dict[int, int] = {}
    for depth, level in enumerate(levels):
        last_level.update(dict.fromkeys(level.ids.tolist(), depth))
    rows = pa.concat_tables(_fresh_rows(levels, depth) for depth in range(len(levels)))
    last = [last_level[key] for level in levels for key in level.ids[level.fresh].tolist()]
    rows = rows.append_column("last_level", pa.array(last, COMMUNITIES.column("last_level").type))
    return COMMUNITIES.sort(rows.select(COMMUNITIES.arrow.names).cast(COMMUNITIES.arrow)).combine_chunks()


def _fresh_rows(levels: list[_Level], depth: int) -> pa.Table:
    """Return the communities that first stand on this level, `last_level` aside."""
    level = levels[depth]
    fresh = level.fresh
    count = int(np.count_nonzero(fresh))
    parent = levels[depth - 1].ids[level.parent[fresh]] if depth and count else None
    return pa.table(
        {
            "community_id": pa.array(level.ids[fresh], pa.int64()),
            "level": pa.array(np.full(count, depth), pa.int64()),
            "parent_id": pa.nulls(count, pa.int64()) if parent is None else pa.array(parent, pa.int64()),
            "size": pa.array(level.size[fresh], pa.int64()),
            "weight": pa.array(level.weight[fresh], pa.float64()),
            "stale_share": pa.array(np.zeros(count), pa.float64()),
        }
    )


def _members(projection: Projection, membership: Labels, levels: list[_Level]) -> pa.Table:
    """Return one row a level and node; level by level and by ascending node id, which is the order of the key."""
    depths, n = membership.shape
    community = [level.ids[labels] for level, labels in zip(levels, membership, strict=True)]
    return pa.table(
        {
            "level": pa.array(np.repeat(np.arange(depths), n), COMMUNITY_MEMBERS.column("level").type),
            "node_id": pa.array(np.tile(projection.node_ids, depths), pa.int64()),
            "community_id": pa.array(np.concatenate(community), pa.int64()),
            "provisional": pa.array(np.zeros(depths * n, bool)),
        },
        schema=COMMUNITY_MEMBERS.arrow,
    )
