// store keeps values from one run to the next.
(host, internal) => {
  'use strict';

  const { ask, ToolError } = internal;

  // attempts is how often update tries to change a value that other runs change too.
  const attempts = 100;

  const valueOf = ({ value }) => value;
  const isStored = ({ stored }) => stored === true;

  // given checks options: { ..."project" } would be an empty scope.
  const given = (options) => {
    if (options !== undefined && (typeof options !== 'object' || options === null)) {
      throw new TypeError('the options of store are an object such as { scope: "project" }');
    }
    return options;
  };

  const get = async (key, options) => ask('$store__get', { ...given(options), key }, valueOf);
  const set = async (key, value, options) => ask('$store__set', { ...given(options), key, value, version: undefined }, () => undefined);
  const remove = async (key, options) => ask('$store__delete', { ...given(options), key, version: undefined }, isStored);
  const list = async (prefix, options) => ask('$store__list', { ...given(options), prefix }, ({ entries }) => entries ?? []);
  const run = async (name, options) => ask('$store__run', { ...given(options), name }, valueOf);

  // update changes a value by a function of the one before. If another run has changed it
  // meanwhile, the function is called again.
  const update = async (key, change, options) => {
    const { scope } = given(options) ?? {};
    if (typeof change !== 'function') throw new TypeError('the second argument of store.update is the function that changes the value');
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
      server: '$store', tool: '$store__set', code: 'conflict', sent: 'no', content: [], details: [],
    });
  };

  const frozen = (name, f) => Object.freeze(Object.defineProperty(f, 'name', { value: name }));
  internal.store = Object.freeze({
    get: frozen('get', get), set: frozen('set', set), delete: frozen('delete', remove), list: frozen('list', list),
    run: frozen('run', run), update: frozen('update', update),
  });
}
