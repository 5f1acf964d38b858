// The page's state is the topic that is looked at, the relevance of its words, and the table's order.
// Texts are only ever put in as text nodes: nothing in them can become part of the page.
const data = JSON.parse(document.getElementById("data").textContent);
const views = {};
const MOST_FOUND = 25;
const LARGEST_MAP = 600, NARROW_MAP = 480, NEAR_ENOUGH = 16, BAR = 20, AXIS = 30; // pixels
let chosen = 0;
let order = { key: "share", down: true };

const $ = (id) => document.getElementById(id);
const percent = (x, digits = 1) => (100 * x).toFixed(digits) + " %";
const count = (n) => n.toLocaleString("en");

function element(tag, { text, className, onclick } = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  if (onclick) { made.type = "button"; made.addEventListener("click", onclick); }
  made.append(...children);
  return made;
}

function topicButton(k, more = "") {
  const name = element("bdi", { text: data.topics[k].name });
  return element("button", { onclick: () => choose(k, true) }, `${k}: `, name, more);
}

// Charts: each has rows for the topic that is looked at

const rows = {
  map: () => data.topics.map((topic) => (
    mapSize() < NARROW_MAP ? { ...topic, label: `${topic.topic}` } : topic
  )),
  words: () => {
    const { terms, inside, order } = data.words[chosen];
    return order[$("relevance").value].map((i, rank) => (
      { rank, name: data.terms[terms[i]], inside: inside[i], overall: data.overall[terms[i]] }
    ));
  },
  periods: () => {
    const { starts, documents, share, low, high } = data.periods;
    return starts.map((period, i) => ({
      period, documents: documents[i], share: share[chosen][i], low: low[chosen][i], high: high[chosen][i],
    }));
  },
  labels: () => {
    const { names, overall, order, inside } = data.labels;
    return order[chosen].map((label, rank) => (
      { rank, name: names[label], inside: inside[chosen][rank], overall: overall[label] }
    ));
  },
};

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function drawings() {
  const { blue, orange, charts } = JSON.parse($("drawings").textContent);
  const inTheme = JSON.stringify(charts).replaceAll(blue, css("--bar")).replaceAll(orange, css("--tick"));
  return Object.entries(JSON.parse(inTheme)).filter(([name]) => $(name));
}

function colours() {
  const [ink, line] = [css("--ink"), css("--line")];
  return {
    background: null,
    view: { stroke: null },
    axis: { labelColor: ink, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12 },
    text: { color: ink },
  };
}

// Sizes: the map is a square, so that distances are true in all directions.

const mapSize = () => Math.min($("map").clientWidth, LARGEST_MAP);
const heights = {
  map: mapSize,
  words: () => rows.words().length * BAR + AXIS,
  periods: () => 180,
  labels: () => rows.labels().length * BAR + AXIS,
};

const size = (name) => (
  { width: name === "map" ? mapSize() : $(name).clientWidth, height: heights[name]() }
);

async function draw() {
  const theme = document.documentElement.classList.contains("dark") ? "dark" : "light";
  const options = { actions: false, renderer: "svg", config: colours(), tooltip: { theme } };
  for (const [name, drawing] of drawings()) {
    const filled = { ...drawing, ...size(name), datasets: { [name]: rows[name]() } };
    const { view } = await vegaEmbed($(name), filled, options);
    views[name]?.finalize();
    views[name] = view;
  }
  views.map.addEventListener("click", (event, item) => {
    const k = nearest(event, item);
    if (k !== undefined) choose(k, isBelow());
  });
  views.map.signal("chosen", chosen).runAsync();
}

// The topic that a click is on, or nearest to: fingers are wider than small circles.
function nearest(event, item) {
  if (item?.datum?.topic !== undefined) return item.datum.topic;
  const far = [...$("map").querySelectorAll(".mark-symbol path")].map((circle) => {
    const { x, y, width, height } = circle.getBoundingClientRect();
    return Math.hypot(event.clientX - x - width / 2, event.clientY - y - height / 2) - width / 2;
  });
  const k = far.indexOf(Math.min(...far));
  return far[k] <= NEAR_ENOUGH ? k : undefined;
}

// On a phone the topic is below the map.
const isBelow = () => $("topic").getBoundingClientRect().top >= $("map").getBoundingClientRect().bottom;

function redraw(name) {
  if (!views[name]) return;
  const { width, height } = size(name);
  views[name].width(width).height(height).data(name, rows[name]()).runAsync();
}

// The topic that is looked at

function choose(k, andGo = false) {
  chosen = k;
  show();
  if (andGo) go();
  history.replaceState(null, "", `${location.href.split("#")[0]}#topic-${k}`); // whole: a frame has its own
}

function go() {
  $("topic").focus({ preventScroll: true });
  $("topic").scrollIntoView();
}

function show() {
  const topic = data.topics[chosen];
  $("topic-title").textContent = `Topic ${chosen}: ${topic.name}`;
  $("facts").textContent = `${percent(topic.share)} of all biterms; the main topic of ${count(topic.documents)} `
    + (topic.documents === 1 ? "text" : "texts");
  $("near").replaceChildren("Nearest: ", ...topic.near.map((k) => topicButton(k)));
  $("near").hidden = topic.near.length === 0;
  $("texts").replaceChildren(...data.best[chosen].map(([i, share]) => textItem(data.texts[i], share)));
  $("no-texts").hidden = data.best[chosen].length > 0;
  views.map?.signal("chosen", chosen).runAsync();
  showWords();
  if (data.periods) showPeriods();
  if (data.labels) redraw("labels");
  for (const row of $("table").tBodies[0].rows) {
    row.setAttribute("aria-current", Number(row.dataset.topic) === chosen);
  }
}

