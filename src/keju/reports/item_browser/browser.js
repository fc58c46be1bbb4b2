/** The whole: filters above, list beside panel; drawn anew when the reader chooses or changes the language. */
const place = document.getElementById("items");
const filters = element("form", { class: "filters", role: "search", submit: (event) => event.preventDefault() });
const count = element("p", { role: "status", class: "count" });
const nothing = element("p", { class: "hint" });
const shortcuts = element("input", { type: "checkbox", id: "items-keys", checked: true });
const search = element("input", { type: "search", id: "items-search", autocomplete: "off" });

/** Which of the ways to show items would show any. */
const someAre = Object.fromEntries(
  Object.entries(SHOWN).map(([name, fits]) => [name, book.items.some((item) => fits(item.answers))]),
);

function select(id) {
  choice.item = id;
  writeAddress();
  drawRows();
  keepInSight();
  drawRows();
  drawPanel();
  panel.scrollTop = 0;
}

function choose(change) {
  Object.assign(choice, change);
  writeAddress();
  update();
}

function reset() {
  choose({ ...FRESH, item: choice.item, labels: {} });
}

function menu(words, value, options, change) {
  const choices = options.map(([name, text]) => element("option", { value: name, selected: name === value }, text));
  const changed = (event) => change(event.target.value);
  return element("label", {}, words, element("select", { "aria-label": words, change: changed }, ...choices));
}

function drawFilters() {
  const words = (...names) => names.map((name) => [name, say(name)]);
  const orders = [["given", say("as given")], ...words("hardest", "easiest")];
  const runs = [["", say("any model")], ...book.runs.slice(0, book.models).map((run, n) => [String(n), run.name])];
  const results = ["right", "wrong", "invalid", "failed"].map((name) => [name, say(`is ${name}`)]);
  const menus = book.labels.filter((label) => label.filter).map((label) => {
    const values = Object.keys(label.values).map((value) => [value, valueOf(label.name, value)]);
    return menu(told(label.title), choice.labels[label.name] ?? "", [["", say("any")], ...values], (value) =>
      choose({ labels: { ...choice.labels, [label.name]: value } }),
    );
  });
  const held = document.activeElement === search;
  search.placeholder = say("search hint");
  search.value = choice.q;
  const kept = Object.keys(SHOWN).filter((name) => name === choice.show || someAre[name]);
  filters.replaceChildren(
    element("label", { class: "search" }, say("search"), search),
    menu(say("show"), choice.show, words(...kept), (value) => choose({ show: value })),
    menu(say("model"), choice.model, runs, (value) => choose({ model: value })),
    ...(choice.model === "" ? [] : [menu(say("result"), choice.result, results, (value) => choose({ result: value }))]),
    ...menus,
    menu(say("order"), choice.order, orders, (value) => choose({ order: value })),
    element("button", { type: "button", click: reset }, say("reset")),
    element("label", { class: "keys" }, shortcuts, say("keys")),
  );
  if (held) search.focus();
}

function update() {
  drawFiltersAndKeepFocus();
  listed = chosenItems();
  count.textContent = say("count", { n: listed.length.toLocaleString(), all: book.items.length.toLocaleString() });
  list.hidden = !listed.length;
  list.setAttribute("aria-label", say("items"));
  nothing.textContent = listed.length ? "" : say("nothing");
  list.scrollTop = 0;
  drawRows();
  keepInSight();
  drawRows();
  drawPanel();
}

/** A menu that was just used keeps the keyboard, although it is drawn anew. */
function drawFiltersAndKeepFocus() {
  const fields = [...filters.querySelectorAll("select, input, button")];
  const used = fields.find((field) => field === document.activeElement);
  drawFilters();
  if (!used || used === document.activeElement) return;
  const menus = [...filters.querySelectorAll("select")];
  const again = menus.find((field) => field.ariaLabel === used.ariaLabel);
  (again ?? (used === shortcuts ? shortcuts : filters.querySelector("button"))).focus();
}

let waiting = 0;
search.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => choose({ q: search.value }), 120); // milliseconds: once a word, not once a letter
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter" || event.key === "ArrowDown") {
    event.preventDefault();
    list.focus();
    if (selectedPlace() < 0) move(1);
  } else if (event.key === "Escape") search.blur();
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input[type=search], textarea, select");
  if (!shortcuts.checked || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "/") {
    event.preventDefault();
    search.focus();
  }
});

for (const input of document.querySelectorAll("input[name=language]")) input.addEventListener("change", update);
addEventListener("resize", drawRows);
addEventListener("hashchange", () => {
  if (!readAddress()) return;
  update();
  place.scrollIntoView(); // tables link to items
});

const linked = readAddress();
place.append(filters, count, element("div", { class: "split" }, element("div", {}, list, nothing), panel));
if (!choice.item) choice.item = chosenItems()[0]?.id ?? "";
update();
if (linked) place.scrollIntoView();
