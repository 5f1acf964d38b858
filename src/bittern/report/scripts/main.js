// Navigation, light and dark mode, and the events of the whole page.

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function nameTheme() {
  $("theme").textContent = isDark() ? "Light mode" : "Dark mode";
}

const topicOf = (hash) => {
  const k = Number(hash.match(/^#topic-(\d+)$/)?.[1] ?? NaN);
  return data.order.includes(k) ? k : undefined;
};

// Show what an address names: a topic, or a section of the page.
function follow(hash) {
  const k = topicOf(hash);
  if (k !== undefined) { state.topic = k; showTopic(); }
  const section = k === undefined ? hash.length > 1 && $(hash.slice(1)) : $("topic");
  if (!section) return;
  section.focus({ preventScroll: true });
  section.scrollIntoView();
}

function go(hash, remember = true) {
  const address = `${location.href.split("#")[0]}${hash}`; // in full: a frame has its own base
  history[remember ? "pushState" : "replaceState"](null, "", address);
}

function step(offset) {
  const n = data.order.length;
  state.topic = data.order[(data.order.indexOf(state.topic) + offset + n) % n];
  showTopic();
  go(`#topic-${state.topic}`, false);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  hideTooltip();
  const hash = link.getAttribute("href");
  go(hash);
  follow(hash);
});
addEventListener("hashchange", () => follow(location.hash));
addEventListener("scroll", followCircle, { passive: true });
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTooltip(); });
let drawnWidth = document.documentElement.clientWidth;
addEventListener("resize", () => {
  if (document.documentElement.clientWidth === drawnWidth) return; // a phone's address bar comes and goes
  drawnWidth = document.documentElement.clientWidth;
  drawMap();
  if (data.periods) drawPeriods();
});
addEventListener("beforeprint", () => { for (const details of document.querySelectorAll("details")) details.open = true; });

$("previous").addEventListener("click", () => step(-1));
$("next").addEventListener("click", () => step(1));
$("relevance").addEventListener("input", showWords);
$("query").addEventListener("input", search);
$("search").addEventListener("submit", (event) => event.preventDefault());
$("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});

for (const id of ["theme", "search", "map", "topic"]) $(id).hidden = false;
nameTheme();
arrangeTable();
drawMap();
showTopic();
if (location.hash) follow(location.hash);
