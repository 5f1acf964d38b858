// The table of topics: its headers sort it, and the rows of many or hardly used topics unfold.

const MAX_ROWS = Math.min(25, used.length);
const sorting = { key: "documents", descending: true, all: data.order.length <= MAX_ROWS };
const values = {
  name: ({ topic }) => nameOf(data.topics[topic]),
  trend: ({ topic }) => data.periods.trends[topic],
};

function arrangeTable() {
  const { key, descending, all } = sorting, body = $("table").tBodies[0];
  const value = values[key] ?? ((topic) => topic[key]);
  const sorted = data.order.map((k) => data.topics[k]).sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    const ascending = typeof x === "string" ? x.localeCompare(y) : x - y;
    return (b.in_use - a.in_use) || (descending ? -ascending : ascending) || a.topic - b.topic;
  });
  const rows = new Map([...body.rows].map((row) => [Number(row.dataset.topic), row]));
  body.append(...sorted.map(({ topic }) => rows.get(topic)));
  [...body.rows].forEach((row, i) => row.classList.toggle("folded", !all && i >= MAX_ROWS));
  for (const header of $("table").tHead.rows[0].cells) {
    if (header.dataset.key === key) header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    else header.removeAttribute("aria-sort");
  }
  $("show-all").hidden = all;
  $("show-all").textContent = `Show all ${data.order.length} topics`;
}

function sortBy(key) {
  const ascendingFirst = ["topic", "name"].includes(key);
  sorting.descending = sorting.key === key ? !sorting.descending : !ascendingFirst;
  sorting.key = key;
  arrangeTable();
}

for (const header of $("table").tHead.rows[0].cells) {
  if (!header.dataset.key) continue;
  const button = element("button", { type: "button", text: header.textContent });
  button.addEventListener("click", () => sortBy(header.dataset.key));
  header.replaceChildren(button);
}
$("show-all").addEventListener("click", () => { sorting.all = true; arrangeTable(); });
