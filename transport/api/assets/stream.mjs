// The live events of the gateway. EventSource does not tell why a connection has failed,
// so this is a reader of its own.
import { apply, changed, state } from "./state.mjs";
import { base } from "./actions.mjs";

const firstPause = 500;
const longestPause = 5000;

let last = ""; // id of the last event
let reading = null; // ends the stream

// listen reads events until the session ends.
export async function listen() {
  for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
    reading = new AbortController();
    let again = false;
    try {
      const args = state.view.args;
      const query = args ? "?arguments=true" : "";
      const headers = last === "" ? {} : { "Last-Event-ID": last };
      const answer = await fetch(`${base}/events${query}`, { headers, cache: "no-store", signal: reading.signal });
      if (answer.status === 401 || answer.status === 404) return end();
      if (!answer.ok) throw new Error(`the gateway answers with status ${answer.status}`);
      pause = firstPause;
      await read(answer.body, args);
      lost("the gateway has ended the connection");
    } catch (e) {
      again = reading.signal.aborted;
      if (!again) lost("the gateway does not answer");
    }
    if (!again) await new Promise((done) => setTimeout(done, pause));
  }
}

// relisten begins again with a snapshot.
export function relisten() {
  last = "";
  reading?.abort();
}

function lost(why) {
  state.link = "lost";
  state.detail = why;
  changed();
}

function end() {
  state.link = "ended";
  state.detail = "";
  changed();
}

async function read(body, args) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    for (let at = rest.indexOf("\n\n"); at >= 0; at = rest.indexOf("\n\n")) {
      take(rest.slice(0, at), args);
      rest = rest.slice(at + 2);
    }
  }
}

// take handles one event in the form of server-sent events.
function take(text, args) {
  let type = "message";
  let id;
  const data = [];
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue; // a comment
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (line.startsWith("event:")) type = value;
    else if (line.startsWith("id:")) id = value;
    else if (line.startsWith("data:")) data.push(value);
  }
  if (data.length === 0) return;
  apply(type, JSON.parse(data.join("\n")));
  if (id !== undefined) last = id;
  state.args = args;
  if (type === "snapshot" || state.link !== "live") {
    state.link = "live";
    state.detail = "";
  }
  changed();
}
