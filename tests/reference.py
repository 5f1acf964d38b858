"""The obvious, slow versions of the kernels, in the paper's notation where it has one."""

from collections import Counter

import numpy as np


def pairs(documents, window, equal):
    return [
        (document[i], document[j])
        for document in documents
        for i in range(len(document))
        for j in range(i + 1, len(document))
        if j - i < window and (equal or document[i] != document[j])
    ]


def sdm_step_size(t, cooling, kappa):
    if t < cooling:
        return (1 + t) ** -kappa
    return 1 / ((1 + cooling) ** kappa + t - cooling)


def sdm(biterms, b, n, kappa, gamma, beta, cooling, left_out=1):
    """The paper's algorithm: changes b (W, K) in place; gives log q(b_i) of each biterm."""
    n_words, n_topics = b.shape
    updates = Counter()
    log_q = []
    for biterm in biterms:
        c = b.sum(axis=0)
        a = (c - n_words * beta) / 2 + gamma
        q = a * b[biterm[0]] * b[biterm[1]] / (c * (c + 1))
        log_q.append(np.log(q.sum() / (n.sum() / 2 - 1 + n_topics * gamma)))
        q /= q.sum()
        for w in biterm:
            rho = sdm_step_size(updates[w], cooling[w], kappa)
            b[w] += rho * (max(n[w] - left_out, 0) * q + beta - b[w])
            updates[w] += 1
    return np.array(log_q)


def log_likelihood(theta, phi, biterms, weights):
    logs = [np.log(np.sum(theta * phi[:, v] * phi[:, w])) for v, w in biterms]
    return np.average(logs, weights=weights)


def document_topics(theta, phi, documents, window):
    """`documents` are lists of (word, count)."""
    shares = []
    for document in documents:
        posteriors, weights = [], []
        for i, (v, count_v) in enumerate(document):
            for j, (w, count_w) in enumerate(document):
                if i < j < i + window and v != w:
                    q = theta * phi[:, v] * phi[:, w]
                    posteriors.append(q / q.sum())
                    weights.append(count_v * count_w)
        if not posteriors:
            for v, count in document:
                posteriors.append(theta * phi[:, v] / np.sum(theta * phi[:, v]))
                weights.append(count)
        shares.append(np.average(posteriors, axis=0, weights=weights) if posteriors else theta)
    return np.array(shares)
