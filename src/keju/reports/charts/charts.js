"use strict";
const charts = JSON.parse(document.getElementById("chart-specs").textContent);

function chosenLanguage() {
  const input = document.querySelector("input[name=language]:checked");
  return (input ? input.id : document.documentElement.lang).startsWith("zh") ? "zh" : "en";
}

function drawCharts() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  for (const place of document.querySelectorAll("[data-chart]")) {
    const config = structuredClone(charts.config);
    config.font = getComputedStyle(place).fontFamily;
    config.axis.labelLimit = Math.min(340, 0.35 * place.clientWidth); // on a phone the plot needs room too
    const fitted = { width: "container", autosize: { type: "fit-x", contains: "padding" } };
    const letters = [{ name: "letters", value: Math.floor(config.axis.labelLimit / charts.letter) }];
    const spec = { ...charts.specs[place.dataset.chart][chosenLanguage()], ...fitted, params: letters };
    vegaEmbed(place, spec, {
      config,
      renderer: "svg",
      actions: false,
      ast: true, // the page's policy forbids `eval`
      tooltip: { theme: dark ? "dark" : "light" },
    }).then(() => place.querySelector("svg").setAttribute("aria-hidden", "true")); // the place itself has the name
  }
}

for (const input of document.querySelectorAll("input[name=language]")) input.addEventListener("change", drawCharts);
document.fonts.ready.then(drawCharts);
