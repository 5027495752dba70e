// A launch in an LMS's frame. What ties its two halves together is kept in a cookie; where the browser keeps none
// here, by the LMS's own window, which is asked by messages; and where that cannot either, in a new window.
"use strict";
(() => {
  const PATIENCE = 1500; // milliseconds for the LMS's window to answer

  // Sends a message to the LMS's window and returns its answer; null where none came.
  function ask(place, message) {
    return new Promise((resolve) => {
      const id = crypto.getRandomValues(new Uint32Array(4)).join("-");
      const outer = window.parent !== window ? window.parent : window.opener;
      let target = outer;
      try {
        if (place.frame !== "_parent") target = outer.frames[place.frame] || outer;
      } catch {
        target = outer;
      }
      const ended = (answer) => {
        clearTimeout(timer);
        window.removeEventListener("message", heard);
        resolve(answer);
      };
      const heard = (event) => {
        const said = event.data;
        if (event.origin !== place.origin || typeof said !== "object" || said === null) return;
        if (said.subject === `${message.subject}.response` && said.message_id === id) {
          ended(said.error ? null : said);
        }
      };
      const timer = setTimeout(() => ended(null), PATIENCE);
      window.addEventListener("message", heard);
      if (target) target.postMessage({ ...message, message_id: id }, place.origin);
    });
  }

  async function cookieIsKept(address) {
    try {
      return (await fetch(address, { credentials: "same-origin" })).ok;
    } catch {
      return false;
    }
  }

  async function begin(page) {
    const { onward, kept, frame, origin, key, value } = page.dataset;
    if (frame) {
      const answer = await ask({ frame, origin }, { subject: "lti.put_data", key, value });
      if (answer && (answer.value ?? value) === value) return location.replace(onward);
    }
    if (await cookieIsKept(kept)) return location.replace(onward);
    document.getElementById("waiting").hidden = true;
    document.getElementById("elsewhere").hidden = false;
    return document.querySelector("#elsewhere a").focus();
  }

  async function finish(form) {
    const { frame, origin, key } = form.dataset;
    const answer = await ask({ frame, origin }, { subject: "lti.get_data", key });
    form.elements.storage.value = (answer && answer.value) || "nothing";
    form.submit();
  }

  const page = document.getElementById("begin");
  if (page) begin(page);
  const form = document.getElementById("ask");
  if (form) finish(form);
})();
