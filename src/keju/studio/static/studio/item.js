// The page of an item: one key opens the editor.
document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  document.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`)?.click();
});
