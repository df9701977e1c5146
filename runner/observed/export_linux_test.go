package observed

// Hanging is a watch that looks at a file for ever.
func Hanging() *Watch { return &Watch{func() {}, make(chan struct{})} }
