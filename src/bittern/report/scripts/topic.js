// One topic in depth.

function wordRows(k, step) {
  const { terms, inside, order } = data.words[k];
  return order[step].map((i) => ({ name: data.terms[terms[i]], inside: inside[i], overall: data.overall[terms[i]] }));
}

const topWords = (k, n) => wordRows(k, data.initial_relevance).slice(0, n).map(({ name }) => name);

// Bars for shares inside of the topic, and lines for shares in all texts.
function drawBars(list, rows) {
  const highest = Math.max(...rows.map(({ inside, overall }) => Math.max(inside, overall)), 1e-9);
  list.replaceChildren(...rows.map(({ name, inside, overall }) => {
    const bar = element("span", { className: "bar" }), tick = element("span", { className: "tick" });
    bar.style.width = `${100 * inside / highest}%`;
    tick.style.left = `${100 * overall / highest}%`;
    return element("li", {},
      element("bdi", { text: name, className: "name", title: name }),
      element("span", { className: "track", "aria-hidden": "true" }, bar, tick),
      element("span", { className: "value", text: smallPercent(inside) }),
      element("span", { className: "visually-hidden", text: ` (${smallPercent(overall)} in all texts)` }));
  }));
}

function smallPercent(share) {
  return share > 0 && share < 0.00095 ? `${(100 * share).toPrecision(1)}%` : percent(share);
}

function showTopic() {
  const k = state.topic, topic = data.topics[k];
  $("topic").dataset.branch = branchOf(topic);
  $("eyebrow").textContent = topic.in_use ? `Topic ${used.indexOf(k) + 1} of ${used.length} by size` : "Hardly used topic";
  $("topic-title").textContent = nameOf(topic);
  const facts = [`${percent(topic.share)} of texts`, counted(topic.documents, "text")];
  if (data.periods?.trends[k]) facts.push(data.periods.trends[k]);
  const hint = topic.in_use ? "" : ". The texts support fewer topics than the model has: this one has no words of its own.";
  $("facts").textContent = facts.join(" · ") + hint;
  $("nearest").replaceChildren(...topic.nearest.map((other) => element("li", {}, topicLink(other))));
  $("similar").hidden = topic.nearest.length === 0;
  $("no-texts").hidden = data.representative[k].length > 0;
  showWords();
  if (data.periods) drawPeriods();
  if (data.labels) showLabels();
  markMap();
  for (const row of $("table").tBodies[0].rows) {
    if (Number(row.dataset.topic) === k) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
  }
}

function showWords() {
  const rows = wordRows(state.topic, $("relevance").value);
  $("relevance").setAttribute("aria-valuetext", data.relevances[$("relevance").value].toFixed(1));
  drawBars($("words"), rows);
  const pattern = wholeWords(rows.map(({ name }) => name));
  $("texts").replaceChildren(...data.representative[state.topic].map(([i, share]) => textItem(data.texts[i], pattern, share)));
}

function showLabels() {
  const { names, overall, order, inside } = data.labels;
  drawBars($("labels"), order[state.topic].map((label, rank) => (
    { name: names[label], inside: inside[state.topic][rank], overall: overall[label] }
  )));
}

function textItem(row, pattern, share) {
  const facts = [row.time && formatDate(row.time, { ...YEAR, ...DAY }), row.label].filter(Boolean);
  if (share !== undefined) facts.push(`${percent(share)} about this topic`);
  const item = element("li", {}, element("p", { dir: "auto" }, ...highlighted(row.text, pattern)));
  if (facts.length) item.append(element("p", { className: "muted", text: facts.join(" · ") }));
  return item;
}

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
const anywhere = (query) => new RegExp(`(${escaped(query)})`, "giu");

function wholeWords(words) {
  if (!words.length) return undefined;
  const choices = [...words].sort((a, b) => b.length - a.length).map(wholeWord).join("|");
  return new RegExp(`(${choices})`, "giu");
}

// A word, or a phrase such as new_york. Thai, Japanese and Chinese do not separate words.
function wholeWord(word) {
  const pattern = word.split(/[_ ]/).map(escaped).join("[^\\p{L}\\p{N}]+");
  return /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/u.test(word) ? pattern : `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`;
}

function highlighted(text, pattern) {
  if (!pattern) return [text];
  return text.split(pattern).map((part, i) => (i % 2 ? element("mark", { text: part }) : part));
}
