// Tables that can be sorted: a click on a heading sorts by it, another turns the order round.
// Works on tables that are already there; without script they are merely unsorted.
"use strict";

function sortKey(row, column) {
  const cell = row.cells[column];
  const key = cell.dataset.key;
  return key === undefined ? cell.textContent : Number(key);
}

function compareKeys(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  // Texts after numbers; digits inside texts by value, so that line 9 comes before line 10.
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a.localeCompare(b, "en", { numeric: true });
}

function sortTable(table, column, descending) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, key: sortKey(row, column) }));
  rows.sort((a, b) => (descending ? -1 : 1) * compareKeys(a.key, b.key));
  body.append(...rows.map((entry) => entry.row));
  [...table.tHead.rows[0].cells].forEach((heading, index) => {
    if (index === column) heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    else heading.removeAttribute("aria-sort");
  });
}

function makeSortable(table) {
  if (table.tBodies[0].rows.length < 2) return;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    if (heading.textContent === "") return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const numbers = heading.classList.contains("number") || heading.classList.contains("share");
      const sorted = heading.getAttribute("aria-sort");
      sortTable(table, column, sorted ? sorted === "ascending" : numbers);
    });
  });
}

document.querySelectorAll("table").forEach(makeSortable);
