// Files chosen, dropped or pasted are sent one after the other, each with its own line of news.
const form = document.getElementById("upload");
if (form) {
  const list = document.getElementById("uploads");
  const chooser = document.getElementById("files");
  let last = Promise.resolve();
  let waiting = 0;

  const line = (name) => {
    const row = document.createElement("li");
    const bar = document.createElement("progress");
    const news = document.createElement("span");
    bar.max = 1;
    bar.value = 0;
    row.append(Object.assign(document.createElement("strong"), { textContent: name }), " ", bar, " ", news);
    list.prepend(row);
    news.textContent = form.dataset.waiting;
    return { row, bar, news };
  };

  const send = (file, { row, bar, news }) =>
    new Promise((done) => {
      const body = new FormData();
      body.append("file", file, file.name);
      body.append("source", form.elements.source.value);
      const request = new XMLHttpRequest();
      request.open("POST", form.action);
      request.setRequestHeader("X-CSRFToken", form.elements.csrfmiddlewaretoken.value);
      request.setRequestHeader("Accept", "application/json");
      request.responseType = "json";
      news.textContent = form.dataset.sending;
      request.upload.onprogress = (event) => {
        bar.value = event.loaded / event.total;
        if (event.loaded === event.total) news.textContent = form.dataset.looking;
      };
      request.onload = () => {
        show(request.response, row, news);
        bar.remove();
        done();
      };
      request.onerror = () => {
        fail(row, news, form.dataset.failed);
        bar.remove();
        done();
      };
      request.send(body);
    });

  const fail = (row, news, text) => {
    row.className = "refused";
    news.textContent = text;
  };

  const show = (told, row, news) => {
    if (!told || told.error) return fail(row, news, (told && told.error) || form.dataset.failed);
    row.className = told.warnings.length ? "found" : "kept";
    const link = Object.assign(document.createElement("a"), { href: told.page });
    if (told.kind === "image") {
      link.append(Object.assign(new Image(), { src: `${told.url}/small`, alt: "", className: "small" }));
    }
    link.append(` #${told.id}`);
    const state = told.new ? form.dataset.kept : form.dataset.there;
    news.replaceChildren(link, ` ${state}`, ...told.warnings.map((text) => {
      return Object.assign(document.createElement("span"), { className: "warned", textContent: ` ! ${text}` });
    }));
  };

  // Once all are sent, the list below is fetched anew.
  const refresh = () => {
    waiting -= 1;
    if (!waiting) htmx.ajax("GET", location.href, { target: "#found", select: "#found", swap: "outerHTML" });
  };

  const take = (files) => {
    for (const file of files) {
      const made = line(file.name);
      if (file.size > Number(form.dataset.limit)) {
        made.bar.remove();
        fail(made.row, made.news, form.dataset.tooLarge);
      } else {
        waiting += 1;
        last = last.then(() => send(file, made)).then(refresh);
      }
    }
  };

  chooser.addEventListener("change", () => {
    take([...chooser.files]);
    chooser.value = "";
  });
  document.addEventListener("paste", (event) => {
    if (event.clipboardData.files.length) take([...event.clipboardData.files]);
  });
  for (const kind of ["dragover", "dragenter"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
  }
  for (const kind of ["dragleave", "drop"]) form.addEventListener(kind, () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
}
