"use strict";
/* Figures in the page's colours and at its width, and the parts of the page that come after the first of them. */
(function () {
  const { none, set, put, pause } = window.scalewall;
  const schemeNow = () => document.documentElement.getAttribute("data-mantine-color-scheme") || "light";

  function painted(value, colours) {
    if (Array.isArray(value)) return value.map((inner) => painted(inner, colours));
    if (value !== null && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, painted(inner, colours)]));
    return typeof value === "string" && Object.hasOwn(colours, value) ? colours[value] : value;
  }

  function laidOut(spec, width) {
    const { data, layout } = spec;
    const longest = Math.max(...data.map((trace) => trace.name.length), 1);
    const columns = Math.max(1, Math.floor((width - 100) / (6.2 * longest + 45)));
    const rows = layout.showlegend ? Math.ceil(data.length / columns) : 0;
    const narrow = width < 500;
    delete layout.title;
    layout.margin = { l: narrow ? 48 : 64, r: 8, t: 12, b: 72 + 21 * rows };
    layout.height = layout.height + 22 * rows - (narrow ? 110 : 40);
    Object.assign(layout.legend, { entrywidthmode: "fraction", entrywidth: 0.98 / columns });
    layout.legend.y = -72 / (layout.height - layout.margin.t - layout.margin.b);
    if (narrow) {
      layout.legend.font = { size: 11 };
      if (layout.yaxis.title) layout.yaxis.title.standoff = 6;
      if (layout.shapes.filter(({ label }) => label).length > 1) for (const shape of layout.shapes) delete shape.label;
      layout.annotations = (layout.annotations || []).filter(({ showarrow }) => !showarrow);
      if (layout.xaxis.type === "log") layout.xaxis.dtick = 2;
    }
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
    layout.uirevision = "kept";
    return { data, layout };
  }

  /* The first figure at once, the others one after the other when the browser has time: while one drags, the newest. */
  const painting = { at: {}, done: {}, queue: [], waiting: false };
  const whenIdle = (work) => (window.requestIdleCallback ? requestIdleCallback(work, { timeout: 200 }) : setTimeout(work, 30));
  const isPainted = (chart) => ["figures", "scheme", "width"].every((key) => (painting.done[chart] || {})[key] === painting.at[key]);

  function figureOf(chart, width) {
    const { figures, scheme, themes } = painting.at;
    painting.done[chart] = painting.at;
    return laidOut(painted(figures[chart], themes[scheme]), width);
  }

  function drawn(chart) {
    const place = document.getElementById(`figure-${chart}`);
    const spec = painting.at.figures && painting.at.figures[chart];
    if (place) place.hidden = !spec;
    if (!spec || !place || isPainted(chart)) return none();
    document.getElementById(`title-${chart}`).textContent = spec.layout.title.text;
    const figure = figureOf(chart, place.clientWidth);
    place.style.setProperty("--sw-chart-height", `${figure.layout.height}px`);
    return figure;
  }

  function paintNext() {
    painting.waiting = false;
    const chart = painting.queue.shift();
    const figure = drawn(chart);
    if (figure !== none()) set({ chart }, { figure });
    paintSoon();
  }

  function paintSoon() {
    if (painting.waiting || !painting.queue.length) return;
    painting.waiting = true;
    whenIdle(paintNext);
  }

  function paint(figures, _scheme, width, themes) {
    const [first, ...others] = window.dash_clientside.callback_context.outputs_list.map(({ id }) => id.chart);
    painting.at = { figures, scheme: schemeNow(), width, themes };
    painting.queue = others;
    paintSoon();
    return [drawn(first), ...others.map(none)];
  }

  /* A figure's part of the page with what belongs in it, so that the browser does not draw it empty first. */
  function furnished(part, chart, width) {
    const spec = painting.at.figures[chart];
    const figure = spec && figureOf(chart, width);
    function filled(piece) {
      if (Array.isArray(piece)) return piece.map(filled);
      if (piece === null || typeof piece !== "object") return piece;
      const { id, children } = piece.props;
      const props = { ...piece.props, children: filled(children) };
      if (id === `figure-${chart}`) Object.assign(props, { hidden: !spec, style: spec && { "--sw-chart-height": `${figure.layout.height}px` } });
      if (spec && id === `title-${chart}`) props.children = spec.layout.title.text;
      if (spec && id && id.chart === chart) props.figure = figure;
      return { ...piece, props };
    }
    return filled(part);
  }

  const isFirstDrawn = () => document.querySelector("#figure-utilization .main-svg, #figure-utilization[hidden]");

  /* What stands under the first figure comes once that one is drawn, a piece at a time: controls answer in between. */
  async function unfold(later) {
    for (let turn = 0; turn < 200 && !isFirstDrawn(); turn++) await pause(25);
    for (const [id, part] of Object.entries(later)) {
      await pause(25);
      await new Promise(whenIdle);
      const place = document.getElementById(id);
      if (!place) return none();
      if (id.startsWith("place-")) set(id, { children: furnished(part, id.slice("place-".length), place.clientWidth) });
      else if (!window.scalewall.hasAsked()) set(id, { children: part });
    }
    return true;
  }

  function nameFileInputs() {
    for (const input of document.querySelectorAll("input[type=file]:not([aria-label])"))
      input.setAttribute("aria-label", input.closest("[id^=upload-]").textContent);
  }

  function watchScheme() {
    new MutationObserver(nameFileInputs).observe(document.body, { childList: true, subtree: true });
    const root = document.documentElement;
    const tell = () => put("scheme", schemeNow());
    new MutationObserver(tell).observe(root, { attributes: true, attributeFilter: ["data-mantine-color-scheme"] });
    let width = root.clientWidth;
    let timer = 0;
    addEventListener("resize", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (root.clientWidth !== width) put("width", (width = root.clientWidth));
      }, 150);
    });
    return schemeNow();
  }

  window.scalewall.offer({ paint, unfold, watchScheme });
})();
