// Pictures and clips of an item: uploaded, pasted, dropped, chosen from those that are there, taken out.
export function media(form, changed) {
  for (const section of form.querySelectorAll(".medium")) {
    section.addEventListener("dragover", (event) => { event.preventDefault(); section.classList.add("over"); });
    section.addEventListener("dragleave", () => section.classList.remove("over"));
    section.addEventListener("drop", (event) => {
      event.preventDefault();
      section.classList.remove("over");
      upload(event.dataTransfer.files[0]);
    });
    section.querySelector("input[type=file]").addEventListener("change", (event) => upload(event.target.files[0]));
  }
  document.addEventListener("paste", (event) => {
    const file = [...event.clipboardData.files].find((each) => /^(image|audio)\//.test(each.type));
    if (!file) return;
    event.preventDefault();
    upload(file);
  });
  form.addEventListener("click", (event) => {
    const choice = event.target.closest("[data-media]");
    if (choice) {
      show(choice.dataset.media, choice.dataset.value, choice.dataset.url);
      choice.closest(".chooser").replaceChildren();
    }
    const clear = event.target.closest("[data-clear]");
    if (clear) show(clear.dataset.clear, "", "");
  });
  return { show };

  async function upload(file) {
    if (!file) return;
    const kind = file.type.startsWith("audio/") ? "audio" : "image";
    const notes = form.querySelector(`.medium[data-kind=${kind}] .notes`);
    notes.textContent = "…";
    const body = new FormData();
    body.append("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    body.append("file", file);
    try {
      const answer = await fetch(form.dataset.upload, { method: "POST", body, headers: { accept: "application/json" } });
      const told = await answer.json();
      notes.textContent = told.error ?? (told.warnings ?? []).join(" ");
      if (told.id) show(told.kind, String(told.id), told.url);
    } catch (error) {
      notes.textContent = String(error.message ?? error);
    }
  }

  function show(kind, value, url) {
    const section = form.querySelector(`.medium[data-kind=${kind}]`);
    form.elements[kind].value = value;
    const preview = section.querySelector(".preview");
    preview.replaceChildren();
    if (url) {
      const made = document.createElement(kind === "image" ? "img" : "audio");
      if (kind === "audio") made.controls = true;
      made.src = url;
      preview.append(made);
    }
    section.querySelector("[data-clear]").hidden = !value;
    changed();
  }
}
