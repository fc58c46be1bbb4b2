// What every page needs: a marker that scripts run, and times in the reader's own zone. Each part of the work has its own
// file.
document.documentElement.classList.add("js");
const two = (number) => String(number).padStart(2, "0");
function local(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    time.textContent = time.textContent.includes(":") ? `${day} ${two(at.getHours())}:${two(at.getMinutes())}` : day;
  }
}
local(document);
document.addEventListener("htmx:load", (event) => local(event.detail.elt));
