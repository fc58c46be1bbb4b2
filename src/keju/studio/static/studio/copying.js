// Buttons that copy what stands in a field.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand("copy"); // without HTTPS there is no clipboard
    }
    button.textContent = button.dataset.done;
  });
}
