package toolscript

// The engines that run scripts.
const (
	EngineAuto    = "auto"    // Deno where it is, else QuickJS
	EngineQuickJS = "quickjs" // the embedded one, and the default
	EngineDeno    = "deno"    // where it is installed
)

// Engines returns the values of ExecRequest.Engine.
func Engines() []string { return []string{EngineAuto, EngineQuickJS, EngineDeno} }

// EngineStatus is the state of one engine.
type EngineStatus struct {
	Name      string `json:"name"`
	Available bool   `json:"available"`
	Version   string `json:"version,omitempty"`
	Path      string `json:"path,omitempty"`    // of the program that runs scripts, when it is not this one
	Warning   string `json:"warning,omitempty"` // what is wrong with one that is available
	Reason    string `json:"reason,omitempty"`  // why it is not available, and what makes it so
}
