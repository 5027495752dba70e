// Marks on their way to the portal. Each is written down in this browser first and struck out when the portal
// has said that it is kept: a dropped connection, a restart or a closed page loses nothing.
"use strict";
window.unsaved = (() => {
  const PLACE = "attest-unsaved-marks";
  const WAITS = [1000, 2000, 4000, 8000, 15000];
  const MOST_TOGETHER = 50; // marks in one request
  const MOST_CHARACTERS = 50_000; // of their words
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

  // Which of these marks the portal has not kept yet.
  function unsentOf(entries) {
    const all = everything();
    return entries.map((entry) => all[nameOf(entry)]).filter(Boolean);
  }

  // Writes marks down, all or none, and sends them. A later one of the same item takes the place of an earlier
  // one. Those that name one address as `together` go there in one request, with their `answer`s.
  function putAll(entries) {
    const all = everything();
    for (const entry of entries) {
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
    }
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
      for (const some of requestsOf(own().filter(([, entry]) => !entry.stopped))) {
        const found = await (some[0][1].together ? sendTogether(some) : sendOne(...some[0]));
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

  // What goes in one request each: marks alone, or as many of those that go together as fit.
  function requestsOf(waiting) {
    const requests = [];
    const open = new Map(); // by address: the request that has room, and how long its words are
    for (const one of waiting) {
      const [, entry] = one;
      const last = entry.together ? open.get(entry.together) : null;
      if (last && last.some.length < MOST_TOGETHER && last.length + entry.words.length < MOST_CHARACTERS) {
        last.some.push(one);
        last.length += entry.words.length;
        continue;
      }
      const some = [one];
      requests.push(some);
      if (entry.together) open.set(entry.together, { some, length: entry.words.length });
    }
    return requests;
  }

  const fieldsOf = (entry) => ({
    item: entry.item,
    level: entry.level,
    words: entry.words,
    version: String(entry.version),
    edit: entry.edit,
    earlier: entry.earlier.join(","),
    settles: entry.settles,
  });

  const post = (address, fields) => {
    fields.set("csrfmiddlewaretoken", token());
    return fetch(address, {
      method: "POST",
      body: fields,
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(PATIENCE),
    });
  };

  // Returns what the portal answers and the JSON in it, or what is in the way of an answer.
  async function ask(address, fields) {
    try {
      let answer = await post(address, fields);
      if (answer.status === 403) {
        const who = await window.renewToken("marking", person);
        if (who !== person) return { inTheWay: who ? SOMEBODY_ELSE : SIGNED_OUT };
        answer = await post(address, fields);
      }
      const isJson = (answer.headers.get("Content-Type") || "").includes("json");
      const body = isJson ? await answer.json() : null;
      return { answer, body, inTheWay: answer.redirected || answer.status === 403 ? SIGNED_OUT : "" };
    } catch {
      return { inTheWay: AWAY };
    }
  }

  // Returns why the portal has said nothing of this mark; "" where it has, and that is dealt with.
  async function sendOne(name, entry) {
    const fields = new URLSearchParams(fieldsOf(entry));
    for (const comment of entry.comments) fields.append("comments", comment);
    const { answer, body, inTheWay } = await ask(entry.address, fields);
    if (deal(name, entry, body)) return "";
    if (inTheWay) return inTheWay;
    if (answer.status !== 400 && answer.status !== 404) return NOT_NOW;
    stop(name, NO_LONGER, null);
    return "";
  }

  // The same of many: the portal keeps each by itself, and answers to each.
  async function sendTogether(some) {
    const marks = some.map(([, entry]) => ({
      ...fieldsOf(entry),
      answer: entry.answer,
      comments: entry.comments,
    }));
    const fields = new URLSearchParams({ marks: JSON.stringify(marks) });
    const { answer, body, inTheWay } = await ask(some[0][1].together, fields);
    if (body?.marks?.length === some.length) {
      const dealt = some.map(([name, entry], place) => deal(name, entry, body.marks[place]));
      return dealt.every(Boolean) ? "" : NOT_NOW;
    }
    if (inTheWay) return inTheWay;
    if (![400, 404, 413].includes(answer.status)) return NOT_NOW;
    const all = everything(); // the portal does not take them so: each goes alone, and hears why
    for (const [name] of some) if (all[name]) all[name] = { ...all[name], together: "" };
    write(all);
    return "";
  }

  // Returns whether this says what became of a mark; what follows is done.
  function deal(name, entry, said) {
    if (said?.saved) settle(name, entry, said.saved);
    else if (said?.refused) stop(name, said.refused, said.meanwhile || null);
    else return false;
    return true;
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
    put: (entry) => putAll([entry]),
    putAll,
    unsentOf,
    find,
    show,
    say,
    strike: (entry) => strike(nameOf(entry)),
    onSaved: (tell) => heard.saved.push(tell),
    onStopped: (tell) => heard.stopped.push(tell),
  };
})();
