// store keeps values from one run to the next.
(host, internal) => {
  'use strict';

  const { ask, ToolError } = internal;

  // attempts is how often update tries to change a value that other runs change too.
  const attempts = 100;

  const valueOf = ({ value }) => value;
  const isStored = ({ stored }) => stored === true;

  const get = (key, options) => ask('$store__get', { ...options, key }, valueOf);
  const set = (key, value, options) => ask('$store__set', { ...options, key, value, version: undefined }, () => undefined);
  const remove = (key, options) => ask('$store__delete', { ...options, key, version: undefined }, isStored);
  const list = (prefix, options) => ask('$store__list', { ...options, prefix }, ({ entries }) => entries ?? []);
  const run = (name, options) => ask('$store__run', { ...options, name }, valueOf);

  // update changes a value by a function of the one before. If another run has changed it
  // meanwhile, the function is called again.
  const update = async (key, change, options) => {
    const { scope } = options ?? {};
    for (let tried = 0; tried < attempts; tried++) {
      const { value: before, version = 0 } = await ask('$store__get', { scope, key });
      const value = await change(before);
      if (value === undefined && version === 0) return undefined;
      const { stored } = await (value === undefined
        ? ask('$store__delete', { scope, key, version })
        : ask('$store__set', { ...options, key, value, version }));
      if (stored) return value;
    }
    throw new ToolError(`other runs have changed ${key} during each of ${attempts} attempts to update it`, {
      server: '$store', tool: '$store__set', code: 'conflict', content: [], details: [],
    });
  };

  const frozen = (name, f) => Object.freeze(Object.defineProperty(f, 'name', { value: name }));
  internal.store = Object.freeze({
    get: frozen('get', get), set: frozen('set', set), delete: frozen('delete', remove), list: frozen('list', list),
    run: frozen('run', run), update: frozen('update', update),
  });
}
