package setup

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// ListedSecret is one secret of the list. It has no value.
type ListedSecret struct {
	Name    string          `json:"name"`
	Storage string          `json:"storage,omitempty"` // "": a server refers to it, and it is not stored
	Changed *time.Time      `json:"changed,omitempty"`
	Servers []listedBinding `json:"servers"`
	Waiting []string        `json:"waiting"` // servers of this folder that refer to it and do not get it
}

// listedBinding is a server that may have a secret.
type listedBinding struct {
	Server string    `json:"server"`
	File   string    `json:"file"`
	Since  time.Time `json:"since"`
}

func newSecretList(a *app.App) *cobra.Command {
	var out terminal.Form
	c := &cobra.Command{
		Use:   "list",
		Short: "List the names of secrets, and the servers that get them",
		Args:  app.Takes(),
		RunE:  func(*cobra.Command, []string) error { return listSecrets(a, out) },
	}
	terminal.AddForm(c.Flags(), &out, "print the secrets as JSON, without their values")
	return c
}

func listSecrets(a *app.App, out terminal.Form) error {
	book, err := readSecrets(a)
	if err != nil {
		return err
	}
	list := []ListedSecret{}
	for _, s := range book.List() {
		row := ListedSecret{Name: s.Name, Storage: s.Storage, Changed: &s.Changed, Servers: []listedBinding{}, Waiting: []string{}}
		for _, b := range s.Allowed {
			row.Servers = append(row.Servers, listedBinding{b.Server, b.File, b.At})
		}
		list = append(list, row)
	}
	list = addWaiting(a, list)
	if out.Structured() {
		return out.Write(a.Stdout, list)
	}
	if len(list) == 0 {
		a.Say("no secrets are stored; store one: toolscript secret set NAME --for SERVER")
		return nil
	}
	t := terminal.Table{Header: []string{"Name", "Storage", "Servers", "Waiting"}}
	for _, s := range list {
		var servers []string
		for _, b := range s.Servers {
			servers = append(servers, b.Server)
		}
		t.Add(s.Name, cmp.Or(s.Storage, "not stored"), strings.Join(servers, ", "), strings.Join(s.Waiting, ", "))
	}
	return t.Write(a.Stdout, terminal.Columns(a.Stdout), nil)
}

// addWaiting adds the servers of this folder that refer to a secret and do not get it. If the configuration
// has mistakes, it adds nothing.
func addWaiting(a *app.App, list []ListedSecret) []ListedSecret {
	loaded, err := a.LoadNames()
	if err != nil {
		return list
	}
	for _, r := range loaded.Waiting {
		at := slices.IndexFunc(list, func(s ListedSecret) bool { return s.Name == r.Name })
		if at < 0 {
			at = len(list)
			list = append(list, ListedSecret{Name: r.Name, Servers: []listedBinding{}, Waiting: []string{}})
		}
		list[at].Waiting = append(list[at].Waiting, r.Server)
	}
	return list
}
