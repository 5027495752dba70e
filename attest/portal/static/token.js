// After signing in again in another tab, the token of an open page is of the session before.
"use strict";
(() => {
  const PATIENCE = 30_000; // milliseconds for the page to come

  // Loads this page anew, and takes its token if it is still `person`'s, whom its element `id` names.
  // Returns who is signed in now, "" for nobody; fails where no answer comes.
  window.renewToken = async (id, person) => {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const field = page.querySelector('input[name="csrfmiddlewaretoken"]');
    const there = page.getElementById(id);
    if (!field || !there) return "";
    if (there.dataset.person === person) {
      for (const one of document.querySelectorAll('input[name="csrfmiddlewaretoken"]')) one.value = field.value;
    }
    return there.dataset.person;
  };
})();
