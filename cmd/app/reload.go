package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// ReloadUsers reloads the running gateways that use a file.
func (a *App) ReloadUsers(ctx context.Context, path string) error {
	urls, err := a.Target.Users(path)
	if err != nil {
		return err
	}
	return a.reloadAll(ctx, urls)
}

// ReloadUsersOf reloads each running gateway that uses one of the files, once.
func (a *App) ReloadUsersOf(ctx context.Context, files []string) error {
	slices.Sort(files)
	var urls []string
	for _, file := range slices.Compact(files) {
		of, err := a.Target.Users(file)
		if err != nil {
			return err
		}
		urls = append(urls, of...)
	}
	slices.Sort(urls)
	return a.reloadAll(ctx, slices.Compact(urls))
}

// reloadAll reloads the gateways at some addresses.
func (a *App) reloadAll(ctx context.Context, urls []string) error {
	if len(urls) == 0 {
		a.Say("no running gateway has taken the change: none uses the file")
	}
	var failed error
	for _, url := range urls {
		host, changed, err := reloadAt(ctx, url)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("the gateway at %s was not reloaded: %w; run: %s", host, err, toolscript.Command("gateway", "reload", "-g", withoutCapability(url))))
			continue
		}
		a.Say("gateway at %s: %s", host, ChangeWords(changed))
	}
	return failed
}

func reloadAt(ctx context.Context, url string) (host string, changed toolscript.Reload, err error) {
	g, err := Dial(ctx, url)
	if err != nil {
		address, addressErr := AddressOf(url)
		return address, changed, errors.Join(err, addressErr)
	}
	defer g.Close()
	changed, err = g.Reload(ctx, nil)
	return g.Host(), changed, err
}

// ChangeWords describes the changes in one line.
func ChangeWords(r toolscript.Reload) string {
	var parts []string
	for _, p := range []struct {
		what  string
		names []string
	}{{"added", r.Added}, {"removed", r.Removed}, {"changed", r.Changed}, {"adjusted", r.Adjusted}, {"trying again", r.Retried}} {
		if len(p.names) > 0 {
			parts = append(parts, p.what+" "+strings.Join(p.names, ", "))
		}
	}
	if len(r.Search) > 0 {
		parts = append(parts, "search changed: "+strings.Join(r.Search, ", "))
	}
	if len(parts) == 0 {
		parts = append(parts, "no server changed")
	}
	return fmt.Sprintf("%s; %d unchanged", strings.Join(parts, "; "), len(r.Unchanged))
}

// AddressOf returns scheme, host and port of a gateway's URL.
func AddressOf(capabilityURL string) (string, error) {
	u, err := url.Parse(capabilityURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", errors.New("this is not the URL of a gateway, which looks like http://127.0.0.1:PORT/CAPABILITY")
	}
	return u.Scheme + "://" + u.Host, nil
}
