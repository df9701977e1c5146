// The head of the page, and what needs attention.
import { html } from "./html.mjs";
import { state } from "./state.mjs";
import { ago, count, duration, shown } from "./text.mjs";
import { decline, login, open, reload, restart } from "./actions.mjs";
import { Button, Command, Section, State } from "./parts.mjs";

const links = {
  connecting: ["busy", "connecting"],
  live: ["good", "live"],
  lost: ["bad", "connection lost"],
  ended: ["bad", "session ended"],
};

export function Header() {
  const g = state.gateway;
  const [tone, word] = links[state.link];
  return html`<header>
    <div class="title"><h1>toolscript</h1><span role="status"><${State} of=${word} tone=${tone} /></span></div>
    ${g && html`<dl class="facts">
      <div><dt>Servers</dt><dd class=${g.ready === g.total ? "" : "bad-text"}>${g.ready} of ${g.total} ready</dd></div>
      <div><dt>Tools</dt><dd>${g.tools}</dd></div>
      <div><dt>Version</dt><dd>${shown(g.version)}</dd></div>
      <div><dt>Process</dt><dd>${g.pid}</dd></div>
      <div><dt>Up for</dt><dd>${state.link === "live" ? duration(Math.floor(ago(g.started) / 1000) * 1000) : "–"}</dd></div>
      <div class="wide"><dt>Configuration</dt><dd>${(g.configuration ?? []).length === 0 ? "none" : g.configuration.map((path) => html`<span class="path" key=${path}>${shown(path)}</span>`)}</dd></div>
    </dl>
    <${Button} name="reload" does=${reload} disabled=${state.link !== "live"}>Read configuration again<//>`}
  </header>`;
}

// Link says what to do when the page is not live.
export function Link() {
  if (state.link === "ended")
    return html`<div class="banner bad" role="alert"><strong>This page has ended.</strong> The gateway was restarted, or the page was opened too often. What you see below is old.
      To open a new page, run: <${Command}>toolscript dashboard<//></div>`;
  if (state.link === "lost")
    return html`<div class="banner warn" role="alert"><strong>No connection:</strong> ${state.detail}. The page tries again. What you see below is old.
      To see whether a gateway runs: <${Command}>toolscript status<//></div>`;
  return null;
}

const ranks = ["ask", "error", "warning"];

export function Attention() {
  const all = [...state.attention.values()].sort((a, b) => ranks.indexOf(a.severity) - ranks.indexOf(b.severity));
  const asked = pages();
  return html`<${Section} id="attention" title="Needs attention" note=${all.length + asked.length === 0 ? "Nothing. Everything that is configured works." : count(all.length + asked.length, "problem")}>
    ${asked.length > 0 && html`<ul class="problems">${asked.map(({ run, q }) => html`<${Asked} key=${`${run} ${q.askId}`} run=${run} q=${q} />`)}</ul>`}
    ${all.length > 0 && html`<ul class="problems">${all.map((a) => html`
      <li key=${a.id} class=${a.severity}>
        <div class="what"><${State} of=${a.severity === "ask" ? "asks you" : a.severity} tone=${a.severity === "error" ? "bad" : "warn"} />
          <strong>${shown(a.subject)}:</strong> <span>${shown(a.problem)}</span></div>
        <div class="mend">${action(a)}<${Command}>${shown(a.command)}<//></div>
      </li>`)}</ul>`}
  <//>`;
}

// pages are the pages that servers want a person to open, with their runs.
export const pages = () => [...state.runs.values()].flatMap((r) => (r.pages ?? []).map((q) => ({ run: r.runId, q }))).filter(({ q }) => web(q.url));

// web says whether an address is one of the web; others never become a link.
const web = (address) => URL.canParse(address) && ["https:", "http:"].includes(new URL(address).protocol);

// Asked shows the whole address of a page, because a server has chosen it, and its host.
function Asked({ run, q }) {
  const host = shown(new URL(q.url).host);
  return html`<li class="ask">
    <div class="what"><${State} of="asks you" tone="warn" /> <strong>server ${shown(q.server)}:</strong> <span>${shown(q.message)}</span><br /><code class="path">${shown(q.url)}</code></div>
    <div class="mend"><a class="button" href=${q.url} target="_blank" rel="noopener noreferrer" onClick=${() => open(run, q)}>Open ${host}</a>
      <${Button} name=${`page ${run} ${q.askId}`} label=${`Do not open ${host}`} does=${() => decline(run, q)}>Do not open<//></div>
  </li>`;
}

function action(a) {
  switch (a.action) {
    case "answer":
      return html`<a class="button" href=${`#${encodeURIComponent(`answer-${a.target}`)}`} onClick=${goto(`answer-${a.target}`)}>Answer</a>`;
    case "login":
      return html`<${Login} server=${a.target} />`;
    case "restart":
      return html`<${Button} name=${`restart ${a.target}`} label=${`Restart ${shown(a.target)}`} does=${() => restart(a.target)}>Restart<//>`;
    case "reload":
      return html`<${Button} name="reload" label=${`Read configuration again: ${shown(a.subject)}`} does=${reload}>Read configuration again<//>`;
    default:
      return null;
  }
}

// goto moves the focus, which a link to a fragment does not always do.
export const goto = (id) => (event) => {
  event.preventDefault();
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: "center" });
  target?.focus();
};

// Login asks for the address of a login page, and links to it. The address comes from
// another server, so the person sees its host before the browser goes there.
export function Login({ server }) {
  const address = state.view.logins.get(server);
  if (address === undefined) return html`<${Button} name=${`login ${server}`} label=${`Log in to ${shown(server)}`} does=${() => login(server)}>Log in<//>`;
  return html`<a class="button" href=${address} target="_blank" rel="noopener noreferrer">Go to ${shown(new URL(address).host)}</a>`;
}
