"""Reference implementations of the kernels: slow, obvious, in the paper's notation."""

from collections import Counter
from itertools import product

import numpy as np

WEB_ADDRESS = r"(?i-u:https?://|www\.)[!-~]+"
MENTION = r"[A-Za-z0-9.+_\-]*@[A-Za-z0-9._\-]+"
START, PART = r"[\p{L}\p{N}]", r"[\p{L}\p{M}\p{N}--[\x{FE00}-\x{FE0F}\x{20E3}]]"
JOINER = r"['’‘´_\-\x{2010}\x{2011}\x{200C}\x{200D}]"
WORD = rf"{START}{PART}*(?:{JOINER}{START}{PART}*)*"
LETTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def words(texts):
    """The words of each text, by regular expressions; A to Z in lower case."""
    bare = texts.str.replace_all(WEB_ADDRESS, " ").str.replace_all(MENTION, " ")
    characters = bare.str.split("").explode().unique().drop_nulls()
    starts, parts = (set(characters.filter(characters.str.contains(p))) for p in (START, PART))
    pieces = bare.str.extract_all(rf"(?s){WORD}|.").to_list()
    lower = str.maketrans({letter: letter.lower() for letter in LETTERS})
    found = [[p for p in join(document or [], parts) if p[0] in starts] for document in pieces]
    return [
        [word if word in {"C", "R"} else word.translate(lower) for word in document]
        for document in found
    ]


def join(pieces, parts):
    """Join single letters with what follows them: "#", "++", or more initials."""
    rest = [*pieces, "", ""]
    while rest[0]:
        word = rest.pop(0)
        if word in LETTERS and rest[0] == "#" and rest[1][:1] not in parts:
            word += rest.pop(0)
        elif word in LETTERS and rest[:2] == ["+", "+"] and rest[2][:1] not in parts:
            word += rest.pop(0) + rest.pop(0)
        elif word in LETTERS:
            while rest[0] in {".", "&"} and rest[1][:1] in LETTERS and rest[1][1:2] not in parts:
                word += rest.pop(0) + rest[0][0]
                joiner, other = rest[0][1:2], rest[0][2:]  # such as "-x" in "u.s-x"
                rest[:1] = [piece for piece in (joiner, other) if piece]
        yield word


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


def sdm(biterms, b, n, kappa, gamma, beta, cooling, left_out=1, background=0, seeds=None, share=0):
    """The paper's algorithm: changes b (W, K) in place; returns log q(b_i) of each biterm.

    `background` is the probability that a word is not from the topic, `seeds` the topics of words.
    """
    n_words, n_topics = b.shape
    updates = Counter()
    log_q = []
    for biterm in biterms:
        c = b.sum(axis=0)
        a = (c - n_words * beta) / 2 + gamma
        q = a * b[biterm[0]] * b[biterm[1]] / (c * (c + 1))
        parts, normalizer = [1, 1], n.sum() / 2 - 1 + n_topics * gamma
        if background:
            own = [(1 - background) * b[w] / c for w in biterm]
            x = [p + background * n[w] / n.sum() for p, w in zip(own, biterm, strict=True)]
            q, parts = a * x[0] * x[1], [p / whole for p, whole in zip(own, x, strict=True)]
            normalizer = a.sum()
        log_q.append(np.log(q.sum() / normalizer))
        q /= q.sum()
        for w, part in zip(biterm, parts, strict=True):
            rho = sdm_step_size(updates[w], cooling[w], kappa)
            goal = q * part
            if seeds is not None and seeds[w] >= 0:
                goal = (1 - share) * goal + share * (np.arange(n_topics) == seeds[w])
            b[w] += rho * (max(n[w] - left_out, 0) * goal + beta - b[w])
            updates[w] += 1
    return np.array(log_q)


def sdm_residual(b, biterms, gamma, beta):
    """|| b - beta - (the sum of q over the biterms of w) ||, relative: 0 at the fixed point."""
    c = b.sum(axis=0)
    a = (c - len(b) * beta) / 2 + gamma
    expected = np.zeros_like(b)
    for v, w in biterms:
        q = a * b[v] * b[w] / (c * (c + 1))
        expected[v] += q / q.sum()
        expected[w] += q / q.sum()
    return np.linalg.norm(b - beta - expected) / np.linalg.norm(expected)


