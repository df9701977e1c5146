// The calls of a run over time: each call is a bar, with its waits.
import { html } from "./html.mjs";
import { changed, state } from "./state.mjs";
import { clock, count, duration, shown } from "./text.mjs";
import { record } from "./actions.mjs";
import { Button, State } from "./parts.mjs";

const most = 2000; // calls in rows
const few = 60; // more calls have a picture of all above the rows
const beside = 6; // runs of the same script
const oneOff = "script.ts"; // the name of scripts without one
const pause = 1000; // between two looks at a run that goes on

// records are what is known of the runs whose calls are shown, by id.
const records = new Map();
const loading = new Map(); // when a record was last asked for

export function toggle(run) {
  const { view } = state;
  view.waterfall = view.waterfall === run ? "" : run;
  view.call = "";
  if (view.waterfall === "") {
    records.clear();
    loading.clear();
  }
  changed();
}

// load asks for a record that is missing or may be old.
function load(run) {
  const known = records.get(run.runId);
  if (known?.state === "ended" || Date.now() - (loading.get(run.runId) ?? 0) < pause) return known;
  loading.set(run.runId, Date.now());
  record(run.runId).then((r) => {
    if (!loading.has(run.runId)) return; // it is not shown any more
    records.set(run.runId, layout(r));
    changed();
  }, (e) => {
    loading.set(run.runId, Infinity); // it is not asked for again
    state.view.told = e.message;
    state.view.failed = true;
  });
  return known;
}

// layout gives each call its parts in milliseconds since the start of the run, and a lane: calls
// that have their turn at the same time have different lanes.
function layout(r) {
  const now = Date.now() - new Date(r.startedAt);
  const calls = r.calls.map((c) => {
    const began = c.startMs + (c.queuedMs ?? 0);
    const over = c.ok !== undefined;
    const to = over ? began + (c.ms ?? 0) : Math.max(began, now);
    const asked = !over && [...state.approvals.values()].some((a) => a.runId === r.runId && a.callId === c.callId);
    const approved = asked ? to : Math.min(to, began + (c.approvalMs ?? 0));
    const sent = Math.min(to, approved + (c.slotMs ?? 0));
    const parts = [["slot", c.startMs, began], ["asked", began, approved], ["slot", approved, sent], ["work", sent, to]].filter(([, from, end]) => end > from);
    return { ...c, over, began, to, parts: parts.length > 0 ? parts : [["work", to, to]] };
  });
  const ends = [];
  for (const c of [...calls].sort((a, b) => a.began - b.began)) {
    const free = ends.findIndex((end) => end <= c.began);
    c.lane = free < 0 ? ends.length : free;
    ends[c.lane] = c.to;
  }
  const took = r.endedAt ? new Date(r.endedAt) - new Date(r.startedAt) : now;
  return { ...r, calls: calls.sort((a, b) => a.startMs - b.startMs), took, ms: Math.max(1, took, ...calls.map((c) => c.to)), lanes: ends.length };
}

const failed = (c) => c.over && !c.ok;
const percent = (ms, of) => `${((100 * ms) / of).toFixed(3)}%`;
const place = ([, from, to], ms) => ({ left: percent(from, ms), width: percent(to - from, ms) });

let drawn = {}; // the rows as they were drawn last; drawing 2,000 of them takes time

export function Waterfall({ run }) {
  const r = load(run);
  if (!r) return html`<p class="note">The calls are loaded.</p>`;
  if (drawn.of !== r || drawn.call !== state.view.call) drawn = { of: r, call: state.view.call, rows: rows(r) };
  return html`<div class="waterfall">${drawn.rows}<${Beside} run=${run} /></div>`;
}

function rows(r) {
  if (r.calls.length === 0) return html`<p class="note">The script has made no call.</p>`;
  const bad = r.calls.filter(failed).length;
  return html`
    <p class="note">${count(r.calls.length, "call")}, up to ${r.lanes} at a time${bad > 0 && html`, <span class="bad-text">${bad} failed</span>`}. Arrow keys go from call to call.</p>
    <ul class="legend"><li><i class="work"></i>call</li><li><i class="slot"></i>waits for its turn or server</li><li><i class="asked"></i>waits for an approval</li><li><i class="work failed"></i>failed</li></ul>
    ${r.calls.length > few && html`<${Overview} of=${r} ms=${r.ms} />`}
    <div class="axis" aria-hidden="true"><span>Call</span><span class="ends"><span>0</span><span>${duration(r.ms)}</span></span><span>Took</span></div>
    <ul class="bars" aria-label=${`Calls of ${shown(r.runId)}`} tabindex="-1" onKeyDown=${move}>${r.calls.slice(0, most).map((c, i) => bar(r, c, i))}</ul>
    ${r.calls.length > most && html`<p class="note">${count(r.calls.length - most, "more call")} can be seen with <code>toolscript runs show ${shown(r.runId)} --html FILE</code>.</p>`}`;
}

