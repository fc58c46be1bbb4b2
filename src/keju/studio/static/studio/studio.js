// What every page needs: nothing yet but a marker that scripts run. Each part of the work has its own file.
document.documentElement.classList.add("js");