def merged_rows(base, parts, kappa):
    """Each word's row if all parts' updates had followed each other, each part's news alike."""
    rows = base.rows.astype(float)
    for w in range(len(rows)):
        start, cooling = base.updates[w], base.cooling[w]

        def rest(n, start=start, cooling=cooling):
            steps = [sdm_step_size(t, cooling, kappa) for t in range(start, start + n)]
            return np.prod(1 - np.array(steps))

        times = [part.updates[w] - start for part in parts]
        if sum(times) > 0:
            news = 0
            for part, n in zip(parts, times, strict=True):
                if n > 0:
                    new = (part.rows[w] - rest(n) * base.rows[w]) / (1 - rest(n))
                    news += n / sum(times) * new
            rows[w] = rest(sum(times)) * base.rows[w] + (1 - rest(sum(times))) * news
    return rows


def log_likelihood(theta, phi, biterms, weights):
    logs = [np.log(np.sum(theta * phi[:, v] * phi[:, w])) for v, w in biterms]
    return np.average(logs, weights=weights)


def document_topics(theta, phi, documents, window, by="biterms"):
    """`documents` are lists of (word, count)."""
    shares = []
    for document in documents:
        posteriors, weights = [], []
        if by == "mix":
            p = theta * np.prod([phi[:, w] ** count for w, count in document], axis=0)
            shares.append(p / p.sum())
            continue
        for i, (v, count_v) in enumerate(document if by == "biterms" else []):
            for j, (w, count_w) in enumerate(document):
                if i < j < i + window and v != w:
                    q = theta * phi[:, v] * phi[:, w]
                    posteriors.append(q / q.sum())
                    weights.append(count_v * count_w)
        if not posteriors:
            for v, count in document:
                p = theta * phi[:, v] / np.sum(theta * phi[:, v])
                posteriors.append(p)
                weights.append(
                    count * (np.sum(p * np.log(p / theta)) if by == "informative" else 1)
                )
        shares.append(np.average(posteriors, axis=0, weights=weights) if posteriors else theta)
    return np.array(shares)


def weights(v, w, n, words, gamma, beta):
    """The weight of each topic for a biterm that is not among the counts."""
    c = 2 * n + len(words) * beta
    return (n + gamma) * (words[v] + beta) * (words[w] + beta) / (c * (c + 1))


def leave_one_out(biterms, n, words, gamma, beta):
    """Mean log p(biterm | the others): each biterm's own shares are taken out of the counts."""
    logs = []
    for v, w in biterms:
        q = weights(v, w, n, words, gamma, beta)
        share = q / q.sum()
        others = words.astype(float)
        others[v] = np.maximum(others[v] - share, 0)
        others[w] = np.maximum(others[w] - share, 0)
        left = weights(v, w, np.maximum(n - share, 0), others, gamma, beta)
        logs.append(np.log(left.sum() / (n.sum() - 1 + len(n) * gamma)))
    return np.mean(logs)


def text_sweep(
    texts, order, n, rows, evidence, step, left_out, gamma, beta, background=0, seeds=None, share=0
):
    """A sweep over texts, each a list of (word, weight); changes rows (W, K) and evidence in place.

    evidence[d][i] is what token i of text d contributes to the counts of its word. All words of a
    text form biterms. Returns the log-likelihood of the biterms of each visited text, given the
    other texts.
    """
    frequency, log_likelihoods = n / n.sum(), []
    for d in order:
        text, counts = texts[d], n[:, None] * rows
        for (w, _), own in zip(text, evidence[d], strict=True):
            counts[w] -= left_out * own
        t = counts.sum(axis=0)
        topic = (1 - background) * (counts + beta) / (t + len(n) * beta)
        word = topic + background * frequency[:, None]
        goal, degree, log_likelihood = np.zeros_like(evidence[d]), np.zeros(len(text)), 0.0
        for i, (v, weight_v) in enumerate(text):
            for j, (w, weight_w) in enumerate(text[:i]):
                if v != w:
                    q = (t / 2 + gamma) * word[v] * word[w]
                    weight = weight_v * weight_w
                    log_likelihood += weight * np.log(q.sum() / (t / 2 + gamma).sum())
                    goal[[i, j]] += weight * q / q.sum()
                    degree[[i, j]] += weight
        for i, (w, _) in enumerate(text):
            goal[i] *= topic[w] / word[w]
            if seeds is not None and seeds[w] >= 0:
                goal[i] *= 1 - share
                goal[i, seeds[w]] += share * degree[i]
            new = np.maximum(evidence[d][i] + step * (goal[i] - evidence[d][i]), 0)
            rows[w] += (new - evidence[d][i]) / n[w]
            evidence[d][i] = new
        log_likelihoods.append(log_likelihood)
    return np.array(log_likelihoods)


