// Judging one item: what `Sight` measures, what is typed is kept, and keys.
import { Autosave } from "./autosave.js";
import { Sight } from "./sight.js";

const form = () => document.getElementById("answer");
const clip = document.getElementById("clip");
let sight = null, draft = null;

function begin() { // also when the server sends the form back with what is wrong
  if (!form() || form() === draft?.form) return;
  sight ??= new Sight(form().dataset.task, clip);
  draft = new Autosave(form(), document.getElementById("drafted"));
  say();
}

function say() {
  const told = document.getElementById("hear");
  if (told && sight.heard) { told.textContent = told.dataset.heard; told.classList.add("heard"); }
}

function fail() {
  const told = document.getElementById("sent");
  if (told) told.textContent = form().dataset.failed;
  draft?.reopen();
}

function choose(digit) { // the first group that has no choice yet, else the one that has the focus
  const groups = [...form().querySelectorAll("fieldset.keyed")];
  const group = groups.find((one) => one.contains(document.activeElement) && !one.querySelector(":checked"))
    || groups.find((one) => !one.querySelector(":checked"))
    || groups.find((one) => one.contains(document.activeElement));
  const radio = group?.querySelectorAll("input[type=radio]")[digit - 1];
  if (radio) { radio.checked = true; radio.focus(); draft.changed(); }
}

begin();
clip?.addEventListener("heard", say);
document.addEventListener("submit", (event) => { // before htmx reads the fields
  const field = event.target.elements?.measured;
  if (field && sight) field.value = sight.measured();
}, true);
document.addEventListener("htmx:afterSettle", begin);
document.addEventListener("htmx:sendError", fail);
document.addEventListener("htmx:responseError", fail);
document.addEventListener("keydown", (event) => {
  if (!form() || event.isComposing || event.keyCode === 229) return; // 229: a key that an input method takes
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form().requestSubmit(); return; }
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("textarea, input:not([type=radio]):not([type=checkbox]), select")) return;
  if (/^[1-9]$/.test(event.key)) { event.preventDefault(); choose(Number(event.key)); }
  else if (event.key === "Enter" && event.target.closest("input")) event.preventDefault(); // Enter on a choice sends nothing by accident
});
