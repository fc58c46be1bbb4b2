// What every page needs: a marker that scripts run, and times in the reader's own zone. Each part of the work has its own
// file.
document.documentElement.classList.add("js");
for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  const how = time.textContent.includes(":") ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium" };
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, how).format(at);
}
