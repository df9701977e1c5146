// engine: both
// expect: ^exit 0\nvalue \[\]\n$
// Members of import.meta.
return Object.keys(import.meta).map((key) => [key, /file:|\/tmp|\/home/.test(String((import.meta as any)[key]))]).filter(([, leaks]) => leaks)
