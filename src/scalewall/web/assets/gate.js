"use strict";
/* One question at a time goes out: previews while a control moves, the full search once it rests. */
(function () {
  const { set, put, pause, write } = window.scalewall;
  const IDLE = 250; // ms without a change after which the full search may start
  const SHOW_PROGRESS = 500; // ms after which a search shows how far it is
  const POLL = 400; // ms between looks at a search's progress

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
    set("link", { value: `${location.origin}${location.pathname}?${query}` });
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
    await pause(SHOW_PROGRESS);
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
      await pause(POLL);
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

  window.scalewall.hasAsked = () => gate.number > 0;

  window.scalewall.offer({ ask, collect, landed });
})();