function bar(r, c, i) {
  const open = state.view.call === c.callId;
  return html`<li key=${c.callId}>
    <button type="button" class=${`bar ${failed(c) ? "failed" : ""}`} tabindex=${i === 0 ? 0 : -1} aria-expanded=${open} onClick=${() => { state.view.call = open ? "" : c.callId; changed(); }}>
      <span class="tool">${shown(c.callId)} ${shown(c.tool)}</span>
      <span class="track">${c.parts.map((p) => html`<i class=${p[0]} style=${place(p, r.ms)}></i>`)}</span>
      <span class="took">${failed(c) && html`<span aria-label="failed">✗ </span>`}${c.over ? duration(c.to - c.startMs) : "…"}</span>
    </button>
    ${open && html`<${Details} of=${c} />`}</li>`;
}

function Details({ of: c }) {
  const facts = [
    ["Made", `${duration(c.startMs)} after the start`], ["Outcome", c.over ? (c.ok ? "ok" : (c.kind ?? "failed")) : "in flight"], ["Error", c.error], ["Sent", c.sent],
    ["Waited for its turn in the run", c.queuedMs && duration(c.queuedMs)], ["Waited for an approval", c.approvalMs && duration(c.approvalMs)],
    ["Waited for its server or turn", c.slotMs && duration(c.slotMs)], ["Took after that", c.over && duration(c.to - c.began - (c.approvalMs ?? 0) - (c.slotMs ?? 0))],
  ];
  return html`<dl class="facts">${facts.filter(([, text]) => text).map(([name, text]) => html`<div key=${name}><dt>${name}</dt><dd>${shown(text)}</dd></div>`)}</dl>`;
}

// move goes to another call with a key. Only one of the bars is a stop of Tab.
function move(e) {
  const all = [...e.currentTarget.querySelectorAll("button")];
  const at = all.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
  if (at < 0 || all[to] === undefined) return;
  e.preventDefault();
  all[at].tabIndex = -1;
  all[to].tabIndex = 0;
  all[to].focus();
}

// Overview is a picture of all calls, without their waits for a turn in the run. Calls that
// failed are above the others.
function Overview({ of: r, ms }) {
  const lane = Math.min(12, Math.max(1, 120 / Math.max(1, r.lanes)));
  const parts = [...r.calls].sort((a, b) => failed(a) - failed(b)).flatMap((c) =>
    c.parts.filter(([, , to]) => to > c.began || c.to === c.began).map((p) => html`<i class=${`${p[0]} ${failed(c) ? "failed" : ""}`} style=${{ ...place(p, ms), top: `${c.lane * lane}px`, height: `${Math.max(1, lane - 1)}px` }}></i>`));
  return html`<div class="overview" role="img" aria-label=${`${count(r.calls.length, "call")} over time`} style=${{ height: `${Math.max(1, r.lanes) * lane}px` }}>${parts}</div>`;
}

// Beside shows the last runs of the same script side by side, on one scale.
function Beside({ run }) {
  const same = [...state.runs.values()].filter((r) => r.file === run.file && r.file !== oneOff && r.state === "ended").sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1)).slice(0, beside);
  if (same.length < 2) return null;
  const known = same.map(load);
  const ms = Math.max(1, ...known.map((r) => r?.ms ?? 0));
  return html`<h3>The last runs of ${shown(run.file)}</h3>
    <ul class="beside">${same.map((r, i) => html`<li key=${r.id}>
      <p><${State} of=${r.ok ? "ok" : shown(r.kind ?? "failed")} tone=${r.ok ? "good" : "bad"} /> ${clock(r.startedAt)}, ${known[i] ? `${duration(known[i].took)}, ${count(known[i].calls.length, "call")}` : "…"}</p>
      ${known[i] && overviews(known[i], ms)}
      ${r.id === run.id ? html`<span class="note">shown above</span>` : html`<${Button} name="" kind="plain" label=${`Show calls of ${shown(r.runId)}`} does=${() => toggle(r.id)}>Show calls<//>`}</li>`)}</ul>`;
}

// overviews keeps the picture of a run until the scale changes.
function overviews(r, ms) {
  if (r.picture?.ms !== ms) r.picture = { ms, text: html`<${Overview} of=${r} ms=${ms} />` };
  return r.picture.text;
}
