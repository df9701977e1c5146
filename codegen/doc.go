// Package codegen generates TypeScript from a catalog: types for the schemas of tools, and
// modules that contain them. This part is pure: equal input gives equal text. An Observer
// records the shapes of results of tools without an output schema.
//
// A type allows the same values as its schema, or more. There are four intended exceptions:
// objects are closed unless their schema opens them (or Options.Open is set), a schema with
// keywords for objects or arrays but without a type has that type, propertyNames with an enum
// lists properties, and arguments of a tool that declares no parameter have no members. Package
// validate accepts what a type allows; package test/agreement lists the exceptions. See
// docs/design/types.md.
package codegen
