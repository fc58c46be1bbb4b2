const book = JSON.parse(document.getElementById("items-data").textContent);
book.media = JSON.parse(document.getElementById("items-media").textContent);
book.texts = await unpacked(document.getElementById("items-texts").textContent);

/** The first runs are models, the others people: filters and signs are about models. */
for (const item of book.items) {
  item.people = item.answers.filter((answer) => answer.run >= book.models);
  item.answers = item.answers.filter((answer) => answer.run < book.models);
}

/** The value of JSON that was compressed by gzip and written as Base64. */
async function unpacked(written) {
  const bytes = Uint8Array.from(atob(written), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** What the model said; undefined where there is no reply. */
function textOf(answer) {
  return answer.text === undefined ? undefined : book.texts[answer.text];
}

function chinese() {
  return document.getElementById("zh").checked;
}

/** The member of an [English, Chinese] pair that the page shows. */
function told(pair) {
  return pair[chinese() ? 1 : 0];
}

/** A phrase of ours, its {fields} filled in. */
function say(key, values = {}) {
  return told(book.words[key]).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** An element; `properties` are attributes, functions listeners, children texts (never markup) or elements. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function labelOf(name) {
  return book.labels.find((label) => label.name === name);
}

function valueOf(name, value) {
  const pair = labelOf(name)?.values[value];
  return pair ? told(pair) : value;
}
