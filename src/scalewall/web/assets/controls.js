"use strict";
/* Controls write the link's settings without a trip to the server. */
(function () {
  const { none, set, put, write } = window.scalewall;
  const STRUCTURE = new Set(["machine", "precision", "model", "data_law", "batch_law", "depth_law", "width_law",
    "toggle.reference", "toggle.centres"]);

  function nearest(steps, value) {
    let best = 0;
    steps.forEach((step, index) => {
      if (Math.abs(Math.log(step / value)) < Math.abs(Math.log(steps[best] / value))) best = index;
    });
    return best;
  }

  /* A number as people write it: spaces, underscores and commas between thousands fall out, a decimal comma is a point. */
  function plainNumber(text) {
    const close = text.replace(/[\s_]/g, "");
    return /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(close) ? close.replaceAll(",", "") : close.replaceAll(",", ".");
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
        if (value === params.has(`${place}.centre_size`)) return none();
        for (const part of ["size", "count", "bandwidth", "latency"]) params.delete(`${place}.centre_${part}`);
        if (value) params.set(`${place}.centre_size`, "32768");
      } else params.set(`${place}.${id.toggle}`, value ? "yes" : "no");
    } else if (id.figure !== undefined) {
      const key = `${place}.overrides`;
      const pairs = new Map((params.get(key) || "").split(",").filter(Boolean).map((pair) => pair.split(":")));
      const text = plainNumber(String(value === null ? "" : value));
      if (text === "") pairs.delete(id.figure);
      else pairs.set(id.figure, text);
      write(params, key, [...pairs].map((pair) => pair.join(":")).join(","));
    } else if (id.kind === "slider") {
      const step = steps[id.field][value];
      const old = params.get(`${place}.${id.field}`);
      if (old !== null && nearest(steps[id.field], Number(old)) === value) return none();
      params.set(`${place}.${id.field}`, String(step));
      set({ field: id.field, kind: "number", scale: 1 }, { value: step });
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

  /* Sections of the form that are open and still empty. */
  function lacking(opened) {
    const isEmpty = (name) => {
      const place = document.getElementById(JSON.stringify({ section: name }));
      return place && !place.childElementCount;
    };
    const names = (opened || []).filter(isEmpty);
    return names.length ? names : none();
  }

  /* Machines by any part of their title or of the name that links and tables use. */
  function findMachine({ options, search }) {
    const plain = (text) => text.toLowerCase().replace(/[\s-]+/g, "");
    const fits = ({ label, value }) => plain(label).includes(plain(search)) || plain(value).includes(plain(search));
    const all = search.trim() === "";
    return options
      .map((option) => (option.items ? { ...option, items: option.items.filter((one) => all || fits(one)) } : option))
      .filter((option) => (option.items ? option.items.length : all || fits(option)));
  }

  window.dashMantineFunctions = Object.assign({}, window.dashMantineFunctions, {
    stepLabel: (value, { steps }) => String(steps[value]),
    findMachine,
  });

  /* A click into a list that can be searched marks what stands there, so that one types over it. */
  addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLInputElement && target.closest(".sw-search")) target.select();
  });

  /* Files that no request carries are refused here; the server says what is wrong with all others. */
  const MOST_BYTES = 500000;

  function refuse(event, input, files) {
    const place = input && input.closest("[id^=upload-]");
    const large = [...(files || [])].find(({ size }) => size > MOST_BYTES);
    if (!place || !large) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    set(`${place.id}-problem`, { children: `${large.name} cannot be used: it is too large (${large.size.toLocaleString("en")} bytes).` });
  }
  addEventListener("change", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.type === "file") refuse(event, event.target, event.target.files);
  }, true);
  addEventListener("drop", (event) => refuse(event, event.target, event.dataTransfer && event.dataTransfer.files), true);

  window.scalewall.offer({ edit, lacking });
})();
