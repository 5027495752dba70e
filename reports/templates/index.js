// Sorting and filtering of the table of students. The page is whole without it.
"use strict";
(() => {
  const table = document.getElementById("students");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const find = document.getElementById("find");
  const status = document.getElementById("status");
  const verdict = document.getElementById("verdict");
  const shown = document.getElementById("shown");
  const form = document.getElementById("controls");
  const last = heads.length - 1;
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const facts = rows.map((row) => ({
    row,
    text: row.cells[0].textContent.normalize("NFC").toLowerCase(),
    status: row.cells[last - 1].textContent,
    verdicts: row.cells[last - 2].textContent + (parseInt(row.cells[last - 3].textContent, 10) > 0 ? " passed" : ""),
  }));

  const filter = () => {
    const words = find.value.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const fact of facts) {
      const fits =
        words.every((word) => fact.text.includes(word)) &&
        (!status.value || fact.status === status.value) &&
        (!verdict.value || fact.verdicts.includes(verdict.value));
      fact.row.hidden = !fits;
      count += fits ? 1 : 0;
    }
    shown.textContent = `${count} of ${rows.length} shown`;
  };

  const sort = (column, descending) => {
    const number = heads[column].dataset.type === "number";
    const keyed = facts.map(({ row }) => {
      const text = row.cells[column].textContent;
      return [number ? parseFloat(text) : text, row];
    });
    const blank = (key) => (number ? Number.isNaN(key) : key === "");
    const way = descending ? -1 : 1;
    keyed.sort(([a], [b]) => {
      if (blank(a) || blank(b)) return blank(a) - blank(b);
      return way * (number ? a - b : collator.compare(a, b));
    });
    body.append(...keyed.map(([, row]) => row));
    heads.forEach((head, index) => {
      if (index === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  };

  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sort(column, now ? now === "ascending" : head.dataset.type === "number");
    });
  });
  let waiting = 0;
  find.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 80);
  });
  status.addEventListener("change", filter);
  verdict.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
})();
