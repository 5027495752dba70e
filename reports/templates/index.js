// Sorting and filtering of the table of students. The page is whole without it.
"use strict";
// Until the table has been cut to its beginning its rows are not laid out: for thousands that takes seconds.
document.documentElement.classList.add("scripted");
document.addEventListener("DOMContentLoaded", () => {
  const table = document.getElementById("students");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const [find, status, verdict, section, failing, shows, shown, all, clear, form] = [
    "find", "status", "verdict", "section", "failing", "shows", "shown", "all", "clear", "controls",
  ].map((id) => document.getElementById(id));
  const filters = [find, status, verdict, section, failing, shows].filter(Boolean);
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const at = (key) => heads.findIndex((head) => head.dataset.key === key);
  const [statusAt, passedAt, othersAt, sectionAt] = ["status", "passed", "others", "section"].map(at);
  const facts = rows.map((row) => ({
    row,
    text: row.cells[0].textContent.normalize("NFC").toLowerCase(),
    status: row.cells[statusAt].textContent,
    section: sectionAt < 0 ? "" : row.cells[sectionAt].textContent,
    verdicts: row.cells[othersAt].textContent + (parseInt(row.cells[passedAt].textContent, 10) > 0 ? " passed" : ""),
    failing: row.dataset.failing || "",
    shows: (row.dataset.shows || "").split(" "),
  }));
  // Four checks to a digit, the first of them in the last digit's lowest bit.
  const fails = (digits, check) => (parseInt(digits.at(-1 - (check >> 2)), 16) >> (check & 3)) & 1;

  // A long table shows its beginning until asked for all.
  const many = rows.length > 1000;
  let most = many ? 250 : Infinity;
  let order = facts;

  const draw = () => {
    const words = find.value.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = order.filter(
      (fact) =>
        words.every((word) => fact.text.includes(word)) &&
        (!status.value || fact.status === status.value) &&
        (!verdict.value || fact.verdicts.includes(verdict.value)) &&
        (!section?.value || fact.section === section.value) &&
        (!failing?.value || fails(fact.failing, Number(failing.value))) &&
        (!shows?.value || fact.shows.includes(shows.value)),
    );
    const drawn = fitting.slice(0, most);
    body.replaceChildren(...drawn.map((fact) => fact.row));
    const [part, whole] = drawn.length < fitting.length ? [`the first ${drawn.length}`, fitting] : [fitting.length, rows];
    shown.textContent = `${part} of ${whole.length} shown`;
    all.hidden = drawn.length === fitting.length;
    clear.hidden = filters.every((filter) => !filter.value);
  };

  const sort = (column, descending) => {
    const number = "number" in heads[column].dataset;
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
      sort(column, now ? now === "ascending" : "number" in head.dataset);
    });
  });
  let waiting = 0;
  find.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(draw, 80);
  });
  filters.slice(1).forEach((filter) => filter.addEventListener("change", draw));
  form.addEventListener("reset", () => {
    setTimeout(draw);
    find.focus();
  });
  // "14 do not pass" leads to these students alone.
  document.querySelectorAll("a[data-filter]").forEach((link) => {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      filters.forEach((filter) => (filter.value = ""));
      const filter = document.getElementById(link.dataset.filter);
      filter.value = link.dataset.value;
      draw();
      document.getElementById("students-title").scrollIntoView();
      filter.focus({ preventScroll: true });
    });
  });
  all.addEventListener("click", () => {
    most = Infinity;
    draw();
    find.focus();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  draw();
  document.documentElement.classList.remove("scripted");
});