function showWords() {
  const relevance = data.relevances[$("relevance").value].toFixed(1);
  $("relevance-value").textContent = relevance;
  $("relevance").setAttribute("aria-valuetext", relevance);
  $("words-said").textContent = rows.words().map(({ name, inside }) => `${name} ${percent(inside)}`).join(", ");
  redraw("words");
}

function showPeriods() {
  const said = data.periods.bursts[chosen].map(([start, end, times]) =>
    `${start === end ? start : `${start} to ${end}`} (${times} times the usual share)`);
  $("bursts").textContent = said.length ? `Bursts: ${said.join("; ")}.` : "";
  redraw("periods");
}

function textItem(row, share, query = "") {
  const facts = [row.time, row.label].filter(Boolean);
  if (share !== undefined) facts.unshift(percent(share, 0));
  const item = element("li", {}, ...highlighted(row.text, query),
    element("span", { className: "soft", text: facts.join(" · ") }));
  item.dir = "auto";
  return item;
}

function highlighted(text, query) {
  const at = query ? plain(text).indexOf(query) : -1;
  if (at < 0) return [text];
  const end = at + query.length;
  return [text.slice(0, at), element("mark", { text: text.slice(at, end) }), text.slice(end)];
}

// Search

const plain = (text) => text.normalize("NFC").toLowerCase();

function search() {
  const query = plain($("query").value.trim());
  $("results").hidden = query === "";
  if (query === "") { $("results").replaceChildren(); $("found").textContent = ""; return; }
  const words = data.terms.map((word, i) => [word, i]).filter(([word]) => plain(word).includes(query));
  const exact = ([word]) => plain(word) === query;
  words.sort((a, b) => exact(b) - exact(a) || data.overall[b[1]] - data.overall[a[1]]);
  const texts = data.texts.filter((row) => plain(row.text).includes(query));
  $("found").textContent = `${count(words.length)} words and ${count(texts.length)} texts found`;
  $("results").replaceChildren(
    element("h2", { text: "Found" }),
    element("h3", { text: words.length ? "Words, and the topics that they are of" : "No word" }),
    element("ul", { className: "texts" }, ...words.slice(0, 8).map(([word, i]) => element("li", { className: "chips" },
      element("strong", {}, element("bdi", { text: word })),
      ...data.of[i].filter(([, share]) => share > 0).map(([k, share]) => topicButton(k, ` ${share} %`))))),
    element("h3", { text: `${count(texts.length)} of the ${count(data.texts.length)} texts on this page` }),
    element("ul", { className: "texts" }, ...texts.slice(0, MOST_FOUND).map((row) => {
      const item = textItem(row, undefined, query);
      item.append(topicButton(row.topic, ` ${percent(row.probability, 0)}`));
      return item;
    })),
  );
}

// The table of topics

function fillTable() {
  const { key, down } = order;
  const sorted = [...data.topics].sort((a, b) => {
    const [x, y] = [a[key], b[key]];
    const by = typeof x === "string" ? x.localeCompare(y) : x - y;
    return (down ? -by : by) || a.topic - b.topic;
  });
  $("table").tBodies[0].replaceChildren(...sorted.map((topic) => {
    const number = (text) => element("td", { text, className: "number" });
    const row = element("tr", {},
      number(topic.topic),
      element("td", {}, element("button", { onclick: () => choose(topic.topic, true) },
        element("bdi", { text: topic.name }))),
      number(percent(topic.share)),
      number(count(topic.documents)),
      number(topic.coherence.toFixed(3)),
      number(topic.exclusivity.toFixed(2)),
      ...(topic.trend === undefined ? [] : [element("td", { text: topic.trend })]),
      element("td", { text: topic.words, className: "soft" }));
    row.dataset.topic = topic.topic;
    row.setAttribute("aria-current", topic.topic === chosen);
    return row;
  }));
  for (const head of $("table").tHead.rows[0].cells) {
    if (head.dataset.key === key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}

function sortBy(key) {
  const words = ["topic", "name"].includes(key);
  order = { key, down: order.key === key ? !order.down : !words };
  fillTable();
}

// Light and dark

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  $("theme").textContent = dark ? "Light" : "Dark";
  draw();
}

// What people do

const step = (by) => choose((chosen + by + data.topics.length) % data.topics.length);
$("previous").addEventListener("click", () => step(-1));
$("next").addEventListener("click", () => step(1));
$("relevance").addEventListener("input", showWords);
$("query").addEventListener("input", search);
$("search").addEventListener("submit", (event) => event.preventDefault());
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); go(); });
$("theme").addEventListener("click", () => setTheme(!document.documentElement.classList.contains("dark")));
for (const head of $("table").tHead.rows[0].cells) {
  head.querySelector("button")?.addEventListener("click", () => sortBy(head.dataset.key));
}
addEventListener("hashchange", fromAddress);
addEventListener("resize", () => Object.keys(views).forEach(redraw));

function fromAddress() {
  const k = Number(location.hash.match(/^#topic-(\d+)$/)?.[1] ?? NaN);
  if (k < data.topics.length) chosen = k;
  show();
  if (k === chosen) go();
}

chosen = data.topics.reduce((best, topic) => (topic.share > best.share ? topic : best)).topic;
fillTable();
fromAddress();
setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
