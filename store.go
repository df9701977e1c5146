package toolscript

// StoreName selects the store of scripts where names of servers and tools select tools.
const StoreName = "$store"

// StoreForm is one of the texts about the store of scripts.
type StoreForm string

// The forms. Values are described as they look now.
const (
	StoreAll          StoreForm = "all"          // store with all methods, and known values
	StoreValues       StoreForm = "values"       // known values alone; "" if there are none
	StoreDeclarations StoreForm = "declarations" // for the .d.ts of an editor: known values of the project
)

// StoreQuery asks for a text about the store of scripts: GET /store/types.
type StoreQuery struct {
	Form    StoreForm
	Session string // of the client; "": that of the gateway
	Cwd     string // of the client
}

// StoreTypes is the answer: TypeScript.
type StoreTypes struct {
	Types string `json:"types"`
}
