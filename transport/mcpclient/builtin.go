package mcpclient

// BuiltinSettings are the settings of built-in tools.
type BuiltinSettings struct {
	Exec ExecSettings
}

// ExecSettings are the settings of the tool exec.
type ExecSettings struct {
	Network  bool     // programs may use the network
	Writable []string // absolute paths that programs may write to, in addition to the root
}
