// engine: both
// expect: ^exit 0\nvalue \[\]\n$
// What a module knows of itself.
return Object.keys(import.meta).map((key) => [key, /file:|\/tmp|\/home/.test(String((import.meta as any)[key]))]).filter(([, leaks]) => leaks)
