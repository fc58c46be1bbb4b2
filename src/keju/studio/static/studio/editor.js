// The item editor: keys, options that move, pasted questions, drafts in the other script.
import { Autosave } from "./autosave.js";
import { media } from "./editor-media.js";

const form = document.getElementById("editor");
const status = document.getElementById("status");
const rows = [...form.querySelectorAll(".option-row")];
const autosave = new Autosave(form, status);
const { drawOptions } = media(form, () => autosave.changed());
form.addEventListener("filled", showRows);
form.elements.count.addEventListener("input", showRows);
showRows();

function showRows() {
  const count = Number(form.elements.count.value);
  rows.forEach((row, index) => { row.hidden = index >= count; row.classList.toggle("unused", row.hidden); });
}

function used() {
  return rows.filter((row) => !row.hidden);
}

// Keys -----------------------------------------------------------------------------------------------------------
form.addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === 229) return; // an input method is at work: its Enter is no Enter
  const field = event.target;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("button[name=then][value=next]"));
  } else if (event.key === "Enter" && (field.matches("input") || field.closest(".option-row"))) {
    if (field.matches("button, summary, [type=checkbox], [type=file]")) return;
    event.preventDefault();
    following(field)?.focus();
  } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    const row = field.closest(".option-row");
    if (!row) return;
    event.preventDefault();
    move(row, event.key === "ArrowUp" ? -1 : 1, field);
  }
});

document.addEventListener("keydown", (event) => {
  const digit = /^(?:Digit|Numpad)([1-6])$/.exec(event.code)?.[1];
  if (!digit || event.isComposing || event.ctrlKey || event.metaKey) return;
  const typing = event.target.closest("textarea, select, input:not([type=radio], [type=checkbox])");
  if (typing && !event.altKey) return;
  const row = used()[digit - 1];
  if (!row) return;
  event.preventDefault();
  row.querySelector("[name=key]").checked = true;
  autosave.changed();
});

function following(field) {
  const fields = [...form.querySelectorAll(".languages textarea, .option-row:not([hidden]) textarea, .place input")];
  return fields[fields.indexOf(field) + 1];
}

// Options move, and the key with them ----------------------------------------------------------------------------
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move]");
  if (button) move(button.closest(".option-row"), Number(button.dataset.move), button);
});

function move(row, by, focus) {
  const shown = used();
  const other = shown[shown.indexOf(row) + by];
  if (!other) return;
  const mine = controls(row);
  const theirs = controls(other);
  mine.forEach((control, index) => {
    [control.value, theirs[index].value] = [theirs[index].value, control.value];
  });
  const [a, b] = [row, other].map((each) => each.querySelector("[name=key]"));
  [a.checked, b.checked] = [b.checked, a.checked];
  drawOptions();
  const same = [...row.querySelectorAll("textarea, select, button")].indexOf(focus);
  [...other.querySelectorAll("textarea, select, button")][same]?.focus();
  autosave.changed();
}

function controls(row) {
  return [...row.querySelectorAll("textarea, select, input[type=hidden]")];
}

// A field set by a button: a suggestion, or one side of a conflict ------------------------------------------------
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-set]");
  if (!button) return;
  autosave.fill({ [button.dataset.set]: button.dataset.value });
  autosave.changed();
  const line = button.closest("tr");
  for (const cell of line?.querySelectorAll("td") ?? []) cell.classList.toggle("used", cell.contains(button));
  const preview = form.querySelector(`.medium:not([data-holds])[data-field="${button.dataset.set}"] .preview`);
  if (preview) preview.textContent = button.closest("td").querySelector("p").textContent; // its name; the picture comes with the save
});

// The dimension that a question type fills in --------------------------------------------------------------------
const dimensions = JSON.parse(form.dataset.dimensions);
form.elements.question_type?.addEventListener("change", (event) => {
  const dimension = dimensions[event.target.value];
  if (dimension && form.elements.dimension) form.elements.dimension.value = dimension;
  autosave.changed();
});

// A whole question, pasted ---------------------------------------------------------------------------------------
form.addEventListener("paste", async (event) => {
  const field = event.target;
  const text = event.clipboardData.getData("text/plain");
  if (!field.name?.startsWith("stem_") || field.value.trim() || !/[A-Za-zＡ-Ｚ①②][.．、)）\]】:： ]|[①②]/.test(text)) return;
  event.preventDefault();
  const tag = field.name.slice("stem_".length);
  const read = await ask(form.dataset.block, { text });
  if (!read?.read) {
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    return autosave.changed();
  }
  const before = autosave.fields();
  const filled = { [field.name]: read.stem, count: String(Math.max(2, Math.min(6, read.options.length))) };
  read.options.slice(0, 6).forEach((option, index) => { filled[`option_${index}_${tag}`] = option; });
  if (read.key !== null) filled.key = String(read.key);
  if (read.rest && form.elements[`rationale_${tag}`]) filled[`rationale_${tag}`] = read.rest;
  autosave.fill(filled);
  autosave.changed();
  say("pasted", () => autosave.fill(before));
});

async function ask(url, sent) {
  const headers = { "content-type": "application/json", "x-csrftoken": form.elements.csrfmiddlewaretoken.value };
  try {
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(sent) });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // offline: what was pasted is put in as it is
  }
}

function say(state, undo) {
  const note = document.createElement("span");
  note.className = "note";
  note.textContent = `${status.dataset[state]} `;
  if (undo) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = status.dataset.undo;
    button.addEventListener("click", () => { undo(); autosave.changed(); note.remove(); });
    note.append(button);
  }
  status.parentElement.querySelector(".note")?.remove();
  status.after(note);
}

// The other script: drafted by machine, confirmed by a reader -----------------------------------------------------
form.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-draft-from]");
  if (!button) return;
  const to = button.closest(".language").dataset.tag;
  const from = button.dataset.draftFrom;
  const texts = {};
  for (const [name, value] of Object.entries(autosave.fields())) {
    const target = name.endsWith(`_${from}`) && `${name.slice(0, -from.length)}${to}`;
    if (target && value && form.elements[target] && !form.elements[target].value.trim()) texts[target] = value;
  }
  const answer = await ask(form.dataset.script, { to, texts });
  if (!answer || !Object.keys(answer.texts).length) return;
  autosave.fill(answer.texts);
  for (const name of Object.keys(answer.texts)) form.elements[name].classList.add("drafted");
  button.parentElement.querySelector(".confirm").hidden = false;
  autosave.changed();
});

form.addEventListener("submit", (event) => {
  const unread = [...form.querySelectorAll(".confirm:not([hidden]) input")].find((box) => !box.checked);
  if (!unread) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  unread.focus();
  say("unread");
}, true);
