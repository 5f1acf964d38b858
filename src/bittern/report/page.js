// The state of the page is the selected topic, the relevance of its words, and the order of the table.
// Texts are only inserted as text nodes: nothing in them can become markup or code.
const data = JSON.parse(document.getElementById("data").textContent);
const views = {};
const MAX_FOUND_WORDS = 8, MAX_FOUND_TEXTS = 25;
const MAX_MAP_SIZE = 600, NARROW_MAP_SIZE = 480, CLICK_TOLERANCE = 16, BAR_HEIGHT = 20, AXIS_HEIGHT = 30; // pixels
let selected = 0;
let sorting = { key: "share", descending: true };

const $ = (id) => document.getElementById(id);
const percent = (x, digits = 1) => `${(100 * x).toFixed(digits)}%`;
const count = (n) => n.toLocaleString("en");
const counted = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

function element(tag, { text, className, onclick } = {}, ...children) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  if (onclick) { node.type = "button"; node.addEventListener("click", onclick); }
  node.append(...children);
  return node;
}

function topicButton(k, suffix = "") {
  const name = element("bdi", { text: data.topics[k].name });
  return element("button", { onclick: () => selectTopic(k, true) }, `${k}: `, name, suffix);
}

// The data of each chart, for the selected topic

const rows = {
  map: () => data.topics.map((topic) => (
    mapSize() < NARROW_MAP_SIZE ? { ...topic, label: `${topic.topic}` } : topic
  )),
  words: () => {
    const { terms, inside, order } = data.words[selected];
    return order[$("relevance").value].map((i, rank) => (
      { rank, name: data.terms[terms[i]], inside: inside[i], overall: data.overall[terms[i]] }
    ));
  },
  periods: () => {
    const { starts, documents, share, low, high } = data.periods;
    return starts.map((period, i) => ({
      period, documents: documents[i], share: share[selected][i], low: low[selected][i], high: high[selected][i],
    }));
  },
  labels: () => {
    const { names, overall, order, inside } = data.labels;
    return order[selected].map((label, rank) => (
      { rank, name: names[label], inside: inside[selected][rank], overall: overall[label] }
    ));
  },
};

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function chartSpecs() {
  const { blue, orange, specs } = JSON.parse($("charts").textContent);
  const themed = JSON.stringify(specs).replaceAll(blue, css("--bar")).replaceAll(orange, css("--tick"));
  return Object.entries(JSON.parse(themed)).filter(([name]) => $(name));
}

function chartConfig() {
  const [ink, line] = [css("--ink"), css("--line")];
  return {
    background: null,
    view: { stroke: null },
    axis: { labelColor: ink, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12 },
    text: { color: ink },
  };
}

// Sizes: the map is a square, so that distances are comparable in all directions.

const mapSize = () => Math.min($("map").clientWidth, MAX_MAP_SIZE);
const heights = {
  map: mapSize,
  words: () => rows.words().length * BAR_HEIGHT + AXIS_HEIGHT,
  periods: () => 180,
  labels: () => rows.labels().length * BAR_HEIGHT + AXIS_HEIGHT,
};

const size = (name) => (
  { width: name === "map" ? mapSize() : $(name).clientWidth, height: heights[name]() }
);

async function drawCharts() {
  const theme = document.documentElement.classList.contains("dark") ? "dark" : "light";
  const options = { actions: false, renderer: "svg", config: chartConfig(), tooltip: { theme } };
  for (const [name, spec] of chartSpecs()) {
    const filled = { ...spec, ...size(name), datasets: { [name]: rows[name]() } };
    const { view } = await vegaEmbed($(name), filled, options);
    views[name]?.finalize();
    views[name] = view;
  }
  views.map.addEventListener("click", (event, item) => {
    const k = clickedTopic(event, item);
    if (k !== undefined) selectTopic(k, isBelowMap());
  });
  views.map.signal("selected", selected).runAsync();
}

