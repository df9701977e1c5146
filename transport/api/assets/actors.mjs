// The tree of actors.
import { html } from "./html.mjs";
import { sorted, state } from "./state.mjs";
import { ago, duration, lines, number, shown } from "./text.mjs";
import { Section, State, Table } from "./parts.mjs";

const columns = [
  { name: "Actor", kind: "name" }, { name: "State" }, { name: "Mailbox", kind: "number" }, { name: "Messages", kind: "number" },
  { name: "In flight", kind: "number" }, { name: "Restarts", kind: "number" }, { name: "For", kind: "number" },
];

export const Actors = () => html`<${Section} id="actors" title="Actors">
  <${Table} label="Actors" columns=${columns} empty="No actor runs." rows=${tree().map(row)} />
<//>`;

// tree is the list of actors with each actor below its parent.
function tree() {
  const all = sorted(state.actors, (a) => a.id);
  const below = Map.groupBy(all, (a) => (a.parent && a.parent !== a.id && state.actors.has(a.parent) ? a.parent : ""));
  const found = [];
  const add = (parent, depth) => {
    for (const actor of below.get(parent) ?? []) {
      found.push({ actor, depth });
      if (depth < 8) add(actor.id, depth + 1);
    }
  };
  add("", 0);
  return found;
}

function row({ actor: a, depth }) {
  const crash = a.lastStack || (a.restarts > 0 && a.lastError);
  return {
    key: a.id,
    cells: [
      html`<span class=${`depth depth-${Math.min(depth, 5)}`}>${shown(a.name)}${depth > 0 && html`<span class="hidden"> below ${shown(a.parent)}</span>`}</span>`,
      html`<${State} of=${a.state} />`,
      html`${number(a.waiting ?? 0)}${a.mailboxMs >= 1 && html`<br /><span class="note">${duration(a.mailboxMs)}</span>`}`,
      number(a.messages ?? 0),
      number(a.inFlight),
      number(a.restarts),
      duration(Math.floor(ago(a.since) / 1000) * 1000),
    ],
    below: (crash || a.lastError) && html`<div class="fault">
      ${a.lastError && html`<p>${shown(a.lastError)}</p>`}
      ${a.lastStack && html`<details><summary>Stack of the last crash of ${shown(a.name)}</summary><pre tabindex="0" aria-label=${`Stack of ${shown(a.name)}`}>${lines(a.lastStack)}</pre></details>`}
    </div>`,
  };
}