def posterior(biterms, n, words, gamma, beta):
    """p(topics of all biterms | biterms), by enumeration; n (K,) and words (W, K) came before."""
    probabilities = {}
    for topics in product(range(len(n)), repeat=len(biterms)):
        now_n, now_words, p = n.astype(float), words.astype(float), 1.0
        for (v, w), k in zip(biterms, topics, strict=True):
            p *= weights(v, w, now_n, now_words, gamma, beta)[k]
            now_n[k] += 1
            now_words[v, k] += 1
            now_words[w, k] += 1
        probabilities[topics] = p
    total = sum(probabilities.values())
    return {topics: p / total for topics, p in probabilities.items()}


def cvb0(biterms, weight, shares, gamma, beta, n_words):
    """A sweep over different biterms; changes shares in place; returns the counts and a log-sum."""
    n, words, log_likelihood = weight @ shares, np.zeros((n_words, shares.shape[1])), 0.0
    for (v, w), times, share in zip(biterms, weight, shares, strict=True):
        words[v] += times * share
        words[w] += times * share
    for i, (v, w) in enumerate(biterms):
        others = words.copy()
        others[v] -= shares[i]
        others[w] -= shares[i]
        q = weights(v, w, n - shares[i], others, gamma, beta)
        log_likelihood += weight[i] * np.log(q.sum())
        step = weight[i] * (q / q.sum() - shares[i])
        n += step
        words[v] += step
        words[w] += step
        shares[i] = q / q.sum()
    return n, words, log_likelihood


def scvb0(biterms, n, words, total, steps, gamma, beta):
    """Without the lazy scale: every step changes all counts, in place; returns a log-sum."""
    log_likelihood = 0.0
    for (v, w), rho in zip(biterms, steps, strict=True):
        q = weights(v, w, n, words, gamma, beta)
        log_likelihood += np.log(q.sum())
        q /= q.sum()
        n *= 1 - rho
        n += rho * total * q
        words *= 1 - rho
        words[v] += rho * total * q
        words[w] += rho * total * q
    return log_likelihood


def alpha_sdm(biterms, rows, n, alpha, kappa, gamma, beta):
    """SDM with E[(n + beta)^alpha]^(1/alpha) to second order; changes rows, returns the spread."""
    spread, updates, mass = np.zeros_like(rows), Counter(), np.maximum(n - 1, 0)[:, None]
    for v, w in biterms:
        b = mass * rows + beta
        r = np.minimum(mass * spread / b**2, 1)
        if alpha == 0:
            mean = b * np.exp(-r / 2)
        else:
            mean = b * (1 + alpha * (alpha - 1) / 2 * r) ** (1 / alpha)
        c = b.sum(axis=0)
        a = (c - len(rows) * beta) / 2 + gamma
        q = a * mean[v] * mean[w] / (c * (c + 1))
        q /= q.sum()
        for word in (v, w):
            rho = sdm_step_size(updates[word], np.inf, kappa)
            updates[word] += 1
            rows[word] += rho * (q - rows[word])
            spread[word] += rho * (q * (1 - q) - spread[word])
    return spread


def windows(texts, topics, size):
    """In how many windows the top words are, (K, n); and each two of them, (K, n, n)."""
    n_windows = 0
    words = np.zeros((len(topics), len(topics[0])), int)
    pairs = np.zeros((*words.shape, words.shape[1]), int)
    for text in filter(None, texts):
        for start in range(max(len(text) - size, 0) + 1):
            window = set(text[start : start + size])
            n_windows += 1
            for k, topic in enumerate(topics):
                inside = np.array([word in window for word in topic])
                words[k] += inside
                pairs[k] += np.outer(inside, inside)
    return words, pairs, n_windows
