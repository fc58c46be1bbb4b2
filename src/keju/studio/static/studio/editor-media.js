// Pictures and clips of an item and pictures of its options: uploaded, pasted, dropped, chosen from those that are there,
// taken out. The field of an option holds the digest of its picture, the item's own hold numbers.
export function media(form, changed) {
  for (const place of form.querySelectorAll(".medium")) {
    const target = place.closest(".option-row") ?? place;
    target.addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes("Files")) return; // a text that is dragged goes into its field
      event.preventDefault();
      target.classList.add("over");
    });
    target.addEventListener("dragleave", () => target.classList.remove("over"));
    target.addEventListener("drop", (event) => {
      target.classList.remove("over");
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      upload(event.dataTransfer.files[0], place);
    });
    place.querySelector("input[type=file]").addEventListener("change", (event) => upload(event.target.files[0], place));
  }
  document.addEventListener("paste", (event) => {
    const file = [...event.clipboardData.files].find((each) => /^(image|audio)\//.test(each.type));
    if (!file) return;
    event.preventDefault();
    const kind = file.type.startsWith("audio/") ? "audio" : "image";
    const row = kind === "image" && event.target.closest?.(".option-row");
    upload(file, row ? row.querySelector(".medium") : own(kind));
  });
  form.addEventListener("click", (event) => {
    const choice = event.target.closest("[data-medium]");
    if (choice) {
      const { value, sha256, url } = choice.dataset;
      show(choice.closest(".medium"), { id: value, sha256, url });
      choice.closest(".chooser").replaceChildren();
    }
    const clear = event.target.closest("[data-clear]");
    if (clear) show(clear.closest(".medium"), null);
  });
  form.addEventListener("filled", drawOptions);
  drawOptions();
  return { drawOptions };

  function own(kind) {
    return form.querySelector(`.medium[data-field=${kind}]`);
  }

  function kindOf(place) {
    return place.dataset.kind ?? "image"; // an option's
  }

  async function upload(file, place) {
    if (!file) return;
    const notes = place.querySelector(".notes");
    notes.textContent = "…";
    const body = new FormData();
    body.append("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    body.append("file", file);
    try {
      const answer = await fetch(form.dataset.upload, { method: "POST", body, headers: { accept: "application/json" } });
      const told = await answer.json();
      notes.textContent = told.error ?? (told.warnings ?? []).join(" ");
      if (!told.id) return;
      if (told.kind === kindOf(place)) show(place, told);
      else if (place.dataset.holds) notes.textContent = form.dataset.noPicture;
      else show(own(told.kind), told);
    } catch (error) {
      notes.textContent = String(error.message ?? error);
    }
  }

  function show(place, told) {
    const field = form.elements[place.dataset.field];
    field.value = told ? String(place.dataset.holds ? told.sha256 : told.id) : "";
    draw(place, told?.url ?? "");
    changed();
  }

  function draw(place, url) {
    const preview = place.querySelector(".preview");
    preview.replaceChildren();
    if (url) {
      const made = document.createElement(kindOf(place) === "image" ? "img" : "audio");
      if (kindOf(place) === "audio") made.controls = true;
      else made.alt = "";
      made.src = url;
      preview.append(made);
    }
    place.querySelector("[data-clear]").hidden = !url;
  }

  // The pictures of options, as their fields say: after a restored draft, a move, a choice in a conflict.
  function drawOptions() {
    for (const place of form.querySelectorAll(".medium[data-holds]")) {
      const sha256 = form.elements[place.dataset.field].value;
      draw(place, sha256 && form.dataset.media.replace("SHA256", sha256));
    }
  }
}
