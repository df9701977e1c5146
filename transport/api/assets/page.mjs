// The operator page: it draws the state again when the state has changed.
import { html, render } from "./html.mjs";
import { changed, drawWith, state } from "./state.mjs";
import { listen } from "./stream.mjs";
import { Attention, Header, Link, pages } from "./header.mjs";
import { Approvals } from "./approvals.mjs";
import { Servers } from "./servers.mjs";
import { Actors } from "./actors.mjs";
import { Runs } from "./runs.mjs";
import { Calls } from "./calls.mjs";
import { Caches } from "./caches.mjs";
import { Logs } from "./logs.mjs";

const sections = [["attention", "Attention"], ["approvals", "Approvals"], ["servers", "Servers"], ["runs", "Runs"], ["calls", "Calls"], ["actors", "Actors"], ["caches", "Caches"], ["logs", "Log"]];

const Page = () => html`
  <a class="skip" href="#attention-title">To what needs attention</a>
  <${Header} />
  <nav aria-label="Sections">${sections.map(([id, name]) => html`<a key=${id} href=${`#${id}`}>${name}${badge(id)}</a>`)}</nav>
  <main class=${state.link === "live" ? "" : "old"}>
    <${Link} />
    <p class=${`told ${state.view.failed ? "bad" : ""}`} role="status">${state.view.told}</p>
    ${state.gateway && html`<${Attention} /><${Approvals} /><${Servers} /><${Runs} /><${Calls} /><${Actors} /><${Caches} /><${Logs} />`}
  </main>`;

const badge = (id) => {
  const n = id === "attention" || id === "approvals" ? state[id].size + (id === "attention" ? pages().length : 0) : 0;
  return n > 0 && html` <span class="badge">${n}</span>`;
};

const place = document.getElementById("page");
place.replaceChildren();
drawWith(() => {
  const n = state.attention.size + pages().length;
  document.title = n > 0 ? `(${n}) toolscript` : "toolscript";
  document.documentElement.dataset.link = state.link;
  render(html`<${Page} />`, place);
});
changed();
listen();
setInterval(changed, 1000); // times that pass
