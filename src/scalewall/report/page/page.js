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

// Beside the bars labels would leave no room for them on a phone: there each stands in the row above its bar.
function labelAbove(data, layout) {
  for (const trace of data)
    if (trace.type === "bar") Object.assign(trace, { width: 0.4, offset: 0.05 });
    else trace.y = trace.y.map((place) => place + 0.25);
  layout.height += 14 * layout.yaxis.tickvals.length;
  const font = { size: 11 };
  const beside = { xref: "paper", x: 0, xanchor: "left", yanchor: "bottom", borderpad: 0, showarrow: false, font };
  layout.annotations = layout.yaxis.ticktext.map((text, row) => ({ ...beside, text, y: layout.yaxis.tickvals[row] }));
  layout.yaxis.showticklabels = false;
  layout.margin.l = 8;
  const kept = layout.xaxis.tickvals.map((value, index) => [value, layout.xaxis.ticktext[index]]);
  const few = kept.filter(([value]) => value % 2 === 0);
  Object.assign(layout.xaxis, {
    tickvals: few.map(([value]) => value),
    ticktext: few.map(([, text]) => text),
    tickangle: 0,
    title: { ...layout.xaxis.title, font },
  });
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
  if (width < 500) {
    layout.xaxis.dtick = 2;
    layout.yaxis.title = { ...layout.yaxis.title, standoff: 8 };
    // Labels of points are placed for wide figures; here a tap names one.
    if (layout.annotations) layout.annotations = layout.annotations.filter((label) => !label.showarrow);
    if (layout.meta?.narrow === "labels above") labelAbove(data, layout);
  }
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
