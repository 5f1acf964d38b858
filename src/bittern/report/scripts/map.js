// The map: circles that do not overlap, and labels where there is room. The same topics and width
// always give the same map.

const LABEL_SIZE = 13, LABEL_HEIGHT = 17, LABEL_GAP = 3, CIRCLE_GAP = 2; // pixels
const MIN_RADIUS = 3.5, MAX_RADIUS = 64;
const CIRCLE_SHARE = 0.13; // of the map
const MAX_LABEL = 26; // characters
const ANGLES = [0, 8, 4, 12, 1, 15, 7, 9, 2, 14, 6, 10, 3, 13, 5, 11].map((part) => part * Math.PI / 8);
const measure = document.createElement("canvas").getContext("2d");

const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function touches(box, circle) {
  const dx = circle.x - Math.max(box.left, Math.min(circle.x, box.right));
  const dy = circle.y - Math.max(box.top, Math.min(circle.y, box.bottom));
  return Math.hypot(dx, dy) < circle.radius + LABEL_GAP / 2;
}

// Scale positions to the width, and move circles apart; areas are shares.
function placeCircles(topics, width) {
  const span = (key) => {
    const values = topics.map((topic) => topic[key]);
    const low = Math.min(...values), high = Math.max(...values);
    return { middle: (low + high) / 2, length: high - low };
  };
  const across = span("x"), down = span("y"), isNarrow = width < 600;
  const margin = { x: isNarrow ? 40 : 90, y: 36 };
  const wanted = (width - 2 * margin.x) * (down.length / (across.length || 1)) + 2 * margin.y;
  const tallest = topics.length < 8 ? 0.36 : topics.length < 60 ? 0.72 : 0.9; // more topics need more room
  const height = isNarrow ? Math.max(0.8 * width, Math.min(wanted, 1.25 * width)) : Math.min(wanted, tallest * width);
  const unit = Math.sqrt(CIRCLE_SHARE * width * height / Math.PI);
  const largest = Math.max(...topics.map((topic) => topic.share));
  const factor = Math.min(unit, MAX_RADIUS / Math.sqrt(largest || 1));
  const room = factor * Math.sqrt(largest) + LABEL_HEIGHT + LABEL_GAP;
  const fit = (span, length, least) => (length - 2 * Math.max(room, least)) / (span.length || 1);
  const scale = Math.min(fit(across, width, margin.x), fit(down, height, margin.y));
  const circles = topics.map((topic) => ({
    topic,
    x: width / 2 + (topic.x - across.middle) * scale,
    y: height / 2 - (topic.y - down.middle) * scale,
    radius: Math.max(MIN_RADIUS, factor * Math.sqrt(topic.share)),
  }));
  separate(circles, width, height);
  return { circles, height };
}

function separate(circles, width, height) {
  for (let round = 0, moved = true; moved && round < 400; round++) {
    moved = false;
    for (let i = 0; i < circles.length; i++) {
      for (let j = 0; j < i; j++) {
        const a = circles[i], b = circles[j], wanted = a.radius + b.radius + CIRCLE_GAP;
        let dx = a.x - b.x, dy = a.y - b.y, distance = Math.hypot(dx, dy);
        if (distance >= wanted - 0.01) continue;
        if (distance < 1e-6) [dx, dy, distance] = [Math.cos(i), Math.sin(i), 1];
        const push = (wanted - Math.min(distance, wanted)) / 2 / distance || wanted / 2;
        a.x += dx * push; a.y += dy * push; b.x -= dx * push; b.y -= dy * push;
        moved = true;
      }
    }
    for (const circle of circles) {
      const inside = (value, limit) => Math.max(circle.radius + 2, Math.min(value, limit - circle.radius - 2));
      circle.x = inside(circle.x, width);
      circle.y = inside(circle.y, height);
    }
  }
}

