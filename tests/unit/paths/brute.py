"""The definition of docs/paths.md by dictionaries and recursion: slow, plain, written apart from the kernel."""

from collections import defaultdict
from functools import reduce
from operator import add


def added(numbers):
    """The sum from left to right: from Python 3.12 on, `sum` of floats compensates its rounding."""
    return reduce(add, numbers, 0.0)


class Brute:
    """Paths of an undirected graph given as pairs of node numbers."""

    def __init__(self, pairs, alpha=0.7, theta=0.0, max_hops=3):
        self.alpha, self.theta, self.max_hops = alpha, theta, max_hops
        neighbours = defaultdict(set)
        for one, other in pairs:
            if one != other:
                neighbours[one].add(other)
                neighbours[other].add(one)
        self.neighbours = {node: sorted(around) for node, around in neighbours.items()}

    def degree(self, node):
        return len(self.neighbours[node])

    def flow(self, start):
        """Resource of every node the flow reaches, and the nodes that propagate."""
        resource, passes = {start: 1.0}, {start}
        level = [start]
        while level:
            given = {}
            for node in sorted(level):
                if node not in passes:
                    continue
                for after in self.neighbours[node]:
                    if after not in resource:
                        given[after] = given.get(after, 0.0) + self.alpha * resource[node] / self.degree(node)
            resource.update(given)
            passes |= {node for node in given if given[node] / self.degree(node) >= self.theta}
            level = list(given)
        return resource, passes

    def from_start(self, start):
        """(nodes, reliability, flow) of each path the flow of one node admits."""
        if start not in self.neighbours:
            return []
        resource, passes = self.flow(start)
        found = []

        def extend(nodes):
            if len(nodes) > 1:
                product = 1.0
                for node in nodes[:-1]:
                    product = product * (self.alpha / self.degree(node))
                found.append((nodes, added(resource[node] for node in nodes) / (len(nodes) - 1), product))
            if len(nodes) <= self.max_hops and nodes[-1] in passes:
                for after in self.neighbours[nodes[-1]]:
                    if after not in nodes:
                        extend((*nodes, after))

        extend((start,))
        return found

    def table(self, among=None):
        """{nodes from smaller to larger end: (reliability, flow)}, the better direction."""
        best = {}
        for start in self.neighbours if among is None else among:
            for nodes, reliability, flow in self.from_start(start):
                if among is None or nodes[-1] in among:
                    key = nodes if nodes[0] < nodes[-1] else nodes[::-1]
                    best[key] = max(best.get(key, (0.0, 0.0)), (reliability, flow))
        return best
