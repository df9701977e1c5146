package toolscript

// ReloadPlan lists what a reload would do, without doing it.
type ReloadPlan struct {
	Changes  bool            `json:"changes"`  // a server or a setting differs from the running configuration
	Servers  []ServerChange  `json:"servers"`  // all servers, old and new, sorted by name
	Settings []SettingChange `json:"settings"` // the settings that would change, sorted by name
	Files    []PlannedFile   `json:"files"`    // in the order in which they take effect

	NotTrusted []string `json:"notTrusted,omitempty"` // servers that would not be started before toolscript trust
	Warnings   []string `json:"warnings,omitempty"`   // warnings about the configuration files
}

// ChangeAction is what a reload does to a server.
type ChangeAction string

// The actions of a reload.
const (
	ChangeAdd     ChangeAction = "add"
	ChangeRemove  ChangeAction = "remove"
	ChangeRestart ChangeAction = "restart" // the connection and the process end, and the server connects again
	ChangeStop    ChangeAction = "stop"    // the connection and the process end; the new configuration does not allow the start
	ChangeAdjust  ChangeAction = "adjust"  // limits or tool filters change without a new connection
	ChangeKeep    ChangeAction = "keep"
)

// ServerChange is what a reload does to one server. It holds no values of the
// configuration.
type ServerChange struct {
	Name   string       `json:"name"`
	Action ChangeAction `json:"action"`
	Fields []string     `json:"fields,omitempty"` // names of the fields that differ, such as env.LEVEL
	Retry  bool         `json:"retry,omitempty"`  // the server is not connected and tries again at once
	Reason string       `json:"reason,omitempty"` // why the server would not be started
}

// SettingChange is a setting that a reload would change.
type SettingChange struct {
	Name    string `json:"name"`              // such as limits.timeoutMs
	Restart bool   `json:"restart,omitempty"` // the change takes effect only after toolscript gateway restart
}

// PlannedFile is a configuration file that a reload reads.
type PlannedFile struct {
	Path    string `json:"path"`
	Found   bool   `json:"found"`
	Trusted bool   `json:"trusted"` // the whole file takes effect
}
