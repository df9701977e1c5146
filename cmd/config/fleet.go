package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// AllOfFleet is the value of fleet.use that selects all servers of the fleet.
const AllOfFleet = "*"

// Fleet describes the NATS cluster that offers servers and sandboxes. URL may contain a
// secret. All paths are absolute.
type Fleet struct {
	Source      string   // path of the configuration file
	URL         string   // addresses, separated by commas; "": no fleet
	Credentials string   // file with a JWT and its NKey, or with the seed of an NKey
	CA          string   // PEM file with certificates of authorities
	Cert, Key   string   // PEM files of the client's certificate and its key
	User        string   // name of the gateway in subjects; "": the default
	Use         []string // servers of the fleet that the gateway has without its own entry for them; see All
}

// Address returns the cluster in the form of package cluster. It may contain secrets.
func (f Fleet) Address() cluster.Address {
	return cluster.Address{URL: f.URL, Credentials: f.Credentials, CA: f.CA, Cert: f.Cert, Key: f.Key, User: f.User}
}

// All reports whether the gateway has all servers that the fleet offers.
func (f Fleet) All() bool { return slices.Contains(f.Use, AllOfFleet) }

// PoolOfFleet is the value of limits.pool with which scripts run in sandboxes of the fleet.
const PoolOfFleet = "fleet"

// ofFleet reports whether a server is defined by the hubs of a fleet.
func ofFleet(n *node) bool { return n.child("fleet").flag() }

// joinFleet applies the fleet of a file. It has no effect in a project's file: the project
// could have the user's credentials sent to its own server.
func (l *loader) joinFleet(d *document, file File) error {
	n := d.root.child("fleet")
	if n == nil {
		return nil
	}
	if file.Project {
		l.report(Mistakes{d.mistake([]string{"fleet"}, n.key, "has no effect in a project's file; write it to ~/"+FileName)})
		return nil
	}
	l.config.Settings.Fleet, l.joined = Fleet{}, true // the credentials of one fleet must not be sent to another
	if len(n.missing()) > 0 {
		l.report(d.unsetSettings("fleet"))
		return nil
	}
	f := Fleet{Source: file.Path, URL: n.child("url").text(), User: n.child("user").text(), Use: n.child("use").texts()}
	if n.child("use").text() == AllOfFleet {
		f.Use = []string{AllOfFleet}
	}
	o := l.options
	o.WorkDir = filepath.Dir(file.Path)
	tls := n.child("tls")
	for path, of := range map[*string]*node{&f.Credentials: n.child("credentials"), &f.CA: tls.child("ca"), &f.Cert: tls.child("cert"), &f.Key: tls.child("key")} {
		if of == nil {
			continue
		}
		var err error
		if *path, err = o.absolute(of.text()); err != nil {
			return err
		}
	}
	l.config.Settings.Fleet = f
	return nil
}

// wrongFleet returns the mistakes in fleet that the schema cannot find.
func (d *document) wrongFleet() []finding {
	tls := d.root.child("fleet").child("tls")
	if (tls.child("cert") == nil) == (tls.child("key") == nil) {
		return nil
	}
	return []finding{wrongAt([]string{"fleet", "tls"}, tls.key, "needs both cert and key, or neither")}
}

// joinUsersFleet applies the fleet of the user's file if no named file has one, but without
// fleet.use: the named files decide which servers are used.
func (l *loader) joinUsersFleet(d *document, file File) error {
	if l.joined {
		return nil
	}
	err := l.joinFleet(d, file)
	l.config.Settings.Fleet.Use = nil
	return err
}

// serveFleet adds the servers that fleet.use names. Entries of the files take precedence.
func (l *loader) serveFleet() {
	f := l.config.Settings.Fleet
	for _, name := range f.Use {
		if _, own := l.config.Servers[name]; !own && name != AllOfFleet {
			l.config.Servers[name] = f.Server()
		}
	}
	for name, c := range l.config.Servers {
		if c.Kind().Hub && c.Problem == nil && !c.Disabled {
			c.Problem = f.problem(name)
			l.config.Servers[name] = c
		}
	}
}

// Server returns the configuration of a server of the fleet without an entry.
func (f Fleet) Server() upstream.Config {
	return upstream.Config{Type: upstream.Fleet, Source: f.Source, Timeout: upstream.DefaultTimeout}
}

// problem returns why the fleet cannot have a server of this name, or nil.
func (f Fleet) problem(name string) error {
	var why error
	switch {
	case f.URL == "":
		why = fmt.Errorf(`no fleet is configured; write "fleet": {"url": "nats://HOST:4222"} to ~/%s, and run: toolscript gateway reload`, FileName)
	case !wire.ValidName(name):
		why = errors.New("the name of a server in a fleet has at most 64 letters of ASCII, digits, hyphens and underscores; rename it")
	default:
		if why = toolscript.CheckServerName(name); why == nil {
			return nil
		}
	}
	return &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: why}
}

// secrets returns the passwords and tokens in the addresses.
func (f Fleet) secrets() (all []string) {
	for address := range strings.SplitSeq(f.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(address))
		if err != nil || u.User == nil {
			continue
		}
		if password, ok := u.User.Password(); ok {
			all = append(all, password)
		} else {
			all = append(all, u.User.Username()) // a user without a password is a token
		}
	}
	return all
}
