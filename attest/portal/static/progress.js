// Follows a submission by server-sent events, and says to screen readers what has changed, once.
// While events come, htmx does not ask; where they do not, it goes on asking every two seconds: something
// between may hold a stream back without ending it.
"use strict";
(() => {
  const QUIET = 20_000; // milliseconds: one who is there says so every 15 s
  let source = null;
  let heardAt = -Infinity;
  const told = document.getElementById("told");

  function tell() {
    const sentence = document.getElementById("sentence");
    const text = sentence ? sentence.textContent.replace(/\s+/g, " ").trim() : "";
    if (text && text !== told.dataset.last) told.textContent = text;
    told.dataset.last = text;
  }

  function here() {
    heardAt = performance.now();
  }

  const isLive = () => source && source.readyState === EventSource.OPEN && performance.now() - heardAt < QUIET;

  function step(event) {
    here();
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
    if (isLive()) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (isLive()) event.detail.shouldSwap = false; // it was asked for before the events that came meanwhile
  });
  if (progress.dataset.events && "EventSource" in window) {
    source = new EventSource(progress.dataset.events);
    source.addEventListener("here", here);
    source.addEventListener("step", step);
    source.addEventListener("ended", ended);
    window.addEventListener("pagehide", () => source && source.close());
  }
})();
