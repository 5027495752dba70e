// One answer with its rubric: every key also has a button, and no key counts while somebody writes.
"use strict";
(() => {
  const UNDO = "attest-undo-marks";
  const NO_KEYS = "attest-no-keys";
  const FIELDS = "textarea, select, [contenteditable], dialog, input:not([type=checkbox])";
  const { unsaved } = window;
  const PATIENCE = 20_000; // milliseconds that another answer may take to come
  let current = 0;
  let writing = null;
  let isMoving = false;
  let waiting = []; // the keys pressed meanwhile: they are meant for what comes

  const root = () => document.getElementById("answer");
  const forms = () => [...document.querySelectorAll("#answer form[data-item]")];
  const text = (number) => String(Math.round(number * 1e6) / 1e6);

  const person = () => document.getElementById("marking").dataset.person;

  // What may be undone: what this person has changed in this tab, the latest last.
  function undoable() {
    try {
      return (JSON.parse(sessionStorage.getItem(UNDO)) || []).filter((one) => one.person === person());
    } catch {
      return [];
    }
  }

  // What a form says now, as it is sent.
  function stateOf(form) {
    const pressed = form.querySelector('button[aria-pressed="true"]');
    return {
      address: form.getAttribute("action"),
      page: root().dataset.address + (root().dataset.settles ? "?settle" : ""),
      item: form.dataset.item,
      settles: root().dataset.settles,
      level: pressed ? pressed.value : "",
      comments: [...form.querySelectorAll('input[name="comments"]:checked')].map((one) => one.value),
      words: form.elements.words.value,
      version: Number(form.elements.version.value),
    };
  }

  function fill(form, state) {
    for (const one of form.querySelectorAll(".levels button")) {
      one.setAttribute("aria-pressed", String(one.value === state.level));
    }
    for (const one of form.querySelectorAll('input[name="comments"]')) one.checked = state.comments.includes(one.value);
    form.elements.words.value = state.words;
    form.was = { level: state.level, comments: state.comments, words: state.words };
    tell(form);
  }

  function tell(form, word = null) {
    const pressed = form.querySelector('button[aria-pressed="true"]');
    let points = pressed ? Number(pressed.dataset.points) : null;
    if (points !== null) {
      for (const one of form.querySelectorAll('input[name="comments"]:checked')) points += Number(one.dataset.points);
      points = Math.min(Math.max(points, 0), Number(form.dataset.most));
    }
    const most = text(Number(form.dataset.most));
    form.querySelector("output").textContent = points === null ? "not marked" : `${text(points)} of ${most}`;
    if (word !== null) form.querySelector(".kept").textContent = word;
  }

  function changed(form) {
    clearTimeout(writing);
    const state = stateOf(form);
    const was = form.was;
    if (was.level === state.level && was.words === state.words && String(was.comments) === String(state.comments)) return;
    unsaved.put(state);
    const stack = undoable();
    stack.push({ ...state, ...was, person: person() });
    sessionStorage.setItem(UNDO, JSON.stringify(stack.slice(-100)));
    form.was = { level: state.level, comments: state.comments, words: state.words };
    tell(form, "not saved yet");
  }

  function press(form, button) {
    const on = button.getAttribute("aria-pressed") === "true";
    for (const one of form.querySelectorAll(".levels button")) one.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", String(!on));
    changed(form);
    if (!on) frame(forms().indexOf(form) + 1);
  }

  // Frames the item that the number keys are for.
  function frame(number) {
    const all = forms();
    if (!all.length) return;
    current = Math.min(Math.max(number, 0), all.length - 1);
    all.forEach((form, n) => form.closest(".item").classList.toggle("current", n === current));
    const item = all[current].closest(".item");
    const { top, bottom } = item.getBoundingClientRect();
    if (bottom < 0 || top > window.innerHeight - 60) item.scrollIntoView({ block: "nearest" });
  }

  function undo() {
    const stack = undoable();
    const last = stack.pop();
    if (!last) {
      unsaved.say("There is nothing to undo.");
      return;
    }
    sessionStorage.setItem(UNDO, JSON.stringify(stack));
    unsaved.put(last);
    const here = formOf(last);
    if (here) {
      fill(here, last);
      tell(here, "not saved yet");
      frame(forms().indexOf(here));
    } else go(last.page);
  }

  // Brings another page here. Keys pressed until it has come are meant for it: if it never comes, they don't count.
  async function move(load, isBack) {
    if (isMoving) return;
    isMoving = true;
    flush();
    const found = await load().catch(() => null);
    if (found && !found.main) {
      location.assign(found.address);
      return; // still moving: this page is being left
    }
    isMoving = false;
    if (found) {
      arrive(found, isBack);
      if (isBack && location.href !== found.asked) go(location.href, true); // gone back once more meanwhile
      while (waiting.length && !isMoving) replay(waiting.shift());
      return;
    }
    const dropped = waiting.length ? " The keys you pressed meanwhile did not count." : "";
    waiting = [];
    unsaved.say(`No connection to the portal: this answer stays here. What you mark is kept in this browser.${dropped}`);
  }

  async function load(address) {
    const found = await fetch(address, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE) });
    const page = new DOMParser().parseFromString(await found.text(), "text/html");
    return { asked: address, address: found.url || address, page, main: found.ok && page.getElementById("answer") };
  }

  function arrive({ address, page, main }, isBack) {
    flush(); // what was clicked or written here until now
    root().replaceWith(document.adoptNode(main));
    document.querySelector(".notices").replaceWith(document.adoptNode(page.querySelector(".notices")));
    document.title = page.title;
    if (!isBack) history.pushState({}, "", address);
    begin();
    window.scrollTo(0, 0);
    document.querySelector("#answer h1").focus({ preventScroll: true });
  }

  // Goes to another answer without leaving this page: with no connection, this one stays.
  const go = (address, isBack = false) => move(() => load(address), isBack);

  // Sends what is being written before the page changes.
  function flush() {
    for (const form of forms()) changed(form);
  }

  function hideNames(form) {
    const body = new URLSearchParams(new FormData(form));
    const address = location.href;
    move(() => fetch(form.action, { method: "POST", body, signal: AbortSignal.timeout(PATIENCE) }).then(() => load(address)), true);
  }

  // Shows what somebody else gave meanwhile, and lets the grader decide.
  function decide(form, entry) {
    const place = form.querySelector(".meanwhile");
    place.replaceChildren();
    if (!entry || !entry.stopped) return;
    const box = document.createElement("div");
    box.className = "alert";
    const sentence = document.createElement("p");
    const theirs = entry.meanwhile;
    box.append(sentence);
    tell(form, "not saved");
    if (!theirs) {
      sentence.textContent = entry.stopped;
      box.append(button("Throw mine away", () => {
        unsaved.strike(entry);
        go(location.href, true);
      }));
    } else {
      const points = theirs.points === null ? "no points" : `${text(theirs.points)} of ${text(Number(form.dataset.most))}`;
      const words = [...(theirs.said || []), theirs.words].filter(Boolean).join("; ");
      sentence.textContent = `${theirs.by} has marked this meanwhile: ${points}${words ? `, “${words}”` : ""}. Yours is not saved.`;
      box.append(
        button("Keep theirs", () => {
          unsaved.strike(entry);
          form.elements.version.value = theirs.version;
          fill(form, theirs);
          tell(form, "");
          place.replaceChildren();
        }),
        button("Put mine in its place", () => {
          form.elements.version.value = theirs.version;
          place.replaceChildren();
          unsaved.put({ ...stateOf(form), version: theirs.version });
          tell(form, "not saved yet");
        }),
      );
    }
    place.append(box);
  }

  function button(label, does) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "quiet";
    made.textContent = label;
    made.addEventListener("click", does);
    return made;
  }

  const KEYS = {
    j: () => follow("j"),
    ArrowRight: () => follow("j"),
    k: () => follow("k"),
    ArrowLeft: () => follow("k"),
    n: () => follow("n"),
    u: undo,
    b: () => document.querySelector('form[data-does="blind"]')?.requestSubmit(),
    i: () => frame((current + 1) % Math.max(forms().length, 1)),
    c: () => forms()[current]?.elements.words.focus(),
    "?": () => document.getElementById("keys").showModal(),
  };

  // What a click asks for, in its turn.
  function command(key) {
    if (isMoving) waiting.push({ key });
    else KEYS[key]();
  }

  function follow(key) {
    const link = document.querySelector(`#answer a[data-key="${key}"]`);
    if (link) go(link.href);
    else unsaved.say(key === "j" ? "This is the last answer." : "This is the first answer.");
  }

  function onKey(event) {
    const { target } = event;
    if (!root() || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (target.closest(FIELDS)) {
      if (event.key === "Escape" && target.matches("textarea")) target.blur();
      return;
    }
    if (localStorage.getItem(NO_KEYS)) return;
    if (isMoving) {
      if (event.key.length > 1 && event.key !== "Escape" && !Object.hasOwn(KEYS, event.key)) return;
      if (event.key === " " && target.closest("a, button, input, summary")) return;
      waiting.push({ key: event.key, code: event.code, shiftKey: event.shiftKey });
    } else if (!act(event)) return;
    event.preventDefault();
  }

  // Does what a key stands for; returns false if it stands for nothing.
  function act({ key, code, shiftKey }) {
    const form = forms()[current];
    // By where the key is: on some keyboards a digit needs Shift.
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(code);
    if (digit && key !== "?") {
      const place = Number(digit[1]);
      const box = shiftKey && form?.querySelectorAll('input[name="comments"]')[place - 1];
      const level = !shiftKey && form?.querySelectorAll(".levels button")[place];
      if (box) {
        box.checked = !box.checked;
        changed(form);
      } else if (level) press(form, level);
      else return false;
    } else if (Object.hasOwn(KEYS, key)) KEYS[key]();
    else return false;
    return true;
  }

  // Does what a key that waited stands for, where an earlier one has led: into a text, perhaps.
  function replay(pressed) {
    const place = document.activeElement?.closest(FIELDS);
    if (!place) act(pressed);
    else if (!place.matches("textarea")) return;
    else if (pressed.key === "Escape") place.blur();
    else if (pressed.key.length === 1) {
      place.setRangeText(pressed.key, place.selectionStart, place.selectionEnd, "end");
      place.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }

  // Makes the page's forms work by script; without it each button sends its form.
  function begin() {
    for (const form of forms()) {
      for (const one of form.querySelectorAll(".levels button")) {
        one.type = "button";
        one.addEventListener("click", () => press(form, one));
      }
      const { level, comments, words } = stateOf(form);
      form.was = { level, comments, words };
      const waiting = unsaved.find(form.getAttribute("action"), form.dataset.item, root().dataset.settles);
      if (waiting) {
        fill(form, waiting);
        tell(form, "not saved yet");
        decide(form, waiting);
      }
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        changed(form);
      });
      form.addEventListener("change", () => changed(form));
      form.addEventListener("focusin", () => frame(forms().indexOf(form)));
      form.elements.words.addEventListener("input", () => {
        clearTimeout(writing);
        writing = setTimeout(() => changed(form), 700);
      });
    }
    document.querySelector('form[data-does="blind"]')?.addEventListener("submit", (event) => {
      event.preventDefault();
      if (isMoving) waiting.push({ key: "b" });
      else hideNames(event.target);
    });
    for (const link of document.querySelectorAll("#answer .bar a")) {
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || (isMoving && !link.dataset.key)) return;
        event.preventDefault();
        if (link.dataset.key) command(link.dataset.key);
        else go(link.href);
      });
    }
    for (const one of document.querySelectorAll("#answer button[data-does]")) {
      one.hidden = false;
      one.addEventListener("click", () => command(one.dataset.key));
    }
    const use = document.getElementById("use-keys");
    use.checked = !localStorage.getItem(NO_KEYS);
    use.addEventListener("change", () => {
      if (use.checked) localStorage.removeItem(NO_KEYS);
      else localStorage.setItem(NO_KEYS, "1");
    });
    const first = forms().findIndex((form) => !form.querySelector('button[aria-pressed="true"]'));
    frame(Math.max(first, 0));
    unsaved.show();
  }

  function formOf(entry) {
    if (!root() || root().dataset.settles !== entry.settles) return null;
    return forms().find((one) => one.getAttribute("action") === entry.address && one.dataset.item === entry.item);
  }

  unsaved.onSaved((entry, saved, isLast) => {
    const stack = undoable();
    for (const one of stack) {
      if (one.address === entry.address && one.item === entry.item && one.settles === entry.settles) one.version = saved.version;
    }
    sessionStorage.setItem(UNDO, JSON.stringify(stack));
    const form = formOf(entry);
    if (!form) return;
    form.elements.version.value = saved.version;
    if (isLast) tell(form, "saved");
  });
  unsaved.onStopped((entry, stopped) => {
    const form = formOf(entry);
    if (form) decide(form, stopped);
  });
  document.addEventListener("keydown", onKey);
  window.addEventListener("popstate", () => root() && go(location.href, true));
  window.addEventListener("pagehide", flush);
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    isMoving = false; // this page had been left, and is shown again
    waiting = [];
  });
  if (root()) begin();
})();
