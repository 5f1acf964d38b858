// The share of the selected topic over time, with its interval and its bursts.

const YEAR = { year: "numeric" }, DAY = { month: "short", day: "numeric" };
const dateOf = (start) => new Date(`${start}T00:00:00Z`); // in UTC everywhere, so that days do not shift
const formatDate = (start, format) => dateOf(start).toLocaleDateString("en-US", { ...format, timeZone: "UTC" });
const quarterOf = (start) => `Q${Math.ceil(start.slice(5, 7) / 3)} ${start.slice(0, 4)}`;

function periodName(i) {
  const { period, starts } = data.periods;
  if (period === "year") return formatDate(starts[i], YEAR);
  if (period === "quarter") return quarterOf(starts[i]);
  if (period === "month") return formatDate(starts[i], { ...YEAR, month: "long" });
  const day = formatDate(starts[i], { ...YEAR, month: "long", day: "numeric" });
  return period === "week" ? `week of ${day}` : day;
}

function axisFormat() {
  const { period, starts } = data.periods;
  if (period === "year") return YEAR;
  if (period === "month" || period === "quarter") return { ...YEAR, month: "short" };
  return starts[0].slice(0, 4) === starts.at(-1).slice(0, 4) ? DAY : { ...YEAR, ...DAY };
}

// A round step that gives two to five ticks.
function shareTicks(highest) {
  const power = 10 ** Math.floor(Math.log10(highest || 1));
  const step = [0.2, 0.5, 1, 2].map((factor) => factor * power).find((size) => highest / size <= 5);
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, i) => i * step);
}

function drawPeriods() {
  const { period, starts, share, low, high, bursts } = data.periods;
  const container = $("periods"), width = container.clientWidth, height = 190;
  const { year, month, day } = axisFormat();
  const labelWidth = year && month ? (day ? 96 : 76) : 56; // of Dec 30, 2024; Dec 2024; Dec 30
  const box = { left: 44, right: width - labelWidth / 2 + 4, top: 10, bottom: height - 26 };
  const [own, lows, highs] = [share, low, high].map((values) => values[state.topic]);
  // a wide interval of a period with few texts may leave the chart
  const highest = Math.max(...own, Math.min(Math.max(...highs), 1.6 * Math.max(...own))) || 0.01;
  const ticks = shareTicks(highest), top = ticks.at(-1);
  const x = (i) => box.left + (i / Math.max(starts.length - 1, 1)) * (box.right - box.left);
  const y = (value) => box.bottom - (Math.min(value, top) / top) * (box.bottom - box.top);
  const runs = [];
  own.forEach((value, i) => {
    if (value === null) return;
    if (i > 0 && own[i - 1] !== null) runs.at(-1).push(i); else runs.push([i]);
  });
  const line = (points) => points.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L");
  const band = (run) => `M${line([...run.map((i) => [x(i), y(highs[i])]), ...[...run].reverse().map((i) => [x(i), y(lows[i])])])}Z`;
  const text = (content, attributes) => {
    const node = drawing("text", attributes);
    node.textContent = content;
    return node;
  };
  const step = Math.max(1, Math.ceil(labelWidth * starts.length / (box.right - box.left)));
  const dates = starts.map((_, i) => i).filter((i) => i % step === 0);
  const half = (x(1) - x(0)) / 2;
  const svg = drawing("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": describePeriods(own) },
    ...bursts[state.topic].map(({ first, last }) => {
      const [start, end] = [Math.max(x(first) - half, box.left), Math.min(x(last) + half, box.right)];
      return drawing("rect", { class: "burst", x: start, y: box.top, width: end - start, height: box.bottom - box.top });
    }),
    ...ticks.map((tick) => drawing("line", { class: "grid", x1: box.left, x2: box.right, y1: y(tick), y2: y(tick) })),
    ...ticks.map((tick) => text(`${+(100 * tick).toPrecision(3)}%`, { x: box.left - 8, y: y(tick) + 4, "text-anchor": "end" })),
    ...dates.map((i) => text(period === "quarter" ? quarterOf(starts[i]) : formatDate(starts[i], axisFormat()), { x: x(i), y: height - 6, "text-anchor": "middle" })),
    ...runs.map((run) => drawing("path", { class: "band", d: band(run) })),
    ...runs.map((run) => drawing("path", { class: "line", d: `M${line(run.map((i) => [x(i), y(own[i])]))}` })),
    ...runs.flat().map((i) => drawing("circle", { class: "point", cx: x(i), cy: y(own[i]), r: starts.length > 40 ? 1.5 : 2.5 })));
  const guide = drawing("line", { class: "guide", y1: box.top, y2: box.bottom, visibility: "hidden" });
  svg.append(guide);
  container.replaceChildren(svg);
  svg.addEventListener("pointermove", (event) => {
    const offset = (event.clientX - svg.getBoundingClientRect().left - box.left) / (box.right - box.left);
    const i = Math.max(0, Math.min(starts.length - 1, Math.round(offset * (starts.length - 1))));
    for (const [name, value] of [["x1", x(i)], ["x2", x(i)], ["visibility", "visible"]]) guide.setAttribute(name, value);
    const bounds = guide.getBoundingClientRect();
    showTooltip(bounds, ...periodFacts(i));
  });
  svg.addEventListener("pointerleave", () => { guide.setAttribute("visibility", "hidden"); hideTooltip(); });
  showBursts();
}

function periodFacts(i) {
  const { share, low, high, documents } = data.periods, k = state.topic;
  const known = share[k][i] !== null;
  return [
    element("strong", { text: capitalized(periodName(i)) }),
    element("span", { text: known ? `${percent(share[k][i])} (${percent(low[k][i])} to ${percent(high[k][i])})` : "no texts" }),
    element("span", { className: "muted", text: `${counted(documents[i], "text")} in all` }),
  ];
}

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function describePeriods(own) {
  const known = own.flatMap((value, i) => (value === null ? [] : [i]));
  const highest = known.reduce((best, i) => (own[i] > own[best] ? i : best), known[0]);
  const lowest = known.reduce((best, i) => (own[i] < own[best] ? i : best), known[0]);
  return `Share over time, from ${percent(own[lowest])} (${periodName(lowest)}) to ${percent(own[highest])} (${periodName(highest)})`;
}

function showBursts() {
  $("bursts").replaceChildren(...data.periods.bursts[state.topic].map(({ first, last, times, words }) => {
    const when = first === last ? periodName(first) : `${periodName(first)} to ${periodName(last)}`;
    const item = element("li", {}, element("strong", { text: capitalized(when) }), `: ${times} times the usual share`);
    if (words.length) item.append("; more often than usual: ", element("bdi", { text: words.join(", ") }));
    return item;
  }));
}
