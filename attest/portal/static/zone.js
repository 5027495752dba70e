// Chooses the browser's own time zone where nobody has chosen one yet.
"use strict";
(() => {
  const field = document.querySelector("select[data-not-chosen]");
  if (!field) return;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if ([...field.options].some((one) => one.value === own)) field.value = own;
})();
