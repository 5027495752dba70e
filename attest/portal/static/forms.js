// A form is sent once: what is pressed again while its answer is on its way counts for nothing.
"use strict";
(() => {
  const AGAIN = 20_000; // milliseconds: whoever stopped it meanwhile, or hears nothing, may send it again

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute("method") !== "post" || form.dataset.saves) return;
    if (form.getAttribute("aria-busy") === "true") {
      event.preventDefault();
      return;
    }
    form.setAttribute("aria-busy", "true");
    setTimeout(() => form.removeAttribute("aria-busy"), AGAIN);
  });

  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[aria-busy]")) form.removeAttribute("aria-busy");
  });
})();
