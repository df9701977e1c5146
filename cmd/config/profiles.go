package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// Profile is a named set of servers and tools.
type Profile struct {
	Description string
	Allow       toolscript.Filter // selected tools; never nil
}

// profiles applies the profiles of a file. A profile replaces an earlier one of the same
// name, and the default profile replaces an earlier default.
func (l *loader) profiles(d *document) {
	s := &l.config.Settings
	if all := d.root.child("profiles"); all != nil {
		profiles := map[string]Profile{}
		maps.Copy(profiles, s.Profiles)
		for name, n := range all.children() {
			profiles[name] = Profile{n.child("description").text(), append(toolscript.Filter{}, n.child("allow").texts()...)}
		}
		s.Profiles = profiles
	}
	n := d.root.child("profile")
	if n == nil {
		return
	}
	if len(n.unset) > 0 { // without the profile, everything could be called
		l.fail(d.mistake([]string{"profile"}, n.at, fmt.Sprintf("variable %s is not set; write a default: ${%[1]s:-NAME}", printable(n.unset[0]))))
		return
	}
	s.Profile = n.text()
	l.profileAt = func(message string) *Mistake { return d.mistake([]string{"profile"}, n.at, message) }
}

// finishProfiles adds the servers of the command line to all profiles, because the user has
// named them, and checks the default profile.
func (l *loader) finishProfiles() {
	for name, p := range l.config.Settings.Profiles {
		for server := range l.options.Extra {
			p.Allow = append(slices.Clip(p.Allow), server)
		}
		l.config.Settings.Profiles[name] = p
	}
	l.checkProfile()
}

// checkProfile reports a default profile that does not exist. Files that are not trusted
// set no default.
func (l *loader) checkProfile() {
	if l.profileAt == nil {
		return
	}
	if _, _, err := l.config.Settings.Narrow(""); err != nil {
		l.fail(l.profileAt(err.Error()))
	}
}

// Narrow returns the tools that a profile selects. An empty name selects the default
// profile of the configuration; if there is none, the filter is nil. used is the name of
// the selected profile. The error for an unknown name lists the known ones.
func (s Settings) Narrow(name string) (used string, allow toolscript.Filter, err error) {
	if name = cmp.Or(name, s.Profile); name == "" {
		return "", nil, nil
	}
	if p, known := s.Profiles[name]; known {
		return name, p.Allow, nil
	}
	return "", nil, &toolscript.Error{Kind: toolscript.Invalid, Err: s.noProfile(name)}
}

func (s Settings) noProfile(name string) error {
	known := slices.Sorted(maps.Keys(s.Profiles))
	if len(known) == 0 {
		return fmt.Errorf(`there is no profile %.100q, because the configuration has none; write them to "profiles" of .toolscript.json`, name)
	}
	return fmt.Errorf("there is no profile %.100q; there are: %s", name, strings.Join(known, ", "))
}
