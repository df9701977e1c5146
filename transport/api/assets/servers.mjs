// The configured servers.
import { html } from "./html.mjs";
import { changed, sorted, state } from "./state.mjs";
import { ago, count, duration, lines, number, shown } from "./text.mjs";
import { restart } from "./actions.mjs";
import { Button, Section, State, Table } from "./parts.mjs";
import { Login } from "./header.mjs";

const columns = [
  { name: "Server", kind: "name" }, { name: "State" }, { name: "Transport" }, { name: "Tools", kind: "number" },
  { name: "Calls", kind: "number" }, { name: "Errors", kind: "number" }, { name: "p50 / p95", kind: "number" }, { name: "Actions", kind: "actions" },
];

export const Servers = () => html`<${Section} id="servers" title="Servers">
  <${Table} label="Servers" columns=${columns} empty="No server is configured." rows=${sorted(state.servers, (s) => s.id).map(row)} />
<//>`;

function row(s) {
  return {
    key: s.id,
    cells: [
      html`${s.icon && html`<img class="icon" src=${s.icon} alt="" width="16" height="16" /> `}<strong>${shown(s.id)}</strong>${s.title && s.title !== s.id && html`<br /><span class="note">${shown(s.title)}</span>`}`,
      html`<${State} of=${s.disabled ? "disabled" : s.state} />${next(s)}`,
      html`${shown(s.type)}${s.protocol && html`<br /><span class="note">${shown(s.protocol)}</span>`}`,
      html`${number(s.tools)}${s.stale && html` <span class="note">old</span>`}`,
      html`${number(s.calls ?? 0)}${flight(s)}`,
      number(s.errors ?? 0),
      html`${s.calls ? `${duration(s.p50Ms)} / ${duration(s.p95Ms)}` : "–"}${s.hour && html`<br /><${Hour} of=${s.hour} server=${s.id} />`}`,
      html`<div class="buttons">
        ${s.state === "needs_auth" && html`<${Login} server=${s.id} />`}
        <${Button} name=${`restart ${s.id}`} label=${`Restart ${shown(s.id)}`} disabled=${s.disabled} does=${() => restart(s.id)}>Restart<//>
        <${Button} name="" label=${`Logs of ${shown(s.id)}`} does=${() => logsOf(s.id)}>Logs<//>
      </div>`,
    ],
    below: (s.error || s.stderr?.length > 0) && html`<div class="fault">
      ${s.error && html`<p>${shown(s.error)}</p>`}
      ${s.stderr?.length > 0 && html`<details><summary>Last lines of ${shown(s.id)}</summary><pre tabindex="0" aria-label=${`Last lines of ${shown(s.id)}`}>${lines(s.stderr.join("\n"))}</pre></details>`}
    </div>`,
  };
}

// Hour draws the calls of the last hour and their 95th percentile, each on a scale of its own.
function Hour({ of, server }) {
  const line = (all) => {
    const top = Math.max(...all, 1e-9);
    return all.map((n, i) => `${((i * 100) / (all.length - 1)).toFixed(1)},${(18 - (16 * n) / top).toFixed(1)}`).join(" ");
  };
  const all = of.calls.reduce((sum, n) => sum + n, 0);
  const text = `${count(all, "call")} in the last hour, p95 up to ${duration(Math.max(...of.p95Ms))}`;
  return html`<svg class="hour" viewBox="0 0 100 20" preserveAspectRatio="none" role="img" aria-label=${`${shown(server)}: ${text}`}>
      <title>${text}</title><polyline class="calls" points=${line(of.calls)} /><polyline class="p95" points=${line(of.p95Ms)} /></svg>`;
}

// next is when a server is tried again.
function next(s) {
  if (s.state !== "backoff" || !s.nextRetry) return null;
  const left = -ago(s.nextRetry);
  return html`<br /><span class="note">try ${number((s.attempt ?? 0) + 1)} ${left > 0 ? `in ${duration(Math.ceil(left / 1000) * 1000)}` : "now"}</span>`;
}

function flight(s) {
  if (!s.inFlight && !s.queued) return null;
  return html`<br /><span class="note">${s.inFlight} now${s.queued ? `, ${s.queued} wait` : ""}${s.rateLimit?.waiting ? " (rate limit)" : ""}</span>`;
}

// logsOf shows the log lines of one server.
function logsOf(server) {
  state.view.logs = server;
  state.view.level = "DEBUG";
  changed();
  const title = document.getElementById("logs-title");
  title?.scrollIntoView();
  title?.focus();
}
