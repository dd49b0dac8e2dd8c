"use strict";
(() => {
  // Rows of a body from which on a table is worth filtering.
  const LONG = 8;

  const key = (row, column) => {
    const cell = row.cells[column];
    return cell ? (cell.dataset.sort ?? cell.textContent.trim()) : "";
  };

  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, "en", { numeric: true }) : x - y;
  };

  const sort = (table, head) => {
    const column = head.cellIndex;
    const direction = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const order = (a, b) => {
      const [x, y] = [key(a, column), key(b, column)];
      // What is not known comes last, whatever the direction.
      if (x === "" || y === "") return (x === "") - (y === "");
      return sign * compare(x, y);
    };
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
  };

  const filter = (table, words, count) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    count.textContent = wanted.length ? `${shown} of ${table.tBodies[0].rows.length} rows` : "";
  };

  for (const table of document.querySelectorAll("table.data")) {
    const rows = table.tBodies[0].rows.length;
    if (rows < 2) continue;
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, head));
      head.append(button);
    }
    if (rows < LONG) continue;
    const label = document.createElement("label");
    const input = document.createElement("input");
    const count = document.createElement("output");
    input.type = "search";
    input.addEventListener("input", () => filter(table, input.value, count));
    label.className = "filter";
    label.append("Rows with ", input, " ", count);
    table.parentElement.before(label);
  }
})();
