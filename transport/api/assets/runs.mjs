// The runs of scripts.
import { html } from "./html.mjs";
import { state } from "./state.mjs";
import { ago, bytes, clock, duration, number, shown } from "./text.mjs";
import { abort } from "./actions.mjs";
import { Button, Meter, Section, State, Table } from "./parts.mjs";
import { toggle, Waterfall } from "./waterfall.mjs";

const columns = [
  { name: "Run", kind: "name" }, { name: "Started" }, { name: "State" }, { name: "Time" }, { name: "Calls" },
  { name: "Memory" }, { name: "Output" }, { name: "Actions", kind: "actions" },
];
const most = 25; // runs that have ended

export function Runs() {
  const all = [...state.runs.values()].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  const ended = all.filter((r) => r.state === "ended");
  const listed = ended.slice(0, most).concat(ended.slice(most).filter((r) => r.id === state.view.waterfall)); // what is shown stays
  const running = all.filter((r) => r.state !== "ended");
  return html`<${Section} id="runs" title="Runs" note=${running.length === 0 ? "No script runs." : `${running.length} running.`}>
    <${Table} label="Runs" columns=${columns} empty="No script has run." rows=${[...running, ...listed].map(row)} />
  <//>`;
}

function row(r) {
  const over = r.state === "ended";
  const took = over ? (r.metrics?.durationMs ?? new Date(r.endedAt) - new Date(r.startedAt)) : ago(r.startedAt);
  const limits = r.limits ?? {};
  const open = state.view.waterfall === r.id;
  const calls = r.metrics?.toolCalls ?? r.used?.toolCalls ?? 0;
  const out = r.metrics ? r.metrics.stdoutBytes + r.metrics.stderrBytes : (r.used?.outputBytes ?? 0);
  return {
    key: r.id,
    cells: [
      html`<code>${shown(r.runId)}</code><br /><span class="note">${shown(r.file)}${r.engine === "deno" && ", deno"}${r.checkOnly && ", only checked"}</span>`,
      clock(r.startedAt),
      over ? html`<${State} of=${r.ok ? "ok" : shown(r.kind ?? "failed")} tone=${r.ok ? "good" : "bad"} />` : html`<${State} of=${r.state} />`,
      budget(over, "time", r, took, limits.timeoutMs, duration),
      budget(over, "tool calls", r, calls, limits.toolCalls, number),
      r.metrics ? `${r.metrics.memoryUsedMb.toFixed(1)} of ${limits.memoryMb} MB` : limits.memoryMb ? `up to ${limits.memoryMb} MB` : "–",
      budget(over, "output", r, out, limits.outputBytes, bytes),
      html`<div class="buttons">
        ${calls > 0 && html`<${Button} name="" label=${`${open ? "Hide calls" : "Calls"} of ${shown(r.runId)}`} expanded=${open} does=${() => toggle(r.id)}>${open ? "Hide calls" : "Calls"}<//>`}
        ${!over && html`<${Button} kind="danger" name=${`abort ${r.id}`} label=${`Abort ${shown(r.runId)}`} does=${() => abort(r.id)}>Abort<//>`}
      </div>`,
    ],
    below: (r.error || open) && html`${r.error && html`<div class="fault"><p>${shown(r.error.name)}: ${shown(r.error.message)}</p></div>`}${open && html`<${Waterfall} run=${r} />`}`,
  };
}

// budget is what a run has used of a limit, with a meter while it runs.
function budget(over, name, run, used, limit, unit) {
  if (!limit) return unit(used);
  const text = `${unit(used)} of ${unit(limit)}`;
  return over ? text : html`<${Meter} label=${`${name} of ${shown(run.runId)}`} used=${used} limit=${limit} text=${text} />`;
}
