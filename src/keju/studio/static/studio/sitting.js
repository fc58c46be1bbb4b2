// A sitting: how long a question was in sight and how its clip was played, by the browser's steady clock; and keys.
"use strict";
(() => {
  let shown = 0, since = null, clip = null;

  const now = () => performance.now();
  const visible = () => Math.round(shown + (since === null ? 0 : now() - since));

  function look() { // called whenever the page comes to the front or leaves it
    if (document.visibilityState === "visible") since ??= now();
    else if (since !== null) { shown += now() - since; since = null; }
  }

  function heard(played) { // seconds of the clip that were played at least once
    let seconds = 0;
    for (let i = 0; i < played.length; i++) seconds += played.end(i) - played.start(i);
    return seconds;
  }

  function begin() { // a new question is on the page
    const form = document.getElementById("question");
    if (!form || form.dataset.begun) return;
    form.dataset.begun = "yes";
    shown = 0; since = null; clip = null;
    look();
    const audio = form.querySelector("audio");
    if (!audio) return;
    clip = { first_play_ms: null, plays: 0, ended: false, audio };
    audio.addEventListener("play", () => { clip.first_play_ms ??= visible(); clip.plays += 1; });
    audio.addEventListener("ended", () => { clip.ended = true; });
  }

  function measured() {
    const media = clip ? { first_play_ms: clip.first_play_ms, plays: clip.plays, ended: clip.ended, heard_s: heard(clip.audio.played) } : {};
    return JSON.stringify({ visible_ms: visible(), media });
  }

  function fail() {
    const form = document.getElementById("question"), kept = document.getElementById("kept");
    if (form && kept) { kept.textContent = form.dataset.failed; kept.className = "failed"; }
  }

  document.addEventListener("visibilitychange", look);
  document.addEventListener("DOMContentLoaded", begin);
  document.addEventListener("htmx:afterSettle", begin);
  document.addEventListener("htmx:sendError", fail);
  document.addEventListener("htmx:responseError", fail);
  document.addEventListener("htmx:configRequest", (event) => { event.detail.parameters.measured = measured(); });
  document.addEventListener("submit", (event) => { // where htmx is not there
    const field = event.target.elements.measured;
    if (field) field.value = measured();
  });
  document.addEventListener("keydown", (event) => {
    const form = document.getElementById("question");
    if (!form || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const choices = form.querySelectorAll("input[name=answer]");
    const at = /^[1-6]$/.test(event.key) ? Number(event.key) - 1 : /^[a-f]$/i.test(event.key) ? event.key.toLowerCase().charCodeAt(0) - 97 : -1;
    if (choices[at]) { choices[at].focus(); choices[at].click(); event.preventDefault(); }
    else if (event.key === "Enter" && !event.target.closest("button, a, audio, input, .bar")) form.requestSubmit();
  });
})();
