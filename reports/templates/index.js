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
  const all = document.getElementById("all");
  const form = document.getElementById("controls");
  const last = heads.length - 1;
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const facts = rows.map((row) => ({
    row,
    text: row.cells[0].textContent.normalize("NFC").toLowerCase(),
    status: row.cells[last - 1].textContent,
    verdicts: row.cells[last - 2].textContent + (parseInt(row.cells[last - 3].textContent, 10) > 0 ? " passed" : ""),
  }));

  // A browser takes a second to lay out thousands of rows, so a long table shows its beginning until asked for all.
  const many = rows.length > 1000;
  let most = many ? 250 : Infinity;
  let order = facts;

  const draw = () => {
    const words = find.value.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = order.filter(
      (fact) =>
        words.every((word) => fact.text.includes(word)) &&
        (!status.value || fact.status === status.value) &&
        (!verdict.value || fact.verdicts.includes(verdict.value)),
    );
    const drawn = fitting.slice(0, most);
    body.replaceChildren(...drawn.map((fact) => fact.row));
    const [part, whole] = drawn.length < fitting.length ? [`the first ${drawn.length}`, fitting] : [fitting.length, rows];
    shown.textContent = `${part} of ${whole.length} shown`;
    all.hidden = drawn.length === fitting.length;
  };

  const sort = (column, descending) => {
    const number = heads[column].dataset.type === "number";
    const keyed = facts.map((fact) => {
      const text = fact.row.cells[column].textContent;
      return [number ? parseFloat(text) : text, fact];
    });
    const blank = (key) => (number ? Number.isNaN(key) : key === "");
    const way = descending ? -1 : 1;
    keyed.sort(([a], [b]) => {
      if (blank(a) || blank(b)) return blank(a) - blank(b);
      return way * (number ? a - b : collator.compare(a, b));
    });
    order = keyed.map(([, fact]) => fact);
    heads.forEach((head, index) => {
      if (index === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    draw();
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
    waiting = setTimeout(draw, 80);
  });
  status.addEventListener("change", draw);
  verdict.addEventListener("change", draw);
  all.addEventListener("click", () => {
    most = Infinity;
    draw();
    find.focus();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  draw();
})();
