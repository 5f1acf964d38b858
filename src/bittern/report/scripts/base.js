// Texts are only inserted as text nodes: nothing in them can become markup or code.

const data = JSON.parse(document.getElementById("data").textContent);
const state = { topic: data.order[0] };

const $ = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString("en-US");
const counted = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

function percent(share) {
  if (share > 0 && share < 0.0005) return "<0.1%";
  return share === 0 || share >= 0.0995 ? `${(100 * share).toFixed(0)}%` : `${(100 * share).toFixed(1)}%`;
}

function element(tag, { text, className, ...attributes } = {}, ...children) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function drawing(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const used = data.order.filter((k) => data.topics[k].in_use);
const branchOf = (topic) => (topic.in_use ? topic.branch ?? "none" : "unused");
const nameOf = (topic) => (topic.in_use ? topic.name : `Topic ${topic.topic} (hardly used)`);

function topicLink(k, suffix = "") {
  const topic = data.topics[k];
  return element("a", { href: `#topic-${k}` },
    element("span", { className: "dot", "data-branch": branchOf(topic) }),
    element("bdi", { text: nameOf(topic) }), suffix);
}

// The tooltip stays within the window, beside the box that it explains.

function showTooltip(box, ...content) {
  const tooltip = $("tooltip"), gap = 8;
  tooltip.replaceChildren(...content);
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const within = (value, size, limit) => Math.max(gap, Math.min(value, limit - size - gap));
  const above = box.top - height - gap;
  tooltip.style.left = `${within(box.left + box.width / 2 - width / 2, width, document.documentElement.clientWidth)}px`;
  tooltip.style.top = `${within(above < gap ? box.bottom + gap : above, height, innerHeight)}px`;
}

const hideTooltip = () => { $("tooltip").hidden = true; };
