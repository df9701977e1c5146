package toolscript

// StoreName selects the store of scripts in filters of servers and tools.
const StoreName = "$store"

// StoreForm is the form of a text about the store of scripts.
type StoreForm string

// The forms. All describe the current values.
const (
	StoreAll          StoreForm = "all"          // store with all methods, and known values
	StoreValues       StoreForm = "values"       // only known values; "" if there are none
	StoreDeclarations StoreForm = "declarations" // for the .d.ts of an editor: known values of the project
)

// StoreQuery selects a text about the store of scripts: GET /store/types.
type StoreQuery struct {
	Form    StoreForm
	Session string // session of the client; "": the gateway's session
	Cwd     string // working directory of the client
}

// StoreTypes is the response to a StoreQuery.
type StoreTypes struct {
	Types string `json:"types"`
}
