package audit

// Write writes the waiting lines, as the actor does.
func Write(l *Log) error { return l.write() }
