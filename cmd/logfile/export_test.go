package logfile

// SetMax sets the size in bytes at which a file is full.
func (w *Writer) SetMax(n int64) { w.max = n }
