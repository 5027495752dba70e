// Answers that say the same, marked at once: the marks are written down in this browser first, as of one answer
// marked alone, so a dropped connection loses none of them; they go to the portal together.
"use strict";
(() => {
  const DONE = "attest-group-done";
  const { unsaved } = window;
  const form = document.getElementById("group");

  // What the form gives: of each ticked answer each item that has points here and none of this grader's yet.
  function marksOf(ticked) {
    const marks = [];
    for (const box of ticked) {
      const versions = JSON.parse(box.dataset.versions);
      for (const item of form.querySelectorAll("fieldset[data-item]")) {
        const name = item.dataset.item;
        const level = item.querySelector('input[type="radio"]:checked');
        if (!level || !Object.hasOwn(versions, name)) continue;
        marks.push({
          address: box.dataset.address,
          together: form.dataset.together,
          answer: box.value,
          page: box.dataset.page,
          item: name,
          settles: "",
          level: level.value,
          comments: [...item.querySelectorAll('input[type="checkbox"]:checked')].map((one) => one.value),
          words: item.querySelector("textarea").value,
          version: versions[name],
        });
      }
    }
    return marks;
  }

  function refuse(sentence) {
    const trouble = document.getElementById("group-trouble");
    trouble.textContent = sentence;
    trouble.hidden = !sentence;
  }

  // Goes on to the other groups once the portal has answered to every mark.
  function goOn(marks, answers) {
    let left = false;
    const look = () => {
      const unsent = unsaved.unsentOf(marks);
      if (left || unsent.some((one) => !one.stopped)) return;
      left = true;
      if (!unsent.length) sessionStorage.setItem(DONE, String(answers)); // or that page says what is not saved
      location.assign(form.action);
    };
    unsaved.onSaved(look);
    unsaved.onStopped(look);
    window.addEventListener("storage", look); // another tab may have sent them
  }

  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const ticked = [...form.querySelectorAll('input[name="answers"]:checked')];
    const marks = marksOf(ticked);
    refuse("");
    if (!ticked.length) refuse("No answer is ticked; nothing is marked.");
    else if (!marks.length) refuse("No points are chosen; nothing is marked.");
    else {
      form.inert = true; // it is sent as it is
      goOn(marks, new Set(marks.map((one) => one.address)).size);
      unsaved.putAll(marks);
    }
  });

  // Gone back to, a group that was sent is as it was then: the portal says how it is now.
  window.addEventListener("pageshow", (event) => event.persisted && form?.inert && location.reload());

  const done = Number(sessionStorage.getItem(DONE));
  if (done && !form) {
    sessionStorage.removeItem(DONE);
    unsaved.say(`${done} ${done === 1 ? "answer is" : "answers are"} marked.`);
  }
})();
