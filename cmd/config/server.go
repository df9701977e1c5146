package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// server builds the configuration of one server from its validated tree. wrong are mistakes
// that only the values of variables, or other parts of the file, reveal.
func (o Options) server(n *node, name string, file File, packs toolscript.ToolPacks) (c upstream.Config, wrong []finding) {
	note := func(err error, field ...string) {
		if err != nil {
			at := n.find(field)
			wrong = append(wrong, wrongAt(append([]string{serversKey, name}, field...), at.key, err.Error()))
		}
	}
	o.resolve(n, file, note)
	dir := serverDir(n, file)
	root, err := o.rootOf(n, file)
	note(err, "root")
	tools, err := builtinTools(n, packs)
	note(err, "tools")
	confine, err := o.confine(n, cmp.Or(root, dir))
	note(err, "confine")
	c = upstream.Config{
		Confine:      confine,
		API:          settings(n),
		Type:         kindOf(n).Type,
		Disabled:     n.child("disabled").flag(),
		Stateless:    n.child("stateless").flag(),
		Command:      n.child("command").text(),
		Args:         n.child("args").texts(),
		Env:          n.child("env").textMap(),
		InheritEnv:   n.child("inheritEnv").flag(),
		InheritNames: n.child("inheritEnv").texts(),
		Dir:          dir,
		Source:       file.Path,
		URL:          loginAddress(n),
		Headers:      n.child("headers").textMap(),
		OAuth:        oauthConfig(n.child("oauth")),
		Accounts:     n.accounts,
		Root:         root,
		Tools:        tools,
		Settings:     builtinSettings(n),
		Commands:     commandTools(n),
		Protocol:     n.child("protocol").text(),
		IncludeTools: n.child("includeTools").texts(),
		ExcludeTools: n.child("excludeTools").texts(),
		Overrides:    overridesOf(n.child("overrides")),
		Secrets:      n.secrets(),
	}
	setLimits(&c, n)
	note(o.share(&c, n), "shared")
	note(checkSlots(c), "concurrency")
	if !file.Project && !file.Named {
		c.Written = shortHash([]byte(definition(name, n, definingFields(n))))
	}
	c.Project = o.project(n, file, c)
	return c, wrong
}

func setLimits(c *upstream.Config, n *node) {
	c.Timeout, c.StartupTimeout, c.Idle = n.child("timeout").duration(), n.child("startupTimeout").duration(), n.child("idle").duration()
	c.Timeout = cmp.Or(c.Timeout, upstream.DefaultTimeout)
	c.Concurrency, c.RateLimit = n.child("concurrency").integer(), rateLimit(n.child("rateLimit"))
}

// rateLimit returns the zero value if there is no rate limit. Without burst, calls are spaced evenly.
func rateLimit(n *node) upstream.RateLimit {
	if n == nil {
		return upstream.RateLimit{}
	}
	return upstream.RateLimit{Calls: n.child("calls").integer(), Per: n.child("per").duration(), Burst: max(1, n.child("burst").integer())}
}

// kindOf returns the kind with the configured type, else the one that command or url imply. It is
// zero if the type is a variable without a value.
func kindOf(n *node) upstream.Kind {
	switch t := n.child("type"); {
	case ofFleet(n):
		return upstream.KindOf(upstream.Fleet)
	case t != nil && len(t.unset) > 0:
		return upstream.Kind{}
	case t != nil:
		return upstream.KindOf(t.text())
	default:
		return impliedKind(n)
	}
}

// impliedKind returns the kind that the keys of a server without a type imply.
func impliedKind(n *node) upstream.Kind {
	for _, k := range upstream.Kinds() {
		if k.Implied != "" && n.child(k.Implied) != nil {
			return k
		}
	}
	return upstream.KindOf(upstream.HTTP)
}

// serverDir returns the working directory of a server. A project's servers run in the
// project's folder, so that it does not matter where the gateway was started. Other servers
// run in the gateway's folder.
func serverDir(n *node, file File) string {
	if cwd := n.child("cwd").text(); cwd != "" || !file.Project || ofFleet(n) {
		return cwd
	}
	return filepath.Dir(file.Path)
}

