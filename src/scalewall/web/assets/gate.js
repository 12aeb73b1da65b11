"use strict";
/* One question at a time goes out: previews while a control moves, the full search once it rests. */
(function () {
  const { set, put, pause, write } = window.scalewall;
  const IDLE = 250; // ms without a change after which the full search may start
  const SHOW_PROGRESS = 500; // ms after which a search shows how far it is
  const POLL = 400; // ms between looks at a search's progress
  const RETRY = 3000; // ms after which a server that did not answer is asked again

  const session = Math.random().toString(36).slice(2) + Date.now().toString(36);
  const gate = {
    number: 0, // of the last question
    first: null, // what the page came with
    since: 0, // the last question before the page came
    busy: null, // the question that is out
    wanted: null, // what the controls say, and since when
    changed: 0,
    answered: {},
    pointer: false,
    timer: 0,
  };

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

  function remember(query) {
    remembered[location.pathname] = query;
    put("remembered", { ...remembered });
  }

  function tellLink(query) {
    remember(query);
    set("link", { value: `${location.origin}${location.pathname}?${query}` });
  }

  /* A page that has just come knows nothing of what was asked before: what is still out is asked for again, which
     tells the server to drop it. */
  function arrive(answered, query) {
    const isOut = gate.busy !== null;
    Object.assign(gate, { first: answered, since: gate.number, busy: null, answered: {}, wanted: query, changed: 0 });
    remember(query);
    if (answered.query !== query) return;
    document.body.dataset.answer = answered.mode;
    if (!isOut) gate.answered = { query, mode: answered.mode };
  }

  function receive(query, answered) {
    const { query: asked } = gate.busy;
    gate.busy = null;
    progress(null);
    if (answered.mode === "none") return;
    gate.answered = { query: asked, mode: answered.mode };
    document.body.dataset.answer = asked === query ? answered.mode : "awaited";
    if (asked === query && answered.mode === "full")
      history.replaceState(history.state, "", `${location.pathname}?${answered.query}`);
  }

  function ask(query, answered) {
    if (answered && answered.number === 0 && answered !== gate.first) arrive(answered, query);
    else if (answered && gate.busy && answered.number === gate.busy.number) receive(query, answered);
    if (query !== gate.wanted) {
      gate.wanted = query;
      gate.changed = performance.now();
      remember(query);
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
        if (gate.busy === busy && reply.status === 410) {
          gate.busy = null; // not heard of for so long that the search was dropped
          lost();
          return;
        }
        const state = await reply.json();
        if (gate.busy !== busy) return;
        progress(state);
      } catch {
        progress({ name: "", done: 0, total: 0 });
        document.querySelector("#progress span").textContent = "The server does not answer. Is it still running?";
        if (gate.busy !== busy) return;
        gate.busy = null;
        gate.timer = setTimeout(lost, RETRY);
        return;
      }
      await pause(POLL);
    }
  }

  // ---- pages that ask one question -----------------------------------------------------------------------
  function pose(query) {
    gate.number += 1;
    gate.busy = { number: gate.number, query };
    document.body.dataset.answer = "awaited";
    watch(gate.busy, () => put("question-ask", pose(query)));
    return { session, number: gate.number, query };
  }

  function landed(answered) {
    if (!answered || !gate.busy || answered.number !== gate.busy.number) return gate.number;
    if (answered.query === null) {
      put("question-ask", pose(gate.busy.query));
      return gate.number;
    }
    gate.busy = null;
    progress(null);
    document.body.dataset.answer = "full";
    history.replaceState(history.state, "", `${location.pathname}?${answered.query}`);
    tellLink(answered.query);
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
    return pose(params.toString());
  }

  window.scalewall.hasAsked = () => gate.number > gate.since;

  window.scalewall.offer({ ask, collect, landed });
})();
