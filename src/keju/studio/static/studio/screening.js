// 1 includes, 2 excludes, n goes to the note; and the time that the page was in sight is told.
const ballot = document.getElementById("ballot");
if (ballot) {
  const note = document.getElementById("note");
  let seen = 0;
  let since = document.hidden ? null : performance.now();
  document.addEventListener("visibilitychange", () => {
    if (since !== null) seen += performance.now() - since;
    since = document.hidden ? null : performance.now();
  });
  ballot.addEventListener("submit", () => {
    const now = since === null ? 0 : performance.now() - since;
    ballot.elements.visible_ms.value = Math.round(seen + now);
  });
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
