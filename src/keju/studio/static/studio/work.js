// Judging one item: how long it was in sight, how much of its clip was heard, and keys. Kept over a reload of the page.
"use strict";
(() => {
  const form = () => document.getElementById("answer");
  const now = () => performance.now();
  let since = null, kept = null, clip = null;

  const place = () => `task-${form().dataset.task}`;
  const visible = () => Math.round(kept.visible + (since === null ? 0 : now() - since));

  function look() { // the page comes to the front, or leaves it
    if (document.visibilityState === "visible") since ??= now();
    else if (since !== null) { kept.visible += now() - since; since = null; }
  }

  function spans() { // what was played of the clip, on earlier visits too, as disjoint stretches of seconds
    const all = [...kept.spans];
    if (clip) for (let i = 0; i < clip.played.length; i++) all.push([clip.played.start(i), clip.played.end(i)]);
    all.sort((a, b) => a[0] - b[0]);
    const joined = [];
    for (const [start, end] of all) {
      const last = joined[joined.length - 1];
      if (last && start <= last[1] + 0.05) last[1] = Math.max(last[1], end);
      else joined.push([start, end]);
    }
    return joined;
  }

  function measured() {
    const heard = spans().reduce((sum, [start, end]) => sum + end - start, 0);
    const media = clip ? { first_play_ms: kept.first, plays: kept.plays, ended: kept.ended, heard_s: heard } : {};
    return JSON.stringify({ visible_ms: visible(), media });
  }

  function say() {
    const told = document.getElementById("hear");
    if (told && kept.ended) { told.textContent = told.dataset.heard; told.classList.add("heard"); }
  }

  function keep() {
    if (form()) sessionStorage.setItem(place(), JSON.stringify({ ...kept, visible: visible(), spans: spans() }));
  }

  function begin() {
    if (!form()) return;
    kept = { visible: 0, spans: [], plays: 0, first: null, ended: false, ...JSON.parse(sessionStorage.getItem(place()) || "{}") };
    look();
    clip = document.getElementById("clip");
    clip?.addEventListener("play", () => { kept.first ??= visible(); kept.plays += 1; });
    clip?.addEventListener("ended", () => { kept.ended = true; say(); keep(); });
    say();
  }

  function fail() {
    const told = document.getElementById("sent");
    if (told) told.textContent = form().dataset.failed;
  }

  function choose(digit) { // the first group that has no choice yet, else the one that has the focus
    const groups = [...form().querySelectorAll("fieldset.keyed")];
    const group = groups.find((one) => one.contains(document.activeElement) && !one.querySelector(":checked"))
      || groups.find((one) => !one.querySelector(":checked"))
      || groups.find((one) => one.contains(document.activeElement));
    const radio = group?.querySelectorAll("input[type=radio]")[digit - 1];
    if (radio) { radio.checked = true; radio.focus(); }
  }

  document.addEventListener("DOMContentLoaded", begin);
  document.addEventListener("visibilitychange", () => { if (kept) { look(); keep(); } });
  window.addEventListener("pagehide", () => { if (kept) keep(); });
  document.addEventListener("submit", (event) => { // before htmx reads the fields
    const field = event.target.elements?.measured;
    if (field && kept) field.value = measured();
  }, true);
  document.addEventListener("htmx:afterSettle", () => { if (kept) say(); });
  document.addEventListener("htmx:sendError", fail);
  document.addEventListener("htmx:responseError", fail);
  document.addEventListener("keydown", (event) => {
    if (!form() || event.isComposing || event.keyCode === 229) return; // 229: a key that an input method takes
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form().requestSubmit(); return; }
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("textarea, input:not([type=radio]):not([type=checkbox]), select")) return;
    if (/^[1-9]$/.test(event.key)) { event.preventDefault(); choose(Number(event.key)); }
    else if (event.key === "Enter" && event.target.closest("input")) event.preventDefault(); // Enter on a choice sends nothing by accident
  });
})();
