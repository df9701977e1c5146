package observed

// Hanging returns a watch that never finishes examining a file.
func Hanging() *Watch { return &Watch{func() {}, make(chan struct{})} }
