"use strict";
(() => {
  // Opens what a link leads to: parts of the page are folded.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const own = target?.closest("summary")?.parentElement;
    for (let at = own ?? target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target?.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  if (location.hash) unfold();

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

  // Zooms and moves a timeline by changing the part of the drawing that is shown.
  const zoomable = (box) => {
    const svg = box.querySelector("svg");
    const [, , whole, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const [from, to] = box.querySelectorAll(".axis span");
    const [first, last, closest] = ["first", "last", "closest"].map((name) => Number(box.dataset[name]));
    const least = Math.min(whole, (whole * closest) / Math.max(1, last - first));
    let [left, width] = [0, whole];
    // The pointer that drags, and where it was last.
    let [pointer, dragged] = [null, 0];
    const show = () => {
      width = Math.min(whole, Math.max(least, width));
      left = Math.min(whole - width, Math.max(0, left));
      svg.setAttribute("viewBox", `${left} 0 ${width} ${height}`);
      const time = (x) => Math.round(first + ((last - first) * x) / whole).toString().replace(/\B(?=(\d{3})+$)/g, " ");
      from.textContent = `${box.dataset.unit} ${time(left)}`;
      to.textContent = `${box.dataset.unit} ${time(left + width)}`;
    };
    svg.addEventListener("wheel", (event) => {
      // A wheel turns by lines or, as a touchpad, by pixels: about 100 of them are a notch.
      const notches = (event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1)) / 100;
      // At its ends the zoom leaves the wheel to the page.
      if (notches === 0 || width === (notches > 0 ? whole : least)) return;
      event.preventDefault();
      const area = svg.getBoundingClientRect();
      const share = (event.clientX - area.left) / area.width;
      const at = left + width * share;
      width = Math.min(whole, Math.max(least, width * 1.25 ** Math.max(-3, Math.min(3, notches))));
      left = at - width * share;
      show();
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      [pointer, dragged] = [event.pointerId, event.clientX];
      // The drag goes on where the pointer leaves the drawing.
      svg.setPointerCapture(pointer);
    });
    svg.addEventListener("pointermove", (event) => {
      if (event.pointerId !== pointer) return;
      left -= (width * (event.clientX - dragged)) / svg.getBoundingClientRect().width;
      dragged = event.clientX;
      show();
    });
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { pointer = null; });
    svg.addEventListener("dblclick", () => {
      [left, width] = [0, whole];
      show();
    });
  };
  document.querySelectorAll(".timeline").forEach(zoomable);

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
    label.append("Filter ", input, " ", count);
    table.parentElement.before(label);
  }
})();
