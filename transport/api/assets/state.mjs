// The state of the gateway as the events describe it, and what the person has chosen.

const keyed = () => new Map();

export const state = {
  link: "connecting", // connecting, live, lost (tries again) or ended (a new session is needed)
  detail: "", // why the link is not live
  args: false, // calls come with their arguments
  gateway: null,
  attention: keyed(),
  servers: keyed(),
  actors: keyed(),
  runs: keyed(),
  calls: keyed(),
  approvals: keyed(),
  index: keyed(),
  logs: keyed(),
  view: {
    args: false, // arguments of calls are asked for
    calls: "", // filter of calls
    level: "INFO",
    logs: "", // filter of log lines
    codes: keyed(), // what is typed, by approval
    scopes: keyed(),
    shownCodes: keyed(),
    whole: keyed(), // all arguments, by approval
    logins: keyed(), // addresses of login pages, by server
    waterfall: "", // the run whose calls are shown over time
    call: "", // the call of it whose details are shown
    busy: new Set(), // actions in progress
    told: "", // what the last action has done
    failed: false, // it has failed
  },
};

const lists = { attention: 0, servers: 0, actors: 0, runs: 60, calls: 120, approvals: 0, index: 0, logs: 200 };
const listOf = { attention: "attention", server: "servers", actor: "actors", run: "runs", call: "calls", approval: "approvals", index: "index", log: "logs" };

// apply takes over one event.
export function apply(type, data) {
  if (type === "snapshot") {
    state.gateway = data.gateway;
    for (const name of Object.keys(lists)) {
      state[name].clear();
      const newestFirst = name === "runs" || name === "calls";
      for (const entry of newestFirst ? [...(data[name] ?? [])].reverse() : (data[name] ?? [])) state[name].set(String(entry.id), entry);
    }
    return;
  }
  if (type === "gateway") {
    state.gateway = data;
    return;
  }
  const name = listOf[type];
  if (name === undefined) return;
  const list = state[name];
  const id = String(data.id);
  if (data.gone === true) {
    list.delete(id);
    return;
  }
  list.set(id, data);
  if (lists[name] > 0 && list.size > lists[name]) drop(list, lists[name]);
}

// drop removes the oldest entries that have ended.
function drop(list, most) {
  for (const [id, entry] of list) {
    if (list.size <= most) return;
    if (entry.state === undefined || entry.state === "ended") list.delete(id);
  }
}

export const sorted = (list, by) => [...list.values()].sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0));

let draw = () => {};
let waiting = false;

// drawWith sets the function that draws the page.
export function drawWith(f) {
  draw = f;
}

// changed draws the page soon, once for many changes. A page in the background is drawn
// when it is visible again.
export function changed() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}
