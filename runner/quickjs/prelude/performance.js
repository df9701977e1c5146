// performance counts from the start of the run. The engine's own performance counts
// from the creation of its image.
(host, internal) => {
  'use strict';

  delete globalThis.performance;
  internal.define('performance', {
    now: () => host.now(),
    get timeOrigin() { return Date.now() - host.now(); },
    toJSON() { return { timeOrigin: this.timeOrigin }; },
  });
}
