package script

// folder is an absolute path, which the compiler needs. It reads nothing there.
const folder = `C:\`
