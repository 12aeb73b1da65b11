"use strict";
/* What answers while one drags, without a trip to the server: the controls write the link's settings, a gate lets one
   question at a time go out (previews while a control moves, the full search once it rests), figures are painted. */
(function () {
  const IDLE = 250; // ms without a change after which the full search may start
  const SHOW_PROGRESS = 500; // ms after which a search shows how far it is
  const POLL = 400; // ms between looks at a search's progress
  const none = () => window.dash_clientside.no_update;
  const put = (id, data) => window.dash_clientside.set_props(id, { data });

  // ---- controls -> settings of the link ------------------------------------------------------------------
  const STRUCTURE = new Set(["machine", "precision", "model", "data_law", "batch_law", "depth_law", "width_law",
    "toggle.reference", "toggle.centres"]);

  function nearest(steps, value) {
    let best = 0;
    steps.forEach((step, index) => {
      if (Math.abs(Math.log(step / value)) < Math.abs(Math.log(steps[best] / value))) best = index;
    });
    return best;
  }

  function write(params, key, text) {
    if (text === null || text === undefined || text === "") params.delete(key);
    else params.set(key, text);
  }

  function edit(values, toggles, figures, query, steps) {
    const context = window.dash_clientside.callback_context;
    if (!context.triggered || context.triggered.length !== 1) return none();
    const { prop_id: prop, value } = context.triggered[0];
    const id = JSON.parse(prop.slice(0, prop.lastIndexOf(".")));
    const params = new URLSearchParams(query);
    const place = params.get("chosen") || "1";
    const before = params.toString();
    let structure = false;
    if (id.toggle !== undefined) {
      structure = STRUCTURE.has(`toggle.${id.toggle}`);
      if (id.toggle === "centres") {
        for (const part of ["size", "count", "bandwidth", "latency"]) params.delete(`${place}.centre_${part}`);
        if (value) params.set(`${place}.centre_size`, "32768");
      } else params.set(`${place}.${id.toggle}`, value ? "yes" : "no");
    } else if (id.figure !== undefined) {
      const key = `${place}.overrides`;
      const pairs = new Map((params.get(key) || "").split(",").filter(Boolean).map((pair) => pair.split(":")));
      const text = String(value === null ? "" : value).replace(/[\s_]/g, "").replace(",", ".");
      if (text === "") pairs.delete(id.figure);
      else pairs.set(id.figure, text);
      write(params, key, [...pairs].map((pair) => pair.join(":")).join(","));
    } else if (id.kind === "slider") {
      const step = steps[id.field][value];
      const old = params.get(`${place}.${id.field}`);
      if (old !== null && nearest(steps[id.field], Number(old)) === value) return none();
      params.set(`${place}.${id.field}`, String(step));
      window.dash_clientside.set_props({ field: id.field, kind: "number", scale: 1 }, { value: step });
    } else {
      structure = STRUCTURE.has(id.field);
      const scaled = typeof value === "number" ? Number((value * id.scale).toPrecision(12)) : value;
      write(params, `${place}.${id.field}`, scaled);
      if (id.field === "machine") for (const part of ["overrides", "file"]) params.delete(`${place}.${part}`);
    }
    if (params.toString() === before) return none();
    if (structure) {
      put("restructure", params.toString());
      return none();
    }
    return params.toString();
  }

  // ---- the gate ------------------------------------------------------------------------------------------
  const session = Math.random().toString(36).slice(2) + Date.now().toString(36);
  const gate = { number: 0, busy: null, wanted: null, changed: 0, answered: {}, pointer: false, timer: 0 };

  function later(delay) {
    clearTimeout(gate.timer);
    gate.timer = setTimeout(step, delay);
  }

  function send(mode) {
    gate.number += 1;
    gate.busy = { number: gate.number, query: gate.wanted, mode };
    document.body.dataset.answer = "awaited";
    put("ask", { session, number: gate.number, query: gate.wanted, mode });
    watch(gate.busy, step);
  }

  function step() {
    if (gate.wanted === null) return;
    if (gate.busy && (gate.busy.mode === "preview" || gate.busy.query === gate.wanted)) return;
    const known = gate.answered.query === gate.wanted ? gate.answered.mode : null;
    if (known === "full") return;
    if (known === null) return send("preview");
    const rest = IDLE - (performance.now() - gate.changed);
    if (gate.pointer) return;
    if (rest > 0) return later(rest);
    send("full");
  }

  const remembered = {};

  function tellLink(query) {
    remembered[location.pathname] = query;
    put("remembered", { ...remembered });
    window.dash_clientside.set_props("link", { value: `${location.origin}${location.pathname}?${query}` });
  }

  function ask(query, answered) {
    if (answered && gate.busy && answered.number === gate.busy.number) {
      gate.answered = { query: gate.busy.query, mode: answered.mode };
      gate.busy = null;
      document.body.dataset.answer = gate.answered.query === query ? answered.mode : "awaited";
      progress(null);
      if (gate.answered.query === gate.wanted && answered.mode === "full") {
        history.replaceState(history.state, "", `${location.pathname}?${answered.query}`);
      }
    } else if (answered && answered.number === 0 && answered.query === query && !gate.busy) {
      gate.answered = { query, mode: answered.mode };
      document.body.dataset.answer = answered.mode;
    }
    if (query !== gate.wanted) {
      gate.wanted = query;
      gate.changed = performance.now();
    }
    if (answered && answered.mode === "full") tellLink(answered.query);
    step();
    return gate.number;
  }

  function released() {
    gate.pointer = false;
    later(IDLE);
  }
  addEventListener("pointerdown", () => { gate.pointer = true; }, true);
  addEventListener("pointerup", released, true);
  addEventListener("pointercancel", released, true);
  addEventListener("blur", released);

  // ---- progress of a search that takes a while -----------------------------------------------------------
  function progress(state) {
    const bar = document.getElementById("progress");
    if (!bar) return;
    bar.hidden = state === null;
    if (state === null) return;
    bar.querySelector("span").textContent = state.total
      ? `Searching ${state.name}: ${state.done} of ${state.total}`
      : "Searching ...";
    bar.querySelector("progress").value = state.total ? state.done / state.total : 0;
  }

  async function watch(busy, lost) {
    await new Promise((resolve) => setTimeout(resolve, SHOW_PROGRESS));
    while (gate.busy === busy) {
      try {
        const reply = await fetch(`/progress/${session}`);
        const state = await reply.json();
        if (gate.busy !== busy) return;
        progress(state);
      } catch {
        progress({ name: "", done: 0, total: 0 });
        document.querySelector("#progress span").textContent = "The server does not answer. Is it still running?";
        if (gate.busy === busy) gate.busy = null;
        if (lost) setTimeout(lost, 3000);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL));
    }
  }

  // ---- pages that ask one question -----------------------------------------------------------------------
  function landed(answered) {
    if (answered && gate.busy && answered.number === gate.busy.number) {
      gate.busy = null;
      progress(null);
      document.body.dataset.answer = "full";
      history.replaceState(history.state, "", `${location.pathname}?${answered.query}`);
      tellLink(answered.query);
    }
    return gate.number;
  }

  function collect(values, query) {
    const context = window.dash_clientside.callback_context;
    const changed = context.triggered || [];
    const params = new URLSearchParams(query);
    for (const { id, value } of context.inputs_list[0]) {
      const scaled = typeof value === "number" ? Number((value * id.scale).toPrecision(12)) : value;
      write(params, id.ask, Array.isArray(scaled) ? scaled.join(",") : scaled);
    }
    if (changed.length === 1) params.delete("rank");
    gate.number += 1;
    gate.busy = { number: gate.number };
    document.body.dataset.answer = "awaited";
    watch(gate.busy, null);
    return { session, number: gate.number, query: params.toString() };
  }

  // ---- tables that sort by a click on a heading ----------------------------------------------------------
  const UNITS = { T: 1e12, G: 1e9, M: 1e6, k: 1e3, m: 1e-3, "\u00b5": 1e-6, n: 1e-9 };
  const WORDS = { million: 1e6, billion: 1e9, trillion: 1e12, minutes: 60, hours: 3600, days: 86400, months: 2629800, years: 31557600 };

  function worth(text) {
    const found = text.replace(/,/g, "").match(/^[+]?(-?[\d.]+(?:e[+-]?\d+)?)\s*(\S*)/);
    if (!found) return null;
    const unit = found[2];
    return Number(found[1]) * (WORDS[unit] || (unit.length > 1 && UNITS[unit[0]]) || 1);
  }

  function sortBy(button) {
    const head = button.closest("th");
    const body = head.closest("table").tBodies[0];
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => row.cells[head.cellIndex].textContent.trim();
    const rows = [...body.rows].sort((one, other) => {
      const [a, b] = [worth(key(one)), worth(key(other))];
      const order = a === null || b === null ? key(one).localeCompare(key(other)) : a - b;
      return down ? -order : order;
    });
    body.append(...rows);
  }
  addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest(".sw-sort");
    if (button) sortBy(button);
  });

  // ---- figures -------------------------------------------------------------------------------------------
  function painted(value, colours) {
    if (Array.isArray(value)) return value.map((inner) => painted(inner, colours));
    if (value !== null && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, painted(inner, colours)]));
    return typeof value === "string" && value in colours ? colours[value] : value;
  }

  function laidOut(spec, width) {
    const { data, layout } = spec;
    const longest = Math.max(...data.map((trace) => trace.name.length), 1);
    const columns = Math.max(1, Math.floor((width - 60) / (7.5 * longest + 60)));
    const rows = layout.showlegend ? Math.ceil(data.length / columns) : 0;
    const narrow = width < 500;
    delete layout.title;
    layout.margin = { l: narrow ? 48 : 64, r: 8, t: 12, b: 72 + 21 * rows };
    layout.height = layout.height + 22 * rows - (narrow ? 110 : 40);
    layout.legend.y = -72 / (layout.height - layout.margin.t - layout.margin.b);
    if (narrow && layout.xaxis.type === "log") layout.xaxis.dtick = 2;
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
    layout.uirevision = "kept";
    return { data, layout };
  }

  function paint(figures, scheme, width, themes) {
    const outputs = window.dash_clientside.callback_context.outputs_list;
    return outputs.map(({ id }) => {
      const place = document.getElementById(`figure-${id.chart}`);
      const spec = figures && figures[id.chart];
      if (place) place.hidden = !spec;
      if (!spec) return none();
      const title = document.getElementById(`title-${id.chart}`);
      if (title) title.textContent = spec.layout.title.text;
      const drawn = laidOut(painted(spec, themes[scheme || "light"]), (place && place.clientWidth) || 800);
      const slot = place && place.querySelector(".sw-chart");
      if (slot) slot.style.height = `${drawn.layout.height}px`;
      return drawn;
    });
  }

  function nameFileInputs() {
    for (const input of document.querySelectorAll("input[type=file]:not([aria-label])"))
      input.setAttribute("aria-label", `A file ending in ${input.accept}`);
  }

  function watchScheme() {
    new MutationObserver(nameFileInputs).observe(document.body, { childList: true, subtree: true });
    const root = document.documentElement;
    const tell = () => put("scheme", root.getAttribute("data-mantine-color-scheme") || "light");
    new MutationObserver(tell).observe(root, { attributes: true, attributeFilter: ["data-mantine-color-scheme"] });
    let width = root.clientWidth;
    let timer = 0;
    addEventListener("resize", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (root.clientWidth !== width) put("width", (width = root.clientWidth));
      }, 150);
    });
    return root.getAttribute("data-mantine-color-scheme") || "light";
  }

  // ---- small things --------------------------------------------------------------------------------------
  window.dashMantineFunctions = Object.assign({}, window.dashMantineFunctions, {
    stepLabel: (value, { steps }) => String(steps[value]),
  });
  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    scalewall: { edit, ask, collect, landed, paint, watchScheme },
  });
})();
