// engine: deno
// expect: ^exit 0\nvalue \["undefined","undefined","undefined","undefined"\]\n$
// Deno makes a module out of text; it finds no more than the script itself.
const at = "data:text/javascript," + "export default [typeof fetch, typeof Deno.readTextFile, typeof process, typeof Worker]";
return (await import(at)).default
