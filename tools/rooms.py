"""Print which rooms import which, and check that there are no import cycles.

Imports inside functions and under TYPE_CHECKING count. `make rooms` runs it.
"""

import sys

import grimp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

ROOT = "bittern"


def room_of(module: str) -> str:
    """The folder or top-level module that a module belongs to."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "(bittern)"


def cycles(edges: list[tuple[str, str]]) -> list[list[str]]:
    """The groups of nodes that import each other, directly or not."""
    nodes = sorted({node for edge in edges for node in edge})
    index = {node: i for i, node in enumerate(nodes)}
    rows, columns = zip(*((index[a], index[b]) for a, b in edges), strict=True)
    graph = csr_array(([1] * len(rows), (rows, columns)), shape=(len(nodes), len(nodes)))
    n_groups, group = connected_components(graph, directed=True, connection="strong")
    members: list[list[str]] = [[] for _ in range(n_groups)]
    for node, number in zip(nodes, group, strict=True):
        members[number].append(node)
    return [names for names in members if len(names) > 1]


def main() -> None:
    """Print the graph of rooms; exit with 1 if there is a cycle."""
    graph = grimp.build_graph(ROOT, exclude_type_checking_imports=False)
    edges = [
        (module, imported)
        for module in sorted(graph.modules)
        for imported in sorted(graph.find_modules_directly_imported_by(module))
    ]
    rooms = sorted({(room_of(a), room_of(b)) for a, b in edges if room_of(a) != room_of(b)})
    for room in dict.fromkeys(a for a, _ in rooms):
        print(f"{room:<12} imports {', '.join(b for a, b in rooms if a == room)}")
    found = [*cycles(edges), *cycles(rooms)]
    print(f"{len(graph.modules)} modules, {len(edges)} imports, {len(found)} cycles")
    for names in found:
        print("cycle:", " ".join(names))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
