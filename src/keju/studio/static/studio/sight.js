// How long a task was in sight and how much of its clip was heard, by the browser's steady clock. Kept over a reload.
const now = () => performance.now();

export class Sight {
  #place; #kept; #since = null; #clip = null; #stop = new AbortController();

  constructor(task, clip = null) {
    this.#place = `task-${task}`;
    const before = JSON.parse(sessionStorage.getItem(this.#place) || "{}");
    this.#kept = { visible: 0, spans: [], plays: 0, first: null, ended: false, ...before };
    const { signal } = this.#stop;
    document.addEventListener("visibilitychange", () => { this.#look(); this.keep(); }, { signal });
    window.addEventListener("pagehide", () => this.keep(), { signal });
    this.#look();
    if (clip) this.#listen(clip);
  }

  get visible() { return Math.round(this.#kept.visible + (this.#since === null ? 0 : now() - this.#since)); }

  get heard() { return this.#kept.ended; } // to its end

  measured() { // as the server takes it
    const heard_s = this.#spans().reduce((sum, [start, end]) => sum + end - start, 0);
    const { first, plays, ended } = this.#kept;
    return JSON.stringify({ visible_ms: this.visible, media: this.#clip ? { first_play_ms: first, plays, ended, heard_s } : {} });
  }

  keep() {
    sessionStorage.setItem(this.#place, JSON.stringify({ ...this.#kept, visible: this.visible, spans: this.#spans() }));
  }

  done() { // another task is on the page now
    this.#stop.abort();
  }

  #look() { // the page comes to the front, or leaves it
    if (document.visibilityState === "visible") this.#since ??= now();
    else if (this.#since !== null) { this.#kept.visible += now() - this.#since; this.#since = null; }
  }

  #listen(clip) {
    this.#clip = clip;
    clip.addEventListener("play", () => { this.#kept.first ??= this.visible; this.#kept.plays += 1; });
    clip.addEventListener("ended", () => { this.#kept.ended = true; this.keep(); clip.dispatchEvent(new Event("heard")); });
  }

  #spans() { // what was played of the clip, on earlier visits too, as disjoint stretches of seconds
    const all = [...this.#kept.spans], { played } = this.#clip ?? {};
    for (let i = 0; i < (played?.length ?? 0); i++) all.push([played.start(i), played.end(i)]);
    const joined = [];
    for (const [start, end] of all.sort((a, b) => a[0] - b[0])) {
      const last = joined.at(-1);
      if (last && start <= last[1] + 0.05) last[1] = Math.max(last[1], end);
      else joined.push([start, end]);
    }
    return joined;
  }
}
