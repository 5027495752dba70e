// Dropping files beside the file picker, and how much has been sent. Without it the form works as it stands.
"use strict";
(() => {
  const MOST_BYTES = 32 * 2 ** 20;
  const MOST_FILE_BYTES = 20 * 2 ** 20;
  const LOOK = "Load this page again, and see under “Your attempts” whether it was received.";
  const SIGNED_OUT = "You are signed out, and nothing was received. Sign in in another tab, and hand in here once more.";
  const form = document.getElementById("upload");
  if (!form) return;
  const input = document.getElementById("files");
  const chosen = document.getElementById("chosen");
  const sent = document.getElementById("sent");
  const refused = document.getElementById("refused");
  const button = form.querySelector("button:not([type])");
  const stop = document.getElementById("stop");
  let running = null;
  let isReceived = false;
  button.disabled = input.disabled = false; // some browsers keep what they were when a page is gone back to

  function refuse(text) {
    refused.textContent = text;
    refused.hidden = !text;
  }

  function show() {
    const files = [...input.files];
    const list = document.createElement("ul");
    list.className = "files";
    for (const file of files) {
      const item = document.createElement("li");
      const name = document.createElement("bdi");
      name.textContent = file.name;
      item.append(name, ` ${file.size.toLocaleString("en")} bytes`);
      list.append(item);
    }
    chosen.replaceChildren(...(files.length ? [list] : []));
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    const large = files.find((file) => file.size > MOST_FILE_BYTES);
    if (large) refuse(`${large.name} is larger than 20 MB. Leave out data and checkpoints.`);
    else if (bytes > MOST_BYTES) refuse("These files are larger than 32 MB together. Leave out data and checkpoints.");
    else refuse("");
    return !large && bytes <= MOST_BYTES;
  }

  function drop(event) {
    event.preventDefault();
    form.classList.remove("over");
    if (running || isReceived) return;
    const folder = [...event.dataTransfer.items].some((one) => one.webkitGetAsEntry?.()?.isDirectory);
    if (folder) {
      refuse("A folder cannot be dropped. Make a zip of it, or drop its files.");
      return;
    }
    const both = new DataTransfer();
    const names = new Set([...event.dataTransfer.files].map((file) => file.name));
    for (const file of input.files) if (!names.has(file.name)) both.items.add(file);
    for (const file of event.dataTransfer.files) both.items.add(file);
    input.files = both.files;
    show();
  }

  // What is on its way is neither sent twice nor exchanged for something else.
  function begun(request) {
    running = request;
    sent.value = 0;
    sent.hidden = stop.hidden = false;
    button.disabled = input.disabled = true;
  }

  function ended() {
    running = null;
    sent.hidden = stop.hidden = true;
    button.disabled = input.disabled = false;
  }

  async function isStillTheirs() {
    const { person } = form.dataset;
    return (await window.renewToken("upload", person).catch(() => "")) === person;
  }

  async function heard(request, isFirst) {
    const answer = request.response || {};
    if (request.status === 403 && isFirst && (await isStillTheirs())) {
      ended();
      return send(false);
    }
    ended();
    if (request.status === 201) {
      isReceived = true;
      button.disabled = input.disabled = true;
      return window.location.assign(answer.page);
    }
    if (answer.refused) return refuse(answer.refused);
    if (request.status === 413) return refuse("At most 32 MB are taken at once. Leave out data and checkpoints.");
    if (request.status === 408) {
      return refuse("It came too slowly, and nothing was received. Repeat it, over another connection if you have one.");
    }
    if (request.status >= 500) return refuse(`No answer came. ${LOOK}`);
    const isSignedOut = request.status === 401 || request.status === 403 || request.responseURL !== form.action;
    return refuse(isSignedOut ? SIGNED_OUT : "Nothing was received. Load this page again, and repeat it.");
  }

  function send(isFirst) {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (one) => {
      if (one.lengthComputable) sent.value = one.loaded / one.total;
    });
    request.addEventListener("load", () => heard(request, isFirst));
    request.addEventListener("error", () => {
      ended();
      refuse(`No answer came. ${LOOK}`);
    });
    request.addEventListener("abort", () => {
      ended();
      refuse(`Stopped. ${LOOK}`);
      button.focus();
    });
    const data = new FormData(form); // before its fields are disabled, with the form's own token
    begun(request);
    request.send(data);
  }

  document.getElementById("drop-hint").hidden = false;
  input.addEventListener("change", show);
  stop.addEventListener("click", () => running?.abort());
  window.addEventListener("pageshow", (event) => event.persisted && isReceived && location.reload());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!running && !isReceived && show()) send(true);
  });
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", drop);
})();
