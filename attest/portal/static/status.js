// The button works once, and for a minute: then a sentence takes its place.
"use strict";
(() => {
  const form = document.getElementById("open");
  const over = () => {
    form.hidden = true;
    document.getElementById("over").hidden = false;
  };
  setTimeout(over, 55_000);
  form.addEventListener("submit", () => setTimeout(over)); // when it has been sent
})();
