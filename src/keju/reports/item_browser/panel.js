/** Everything about one item. Whatever was written by others is set as text. */
const panel = element("div", { class: "panel", id: "items-panel", role: "region", tabindex: "-1" });

function drawPanel() {
  const item = book.items.find((one) => one.id === choice.item);
  panel.setAttribute("aria-label", item ? item.id : say("choose"));
  if (!item) {
    panel.replaceChildren(element("p", { class: "hint" }, say("choose")));
    return;
  }
  panel.replaceChildren(
    heading(item),
    labels(item),
    ...item.media.map((place) => medium(book.media[place])),
    ...item.forms.map((form, place) => question(item, form, place)),
    element("h4", {}, say("replies")),
    ...item.answers.map((answer) => reply(answer)),
    ...(item.people.length ? people(item) : []),
  );
}

function heading(item) {
  const place = selectedPlace();
  const where = place < 0 ? say("hidden") : say("place", { n: place + 1, all: listed.length });
  return element(
    "div",
    { class: "head" },
    element("h3", {}, element("a", { href: address() }, item.id)),
    element("span", { class: "place" }, where),
    element("button", { type: "button", click: () => move(-1) }, say("previous")),
    element("button", { type: "button", click: () => move(1) }, say("next")),
  );
}

function labels(item) {
  const named = Object.entries(item.labels).filter(([name]) => labelOf(name));
  const pairs = named.map(([name, value]) =>
    element("div", {}, element("dt", {}, told(labelOf(name).title)), element("dd", {}, valueOf(name, value))),
  );
  return element("dl", {}, ...pairs);
}

function medium(shown) {
  const name = say(shown.kind === "image" ? "picture" : "clip", { name: shown.name });
  const source = shown.uri ?? (shown.kind === "audio" ? shown.href : null);
  const original = shown.href && element("a", { href: shown.href }, say("original"));
  const caption = element("figcaption", {}, shown.name, ...(original ? [" · ", original] : []));
  const absent = original ? null : element("p", { class: "hint" }, say("not here"));
  if (!source) return element("figure", {}, absent, caption);
  const gone = () => caption.replaceChildren(shown.name, " · ", say("gone"));
  const drawn =
    shown.kind === "image"
      ? element("img", { src: source, alt: name, error: gone })
      : element("audio", { src: source, controls: true, preload: "metadata", "aria-label": name, error: gone });
  return element("figure", {}, drawn, caption);
}

function question(item, form, place) {
  const asked = [...item.answers, ...item.people].filter((answer) => (answer.form ?? 0) === place);
  const names = asked.map((answer) => book.runs[answer.run].name).join(", ");
  const chosen = (label) => {
    const those = asked.filter((answer) => answer.label === label);
    const models = those.filter((answer) => answer.run < book.models).length;
    return [models, those.length - models];
  };
  return element(
    "div",
    { class: "form" },
    item.forms.length > 1 ? element("h4", {}, say("form", { names })) : null,
    ...form.wordings.map((wording, other) =>
      element(
        "blockquote",
        { lang: wording.lang },
        wording.instruction ? element("p", { class: "instruction" }, wording.instruction) : null,
        wording.question
          ? element("p", {}, wording.question)
          : element("p", { class: "hint", lang: chinese() ? "zh-Hans" : "en" }, say("no question")),
        element(
          "ol",
          {},
          ...wording.options.map(([label, text]) => option(label, text, form.key, other ? [0, 0] : chosen(label))),
        ),
      ),
    ),
    form.key === null ? element("p", { class: "hint" }, say("no key")) : null,
  );
}

function option(label, text, key, [models, persons]) {
  const ours = chinese() ? "zh-Hans" : "en";
  return element(
    "li",
    { class: label === key ? "key" : null },
    element("b", {}, label),
    " ",
    text,
    label === key ? element("em", { lang: ours }, `✓ ${say("key")}`) : null,
    models ? element("small", { lang: ours }, say("chosen by", { n: models })) : null,
    persons ? element("small", { lang: ours }, say("chosen by people", { n: persons })) : null,
  );
}

function reply(answer) {
  const run = book.runs[answer.run];
  const kind = kindOf(answer);
  const seconds = answer.seconds === undefined ? null : say("seconds", { n: answer.seconds.toFixed(2) });
  return element(
    "article",
    { class: `reply ${kind}`, "aria-label": say("reply of", { name: run.name }) },
    element(
      "h5",
      {},
      element("i", { class: kind, "aria-hidden": "true" }, SIGNS[kind]),
      ` ${run.name} `,
      element("span", { class: kind }, verdict(answer, kind)),
      seconds ? element("small", {}, seconds) : null,
    ),
    element("p", { class: "why" }, why(answer, run)),
    ...(answer.saw ?? []).map(([name, text]) => perceived(name, book.texts[text])),
    replyText(answer, run),
    answer.left_out ? element("p", { class: "hint" }, say("left out", { n: answer.left_out.toLocaleString() })) : null,
  );
}

function people(item) {
  const right = item.people.filter((answer) => answer.right).length;
  const each = item.people.map((answer) => {
    const kind = kindOf(answer);
    const said = answer.label ?? textOf(answer) ?? "";
    const sign = element("i", { class: kind }, SIGNS[kind]);
    return element("li", {}, sign, ` ${book.runs[answer.run].name} `, element("b", {}, said));
  });
  const count = say("right of", { n: right, all: item.people.length });
  return [element("h4", {}, `${say("people")}: ${count}`), element("ul", { class: "people" }, ...each)];
}

function verdict(answer, kind) {
  if (kind === "failed" || kind === "pending") return told(book.outcomes[answer.outcome]);
  if (answer.drawn) return `${say("drawn")} · ${say(answer.right ? "right" : "wrong")}`;
  return kind === "invalid" ? say("is invalid") : say(kind);
}

function why(answer, run) {
  if (!replied(answer)) return answer.error ?? say("no reply");
  const parser = run.parser;
  if (parser === "theirs" && !answer.invalid) return say("by its tool");
  const read = answer.label && !answer.drawn;
  const said = read ? say("read as", { label: answer.label, parser }) : say("read as nothing", { parser });
  const reason = answer.reason && book.why[answer.reason] ? told(book.why[answer.reason]) : "";
  const drawn = answer.drawn ? `${say("drawn")}: ${answer.label}` : "";
  return [said, reason, drawn].filter(Boolean).join(chinese() ? "；" : "; ");
}

function perceived(name, text) {
  return element("details", {}, element("summary", {}, say("saw", { name })), element("pre", {}, text));
}

function replyText(answer, run) {
  const text = textOf(answer);
  if (text === undefined) return null;
  const label = say("reply of", { name: run.name });
  if (!text.trim()) return element("p", { class: "hint" }, say("empty reply"));
  return element("pre", { dir: "auto", tabindex: "0", role: "group", "aria-label": label }, text);
}
