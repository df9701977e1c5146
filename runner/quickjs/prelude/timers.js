// Timers. The host keeps the due times; this file keeps the callbacks.
(host, internal) => {
  'use strict';

  const timers = new Map();
  let last = 0;
  const timing = { strong: 0 }; // the number of timers that keep the script alive

  // delayOf returns a delay as browsers and Node read it. Only now is less than a
  // millisecond: it is for setImmediate, before all timers that are not due.
  const longest = 2 ** 31 - 1;
  const now = Symbol('now');
  const delayOf = (delay) => {
    if (delay === now) return 0;
    const ms = Number(delay ?? 0);
    return ms >= 1 && ms <= longest ? ms : 1; // also for NaN
  };

  const start = (callback, delay, args, repeat, weak) => {
    if (typeof callback !== 'function') {
      throw new TypeError(`a timer takes a function, not ${internal.inspect(callback, 0)}`);
    }
    const id = ++last;
    const ms = delayOf(delay);
    timers.set(id, { callback, args, repeat, ms, at: weak ? undefined : new Error() });
    if (!weak) timing.strong++;
    host.timer(id, ms, weak ? 1 : 0);
    return id;
  };

  // remove returns a timer that was set.
  const remove = (id) => {
    const timer = timers.get(id);
    if (timer === undefined) return undefined;
    timers.delete(id);
    if (timer.at !== undefined) timing.strong--;
    return timer;
  };
  const stop = (id) => {
    if (remove(Number(id)) !== undefined) host.clear(Number(id));
  };

  internal.define('setTimeout', function setTimeout(callback, delay, ...args) {
    return start(callback, delay, args, false);
  });
  internal.define('setInterval', function setInterval(callback, delay, ...args) {
    return start(callback, delay, args, true);
  });
  internal.define('setImmediate', function setImmediate(callback, ...args) {
    return start(callback, now, args, false);
  });
  internal.define('clearTimeout', function clearTimeout(id) { stop(id); });
  internal.define('clearInterval', function clearInterval(id) { stop(id); });
  internal.define('clearImmediate', function clearImmediate(id) { stop(id); });

  // after calls back later without keeping the script alive.
  internal.after = (delay, callback) => start(callback, delay, [], false, true);

  internal.fire = (id) => {
    const timer = timers.get(id);
    if (!timer) return;
    if (timer.repeat) host.timer(id, timer.ms, 0);
    else remove(id);
    internal.apply(timer.callback, undefined, timer.args);
  };

  internal.timing = timing;

  // dropTimers removes all timers that keep the script alive and returns the places where
  // they were set: file and line, because the engines count columns differently.
  const place = /([^\s()]+:\d+):\d+\)?$/m;
  internal.dropTimers = () => {
    const places = [];
    for (const [id, { at }] of timers) {
      if (at === undefined) continue;
      stop(id);
      places.push(places.length > 0 ? '' : place.exec(host.trace(internal.frames(at)))?.[1] ?? '');
    }
    return places;
  };
}
