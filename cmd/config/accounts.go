package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
)

// accountsKey is the field of a server that lists its accounts.
const accountsKey = "accounts"

// accountReference stands for the name of the account in the texts of a server with accounts. It
// may be part of another reference: ${secret:github-${account}}.
const accountReference = "${account}"

// maxAccounts is the maximum number of accounts of a server: each has a connection.
const maxAccounts = 20

var accountName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9]([_-]?[A-Za-z0-9]){0,39}$`)
})

// expandAccounts replaces each server with accounts by one server for each account, such as
// github@work. All later steps, such as trust and secrets, see only these. A list that the
// schema refuses stays, and the schema reports it.
func (d *document) expandAccounts() {
	servers := d.root.child(serversKey)
	if servers == nil {
		return
	}
	all, is := servers.value.(*object)
	if !is {
		return
	}
	var names []string
	for _, name := range all.names {
		n := all.fields[name]
		n.misnamed = toolscript.SeparatesAccount(name)
		accounts, valid := accountsOf(n)
		if !valid || n.misnamed {
			names = append(names, name)
			continue
		}
		delete(all.fields, name)
		n.remove([]string{accountsKey})
		for _, account := range accounts {
			full := name + toolscript.AccountSeparator + account
			if all.fields[full] != nil { // the name is a mistake, which disables it
				continue
			}
			of := n.withAccount(account)
			of.accounts = accounts
			names, all.fields[full] = append(names, full), of
		}
	}
	all.names = names
}

// accountsOf returns the accounts of a server. valid is false if it has none, or if the list has
// a mistake.
func accountsOf(n *node) (accounts []string, valid bool) {
	list := n.child(accountsKey).list()
	for _, item := range list[:min(len(list), maxAccounts+1)] {
		if accountName().MatchString(item.text()) {
			accounts = append(accounts, item.text())
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(accounts)))
	return accounts, len(list) > 0 && len(list) <= maxAccounts && len(distinct) == len(list)
}

// withAccount returns a copy of the tree in which the account replaces its references.
func (n *node) withAccount(account string) *node {
	c := *n
	switch v := n.value.(type) {
	case string:
		c.value = withAccount(v, account)
		c.written = withAccount(n.written, account)
	case []*node:
		items := make([]*node, len(v))
		for i, item := range v {
			items[i] = item.withAccount(account)
		}
		c.value = items
	case *object:
		fields := maps.Clone(v.fields)
		for name, field := range fields {
			fields[name] = field.withAccount(account)
		}
		c.value = &object{names: slices.Clone(v.names), fields: fields}
	}
	return &c
}

// withAccount replaces the references to the account in a text. $${account} stays, because it is
// an escaped reference.
func withAccount(text, account string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, accountReference)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		if strings.HasSuffix(before, "$") {
			out.WriteString(accountReference)
		} else {
			out.WriteString(account)
		}
		text = after
	}
}

// wrongAccounts returns the mistakes in the name of a server and in its accounts.
func (d *document) wrongAccounts(name string, n *node) []finding {
	switch {
	case n.misnamed:
		return []finding{wrongAt([]string{serversKey, name}, n.key, "the name of a server must not hold "+toolscript.AccountSeparator+
			` after its first character, because that separates server and account; rename it, or write its accounts into "accounts"`)}
	case n.accounts != nil && ofFleet(n):
		return []finding{wrongAt([]string{serversKey, name, accountsKey}, n.key, "a server of the fleet has no accounts")}
	}
	return nil
}

// replaceAccounts removes the servers of earlier files that a server of d replaces under another
// name: github@work for github or github@home. A script of a project must not reach them.
func (l *loader) replaceAccounts(d *document, e effect) {
	servers := d.root.child(serversKey)
	replaced := map[string]string{} // names of d, by the name without the account
	for name := range servers.children() {
		replaced[toolscript.WithoutAccount(name)] = name
	}
	for name := range maps.Clone(l.config.Servers) {
		by, is := replaced[toolscript.WithoutAccount(name)]
		if !is || servers.child(name) != nil {
			continue
		}
		if !e.server(by) {
			l.config.Hidden = append(l.config.Hidden, name)
		}
		delete(l.config.Servers, name)
		delete(l.awake, name)
		l.config.Waiting = slices.DeleteFunc(l.config.Waiting, func(r SecretRequest) bool { return r.Server == name })
	}
}
