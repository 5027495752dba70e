// Dropping files beside the file picker, and how much has been sent. Without it the form works as it stands.
"use strict";
(() => {
  const MOST_BYTES = 32 * 2 ** 20;
  const MOST_FILE_BYTES = 20 * 2 ** 20;
  const form = document.getElementById("upload");
  if (!form) return;
  const input = document.getElementById("files");
  const chosen = document.getElementById("chosen");
  const sent = document.getElementById("sent");
  const refused = document.getElementById("refused");
  const button = form.querySelector("button");

  function refuse(text) {
    refused.textContent = text;
    refused.hidden = !text;
    sent.hidden = true;
    button.disabled = false;
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

  function send(event) {
    event.preventDefault();
    if (!show()) return;
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (one) => {
      if (one.lengthComputable) sent.value = one.loaded / one.total;
    });
    request.addEventListener("load", () => {
      const answer = request.response || {};
      if (request.status === 201) window.location.assign(answer.page);
      else if (answer.refused) refuse(answer.refused);
      else if (request.status === 413) refuse("At most 32 MB are taken at once. Leave out data and checkpoints.");
      else if (request.status === 408) refuse("It came too slowly, and nothing was received. Repeat it, over another connection if you have one.");
      else refuse("Nothing was received. Load this page again, and repeat it.");
    });
    request.addEventListener("error", () =>
      refuse("No answer came. Load this page again, and see under “Your attempts” whether it was received."),
    );
    const data = new FormData(form); // before the button is disabled, with the form's own token
    sent.value = 0;
    sent.hidden = false;
    button.disabled = true;
    request.send(data);
  }

  document.getElementById("drop-hint").hidden = false;
  input.addEventListener("change", show);
  form.addEventListener("submit", send);
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", drop);
})();
