"use strict";
/* Tables that sort by a click on a heading. */
(function () {
  const UNITS = { T: 1e12, G: 1e9, M: 1e6, k: 1e3, m: 1e-3, "\u00b5": 1e-6, n: 1e-9 };
  const WORDS = { million: 1e6, billion: 1e9, trillion: 1e12, minutes: 60, hours: 3600, days: 86400, months: 2629800, years: 31557600 };

  function worth(text) {
    const date = text.match(/^(\d{4})-(\d{2})/);
    if (date) return Number(date[1]) + Number(date[2]) / 12;
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
})();
