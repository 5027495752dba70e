// Marks on their way to the portal. Each is written down in this browser first and struck out when the portal
// has said that it is kept: a dropped connection, a restart or a closed page loses nothing.
"use strict";
window.unsaved = (() => {
  const PLACE = "attest-unsaved-marks";
  const WAITS = [1000, 2000, 4000, 8000, 15000];
  const PATIENCE = 30_000; // milliseconds for one answer
  const AWAY = "No connection to the portal.";
  const SIGNED_OUT = "You are signed out. Sign in in another tab; this goes on by itself.";
  const SOMEBODY_ELSE = "Somebody else is signed in here now. Sign in as yourself in another tab; this goes on by itself.";
  const NOT_NOW = "The portal cannot keep it now.";
  const KEEPS_NOTHING = "This browser keeps nothing: stay on this page until all is saved.";
  const NO_LONGER = "The portal does not take this any more: it is gone, or no longer yours to mark.";
  const root = document.getElementById("marking");
  const person = root ? root.dataset.person : "";
  const line = document.getElementById("saving");
  const unsent = document.getElementById("unsent");
  const heard = { saved: [], stopped: [] };
  let failures = 0;
  let timer = null;
  let sending = false;
  let trouble = "";
  let said = "";
  let memory = null; // where the browser keeps nothing
  const tabs = "BroadcastChannel" in window ? new BroadcastChannel(PLACE) : null; // what one has heard, all hear

  function read() {
    try {
      return JSON.parse(localStorage.getItem(PLACE)) || {};
    } catch {
      return {};
    }
  }

  function write(all) {
    try {
      localStorage.setItem(PLACE, JSON.stringify(all));
    } catch {
      trouble = KEEPS_NOTHING;
      memory = all;
    }
  }

  const everything = () => memory || read();
  const own = () => Object.entries(everything()).filter(([, entry]) => entry.person === person);
  const nameOf = (entry) => [person, entry.address, entry.item, entry.settles].join(" ");

  function find(address, item, settles) {
    return everything()[nameOf({ address, item, settles })] || null;
  }

  // Writes a mark down and sends it. A later one of the same item takes the place of an earlier one.
  function put(entry) {
    const all = everything();
    const name = nameOf(entry);
    const earlier = all[name];
    const edit = crypto.getRandomValues(new Uint32Array(4)).join("-").slice(0, 40);
    all[name] = {
      ...entry,
      person,
      edit,
      version: earlier && !earlier.stopped ? earlier.version : entry.version,
      earlier: earlier && !earlier.stopped ? [...earlier.earlier, earlier.edit].slice(-50) : [],
    };
    write(all);
    show();
    soon(0);
  }

  function strike(name) {
    const all = everything();
    delete all[name];
    write(all);
    show();
  }

  function soon(delay) {
    clearTimeout(timer);
    timer = setTimeout(send, delay);
  }

  async function send() {
    if (sending) return;
    sending = true;
    let problem = "";
    try {
      for (const [name, entry] of own()) {
        if (entry.stopped) continue;
        const found = await sendOne(name, entry);
        problem = found || problem;
        if (found && found !== NOT_NOW) break; // the others would fare no better
      }
    } finally {
      sending = false;
    }
    if (problem) {
      trouble = problem;
      soon(WAITS[Math.min(failures++, WAITS.length - 1)]);
    } else {
      failures = 0;
      trouble = memory ? KEEPS_NOTHING : "";
      if (own().some(([, entry]) => !entry.stopped)) soon(0);
    }
    show();
  }

  function token() {
    const field = document.querySelector('input[name="csrfmiddlewaretoken"]');
    return field ? field.value : "";
  }

  // The page's token is of another session after signing in again elsewhere. Returns what is in the way.
  async function newToken() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const field = page.querySelector('input[name="csrfmiddlewaretoken"]');
    const there = page.getElementById("marking");
    if (!field || !there) return SIGNED_OUT;
    if (there.dataset.person !== person) return SOMEBODY_ELSE;
    for (const one of document.querySelectorAll('input[name="csrfmiddlewaretoken"]')) one.value = field.value;
    return "";
  }

  function post(entry) {
    const fields = new URLSearchParams({
      csrfmiddlewaretoken: token(),
      item: entry.item,
      level: entry.level,
      words: entry.words,
      version: entry.version,
      edit: entry.edit,
      earlier: entry.earlier.join(","),
      settles: entry.settles,
    });
    for (const comment of entry.comments) fields.append("comments", comment);
    return fetch(entry.address, {
      method: "POST",
      body: fields,
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(PATIENCE),
    });
  }

  // Returns why the portal has said nothing of this mark; "" where it has, and that is dealt with.
  async function sendOne(name, entry) {
    let answer;
    let body;
    try {
      answer = await post(entry);
      if (answer.status === 403) {
        const inTheWay = await newToken();
        if (inTheWay) return inTheWay;
        answer = await post(entry);
      }
      const isJson = (answer.headers.get("Content-Type") || "").includes("json");
      body = isJson ? await answer.json() : null;
    } catch {
      return AWAY;
    }
    if (body && body.saved) {
      settle(name, entry, body.saved);
    } else if (body && body.refused) stop(name, body.refused, body.meanwhile || null);
    else if (answer.redirected || answer.status === 403) return SIGNED_OUT;
    else if (answer.status === 400 || answer.status === 404) stop(name, NO_LONGER, null);
    else return NOT_NOW;
    return "";
  }

  function settle(name, entry, saved) {
    const all = everything();
    const now = all[name];
    if (now && now.edit !== entry.edit) {
      all[name] = { ...now, version: saved.version, earlier: [] };
    } else {
      delete all[name];
    }
    write(all);
    tell("saved", entry, saved, !all[name]);
  }

  function stop(name, refused, meanwhile) {
    const all = everything();
    if (!all[name]) return;
    all[name] = { ...all[name], stopped: refused, meanwhile };
    write(all);
    tell("stopped", all[name], all[name]);
  }

  function tell(what, ...news) {
    for (const one of heard[what]) one(...news);
    tabs?.postMessage({ person, what, news });
  }

  function show() {
    if (!line) return;
    const entries = own();
    const waiting = entries.filter(([, entry]) => !entry.stopped).length;
    const stopped = entries.length - waiting;
    const parts = [];
    if (waiting && (failures || trouble)) {
      parts.push(`Not saved yet: ${waiting} ${waiting === 1 ? "mark" : "marks"}. ${trouble} Trying again by itself.`);
    } else if (waiting) parts.push("Saving …");
    if (stopped) parts.push(`Not saved: ${stopped} ${stopped === 1 ? "mark needs" : "marks need"} you.`);
    const text = parts.join(" ") || (said ? "All saved." : "");
    if (text !== said) {
      line.textContent = text;
      line.hidden = !text;
    }
    said = text;
    line.classList.toggle("late", Boolean(waiting && (failures || trouble)) || Boolean(stopped));
    showStopped(entries);
  }

  function say(sentence) {
    line.hidden = false;
    line.textContent = sentence;
  }

  // What was refused and is of another page, with the way there.
  function showStopped(entries) {
    if (!unsent) return;
    unsent.replaceChildren();
    for (const [name, entry] of entries) {
      if (!entry.stopped || document.querySelector(`form[action="${CSS.escape(entry.address)}"]`)) continue;
      const place = document.createElement("p");
      const link = document.createElement("a");
      link.href = entry.page;
      link.textContent = "Look at it";
      const drop = document.createElement("button");
      drop.type = "button";
      drop.className = "plain";
      drop.textContent = "Throw it away";
      drop.addEventListener("click", () => strike(name));
      place.append(`${entry.stopped} `, link, " ", drop);
      unsent.append(place);
    }
  }

  if (root) {
    window.addEventListener("online", () => soon(0));
    window.addEventListener("storage", (event) => event.key === PLACE && show());
    tabs?.addEventListener("message", ({ data }) => {
      if (data.person === person) for (const one of heard[data.what]) one(...data.news);
    });
    show();
    soon(0);
  }
  return {
    put,
    find,
    show,
    say,
    strike: (entry) => strike(nameOf(entry)),
    onSaved: (tell) => heard.saved.push(tell),
    onStopped: (tell) => heard.stopped.push(tell),
  };
})();
