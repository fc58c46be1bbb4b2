// Keeps what is typed: in this browser at once, on the server a second after the last key. The copy here goes only when
// the server has the same text, or when the form it belongs to was saved.
const PAUSE = 1000; // ms after the last key
const RETRY = 5000; // ms between attempts while the server is not reached
const OLD = 7 * 24 * 3600 * 1000; // ms; copies of forms that nobody came back to
let cameByReload = performance.getEntriesByType("navigation")[0]?.type === "reload";

export class Autosave {
  constructor(form, status) {
    this.form = form;
    this.status = status;
    this.name = `keju:${form.dataset.user}:${form.dataset.target}`; // people may share a browser
    this.serial = 0; // of the text as it stands
    this.timer = null;
    this.closed = false;
    this.sending = null;
    this.#restore();
    form.addEventListener("input", () => this.changed());
    form.addEventListener("submit", () => this.#close());
    window.addEventListener("online", () => this.timer && this.#later(0));
    window.addEventListener("pageshow", (event) => { if (event.persisted) this.closed = false; });
  }

  fields() {
    const fields = {};
    for (const control of this.#controls()) {
      const name = nameOf(control);
      if (control.type === "radio") {
        fields[name] ??= "";
        if (control.checked) fields[name] = control.value;
      } else if (control.type === "checkbox") fields[name] = control.checked ? "on" : "";
      else fields[name] = control.value;
    }
    return fields;
  }

  fill(fields) {
    for (const control of this.#controls()) {
      const value = fields[nameOf(control)];
      if (value === undefined || control.name === "token") continue;
      if (control.type === "radio") control.checked = control.value === value;
      else if (control.type === "checkbox") control.checked = value === "on";
      else control.value = value;
    }
    this.form.dispatchEvent(new Event("filled"));
  }

  reopen() { // what was to be saved did not arrive
    this.closed = false;
    this.changed();
  }

  #controls() {
    return [...this.form.elements].filter((one) => one.name && one.type !== "file" && one.name !== "csrfmiddlewaretoken" && one.tagName !== "BUTTON");
  }

  changed() {
    this.serial += 1;
    const copy = { at: Date.now(), token: this.form.elements.token.value, fields: this.fields() };
    try {
      localStorage.setItem(this.name, JSON.stringify(copy));
    } catch { /* the browser keeps nothing; the server still does */ }
    this.#later(PAUSE);
  }

  #later(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#send(), ms);
  }

  async #send() {
    if (this.closed) return;
    if (this.sending) return this.#later(PAUSE); // one at a time, in order
    this.timer = null;
    const { serial } = this;
    this.#say("saving");
    this.sending = new AbortController();
    try {
      const answer = await fetch(this.form.dataset.draft, {
        method: "POST",
        redirect: "error", // to the sign-in page: nothing was kept
        signal: this.sending.signal,
        headers: { "content-type": "application/json", "x-csrftoken": this.form.elements.csrfmiddlewaretoken.value },
        body: JSON.stringify({ token: this.form.elements.token.value, fields: this.fields() }),
      });
      if (answer.status === 409) return this.#say("spent", true);
      if (!answer.ok) throw new Error(String(answer.status));
      const { at } = await answer.json();
      if (serial === this.serial) localStorage.removeItem(this.name);
      this.#say("saved", false, new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }));
      document.body.dispatchEvent(new Event("drafted"));
    } catch {
      if (this.closed) return;
      this.#say("failed", true);
      this.#later(RETRY);
    } finally {
      this.sending = null;
    }
  }

  #restore() {
    const spent = JSON.parse(this.form.dataset.spent || "[]");
    for (const name of Object.keys(localStorage)) {
      if (/^keju:\d+:(new|assignment|dispute):/.test(name) && Date.now() - (read(name)?.at ?? 0) > OLD) localStorage.removeItem(name);
    }
    const again = cameByReload;
    cameByReload = false; // a form that is put into the page later did not
    if (this.form.dataset.answered && again) { // the browser sent it once more; what was typed since is in the draft
      this.closed = true;
      return location.replace(location.href);
    }
    if (this.form.dataset.answered) return this.changed(); // the server sent back what was typed, and keeps none of it
    const copy = read(this.name);
    if (!copy) return;
    if (spent.includes(copy.token)) return localStorage.removeItem(this.name);
    this.fill(copy.fields);
    this.#say("restored");
    this.changed();
  }

  #close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.sending?.abort();
  }

  #say(state, bad = false, more = "") {
    this.status.textContent = `${this.status.dataset[state]} ${more}`.trim();
    this.status.dataset.state = state;
    this.status.classList.toggle("bad", bad);
  }
}

// Boxes of one list have the same name: each is known by its value too.
const nameOf = (control) => (control.type === "checkbox" && control.hasAttribute("value") ? `${control.name}=${control.value}` : control.name);

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}
