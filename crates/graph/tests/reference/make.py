"""Makes the reference vectors beside this file, with networkx 3.6 and its scipy solver:

    python make.py

They are committed; this file only says where they come from.
"""
import json
import random

import networkx as nx


def power_law(pages, seed):
    dice = random.Random(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(pages))
    ends = [0]
    for page in range(1, pages):
        for _ in range(dice.randint(0, 6)):
            target = dice.choice(ends) if dice.random() < 0.7 else dice.randrange(pages)
            if target != page:
                graph.add_edge(page, target)
                ends.append(target)
        ends.append(page)
    return graph


def chain(pages):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(pages))
    graph.add_edges_from((page, page + 1) for page in range(pages - 1))
    return graph


def two_islands():
    graph = nx.DiGraph()
    graph.add_nodes_from(range(9))
    graph.add_edges_from([(0, 1), (1, 2), (2, 0), (2, 1), (4, 5), (5, 4), (6, 4), (7, 6)])
    return graph


def one_page():
    graph = nx.DiGraph()
    graph.add_node(0)
    return graph


GRAPHS = {
    "karate": nx.convert_node_labels_to_integers(nx.DiGraph(nx.Graph(nx.karate_club_graph().edges()))),
    "random": nx.gnp_random_graph(60, 0.07, seed=5, directed=True),
    "power-law": power_law(300, 11),
    "chain": chain(12),
    "two-islands": two_islands(),
    "star": nx.DiGraph([(leaf, 0) for leaf in range(1, 10)]),
    "one-page": one_page(),
}


def vector(values, pages):
    return [values[page] for page in range(pages)]


def main():
    out = []
    for name, graph in GRAPHS.items():
        pages = graph.number_of_nodes()
        dice = random.Random(name)
        edges = sorted((source, target) for source, target in graph.edges())
        weights = [dice.randint(1, 45) for _ in edges]
        plain = nx.DiGraph()
        plain.add_nodes_from(range(pages))
        plain.add_edges_from(edges)
        weighted = nx.DiGraph()
        weighted.add_nodes_from(range(pages))
        weighted.add_weighted_edges_from(
            (source, target, weight) for (source, target), weight in zip(edges, weights)
        )
        trusted = sorted(dice.sample(range(pages), min(3, pages)))
        trust = {page: 1.0 for page in trusted}
        solve = dict(tol=1e-15, max_iter=10_000)
        out.append(
            {
                "name": name,
                "pages": pages,
                "edges": [[s, t, w] for (s, t), w in zip(edges, weights)],
                "trusted": trusted,
                "pagerank": vector(nx.pagerank(plain, **solve), pages),
                "weighted": vector(nx.pagerank(weighted, weight="weight", **solve), pages),
                "trust": vector(nx.pagerank(weighted, weight="weight", personalization=trust, **solve), pages),
                "harmonic": vector(nx.harmonic_centrality(plain), pages),
            }
        )
    with open("vectors.json", "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(case) for case in out) + "\n]\n")


main()
