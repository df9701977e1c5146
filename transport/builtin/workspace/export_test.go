package workspace

// SetStep replaces the function that is called before each change of the disk.
func SetStep(f func()) { step = f }
