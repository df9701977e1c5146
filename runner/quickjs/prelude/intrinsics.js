// What the prelude needs of the language, taken before any script runs, so that
// no script can put itself between. The prototypes are frozen later (harden.js);
// what is called on a script's own objects goes through these all the same.
(host, internal) => {
  'use strict';

  const { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, defineProperty } = Reflect;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);

  internal.apply = apply;
  internal.descriptor = getOwnPropertyDescriptor;
  internal.prototypeOf = getPrototypeOf;
  internal.ownKeys = ownKeys;
  internal.uncurry = uncurry;
  internal.getter = (prototype, key) => uncurry(getOwnPropertyDescriptor(prototype, key).get);
  internal.stringify = JSON.stringify;
  internal.parse = JSON.parse;

  // define makes a global, as the language's own are made.
  internal.define = (name, value) => {
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  };

  // tag names the class of a web object in Object.prototype.toString.
  internal.tag = (type) => {
    defineProperty(type.prototype, Symbol.toStringTag, { value: type.name, configurable: true });
    return type;
  };
}
