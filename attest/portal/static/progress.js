// Follows a submission by server-sent events, and says to screen readers what has changed, once.
// While events come, htmx does not ask; where they do not, it goes on asking every two seconds.
"use strict";
(() => {
  let source = null;
  const told = document.getElementById("told");

  function tell() {
    const sentence = document.getElementById("sentence");
    const text = sentence ? sentence.textContent.replace(/\s+/g, " ").trim() : "";
    if (text && text !== told.dataset.last) told.textContent = text;
    told.dataset.last = text;
  }

  function step(event) {
    const { sentence, checks } = JSON.parse(event.data);
    const place = document.getElementById("sentence");
    const list = document.getElementById("checks");
    if (!place || !list) return;
    const line = document.createElement("p");
    line.textContent = sentence;
    place.replaceChildren(line);
    list.innerHTML = checks;
    tell();
  }

  function ended() {
    source.close();
    source = null;
    const address = document.getElementById("progress").getAttribute("hx-get");
    if (address) window.htmx.ajax("GET", address, { target: "#progress", swap: "outerHTML" });
  }

  const progress = document.getElementById("progress");
  told.dataset.last = document.getElementById("sentence").textContent.replace(/\s+/g, " ").trim();
  document.addEventListener("htmx:afterSwap", tell);
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (source && source.readyState === EventSource.OPEN) event.preventDefault();
  });
  if (progress.dataset.events && "EventSource" in window) {
    source = new EventSource(progress.dataset.events);
    source.addEventListener("step", step);
    source.addEventListener("ended", ended);
    window.addEventListener("pagehide", () => source && source.close());
  }
})();
