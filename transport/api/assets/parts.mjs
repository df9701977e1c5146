// The parts that several sections have.
import { html } from "./html.mjs";
import { shown } from "./text.mjs";
import { busy } from "./actions.mjs";

export const Section = ({ id, title, note, children }) => html`
  <section id=${id} aria-labelledby=${`${id}-title`}>
    <div class="head"><h2 id=${`${id}-title`} tabindex="-1">${title}</h2>${note && html`<p class="note">${note}</p>`}</div>
    ${children}
  </section>`;

// Table is a table on a wide screen, and a list of cards on a narrow one. The roles are
// written down because the cards are no table for the browser. A row may have an element
// below it.
export const Table = ({ label, columns, rows, empty }) =>
  rows.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<table role="table" aria-label=${label}>
        <thead role="rowgroup"><tr role="row">${columns.map((c) => html`<th role="columnheader" scope="col" key=${c.name} class=${c.kind ?? ""}>${c.name}</th>`)}</tr></thead>
        ${rows.map((r) => html`
          <tbody role="rowgroup" key=${r.key}>
            <tr role="row" class=${r.below ? "joined" : ""}>
              ${r.cells.map((cell, i) => html`<td role="cell" key=${i} class=${columns[i].kind ?? ""} data-label=${columns[i].name}><div>${cell}</div></td>`)}
            </tr>
            ${r.below && html`<tr role="row" class="below"><td role="cell" colspan=${columns.length}>${r.below}</td></tr>`}
          </tbody>`)}
      </table>`;

const tones = {
  ready: "good", running: "good", ok: "good", hybrid: "good",
  backoff: "bad", failed: "bad", needs_auth: "warn", restarting: "bad", error: "bad", ask: "warn", warning: "warn",
  connecting: "busy", starting: "busy", waiting: "busy", checking: "busy",
};
const words = { needs_auth: "needs login" };

// State is a state as a word with a colour.
export const State = ({ of, tone }) => html`<span class=${`state ${tone ?? tones[of] ?? ""}`}>${words[of] ?? shown(of)}</span>`;

export const Button = ({ name, does, label, kind, disabled, expanded, children }) => html`
  <button type="button" class=${kind ?? ""} aria-label=${label} aria-expanded=${expanded} disabled=${disabled || busy(name)} onClick=${does}>${children}</button>`;

// Command is the command that does the same as a button.
export const Command = ({ children }) => html`<code class="command">${children}</code>`;

// Meter shows how much of a limit is used.
export const Meter = ({ label, used, limit, text }) => html`
  <span class="meter"><meter aria-label=${label} min="0" max=${limit} high=${limit * 0.8} value=${Math.min(used, limit)}></meter> <span>${text}</span></span>`;
