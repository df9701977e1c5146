// The language functions that the prelude uses, saved before any script runs, so that
// a script cannot replace them. The prototypes are frozen later (harden.js). Methods
// of a script's own objects are still called through these functions.
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

  // define creates a global with the attributes of the language's own globals.
  internal.define = (name, value) => {
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  };

  // tag sets the class of a web object for Object.prototype.toString.
  internal.tag = (type) => {
    defineProperty(type.prototype, Symbol.toStringTag, { value: type.name, configurable: true });
    return type;
  };
}
