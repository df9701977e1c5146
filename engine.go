package toolscript

// The engines that run scripts.
const (
	EngineAuto    = "auto"    // Deno if it is available, otherwise QuickJS
	EngineQuickJS = "quickjs" // the embedded engine, and the default
	EngineDeno    = "deno"    // the installed Deno
)

// Engines returns the values of ExecRequest.Engine.
func Engines() []string { return []string{EngineAuto, EngineQuickJS, EngineDeno} }

// EngineStatus is the state of one engine.
type EngineStatus struct {
	Name      string `json:"name"`
	Available bool   `json:"available"`
	Version   string `json:"version,omitempty"`
	Path      string `json:"path,omitempty"`    // path of the program that runs scripts, if it is not toolscript itself
	Warning   string `json:"warning,omitempty"` // problem of an available engine
	Reason    string `json:"reason,omitempty"`  // why the engine is not available, and how to make it available
}