// The topic under the pointer, or close to it: fingers are wider than small circles.
function clickedTopic(event, item) {
  if (item?.datum?.topic !== undefined) return item.datum.topic;
  const distances = [...$("map").querySelectorAll(".mark-symbol path")].map((circle) => {
    const { x, y, width, height } = circle.getBoundingClientRect();
    return Math.hypot(event.clientX - x - width / 2, event.clientY - y - height / 2) - width / 2;
  });
  const k = distances.indexOf(Math.min(...distances));
  return distances[k] <= CLICK_TOLERANCE ? k : undefined;
}

// On a phone, the topic is below the map.
const isBelowMap = () => $("topic").getBoundingClientRect().top >= $("map").getBoundingClientRect().bottom;

function updateChart(name) {
  if (!views[name]) return;
  const { width, height } = size(name);
  views[name].width(width).height(height).data(name, rows[name]()).runAsync();
}

// The selected topic

function selectTopic(k, scroll = false) {
  selected = k;
  showTopic();
  if (scroll) scrollToTopic();
  history.replaceState(null, "", `${location.href.split("#")[0]}#topic-${k}`); // in full: a frame has its own base
}

function scrollToTopic() {
  $("topic").focus({ preventScroll: true });
  $("topic").scrollIntoView();
}

function showTopic() {
  const topic = data.topics[selected];
  $("topic-title").textContent = `Topic ${selected}: ${topic.name}`;
  $("facts").textContent = `${percent(topic.share)} of all biterms; `
    + `main topic of ${counted(topic.documents, "text")}`
    + (topic.in_use ? "" : "; hardly used: the texts support fewer topics");
  $("nearest").replaceChildren("Similar topics: ", ...topic.nearest.map((k) => topicButton(k)));
  $("nearest").hidden = topic.nearest.length === 0;
  $("no-texts").hidden = data.representative[selected].length > 0;
  views.map?.signal("selected", selected).runAsync();
  showWords();
  if (data.periods) showPeriods();
  if (data.labels) updateChart("labels");
  for (const row of $("table").tBodies[0].rows) {
    row.setAttribute("aria-current", Number(row.dataset.topic) === selected);
  }
}

function showWords() {
  const relevance = data.relevances[$("relevance").value].toFixed(1);
  $("relevance-value").textContent = relevance;
  $("relevance").setAttribute("aria-valuetext", relevance);
  $("words-summary").textContent = rows.words().map(({ name, inside }) => `${name} ${percent(inside)}`).join(", ");
  updateChart("words");
  const pattern = wholeWords(rows.words().map(({ name }) => name));
  $("texts").replaceChildren(...data.representative[selected].map(([i, share]) =>
    textItem(data.texts[i], share, pattern)));
}

function showPeriods() {
  const bursts = data.periods.bursts[selected].map(([start, end, times]) =>
    `${start === end ? start : `${start} to ${end}`} (${times} times the usual share)`);
  $("bursts").textContent = bursts.length ? `Bursts: ${bursts.join("; ")}.` : "";
  updateChart("periods");
}

function textItem(row, share, pattern) {
  const facts = [row.time, row.label].filter(Boolean);
  if (share !== undefined) facts.unshift(percent(share, 0));
  const item = element("li", {}, ...highlighted(row.text, pattern),
    element("span", { className: "muted", text: facts.join(" · ") }));
  item.dir = "auto";
  return item;
}

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
const anywhere = (query) => new RegExp(`(${escaped(query)})`, "giu");
const wholeWords = (words) => new RegExp(
  `(?<![\\p{L}\\p{N}])(${[...words].sort((a, b) => b.length - a.length).map(escaped).join("|")})(?![\\p{L}\\p{N}])`, "giu");

function highlighted(text, pattern) {
  return text.split(pattern).map((part, i) => (i % 2 ? element("mark", { text: part }) : part));
}

// Search

const normalized = (text) => text.normalize("NFC").toLowerCase();

