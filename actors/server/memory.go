package server

import (
	"errors"
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Memory stores the tools that servers listed last, their instructions and their MCP versions, so
// that the next gateway knows them. Its methods may be called concurrently and may be slow.
type Memory interface {
	// Recall returns the tools that a server with this configuration listed last; nil if they
	// are not known.
	Recall(name string, cfg upstream.Config) []toolscript.Tool
	Keep(name string, cfg upstream.Config, tools []toolscript.Tool) error
	// Instructions returns the instructions that the server had when it listed them.
	Instructions(name string, cfg upstream.Config) string
	KeepInstructions(name string, cfg upstream.Config, text string) error
	// Spoken returns the MCP versions that the last connection to a server with this configuration has found.
	Spoken(name string, cfg upstream.Config) upstream.Spoken
	KeepSpoken(name string, cfg upstream.Config, s upstream.Spoken) error
}

// recall loads the stored tools, which are valid until the server lists its tools.
func (s *Server) recall() {
	if s.Memory == nil {
		return
	}
	memory, name, config, options, post := s.Memory, s.Name, s.Config, s.Options, s.post
	s.Work.Go(func() {
		if tools := memory.Recall(name, config); len(tools) > 0 {
			post(recalled{tools, options.examine("", tools)})
		}
	}, func(error) {})
}

func (s *Server) recalled(m recalled) {
	if s.connects == 0 && s.state != toolscript.Failed {
		s.choose(m.tools, m.review)
		s.notifyTools()
		if len(m.review.Changes)+len(m.review.Suspicions) > 0 {
			s.tell(catalog.ServerChanged{Status: s.status()})
		}
	}
}

// keep stores the tools that the server has listed.
func (s *Server) keep(tools []toolscript.Tool) {
	if s.Memory == nil {
		return
	}
	memory, name, config, logger, instructions := s.Memory, s.Name, s.Config, s.Logger, s.info.Instructions
	s.Work.Go(func() {
		if err := errors.Join(memory.Keep(name, config, tools), memory.KeepInstructions(name, config, instructions)); err != nil {
			logger.Debug("tool list not cached", slog.String("error", err.Error()))
		}
	}, func(error) {})
}
