package audit

// Write writes what waits, as the actor does.
func Write(l *Log) error { return l.write() }
