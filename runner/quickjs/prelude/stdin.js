// stdin is the script's standard input, read only when it is asked for.
(host, internal) => {
  'use strict';

  const waiting = [];

  // next is the next chunk, null at the end.
  const next = () => new Promise((resolve) => {
    if (host.stdin() === 0) resolve(null);
    else waiting.push(resolve);
  });

  internal.feed = (chunk) => {
    if (chunk !== undefined) {
      waiting.shift()?.(chunk);
      return;
    }
    for (const resolve of waiting.splice(0)) resolve(null);
  };

  const text = async () => {
    const chunks = [];
    for (let chunk = await next(); chunk !== null; chunk = await next()) chunks.push(chunk);
    return chunks.join('');
  };

  async function* lines() {
    let rest = '';
    for (let chunk = await next(); chunk !== null; chunk = await next()) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop();
      for (const line of parts) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    if (rest !== '') yield rest;
  }

  internal.stdin = Object.freeze({
    text,
    json: async () => internal.parse(await text()),
    lines,
  });
}
