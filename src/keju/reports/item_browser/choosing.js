/** What the reader has asked to see; it stands whole in the page's address, so that a link leads back to it. */
const FRESH = { item: "", q: "", show: "all", model: "", result: "right", order: "given" };
const choice = { ...FRESH, labels: {} };

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const ours = location.hash.includes("=");
  if (ours) {
    for (const name of Object.keys(FRESH)) choice[name] = given.get(name) ?? FRESH[name];
    choice.labels = {};
    for (const [name, value] of given) if (name.startsWith("label.")) choice.labels[name.slice(6)] = value;
  }
  return ours;
}

function address(changed = {}) {
  const now = { ...choice, ...changed };
  const parts = new URLSearchParams();
  for (const name of Object.keys(FRESH)) {
    const idle = now[name] === FRESH[name] || (name === "result" && !now.model);
    if (!idle) parts.set(name, now[name]);
  }
  for (const [name, value] of Object.entries(now.labels)) if (value) parts.set(`label.${name}`, value);
  return `#${parts}`;
}

function writeAddress() {
  const text = address();
  history.replaceState(null, "", text === "#" ? "#items" : text);
}

function replied(answer) {
  return !["blocked", "failed", "pending"].includes(answer.outcome);
}

function kindOf(answer) {
  if (!replied(answer)) return answer.outcome === "pending" ? "pending" : "failed";
  if (answer.invalid) return "invalid";
  return answer.right ? "right" : "wrong";
}

const SHOWN = {
  all: () => true,
  "none-right": (answers) => answers.some(replied) && !answers.some((a) => a.right),
  "all-right": (answers) => answers.length > 0 && answers.every((a) => a.right),
  split: (answers) => answers.some((a) => a.right) && answers.some((a) => replied(a) && !a.right),
  invalid: (answers) => answers.some((a) => a.invalid),
  failed: (answers) => answers.some((a) => kindOf(a) === "failed"),
  pending: (answers) => answers.some((a) => kindOf(a) === "pending"),
};

const OF_MODEL = {
  right: (answer) => answer.right,
  wrong: (answer) => replied(answer) && !answer.right,
  invalid: (answer) => answer.invalid,
  failed: (answer) => kindOf(answer) === "failed",
};

function textsOf(item) {
  const labels = Object.entries(item.labels).flatMap(([name, value]) => labelOf(name)?.values[value] ?? [value]);
  const wordings = item.forms.flatMap((form) => form.wordings);
  const questions = wordings.flatMap((w) => [w.instruction, w.question, ...w.options.map((option) => option[1])]);
  return [item.id, ...labels, ...questions, ...item.answers.map(textOf)];
}

function hasWords(item, words) {
  item.searched ??= textsOf(item).join("\n").toLowerCase();
  return words.every((word) => item.searched.includes(word));
}

function rightShare(item) {
  return item.answers.filter((answer) => answer.right).length / Math.max(1, item.answers.length);
}

function chosenItems() {
  const words = choice.q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = SHOWN[choice.show] ?? SHOWN.all;
  const run = choice.model === "" ? null : Number(choice.model);
  const labels = Object.entries(choice.labels).filter(([, value]) => value);
  const fits = OF_MODEL[choice.result] ?? OF_MODEL.right;
  const found = book.items.filter(
    (item) =>
      shown(item.answers) &&
      labels.every(([name, value]) => item.labels[name] === value) &&
      (run === null || item.answers.some((answer) => answer.run === run && fits(answer))) &&
      hasWords(item, words),
  );
  const way = { hardest: 1, easiest: -1 }[choice.order];
  return way ? found.sort((a, b) => way * (rightShare(a) - rightShare(b))) : found;
}
