// What a person does on the page: requests to the gateway.
import { changed, state } from "./state.mjs";

// base is the address of this session, without a slash at the end.
export const base = location.pathname.replace(/\/+$/, "");

const proofName = "toolscript-proof";

// The proof is in the storage of this tab and this origin, and in no cookie: a server on
// another port of this machine gets cookies too.
const proof = () => sessionStorage.getItem(proofName) ?? "";
export const proved = () => proof() !== "";

const post = (path, body, headers = {}) =>
  ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Toolscript-Page": "1", ...headers },
    body: JSON.stringify(body ?? {}),
  });

async function ask(path, options) {
  const answer = await fetch(base + path, { cache: "no-store", ...options });
  const text = await answer.text();
  const value = text === "" ? {} : JSON.parse(text);
  if (!answer.ok) {
    if (answer.status === 401) state.link = "ended";
    throw new Error(value.error ?? `the gateway answers with status ${answer.status}`);
  }
  return value;
}

// act makes a request once at a time and tells what it has done.
async function act(name, doing, done) {
  if (state.view.busy.has(name)) return;
  state.view.busy.add(name);
  changed();
  try {
    state.view.told = done(await doing());
    state.view.failed = false;
  } catch (e) {
    state.view.told = e instanceof TypeError ? "The gateway does not answer." : e.message;
    state.view.failed = true;
  }
  state.view.busy.delete(name);
  forget(state.view.told);
  changed();
}

// forget removes a message when there was time to read it.
function forget(told) {
  setTimeout(() => {
    if (state.view.told !== told) return;
    state.view.told = "";
    changed();
  }, 30_000);
}

export const busy = (name) => state.view.busy.has(name);

const segment = encodeURIComponent;

export const restart = (server) =>
  act(`restart ${server}`, () => post(`/servers/${segment(server)}/restart`), (s) => `${server} was restarted; it is ${s.state}.`);

export const login = (server) =>
  act(`login ${server}`, async () => {
    const { authorizationUrl } = await post(`/servers/${segment(server)}/auth`);
    const url = new URL(authorizationUrl);
    if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error("the address of the login page is not a web address");
    state.view.logins.set(server, url.href);
    return url;
  }, (url) => `The login page of ${server} is at ${url.host}; open the link within five minutes.`);

// record is what is known of a run and its calls.
export const record = (run) => ask(`/runs/${segment(run)}`, {});

export const abort = (run) => act(`abort ${run}`, () => post(`/runs/${segment(run)}/abort`), () => `${run} was aborted.`);

// open agrees to a page that a server wants the person to open; the click has opened it.
export const open = (run, q) =>
  act(`page ${run} ${q.askId}`, () => post(`/runs/${segment(run)}/reply`, { askId: q.askId, action: "accept" }), () => `The page at ${new URL(q.url).host} was opened; ${q.server} goes on when you have finished it.`);

export const decline = (run, q) =>
  act(`page ${run} ${q.askId}`, () => post(`/runs/${segment(run)}/reply`, { askId: q.askId, action: "decline" }), () => `${q.server} was told that you do not open the page.`);

export const reload = () =>
  act("reload", () => post("/reload"), (r) => {
    const changes = ["added", "removed", "changed", "adjusted", "retried"].flatMap((what) => (r[what]?.length ? [`${what}: ${r[what].join(", ")}`] : []));
    return changes.length === 0 ? "The configuration was read again; nothing has changed." : `The configuration was read again; ${changes.join("; ")}.`;
  });

export const allow = (a, code, scope) =>
  act(`answer ${a.id}`, async () => {
    const answer = await post(`/approvals/${segment(a.id)}`, { action: "allow", scope, code }, proved() ? { "Toolscript-Proof": proof() } : {});
    if (answer.proof) sessionStorage.setItem(proofName, answer.proof);
  }, () => `The call of ${a.tool} was allowed.`);

export const deny = (a) => act(`answer ${a.id}`, () => post(`/approvals/${segment(a.id)}`, { action: "deny" }), () => `The call of ${a.tool} was denied.`);

export const showWhole = (a) =>
  act(`whole ${a.id}`, async () => {
    const { args } = await ask(`/approvals/${segment(a.id)}`, {});
    state.view.whole.set(a.id, args);
  }, () => "All arguments are shown at the request.");

export const showCode = (a) =>
  act(`code ${a.id}`, async () => {
    const { code } = await post(`/approvals/${segment(a.id)}/code`, {}, { "Toolscript-Proof": proof() });
    state.view.shownCodes.set(a.id, code);
  }, () => "The code is shown at the request.");
