package actors

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Profile returns the tools that a profile of the configuration selects, and its name.
// An empty name means the default profile, if there is one. A nil filter selects all tools.
// The error for an unknown name lists the known names.
func (s *System) Profile(name string) (used string, allow toolscript.Filter, err error) {
	if s.options.Profiles == nil {
		return "", nil, nil
	}
	return s.options.Profiles(name)
}

// narrow validates the request and narrows its allow list to the profile. A run of a saved
// script gets the list of the run that calls the script.
func (s *System) narrow(r *toolscript.ExecRequest) error {
	if err := r.Validate(); err != nil || r.Narrowed || r.Parent != "" {
		return err
	}
	used, allow, err := s.Profile(r.Profile)
	if err != nil {
		return err
	}
	r.Profile, r.Narrowed = used, true
	if used != "" {
		r.Asked, r.Allow = append([]string{}, r.Allow...), allow.And(r.Allow)
	}
	return nil
}

// allowed returns the tools that a caller outside any run may reach; nil means all tools.
func allowed(ctx context.Context) toolscript.Filter { return upstream.AllowOf(ctx) }
