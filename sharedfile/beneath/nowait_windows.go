package beneath

const noWait = 0
