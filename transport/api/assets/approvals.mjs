// Calls that wait for the approval of a person.
import { html } from "./html.mjs";
import { changed, sorted, state } from "./state.mjs";
import { ago, bytes, count, duration, lines, shown } from "./text.mjs";
import { allow, deny, proved, showCode, showWhole } from "./actions.mjs";
import { Button, Command, Section } from "./parts.mjs";

const scopes = [
  ["once", "this call only"],
  ["run", "calls of this tool in this run"],
  ["session", "calls of this tool until the gateway ends"],
  ["always", "calls of this tool for ever"],
];

export function Approvals() {
  const all = sorted(state.approvals, (a) => a.since);
  return html`<${Section} id="approvals" title="Approvals" note=${all.length === 0 ? "No call waits for you." : `${count(all.length, "call")} ${all.length === 1 ? "waits" : "wait"} for you.`}>
    ${all.map((a) => html`<${Approval} key=${a.id} a=${a} />`)}
  <//>`;
}

function Approval({ a }) {
  const { codes, scopes: chosen, shownCodes, whole } = state.view;
  const code = codes.get(a.id) ?? "";
  const scope = chosen.get(a.id) ?? "once";
  const submit = (event) => {
    event.preventDefault();
    allow(a, codes.get(a.id) ?? "", chosen.get(a.id) ?? "once"); // what was typed, also if it is not drawn yet
  };
  return html`<article class="approval" aria-labelledby=${`answer-${a.id}`}>
    <h3 id=${`answer-${a.id}`} tabindex="-1">${shown(a.tool)}</h3>
    <p>${a.pin ? "No call waits. Allow accepts the change below" : a.runId ? html`Run <code>${shown(a.runId)}</code>` : "A call from outside any run"}, waiting for ${duration(ago(a.since))}, ends in ${duration(-ago(a.expires))}.</p>
    ${!a.pin && html`<pre tabindex="0" aria-label="Arguments">${lines(whole.get(a.id) ?? a.args, Infinity)}</pre>`}
    ${a.cut > 0 && !whole.has(a.id) && html`<p>${bytes(a.cut)} of the arguments are not shown. <${Button} kind="plain" name=${`whole ${a.id}`} label=${`Show all arguments of ${shown(a.tool)}`} does=${() => showWhole(a)}>Show all<//></p>`}
    ${a.changed && html`<p class="changed"><strong>It has changed:</strong> ${shown(a.changed)}</p>`}
    <form onSubmit=${submit}>
      ${!proved() && html`<label>Code <input class="code" autocomplete="off" autocapitalize="characters" spellcheck=${false} maxlength="12" required value=${code}
        onInput=${(e) => { codes.set(a.id, e.target.value); changed(); }} /></label>`}
      ${!a.pin && html`<label>Allow <select onChange=${(e) => { chosen.set(a.id, e.target.value); changed(); }}>
        ${scopes.filter(([value]) => value !== "run" || a.runId).map(([value, text]) => html`<option key=${value} value=${value} selected=${value === scope}>${text}</option>`)}</select></label>`}
      <button type="submit" class="primary" disabled=${state.view.busy.has(`answer ${a.id}`)}>Allow<span class="hidden"> ${shown(a.tool)}</span></button>
      <${Button} name=${`answer ${a.id}`} label=${`Deny ${shown(a.tool)}`} does=${() => deny(a)}>Deny<//>
      ${proved() && (shownCodes.has(a.id)
        ? html`<span>Code for the command: <strong class="code">${shown(shownCodes.get(a.id))}</strong></span>`
        : html`<${Button} kind="plain" name=${`code ${a.id}`} label=${`Show code of ${shown(a.tool)}`} does=${() => showCode(a)}>Show code<//>`)}
    </form>
    ${!proved() && html`<p class="note">The gateway shows the code at its own terminal, or as a notification of the desktop. After the first code this page needs none.</p>`}
    <p class="note">Or: <${Command}>toolscript approvals allow ${shown(a.id)}<//></p>
  </article>`;
}
