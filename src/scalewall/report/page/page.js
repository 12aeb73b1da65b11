"use strict";
const { themes, charts } = JSON.parse(document.getElementById("charts").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const touch = matchMedia("(pointer: coarse)");

function painted(value, colours) {
  if (Array.isArray(value)) return value.map((inner) => painted(inner, colours));
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, painted(inner, colours)]));
  return typeof value === "string" && value in colours ? colours[value] : value;
}

function draw(element) {
  const { data, layout } = painted(charts[element.dataset.chart], themes[dark.matches ? "dark" : "light"]);
  const width = element.clientWidth;
  const longest = Math.max(...data.map((trace) => trace.name.length), 1);
  const columns = Math.max(1, Math.floor((width - 60) / (7.5 * longest + 60)));
  const rows = layout.showlegend ? Math.ceil(data.length / columns) : 0;
  delete layout.title;
  layout.margin = { l: width < 500 ? 48 : 64, r: 8, t: 12, b: 64 + 22 * rows };
  layout.height += 22 * rows - (width < 500 ? 90 : 0);
  layout.legend.y = -64 / (layout.height - layout.margin.t - layout.margin.b);
  layout.width = width;
  if (width < 500) layout.xaxis.dtick = 2;
  if (touch.matches) layout.dragmode = false;
  Plotly.react(element, data, layout, {
    displayModeBar: touch.matches ? false : "hover",
    displaylogo: false,
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  });
}

function drawAll() {
  for (const element of document.querySelectorAll("[data-chart]")) if (element.clientWidth > 0) draw(element);
}

const chooser = document.getElementById("machine");
if (chooser)
  chooser.addEventListener("change", () => {
    for (const section of document.querySelectorAll("[data-machine]"))
      section.hidden = section.dataset.machine !== chooser.value;
    drawAll();
  });

let seen = document.documentElement.clientWidth;
addEventListener("resize", () => {
  if (document.documentElement.clientWidth === seen) return;
  seen = document.documentElement.clientWidth;
  drawAll();
});
dark.addEventListener("change", drawAll);
drawAll();
