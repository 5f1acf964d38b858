"""Agreement of topics with labels."""

import numpy as np
import pytest
from sklearn import metrics

from bittern.analysis.clustering import cluster_scores
from bittern.errors import InputError


def test_cluster_scores_match_scikit_learn():
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b", "c"], size=200)
    topics = np.where(rng.random(200) < 0.7, labels == "a", rng.integers(4, size=200))
    scores = cluster_scores(labels, topics)
    assert list(scores) == ["purity", "nmi", "ari", "v_measure"]
    assert scores["nmi"] == metrics.normalized_mutual_info_score(labels, topics)
    assert scores["ari"] == metrics.adjusted_rand_score(labels, topics)
    assert scores["v_measure"] == metrics.v_measure_score(labels, topics)
    most_frequent = [np.unique(labels[topics == k], return_counts=True)[1].max() for k in range(4)]
    assert scores["purity"] == sum(most_frequent) / 200
    assert cluster_scores(labels, labels)["purity"] == 1


def test_documents_without_a_label_are_not_used():
    labels, topics = np.array([*"abacbc"]), np.array([0, 1, 0, 2, 1, 1])
    assert cluster_scores([None, *labels[1:]], topics) == cluster_scores(labels[1:], topics[1:])
    with pytest.raises(InputError, match="no document has a label"):
        cluster_scores([None, float("nan")], [0, 1])
    with pytest.raises(InputError, match="6 labels but 5 documents"):
        cluster_scores(labels, topics[:5])
