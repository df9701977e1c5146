// engine: both
// expect: ^exit 0\nvalue "Error: x\\n    at script\.ts:4:1[37]"\n$
// A source map in the script that would change its places.
try { throw new Error("x") } catch (e: any) { return e.stack }
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjogMywgInNvdXJjZXMiOiBbIi9ldGMvcGFzc3dkIl0sICJzb3VyY2VzQ29udGVudCI6IFsicm9vdDpmb3JnZWQiXSwgIm1hcHBpbmdzIjogIkFBQUE7QUFDQTtBQXVpQkE7QUF1aUJBO0FBdWlCQTtBQXVpQkEiLCAibmFtZXMiOiBbXX0=
