// engine: both
// expect: ^exit 0\nvalue "TypeError"\n$
// The constructor of functions by reflection.
try { return Reflect.construct((() => 1).constructor, ["return 1"])() } catch (e: any) { return e.name }
