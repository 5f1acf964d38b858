// Search: topics by name, words with their topics, and the texts on the page.

const MAX_FOUND_TOPICS = 8, MAX_FOUND_WORDS = 8, MAX_FOUND_TEXTS = 25;
const normalized = (text) => text.normalize("NFC").toLowerCase();

function search() {
  const query = normalized($("query").value.trim());
  $("results").hidden = query === "";
  if (query === "") { $("results").replaceChildren(); $("search-status").textContent = ""; return; }
  const topics = used.filter((k) => normalized(data.topics[k].name).includes(query));
  const words = foundWords(query);
  const texts = data.texts.filter((row) => normalized(row.text).includes(query));
  const found = [counted(topics.length, "topic"), counted(words.length, "word"), counted(texts.length, "text")];
  $("search-status").textContent = `${found[0]}, ${found[1]} and ${found[2]} found`;
  const section = (title, items) => [element("h3", { text: title }), element("ul", { className: "texts" }, ...items)];
  $("results").replaceChildren(
    element("h2", { text: "Search results" }),
    ...(topics.length ? [element("h3", { text: "Topics" }),
      element("ul", { className: "chips" }, ...topics.slice(0, MAX_FOUND_TOPICS).map((k) => element("li", {}, topicLink(k))))] : []),
    ...section(words.length ? "Words and their topics" : "No matching words", words.slice(0, MAX_FOUND_WORDS).map(wordItem)),
    ...section(`${count(texts.length)} of ${counted(data.texts.length, "text")} on this page`,
      texts.slice(0, MAX_FOUND_TEXTS).map((row) => foundText(row, query))),
  );
}

function foundText(row, query) {
  const item = textItem(row, anywhere(query));
  item.append(topicLink(row.topic, ` ${percent(row.probability)}`));
  return item;
}

function foundWords(query) {
  const words = data.terms.map((word, i) => [normalized(word), i]).filter(([word]) => word.includes(query));
  return words.sort((a, b) => (b[0] === query) - (a[0] === query) || data.overall[b[1]] - data.overall[a[1]]).map(([, i]) => i);
}

function wordItem(i) {
  const topics = data.term_topics[i].filter(([, share]) => share > 0);
  return element("li", {}, element("strong", {}, element("bdi", { text: data.terms[i] })),
    element("ul", { className: "chips" }, ...topics.map(([k, share]) => element("li", {}, topicLink(k, ` ${share}%`)))));
}
