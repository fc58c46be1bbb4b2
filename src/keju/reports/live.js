"use strict";
{
  const { page, words, pause } = JSON.parse(document.getElementById("live-data").textContent);
  const KEPT = "keju-live"; // name under which the browser keeps the reader's place while the page is loaded anew
  const PATIENCE = 4000; // milliseconds that the place is sought for: charts take their room late
  const bar = document.getElementById("live");
  const [counts, trouble] = bar.querySelectorAll("p");
  const done = bar.querySelector("progress");
  const show = bar.querySelector("button");
  const byItself = bar.querySelector("input");
  let newer = false;

  /** A phrase in both languages, of which the page's style shows one. */
  function say(place, key, values = {}) {
    const fill = (text) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
    const texts = key ? words[key].map(fill) : ["", ""];
    place.querySelectorAll("span").forEach((span, n) => (span.textContent = texts[n]));
    place.hidden = !key;
  }

  function tell(state) {
    const { runs, records, items, error } = state;
    const [n, all] = [records, items].map((number) => number.toLocaleString());
    say(counts, runs ? "asked" : "watching", { n, all, runs });
    done.hidden = !runs;
    done.max = Math.max(1, items);
    done.value = records;
    say(trouble, error ? "trouble" : null, { error });
    newer = state.page !== page;
    show.hidden = !newer;
  }

  /** Whether a new page now would take something from the reader: a word half typed, a clip, a marked text. */
  function busy() {
    const typing = document.activeElement?.matches("input[type=search], select, textarea");
    const playing = [...document.querySelectorAll("audio")].some((clip) => !clip.paused);
    return typing || playing || !getSelection().isCollapsed;
  }

  async function ask() {
    if (!document.hidden) {
      try {
        const answer = await fetch("state", { cache: "no-store" });
        if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
        tell(await answer.json());
        if (newer && byItself.checked && !busy()) return location.reload();
      } catch {
        say(trouble, "gone");
      }
    }
    setTimeout(ask, pause);
  }

  /** Where the reader is: the item and the filters stand in the address, the rest here. */
  function place() {
    return {
      address: location.pathname,
      top: scrollY,
      language: document.querySelector("input[name=language]:checked")?.id,
      byItself: byItself.checked,
      open: [...document.querySelectorAll("details")].map((one) => one.open),
      inside: Object.fromEntries(scrolled().map((one) => [one.id, one.scrollTop])),
      focus: document.activeElement?.id,
    };
  }

  function scrolled() {
    return ["items-list", "items-panel"].map((id) => document.getElementById(id)).filter(Boolean);
  }

  function goBack(kept) {
    byItself.checked = kept.byItself;
    const input = kept.language && document.getElementById(kept.language);
    if (input && !input.checked) {
      input.checked = true;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
    const folded = [...document.querySelectorAll("details")];
    if (folded.length === kept.open.length) folded.forEach((one, n) => (one.open = kept.open[n]));
    const until = performance.now() + PATIENCE;
    let left = false;
    for (const kind of ["wheel", "pointerdown", "keydown", "touchstart"]) {
      addEventListener(kind, () => (left = true), { once: true, passive: true });
    }
    const seek = () => {
      if (left) return;
      if (Math.abs(scrollY - kept.top) > 1) scrollTo({ top: kept.top, behavior: "instant" });
      for (const one of scrolled()) {
        if (kept.inside[one.id] !== undefined) one.scrollTop = kept.inside[one.id];
      }
      if (document.activeElement === document.body && kept.focus) {
        document.getElementById(kept.focus)?.focus({ preventScroll: true });
      }
      if (performance.now() < until) requestAnimationFrame(seek);
    };
    seek();
  }

  history.scrollRestoration = "manual";
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  sessionStorage.removeItem(KEPT);
  if (kept?.address === location.pathname) goBack(kept);
  addEventListener("pagehide", () => sessionStorage.setItem(KEPT, JSON.stringify(place())));
  show.addEventListener("click", () => location.reload());
  ask();
}
