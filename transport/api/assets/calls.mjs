// The calls of tools, the newest first.
import { html } from "./html.mjs";
import { changed, state } from "./state.mjs";
import { ago, bytes, clock, duration, lines, shown } from "./text.mjs";
import { relisten } from "./stream.mjs";
import { Section, State, Table } from "./parts.mjs";

const columns = [
  { name: "Time" }, { name: "Tool", kind: "name" }, { name: "Run" }, { name: "Outcome" }, { name: "Took", kind: "number" }, { name: "In", kind: "number" }, { name: "Out", kind: "number" },
];
const most = 50;

export function Calls() {
  const { view } = state;
  const wanted = view.calls.trim().toLowerCase();
  const all = [...state.calls.values()].reverse().filter((c) => `${c.tool} ${c.runId ?? ""} ${c.outcome ?? c.state}`.toLowerCase().includes(wanted));
  return html`<${Section} id="calls" title="Calls">
    <div class="filters">
      <label>Only with <input type="search" value=${view.calls} placeholder="tool, run or outcome" onInput=${(e) => { view.calls = e.target.value; changed(); }} /></label>
      <label><input type="checkbox" checked=${view.args} onChange=${(e) => { view.args = e.target.checked; relisten(); changed(); }} /> Show arguments, without secrets</label>
      ${view.args && state.args && html`<span class="note">Calls have arguments from now on.</span>`}
    </div>
    <${Table} label="Calls" columns=${columns} empty=${wanted === "" ? "No tool was called." : "No call matches."} rows=${all.slice(0, most).map(row)} />
  <//>`;
}

function row(c) {
  const over = c.state === "ended";
  const args = state.view.args && c.args;
  return {
    key: c.id,
    cells: [
      clock(c.since),
      shown(c.tool || "no such tool"),
      c.runId ? html`<code>${shown(c.runId)}</code>` : "–",
      over ? html`<${State} of=${c.outcome} tone=${c.outcome === "ok" ? "good" : "bad"} />` : html`<${State} of="running" />`,
      duration(over ? (c.ms ?? 0) : ago(c.since)),
      bytes(c.argsBytes),
      over ? bytes(c.resultBytes ?? 0) : "–",
    ],
    below: (args || c.error) && html`<div class=${c.error ? "fault" : ""}>
      ${args && html`<pre tabindex="0" aria-label=${`Arguments of ${shown(c.tool)}`}>${lines(c.args)}</pre>`}${c.error && html`<p>${shown(c.error)}</p>`}</div>`,
  };
}
