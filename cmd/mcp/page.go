package mcp

import (
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// pageID returns the id of a page that the client is asked to open. It contains the id of the run, because questions
// of several runs may have the same id.
func (q question) pageID() string { return q.runID + "." + q.ID }

// page returns the elicitation of a page. The client shows the address and asks for consent.
func (q question) page() mcp.ElicitationParams {
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, Message: q.Server + " asks: " + q.Message, URL: q.URL, ElicitationID: q.pageID()}
}

// finished tells the client that a page is finished. From MCP 2026-07-28 on, there is no such notification.
func (s *script) finished(q question) {
	if s.ctx == nil || server.IsModernRequest(s.ctx) {
		return
	}
	session := server.ClientSessionFromContext(s.ctx)
	_ = s.server.SendElicitationComplete(s.ctx, session, q.pageID()) // a client that has left needs no notification
}
