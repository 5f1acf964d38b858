"""Corpora whose topics are known."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from bittern import Corpus


def sample_topics(rng, n_topics=5, n_words=100, concentration=0.05):
    """theta (K,) and phi (K, W) of a biterm topic model."""
    theta = rng.dirichlet(np.full(n_topics, 20.0))
    phi = rng.dirichlet(np.full(n_words, concentration), size=n_topics)
    return theta, phi


def sample_corpus(rng, theta, phi, n_documents=3000, length=6):
    """Documents of one topic each, drawn from the model; the topics are the labels."""
    topics = rng.choice(len(theta), size=n_documents, p=theta)
    words = [f"w{i}" for i in range(phi.shape[1])]
    documents = [[words[w] for w in rng.choice(len(words), size=length, p=phi[k])] for k in topics]
    return Corpus.from_tokens(documents, labels=topics, vocabulary=words)


def blocks(n_topics=4, words_per_topic=6, n_documents=400, length=5, seed=0):
    """Texts in which every topic has words of its own."""
    rng = np.random.default_rng(seed)
    topics = np.arange(n_documents) % n_topics
    texts = [
        " ".join(f"topic{k}word{w}" for w in rng.integers(words_per_topic, size=length))
        for k in topics
    ]
    return texts, topics


def match(phi, truth):
    """The total variation distance of each true topic to the learned topic matched with it."""
    distance = np.abs(phi[:, None, :] - truth[None, :, :]).sum(axis=2) / 2
    rows, columns = linear_sum_assignment(distance)
    return distance[rows, columns]