// Labels from the largest topic on: two words of the name, else one, in the first place that is free.
function placeLabels(circles, width, height) {
  measure.font = `${LABEL_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  const placed = [];
  for (const circle of [...circles].sort((a, b) => b.radius - a.radius)) {
    const label = labelTexts(circle.topic).flatMap((text) => labelBoxes(circle, text)).find((box) =>
      box.left >= 2 && box.right <= width - 2 && box.top >= 2 && box.bottom <= height - 2
      && !placed.some((other) => overlaps(box, other))
      && !circles.some((other) => other !== circle && touches(box, other)));
    if (label) placed.push(label);
  }
  return placed;
}

function labelTexts({ name }) {
  const words = name.split(", ");
  const texts = words.length === 3 ? [words.slice(0, 2).join(", "), words[0]] : [name];
  return texts.map((text) => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text));
}

// Inside of the circle if there is room, then around it: right, left, below, above, and between.
function labelBoxes(circle, text) {
  const { x, y, radius } = circle;
  const across = measure.measureText(text).width / 2 + 2, down = LABEL_HEIGHT / 2, out = radius + LABEL_GAP;
  const box = (middle, center) => (
    { circle, text, x: middle, y: center, left: middle - across, right: middle + across, top: center - down, bottom: center + down });
  const inside = across < Math.sqrt(Math.max(radius * radius - down * down, 0)) - 2 ? [box(x, y)] : [];
  const beside = (part) => Math.max(-1, Math.min(1.5 * part, 1)); // a box that touches the circle at an angle
  return [...inside, ...ANGLES.map((angle) => {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return box(x + out * cos + across * beside(cos), y + out * sin + down * beside(sin));
  })];
}

const mapped = used.map((k) => data.topics[k]);

function drawMap() {
  const canvas = $("map-canvas"), width = canvas.clientWidth;
  const { circles, height } = placeCircles(mapped, width);
  const labels = placeLabels(circles, width, height);
  const links = circles.map(({ topic, x, y, radius }) => drawing("a",
    { href: `#topic-${topic.topic}`, "data-topic": topic.topic, "data-branch": branchOf(topic), tabindex: -1,
      "aria-label": `${nameOf(topic)}, ${percent(topic.share)} of texts` },
    drawing("circle", { class: "target", cx: x, cy: y, r: Math.max(radius, 12) }),
    drawing("circle", { class: "circle", cx: x, cy: y, r: radius })));
  const texts = labels.map(({ circle, text, x, y }) => {
    const node = drawing("text", { x, y, "data-topic": circle.topic.topic });
    node.textContent = text;
    return node;
  });
  const group = drawing("g", { role: "group", "aria-label": "Map of topics: move with the arrow keys" }, ...links);
  canvas.replaceChildren(drawing("svg", { viewBox: `0 0 ${width} ${height}`, width, height },
    group, drawing("g", { "aria-hidden": "true", class: "labels" }, ...texts)));
  $("map-note").hidden = labels.length === circles.length;
  markMap();
}

function markMap() {
  const links = [...$("map-canvas").querySelectorAll("a")];
  for (const link of links) link.classList.toggle("selected", Number(link.dataset.topic) === state.topic);
  const current = links.find((link) => link.classList.contains("selected")) ?? links[0];
  for (const link of links) link.setAttribute("tabindex", link === current ? 0 : -1);
}

function explainCircle(link) {
  const topic = data.topics[link.dataset.topic];
  showTooltip(link.querySelector(".circle").getBoundingClientRect(),
    element("strong", {}, element("bdi", { text: nameOf(topic) })),
    element("span", { text: `${percent(topic.share)} of texts · ${counted(topic.documents, "text")}` }),
    element("span", { className: "muted", text: topWords(topic.topic, 8).join(", ") }));
}

// When the page scrolls, a tooltip stays at the circle that has the focus; others are hidden.
function followCircle() {
  const link = $("map-canvas").querySelector("a:focus-visible");
  if (link && !$("tooltip").hidden) explainCircle(link); else hideTooltip();
}

// From a circle, an arrow key goes to the closest one in its direction.
function neighborOf(link, key) {
  const direction = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  if (!direction) return undefined;
  const center = (node) => ["cx", "cy"].map((name) => Number(node.querySelector(".circle").getAttribute(name)));
  const [x, y] = center(link);
  const distance = (other) => {
    const [dx, dy] = [center(other)[0] - x, center(other)[1] - y];
    const along = dx * direction[0] + dy * direction[1];
    return along > 0 ? along + 2 * Math.abs(dx * direction[1] + dy * direction[0]) : Infinity;
  };
  const others = [...$("map-canvas").querySelectorAll("a")].map((other) => [distance(other), other]);
  const [near, closest] = others.reduce((best, other) => (other[0] < best[0] ? other : best));
  return near < Infinity ? closest : undefined;
}

$("map-canvas").addEventListener("pointerover", (event) => {
  const link = event.target.closest("a");
  if (link && event.pointerType !== "touch") explainCircle(link);
});
$("map-canvas").addEventListener("pointerout", hideTooltip);
$("map-canvas").addEventListener("focusin", (event) => explainCircle(event.target));
$("map-canvas").addEventListener("focusout", hideTooltip);
$("map-canvas").addEventListener("keydown", (event) => {
  const neighbor = neighborOf(event.target, event.key);
  if (event.key.startsWith("Arrow")) event.preventDefault();
  if (!neighbor) return;
  event.target.setAttribute("tabindex", -1);
  neighbor.setAttribute("tabindex", 0);
  neighbor.focus();
});
