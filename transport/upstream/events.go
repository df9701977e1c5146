package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/internal/rescue"
)

// Events receives unsolicited messages of a server. Nil functions are not called. The
// functions may be called concurrently and before Dial returns. They run in the
// goroutines that read from the server, so a function that blocks delays all later
// answers.
type Events struct {
	ToolsChanged func()                                 // the server's list of tools has changed
	Log          func(level slog.Level, message string) // log messages of the server, and violations of MCP

	// Elicit forwards an elicitation of the server to the user. It takes the
	// parameters of the request and returns the result, both in MCP's format. ctx
	// ends with the call that the elicitation belongs to, or with the connection.
	// Elicit may block. If it is nil, the handshake does not offer elicitation, and
	// requests for it are refused.
	Elicit func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)

	Updated     func(uri string)                                 // a resource has changed
	ListChanged func(toolscript.Collection)                      // the list of resources or of prompts has changed
	Said        func(level, logger string, data json.RawMessage) // a log message, with a level of MCP; logger may be ""

	// Finished is told the id of an elicitation whose page is finished. It may be unknown.
	Finished func(page string)

	// Spoken is what the last connection to the server has found. Speaks receives what this one
	// finds, if it differs. It may be called before Dial returns, and must not block.
	Spoken Spoken
	Speaks func(Spoken)

	// Starting is called before a stdio server may have to wait for another installation, and
	// when its process runs. look returns what has happened so far; it is valid until Dial returns.
	Starting func(look func() proc.Activity)
}

// Spoken is what is known about the MCP versions of a server from an earlier connection. The zero
// value means nothing.
type Spoken struct {
	// Version is Stateless if the server has answered in that version, and otherwise the version
	// that its handshake has agreed on.
	Version string `json:"version"`

	// Server is the server's own version at that time. A server with another one is asked again.
	Server string `json:"server,omitempty"`
}

// NoteStarting calls Starting.
func (e Events) NoteStarting(look func() proc.Activity) {
	if e.Starting != nil {
		e.Starting(look)
	}
}

// NoteToolsChanged calls ToolsChanged.
func (e Events) NoteToolsChanged() {
	if e.ToolsChanged != nil {
		e.ToolsChanged()
	}
}

// NoteUpdated calls Updated.
func (e Events) NoteUpdated(uri string) {
	if e.Updated != nil && uri != "" {
		e.Updated(uri)
	}
}

// NoteListChanged calls ListChanged.
func (e Events) NoteListChanged(of toolscript.Collection) {
	if e.ListChanged != nil {
		e.ListChanged(of)
	}
}

// NoteFinished calls Finished.
func (e Events) NoteFinished(page string) {
	if e.Finished != nil && page != "" {
		e.Finished(page)
	}
}

// Logf calls Log with a formatted message.
func (e Events) Logf(level slog.Level, format string, args ...any) {
	defer rescue.Ignore() // a panic of the log function cannot be reported
	if e.Log != nil {
		e.Log(level, fmt.Sprintf(format, args...))
	}
}
