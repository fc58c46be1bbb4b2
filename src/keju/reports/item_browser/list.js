/** The list: only rows in sight are in the page, so that ten thousand items scroll like ten. */
const SIGNS = { right: "✓", wrong: "✗", invalid: "?", failed: "!", pending: "·" };
const MANY = 12; // runs whose signs fit into a row; of more a row tells the number only
let listed = [];

const list = element("div", { id: "items-list", role: "listbox", tabindex: "0", class: "list" });
const room = element("div", { role: "presentation", class: "room" });
list.append(room);

function rowHeight() {
  return 3.25 * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function excerpt(item) {
  const wording = item.forms[0].wordings[0];
  return wording.question || wording.options.map((option) => option[1]).join(" · ") || wording.instruction || "";
}

function row(item, place) {
  const right = item.answers.filter((answer) => answer.right).length;
  const count = say("right of", { n: right, all: item.answers.length });
  const signs = item.answers.map((answer) =>
    element("i", { class: kindOf(answer), title: book.runs[answer.run].name }, SIGNS[kindOf(answer)]),
  );
  const drawn = item.answers.length > MANY ? [`${right}/${item.answers.length}`] : signs;
  return element(
    "div",
    {
      role: "option",
      id: `items-row-${place}`,
      "aria-selected": String(item.id === choice.item),
      "aria-setsize": listed.length,
      "aria-posinset": place + 1,
      "aria-label": `${item.id}: ${excerpt(item).slice(0, 80)}. ${count}`,
      style: `top: ${place * rowHeight()}px`,
      click: () => select(item.id),
    },
    element("b", {}, item.id),
    element("span", { class: "signs" }, ...drawn),
    element("span", { class: "excerpt" }, excerpt(item).slice(0, 160)),
  );
}

function selectedPlace() {
  return listed.findIndex((item) => item.id === choice.item);
}

function drawRows() {
  const height = rowHeight();
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 4);
  const last = Math.min(listed.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 4);
  const places = new Set(Array.from({ length: Math.max(0, last - first) }, (_, n) => first + n));
  const chosen = selectedPlace();
  if (chosen >= 0) places.add(chosen); // what the list says is its active row must be there
  room.style.height = `${listed.length * height}px`;
  room.replaceChildren(...[...places].sort((a, b) => a - b).map((place) => row(listed[place], place)));
  if (chosen >= 0) list.setAttribute("aria-activedescendant", `items-row-${chosen}`);
  else list.removeAttribute("aria-activedescendant");
}

function keepInSight() {
  const [place, height] = [selectedPlace(), rowHeight()];
  if (place < 0) return;
  if (place * height < list.scrollTop) list.scrollTop = place * height;
  else if ((place + 1) * height > list.scrollTop + list.clientHeight) {
    list.scrollTop = (place + 1) * height - list.clientHeight;
  }
}

function move(steps) {
  if (!listed.length) return;
  const now = selectedPlace();
  const place = now < 0 ? (steps < 0 ? listed.length - 1 : 0) : now + steps;
  select(listed[Math.min(listed.length - 1, Math.max(0, place))].id);
}

list.addEventListener("scroll", drawRows, { passive: true });
list.addEventListener("keydown", (event) => {
  const page = Math.max(1, Math.floor(list.clientHeight / rowHeight()) - 1);
  const steps = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -listed.length,
    End: listed.length,
  }[event.key];
  if (!steps || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  move(steps);
});
