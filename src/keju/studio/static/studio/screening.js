// 1 includes, 2 excludes, n goes to the note; what is typed is kept, and the time that the page was in sight is told.
import { Autosave } from "./autosave.js";
import { Sight } from "./sight.js";

const ballot = document.getElementById("ballot");
if (ballot) {
  const note = document.getElementById("note");
  const sight = new Sight(ballot.elements.assignment.value);
  new Autosave(ballot, document.getElementById("drafted"));
  ballot.addEventListener("submit", () => { ballot.elements.visible_ms.value = sight.visible; });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("textarea, input[type=text], select");
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const button = { 1: "include", 2: "exclude" }[event.key];
    if (button) ballot.querySelector(`button[value=${button}]`).click();
    if (event.key === "n") {
      event.preventDefault();
      note.focus();
    }
  });
}
