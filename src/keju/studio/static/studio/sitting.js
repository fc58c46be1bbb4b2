// A sitting: what `Sight` measures of each question, keys, and a word where the connection is gone.
import { Sight } from "./sight.js";

const question = () => document.getElementById("question");
let sight = null;

function begin() { // a new question is on the page
  const form = question();
  if (!form || form.dataset.begun) return;
  form.dataset.begun = "yes";
  sight?.done();
  sight = new Sight(form.elements.assignment.value, form.querySelector("audio"));
}

function fail() {
  const form = question(), kept = document.getElementById("kept");
  if (form && kept) { kept.textContent = form.dataset.failed; kept.className = "failed"; }
}

begin();
document.addEventListener("htmx:afterSettle", begin);
document.addEventListener("htmx:sendError", fail);
document.addEventListener("htmx:responseError", fail);
document.addEventListener("htmx:configRequest", (event) => { if (sight) event.detail.parameters.measured = sight.measured(); });
document.addEventListener("submit", (event) => { // where htmx is not there
  const field = event.target.elements.measured;
  if (field && sight) field.value = sight.measured();
});
document.addEventListener("keydown", (event) => {
  const form = question();
  if (!form || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const choices = form.querySelectorAll("input[name=answer]");
  const at = /^[1-6]$/.test(event.key) ? Number(event.key) - 1 : /^[a-f]$/i.test(event.key) ? event.key.toLowerCase().charCodeAt(0) - 97 : -1;
  if (choices[at]) { choices[at].focus(); choices[at].click(); event.preventDefault(); }
  else if (event.key === "Enter" && !event.target.closest("button, a, audio, input, .bar")) form.requestSubmit();
});