// problem returns why a server with a valid configuration must not be started, or nil.
func (o Options) problem(name string, n *node, trusted bool) error {
	if !trusted {
		return &toolscript.Error{Kind: toolscript.Forbidden, Server: name, Err: errNotTrusted}
	}
	if n.child("disabled").flag() {
		return nil // the server is not started in any case
	}
	var unset, names []string
	missing := n.missing()
	for _, m := range missing {
		if m.why == nil {
			names = append(names, m.variable)
			unset = append(unset, fmt.Sprintf("variable %s is not set (%s)", printable(m.variable), fieldPath(n, m.field)))
		}
	}
	if len(unset) == 0 {
		return secretProblem(name, missing)
	}
	next := "set it in the shell that runs toolscript (for a running gateway, then run: toolscript gateway reload)"
	if o.Unset != nil {
		slices.Sort(names)
		next = o.Unset(name, slices.Compact(names))
	}
	return &toolscript.Error{
		Kind: toolscript.Invalid, Server: name,
		Err: errors.New(strings.Join(slices.Compact(unset), "; ") + "; " + next + ", or write a default: ${NAME:-default}"),
	}
}

// wrongTogether returns mistakes in fields of a server that conflict with each other.
func (o Options) wrongTogether(name string, n *node) (out []finding) {
	location := func(field string) []string { return []string{serversKey, name, field} }
	if problem := sharingProblem(n); problem != "" {
		out = append(out, wrongAt(location("shared"), n.child("shared").key, problem))
	}
	login := n.child("oauth")
	if login == nil || !kindOf(n).Has("oauth") {
		return out
	}
	if err := oauthConfig(login).Check(); err != nil {
		out = append(out, wrongAt(location("oauth"), login.key, err.Error()))
	}
	return out
}

func oauthConfig(n *node) oauth.Config {
	return oauth.Config{
		Grant:             n.child("grant").text(),
		ClientID:          n.child("clientId").text(),
		ClientSecret:      oauth.Secret(n.child("clientSecret").text()),
		PrivateKey:        oauth.Secret(n.child("privateKey").text()),
		SigningAlgorithm:  n.child("signingAlgorithm").text(),
		Assertion:         oauth.Secret(n.child("assertion").text()),
		AssertionFile:     n.child("assertionFile").text(),
		IDPTokenEndpoint:  n.child("identityProvider").child("tokenEndpoint").text(),
		IDPClientID:       n.child("identityProvider").child("clientId").text(),
		IDPClientSecret:   oauth.Secret(n.child("identityProvider").child("clientSecret").text()),
		ClientMetadataURL: n.child("clientMetadataUrl").text(),
		Issuer:            n.child("issuer").text(),
		Scope:             n.child("scope").text(),
		CallbackPort:      n.child("callbackPort").integer(),
		Storage:           n.child("storage").text(),
	}
}

var errNotTrusted = errors.New("not trusted; run: toolscript trust")

// idleFields returns warnings about fields of a server that have no effect.
func (d *document) idleFields(name string, n *node) Mistakes {
	var out Mistakes
	kind := kindOf(n)
	for field, child := range n.children() {
		ofOthers := slices.ContainsFunc(upstream.Kinds(), func(k upstream.Kind) bool { return k.Has(field) })
		if kind.Keys != nil && !kind.Has(field) && ofOthers {
			message := fmt.Sprintf("has no effect on a server of type %s", kind.Type)
			out = append(out, d.mistake([]string{serversKey, name, field}, child.key, message))
		}
	}
	if kind.Has("oauth") {
		out = append(out, d.idleOAuth(name, n)...)
	}
	return append(out, d.sharesState(name, n)...)
}

// idleOAuth returns warnings about fields of oauth that another field makes ineffective.
func (d *document) idleOAuth(name string, n *node) Mistakes {
	login := n.child("oauth")
	if login == nil {
		return nil
	}
	for header := range n.child("headers").children() {
		if strings.EqualFold(header, "Authorization") {
			return Mistakes{d.mistake([]string{serversKey, name, "oauth"}, login.key, "has no effect together with an Authorization header")}
		}
	}
	var out Mistakes
	warn := func(field, why string) {
		if child := login.child(field); child != nil {
			out = append(out, d.mistake([]string{serversKey, name, "oauth", field}, child.key, "has no effect "+why))
		}
	}
	if login.child("privateKey") == nil {
		warn("signingAlgorithm", "without privateKey")
	}
	if grant := login.child("grant").text(); (oauth.Config{Grant: grant}).Machine() {
		warn("callbackPort", "with the grant "+grant)
		warn("clientMetadataUrl", "with the grant "+grant)
	}
	return out
}
