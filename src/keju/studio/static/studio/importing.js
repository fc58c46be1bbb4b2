// A file that is too large is not even sent: the form says so beside it.
for (const form of document.querySelectorAll("form[data-limit]")) {
  const chooser = form.querySelector("input[type=file]");
  chooser?.addEventListener("change", () => {
    const large = [...chooser.files].some((file) => file.size > Number(form.dataset.limit));
    chooser.setCustomValidity(large ? form.dataset.tooLarge : "");
    chooser.reportValidity();
  });
}
