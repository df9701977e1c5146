// The last lines of the log of the gateway.
import { html } from "./html.mjs";
import { changed, state } from "./state.mjs";
import { clock, shown } from "./text.mjs";
import { Section, State } from "./parts.mjs";

const levels = ["DEBUG", "INFO", "WARN", "ERROR"];
const tones = { WARN: "warn", ERROR: "bad" };

// rank is the place of a level; slog also has levels between two names, such as INFO+2.
const rank = (level) => levels.findIndex((l) => String(level).startsWith(l));

export function Logs() {
  const { view } = state;
  const wanted = view.logs.trim().toLowerCase();
  const all = [...state.logs.values()].filter((l) => rank(l.level) >= rank(view.level) && line(l).toLowerCase().includes(wanted)).reverse();
  return html`<${Section} id="logs" title="Log" note="The newest line is the first.">
    <div class="filters">
      <label>Level <select onChange=${(e) => { view.level = e.target.value; changed(); }}>${levels.map((l) => html`<option key=${l} selected=${l === view.level}>${l}</option>`)}</select></label>
      <label>Only with <input type="search" value=${view.logs} placeholder="server, run or text" onInput=${(e) => { view.logs = e.target.value; changed(); }} /></label>
    </div>
    ${all.length === 0
      ? html`<p class="empty">${state.logs.size === 0 ? "No line was logged." : "No line matches."}</p>`
      : html`<ol class="log" tabindex="0" aria-label="Log lines">${all.map((l) => html`
          <li key=${l.id}><time>${clock(l.time)}</time> <${State} of=${l.level} tone=${tones[l.level]} /> <span>${shown(l.message)}</span>
            ${Object.entries(l.attrs ?? {}).map(([name, value]) => html` <span class="attr" key=${name}>${shown(name)}=${shown(value)}</span>`)}</li>`)}</ol>`}
  <//>`;
}

const line = (l) => [l.message, ...Object.entries(l.attrs ?? {}).map(([name, value]) => `${name}=${value}`)].join(" ");
