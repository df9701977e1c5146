package toolscript

// ReloadPlan is what a reload would do. A reload does what its plan says.
type ReloadPlan struct {
	Changes  bool            `json:"changes"`  // a server or a setting differs from what is in force
	Servers  []ServerChange  `json:"servers"`  // all servers, old and new, sorted by name
	Settings []SettingChange `json:"settings"` // those that would change, sorted by name
	Files    []PlannedFile   `json:"files"`    // in the order of their effect

	NotTrusted []string `json:"notTrusted,omitempty"` // servers that would not be started before toolscript trust
	Warnings   []string `json:"warnings,omitempty"`   // about the files
}

// ChangeAction is what a reload does with a server.
type ChangeAction string

// The actions of a reload.
const (
	ChangeAdd     ChangeAction = "add"
	ChangeRemove  ChangeAction = "remove"
	ChangeRestart ChangeAction = "restart" // its connection and process end, and it connects again
	ChangeStop    ChangeAction = "stop"    // its connection and process end; the new configuration does not allow its start
	ChangeAdjust  ChangeAction = "adjust"  // limits or tool filters change on the same connection
	ChangeKeep    ChangeAction = "keep"
)

// ServerChange is what a reload does with one server. It has no value of the
// configuration.
type ServerChange struct {
	Name   string       `json:"name"`
	Action ChangeAction `json:"action"`
	Fields []string     `json:"fields,omitempty"` // of the configuration that differ, such as env.LEVEL
	Retry  bool         `json:"retry,omitempty"`  // it is not connected, and tries again at once
	Reason string       `json:"reason,omitempty"` // why it would not be started
}

// SettingChange is a setting that differs.
type SettingChange struct {
	Name    string `json:"name"`              // such as limits.timeoutMs
	Restart bool   `json:"restart,omitempty"` // it has effect only after toolscript gateway restart
}

// PlannedFile is a configuration file that a reload reads.
type PlannedFile struct {
	Path    string `json:"path"`
	Found   bool   `json:"found"`
	Trusted bool   `json:"trusted"` // all of it has effect
}
