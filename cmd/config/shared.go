package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/transport/upstream"
)

// perProject is the value of shared for a server that the gateways of one folder share.
const perProject = "per-project"

func shared(n *node) bool {
	s := n.child("shared")
	return kindOf(n).Has("shared") && (s.flag() || s.text() == perProject)
}

// share completes the configuration of a shared server. The hub runs the server, so nothing
// may depend on the gateway that names it first: the working directory is fixed, and the
// variables of inheritEnv get their values from this environment.
func (o Options) share(c *upstream.Config, n *node) error {
	if !shared(n) {
		return nil
	}
	c.Shared = upstream.SharedHost
	folder := o.home()
	if n.child("shared").text() == perProject {
		c.Shared = upstream.SharedProject
		var err error
		if folder, err = ProjectFolder(o); err != nil {
			return err
		}
	}
	if !c.Kind().Process {
		return nil
	}
	c.Dir = cmp.Or(c.Dir, folder)
	for _, name := range c.InheritNames {
		value, ok := o.lookupEnv(name)
		if _, set := c.Env[name]; ok && !set {
			if c.Env == nil {
				c.Env = map[string]string{}
			}
			c.Env[name] = value
		}
	}
	c.InheritNames = nil
	return nil
}

// ProjectFolder returns the folder of the project's file, else the working directory. The
// gateways of one such folder share the servers with shared: "per-project".
func ProjectFolder(o Options) (string, error) {
	work, err := o.workDir()
	if err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	}
	work = resolved(work)
	if path, ok := projectFile(work, o.home()); ok {
		return filepath.Dir(path), nil
	}
	return work, nil
}

// sharingProblem returns why a server cannot be shared, or "".
func sharingProblem(n *node) string {
	if !shared(n) || !n.child("inheritEnv").flag() || !kindOf(n).Process {
		return ""
	}
	return "a shared server cannot inherit all variables, because they differ between sessions; " +
		`name those that it needs, such as "inheritEnv": ["API_TOKEN"], or remove "shared"`
}

// stateful lists packages of servers that keep the state of a session, such as the page of
// a browser.
var stateful = []string{
	"@playwright/mcp", "@executeautomation/playwright-mcp-server", "chrome-devtools-mcp", "@browsermcp/mcp", "@modelcontextprotocol/server-puppeteer",
	"@modelcontextprotocol/server-sequential-thinking",
}

// sharesState warns about a shared server that is known to keep the state of a session.
func (d *document) sharesState(name string, n *node) Mistakes {
	if !shared(n) {
		return nil
	}
	known := statefulOf(n.child("args").texts())
	if known == "" {
		return nil
	}
	return Mistakes{d.mistake([]string{serversKey, name, "shared"}, n.child("shared").key,
		known+" keeps the state of a session, which all gateways would use together")}
}

// statefulOf returns the first package of stateful among the arguments of a command, or "".
func statefulOf(args []string) string {
	for _, arg := range args {
		for _, known := range stateful {
			if isPackage(arg, known) {
				return known
			}
		}
	}
	return ""
}

// Hub are the settings of the process that runs shared servers.
type Hub struct {
	Idle time.Duration // how long it runs without users; 0: the default
	Port int           // port of this machine for NATS clients; 0: none
}

// LoadHub reads hub from the user's file. It ignores other files, because the hub serves
// all projects of the user.
func LoadHub(o Options) (Hub, error) {
	d, err := o.userFile("hub")
	if err != nil || d == nil {
		return Hub{}, err
	}
	n := d.root.child("hub")
	return Hub{Idle: n.child("idle").duration(), Port: n.child("port").integer()}, nil
}