function search() {
  const query = normalized($("query").value.trim());
  $("results").hidden = query === "";
  if (query === "") { $("results").replaceChildren(); $("search-status").textContent = ""; return; }
  const words = data.terms.map((word, i) => [word, i]).filter(([word]) => normalized(word).includes(query));
  const exact = ([word]) => normalized(word) === query;
  words.sort((a, b) => exact(b) - exact(a) || data.overall[b[1]] - data.overall[a[1]]);
  const texts = data.texts.filter((row) => normalized(row.text).includes(query));
  $("search-status").textContent = `${counted(words.length, "word")} and ${counted(texts.length, "text")} found`;
  $("results").replaceChildren(
    element("h2", { text: "Search results" }),
    element("h3", { text: words.length ? "Words and their topics" : "No matching words" }),
    element("ul", { className: "texts" }, ...words.slice(0, MAX_FOUND_WORDS).map(([word, i]) => element("li", { className: "chips" },
      element("strong", {}, element("bdi", { text: word })),
      ...data.term_topics[i].filter(([, share]) => share > 0).map(([k, share]) => topicButton(k, ` ${share}%`))))),
    element("h3", { text: `${count(texts.length)} of ${counted(data.texts.length, "text")} on this page` }),
    element("ul", { className: "texts" }, ...texts.slice(0, MAX_FOUND_TEXTS).map((row) => {
      const item = textItem(row, undefined, anywhere(query));
      item.append(topicButton(row.topic, ` ${percent(row.probability, 0)}`));
      return item;
    })),
  );
}

// The table of topics

function fillTable() {
  const { key, descending } = sorting;
  const sorted = [...data.topics].sort((a, b) => {
    const [x, y] = [a[key], b[key]];
    const ascending = typeof x === "string" ? x.localeCompare(y) : x - y;
    return (descending ? -ascending : ascending) || a.topic - b.topic;
  });
  $("table").tBodies[0].replaceChildren(...sorted.map((topic) => {
    const numberCell = (text) => element("td", { text, className: "number" });
    const row = element("tr", {},
      numberCell(topic.topic),
      element("td", {}, element("button", { onclick: () => selectTopic(topic.topic, true) },
        element("bdi", { text: topic.name }))),
      numberCell(percent(topic.share)),
      numberCell(count(topic.documents)),
      numberCell(topic.coherence.toFixed(3)),
      numberCell(topic.exclusivity.toFixed(2)),
      ...(topic.trend === undefined ? [] : [element("td", { text: topic.trend })]),
      element("td", { text: topic.words, className: "muted" }));
    row.dataset.topic = topic.topic;
    row.setAttribute("aria-current", topic.topic === selected);
    return row;
  }));
  for (const header of $("table").tHead.rows[0].cells) {
    if (header.dataset.key === key) header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    else header.removeAttribute("aria-sort");
  }
}

function sortBy(key) {
  const ascendingFirst = ["topic", "name"].includes(key);
  sorting = { key, descending: sorting.key === key ? !sorting.descending : !ascendingFirst };
  fillTable();
}

// Light and dark mode

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  $("theme").textContent = dark ? "Light mode" : "Dark mode";
  drawCharts();
}

// Events

const step = (offset) => selectTopic((selected + offset + data.topics.length) % data.topics.length);
$("previous").addEventListener("click", () => step(-1));
$("next").addEventListener("click", () => step(1));
$("relevance").addEventListener("input", showWords);
$("query").addEventListener("input", search);
$("search").addEventListener("submit", (event) => event.preventDefault());
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); scrollToTopic(); });
$("theme").addEventListener("click", () => setTheme(!document.documentElement.classList.contains("dark")));
for (const header of $("table").tHead.rows[0].cells) {
  header.querySelector("button")?.addEventListener("click", () => sortBy(header.dataset.key));
}
addEventListener("hashchange", showTopicOfAddress);
addEventListener("resize", () => Object.keys(views).forEach(updateChart));

function showTopicOfAddress() {
  const k = Number(location.hash.match(/^#topic-(\d+)$/)?.[1] ?? NaN);
  if (k < data.topics.length) selected = k;
  showTopic();
  if (k === selected) scrollToTopic();
}

selected = data.topics.reduce((largest, topic) => (topic.share > largest.share ? topic : largest)).topic;
fillTable();
showTopicOfAddress();
setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
