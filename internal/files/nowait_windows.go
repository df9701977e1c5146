package files

const noWait = 0
