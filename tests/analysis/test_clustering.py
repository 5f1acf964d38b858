"""Agreement of topics with labels."""

import numpy as np
import pytest
from sklearn import metrics

from bittern.analysis.clustering import cluster_scores
from bittern.errors import InputError


@pytest.mark.parametrize(
    ("n", "n_labels", "n_topics"),
    [(200, 3, 4), (1, 1, 1), (5, 1, 3), (7, 7, 1), (2, 2, 2), (1000, 30, 20)],
)
def test_cluster_scores_match_scikit_learn(n, n_labels, n_topics):
    rng = np.random.default_rng(0)
    labels = rng.integers(n_labels, size=n).astype(str)
    random = rng.integers(n_topics, size=n)
    topics = np.where(rng.random(n) < 0.3, labels.astype(int) % n_topics, random)
    scores = cluster_scores(labels, topics)
    assert list(scores) == ["purity", "nmi", "ari", "v_measure"]
    expected = {
        "nmi": metrics.normalized_mutual_info_score(labels, topics),
        "ari": metrics.adjusted_rand_score(labels, topics),
        "v_measure": metrics.v_measure_score(labels, topics),
    }
    assert {name: scores[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    most_frequent = [
        np.unique(labels[topics == k], return_counts=True)[1].max() for k in np.unique(topics)
    ]
    assert scores["purity"] == sum(most_frequent) / n
    assert set(cluster_scores(labels, labels.astype(int)).values()) == {1}


def test_documents_without_a_label_are_not_used():
    labels, topics = np.array([*"abacbc"]), np.array([0, 1, 0, 2, 1, 1])
    assert cluster_scores([None, *labels[1:]], topics) == cluster_scores(labels[1:], topics[1:])
    with pytest.raises(InputError, match="no document has a label"):
        cluster_scores([None, float("nan")], [0, 1])
    with pytest.raises(InputError, match="6 labels but 5 documents"):
        cluster_scores(labels, topics[:5])
