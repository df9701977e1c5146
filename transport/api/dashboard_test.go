package api_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

// desk is a gateway that shows links of the dashboard to a person.
type desk struct {
	*live
	shown []string // links that were shown
}

func newDesk(t *testing.T, b api.Backend, change ...func(*api.Options)) *desk {
	t.Helper()
	d := &desk{}
	show := func(_ context.Context, link string, by api.LinkRequest) (string, error) {
		d.shown = append(d.shown, link)
		if by.Print {
			return api.ShownTerminal, nil
		}
		return api.ShownBrowser, nil
	}
	d.live = serve(t, b, append(change, func(o *api.Options) { o.ShowLink = show })...)
	return d
}

// link makes the gateway show a new link and returns it.
func (d *desk) link(t *testing.T) string {
	t.Helper()
	if _, err := d.client(t).ShowDashboard(t.Context(), api.LinkRequest{}); err != nil {
		t.Fatal(err)
	}
	return d.shown[len(d.shown)-1]
}

// tab is an open page of the dashboard.
type tab struct {
	*desk
	path   string
	cookie string
}

func (d *desk) open(t *testing.T) tab {
	t.Helper()
	a := visit(t, http.MethodGet, d.link(t), "")
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	if a.status != http.StatusSeeOther || cookie == "" {
		t.Fatalf("the link: %d %s", a.status, a.body)
	}
	return tab{d, a.header.Get("Location"), cookie}
}

// visit makes a request, without a body if body is "", and does not follow redirects.
func visit(t *testing.T, method, address, body string, change ...func(*http.Request)) answer {
	t.Helper()
	return ask(t, method, address, strings.NewReader(body), change...)
}

// get makes a GET request with the cookie of the page.
func (b tab) get(t *testing.T, path string, change ...func(*http.Request)) answer {
	t.Helper()
	return visit(t, http.MethodGet, b.BaseURL()+path, "", append([]func(*http.Request){header("Cookie", b.cookie)}, change...)...)
}

// post makes a POST request as the page does.
func (b tab) post(t *testing.T, path, body string, change ...func(*http.Request)) answer {
	t.Helper()
	own := []func(*http.Request){
		header("Cookie", b.cookie), header("Origin", b.BaseURL()), header("Sec-Fetch-Site", "same-origin"),
		header("Content-Type", "application/json"), header("Toolscript-Page", "1"),
	}
	return visit(t, http.MethodPost, b.BaseURL()+b.path+path, body, append(own, change...)...)
}

// TestDashboardLink: a link works once, and only for the person who opens it.
func TestDashboardLink(t *testing.T) {
	d := newDesk(t, &fake{})
	made := d.ask(t, http.MethodPost, "/dashboard", `{"print":true}`)
	if made.status != http.StatusOK || made.body != `{"shown":"terminal"}`+"\n" {
		t.Errorf("POST /dashboard: %d %s", made.status, made.body)
	}
	link := d.shown[0]
	if !strings.HasPrefix(link, d.BaseURL()+"/dashboard/open/") || strings.Contains(link, d.token) {
		t.Errorf("the link is %s", link)
	}
	for name, change := range map[string]func(*http.Request){
		"another site":      header("Sec-Fetch-Site", "cross-site"),
		"another port":      header("Sec-Fetch-Site", "same-site"),
		"another origin":    header("Origin", "http://evil.example"),
		"another host name": header("Host", "evil.example"),
		"a prefetch":        header("Sec-Purpose", "prefetch;prerender"),
		"an old prefetch":   header("Purpose", "prefetch"),
	} {
		if a := visit(t, http.MethodGet, link, "", change); a.kind() != toolscript.Forbidden || a.header.Get("Set-Cookie") != "" {
			t.Errorf("the link from %s: %d %s", name, a.status, a.body)
		}
	}
	if a := visit(t, http.MethodHead, link, ""); a.header.Get("Set-Cookie") != "" {
		t.Errorf("HEAD of the link: %d %v", a.status, a.header)
	}
	first := visit(t, http.MethodGet, link, "", header("Sec-Fetch-Site", "none"))
	path := first.header.Get("Location")
	want := regexp.MustCompile(`^toolscript=[\w-]{32}; path=` + regexp.QuoteMeta(path) + `; HttpOnly; SameSite=Strict$`)
	if cookie := first.header.Get("Set-Cookie"); first.status != http.StatusSeeOther || !regexp.MustCompile(`^/dashboard/[\w-]{32}$`).MatchString(path) || !want.MatchString(cookie) {
		t.Errorf("the link: %d to %q with cookie %q", first.status, path, cookie)
	}
	for range 2 {
		second := visit(t, http.MethodGet, link, "")
		if second.status != http.StatusForbidden || second.header.Get("Set-Cookie") != "" || !strings.Contains(second.body, "works once") || !strings.Contains(second.body, "toolscript dashboard") {
			t.Errorf("the link again: %d %s", second.status, second.body)
		}
	}
	secret := link[strings.LastIndexByte(link, '/')+1:]
	if log := d.log.String(); strings.Contains(log, secret) || strings.Contains(log, strings.TrimPrefix(path, "/dashboard/")) {
		t.Errorf("the log has the link or the session:\n%s", log)
	}
}

// TestDashboardLinkNeedsCapability: a script, or a program without the capability, cannot request a link.
func TestDashboardLinkNeedsCapability(t *testing.T) {
	const run = "capability-of-a-run-000000"
	d := newDesk(t, &fake{runOf: map[string]string{run: "r1"}})
	for name, tt := range map[string]struct {
		base string
		want toolscript.Kind
	}{"a run": {d.BaseURL() + "/" + run, toolscript.Forbidden}, "nobody": {d.BaseURL(), toolscript.NotFound}} {
		if a := ask(t, http.MethodPost, tt.base+"/dashboard", strings.NewReader(`{}`)); a.kind() != tt.want {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	b := d.open(t)
	if a := b.post(t, "/../../dashboard", `{}`); a.status < 400 {
		t.Errorf("a page makes a link: %d %s", a.status, a.body)
	}
	if len(d.shown) != 1 {
		t.Errorf("%d links were shown, want 1", len(d.shown))
	}
	none := serve(t, &fake{})
	if _, err := none.client(t).ShowDashboard(t.Context(), api.LinkRequest{}); toolscript.KindOf(err) != toolscript.Unsupported {
		t.Errorf("a gateway without a page: %v", err)
	}
}

var parameterOfRoute = regexp.MustCompile(`\{\w+\}`)

// TestDashboardCookie: the cookie gives access to the routes of its page and to no others, and
// nothing else gives access to the page.
func TestDashboardCookie(t *testing.T) {
	d := newDesk(t, &fake{exec: func(context.Context, toolscript.ExecRequest, func(toolscript.Event) error) error {
		t.Error("a cookie runs a script")
		return nil
	}})
	b, other := d.open(t), d.open(t)
	session := strings.TrimPrefix(b.path, "/dashboard/")
	pages := 0
	for name, route := range api.Routes() {
		method, path, _ := strings.Cut(name, " ")
		own := strings.Replace(path, "{session}", session, 1)
		own = parameterOfRoute.ReplaceAllString(own, "a")
		send := func(base, cookie string) answer {
			body := ""
			if method == http.MethodPost {
				body = "{}"
			}
			return visit(t, method, base+own, body, header("Cookie", cookie), header("Origin", d.BaseURL()), header("Content-Type", "application/json"), header("Toolscript-Page", "1"))
		}
		switch route.Capability {
		case "gateway", "run":
			if a := send(d.BaseURL(), b.cookie); a.kind() != toolscript.NotFound {
				t.Errorf("%s with a cookie: %d %s", name, a.status, a.body)
			}
		case "page":
			pages++
			for who, cookie := range map[string]string{"no cookie": "", "the cookie of another page": other.cookie, "a wrong cookie": "toolscript=" + api.NewToken()} {
				for _, base := range []string{d.BaseURL(), d.URL()} {
					if a := send(base, cookie); a.status != http.StatusUnauthorized || !strings.Contains(a.body, "toolscript dashboard") {
						t.Errorf("%s with %s: %d %s", name, who, a.status, a.body)
					}
				}
			}
		}
	}
	if pages < 7 {
		t.Errorf("%d routes of the page were found, want 7 or more", pages)
	}
	if a := b.get(t, b.path); a.status != http.StatusOK || !strings.Contains(a.body, "<!DOCTYPE html>") {
		t.Errorf("the page: %d %s", a.status, a.body)
	}
	if a := b.get(t, other.path); a.status != http.StatusUnauthorized || !strings.Contains(a.body, "toolscript dashboard") {
		t.Errorf("the page of another session: %d %s", a.status, a.body)
	}
}

// TestDashboardWithoutToken: a gateway without a capability still needs sessions for the page.
func TestDashboardWithoutToken(t *testing.T) {
	d := newDesk(t, &fake{approve: func(string, toolscript.ApprovalAnswer, bool) error { return nil }}, noToken)
	b := d.open(t)
	if a := b.post(t, "/approvals/apr_1", `{"action":"deny"}`); a.status != http.StatusNoContent {
		t.Errorf("the page: %d %s", a.status, a.body)
	}
	if a := b.post(t, "/approvals/apr_1", `{"action":"deny"}`, header("Cookie", "")); a.kind() != toolscript.Unauthorized {
		t.Errorf("without a cookie: %d %s", a.status, a.body)
	}
}

// TestWholeApprovalOnThePage: the page shows all arguments of a call that waits for approval.
func TestWholeApprovalOnThePage(t *testing.T) {
	b := newDesk(t, &fake{approvals: []toolscript.Approval{{ID: "apr_1", Args: "short", Cut: 9}}}).open(t)
	if a := b.get(t, b.path+"/approvals/apr_1"); a.status != http.StatusOK || !strings.Contains(a.body, `"args":"short in full"`) {
		t.Errorf("the request: %d %s", a.status, a.body)
	}
	if a := b.get(t, b.path+"/approvals/apr_2"); a.kind() != toolscript.NotFound {
		t.Errorf("another request: %d %s", a.status, a.body)
	}
	if a := b.get(t, b.path+"/approvals/apr_1", header("Cookie", "")); a.kind() != toolscript.Unauthorized {
		t.Errorf("without a cookie: %d %s", a.status, a.body)
	}
}

// TestReplyOnThePage: the person answers on the operator page whether a server's page is opened.
func TestReplyOnThePage(t *testing.T) {
	var replies []toolscript.Answer
	b := newDesk(t, &fake{reply: func(_ context.Context, _ string, a toolscript.Answer) error { replies = append(replies, a); return nil }}).open(t)
	if a := b.post(t, "/runs/run_1/reply", `{"askId":"ask_1","action":"accept"}`); a.status != http.StatusNoContent || len(replies) != 1 || replies[0].ID != "ask_1" {
		t.Errorf("%d %s, %+v", a.status, a.body, replies)
	}
	if a := b.post(t, "/runs/run_1/reply", `{"askId":"ask_1","action":"accept"}`, header("Cookie", "")); a.kind() != toolscript.Unauthorized || len(replies) != 1 {
		t.Errorf("without a cookie: %d %s", a.status, a.body)
	}
}

// TestDashboardForgery: a POST is accepted only from the page itself. A page on another port of this machine is
// same-site, so its requests have the cookie, but are refused.
func TestDashboardForgery(t *testing.T) {
	answers := 0
	d := newDesk(t, &fake{approve: func(string, toolscript.ApprovalAnswer, bool) error { answers++; return nil }})
	b := d.open(t)
	for name, change := range map[string]func(*http.Request){
		"no origin":           header("Origin", ""),
		"another origin":      header("Origin", "http://evil.example"),
		"another port":        header("Origin", "http://127.0.0.1:1"),
		"the origin null":     header("Origin", "null"),
		"the same site":       header("Sec-Fetch-Site", "same-site"),
		"another site":        header("Sec-Fetch-Site", "cross-site"),
		"another host name":   header("Host", "evil.example"),
		"no header":           header("Toolscript-Page", ""),
		"a form":              header("Content-Type", "application/x-www-form-urlencoded"),
		"a text":              header("Content-Type", "text/plain"),
		"no content type":     header("Content-Type", ""),
		"no cookie":           header("Cookie", ""),
		"two hosts in a name": header("Origin", b.BaseURL()+".evil.example"),
	} {
		if a := b.post(t, "/approvals/apr_1", `{"action":"deny"}`, change); a.status < 400 || a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		if a := b.post(t, "/approvals/apr_1", "", change); a.status < 400 {
			t.Errorf("%s, without a body: %d %s", name, a.status, a.body)
		}
	}
	if answers != 0 {
		t.Errorf("%d forged answers arrived", answers)
	}
	if a := b.post(t, "/approvals/apr_1", `{"action":"deny"}`); a.status != http.StatusNoContent || answers != 1 {
		t.Errorf("the page itself: %d %s", a.status, a.body)
	}
}

// TestDashboardApprovals: after a page has given a code, it can allow calls without one. The cookie
// and the capability alone are not enough.
func TestDashboardApprovals(t *testing.T) {
	var approvers []bool
	d := newDesk(t, &fake{approve: func(_ string, a toolscript.ApprovalAnswer, approver bool) error {
		approvers = append(approvers, approver)
		if approver || a.Code == "ABCDEF" || a.Action == toolscript.ApprovalDeny {
			return nil
		}
		return &toolscript.Error{Kind: toolscript.Forbidden}
	}}, func(o *api.Options) { o.Approver = api.NewToken() })
	b, other := d.open(t), d.open(t)
	proof := regexp.MustCompile(`^\{"proof":"([\w-]{32})"\}\n$`)
	for _, body := range []string{`{"action":"allow"}`, `{"action":"allow","code":"AAAAAA"}`} {
		if a := b.post(t, "/approvals/apr_1", body); a.kind() != toolscript.Forbidden || strings.Contains(a.body, "proof") {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	if a := b.post(t, "/approvals/apr_1", `{"action":"deny"}`); a.status != http.StatusNoContent || a.body != "" {
		t.Errorf("a denial gives a proof: %d %s", a.status, a.body)
	}
	if a := b.post(t, "/approvals/apr_1/code", `{}`); a.kind() != toolscript.Forbidden || strings.Contains(a.body, "CODE-OF") {
		t.Errorf("the code without a proof: %d %s", a.status, a.body)
	}
	given := b.post(t, "/approvals/apr_1", `{"action":"allow","code":"ABCDEF"}`)
	found := proof.FindStringSubmatch(given.body)
	if found == nil {
		t.Fatalf("the code: %d %s", given.status, given.body)
	}
	approvers = nil
	if a := b.post(t, "/approvals/apr_2", `{"action":"allow"}`, header("Toolscript-Proof", found[1])); a.status != http.StatusOK || len(approvers) != 1 || !approvers[0] {
		t.Errorf("the proof: %d %s, approvers %v", a.status, a.body, approvers)
	}
	if a := b.post(t, "/approvals/apr_2/code", `{}`, header("Toolscript-Proof", found[1])); a.body != `{"code":"CODE-OF-apr_2"}`+"\n" {
		t.Errorf("the code with the proof: %d %s", a.status, a.body)
	}
	approvers = nil
	cookie := strings.TrimPrefix(b.cookie, "toolscript=")
	for name, a := range map[string]answer{
		"the proof of another page":  other.post(t, "/approvals/apr_2", `{"action":"allow"}`, header("Toolscript-Proof", found[1])),
		"the cookie as proof":        b.post(t, "/approvals/apr_2", `{"action":"allow"}`, header("Toolscript-Proof", cookie)),
		"the capability as proof":    b.post(t, "/approvals/apr_2", `{"action":"allow"}`, header("Toolscript-Proof", d.token)),
		"the proof at the API":       d.ask(t, http.MethodPost, "/approvals/apr_2", `{"action":"allow"}`, header("Toolscript-Approver", found[1])),
		"the proof without a cookie": b.post(t, "/approvals/apr_2", `{"action":"allow"}`, header("Toolscript-Proof", found[1]), header("Cookie", "")),
	} {
		if a.status != http.StatusForbidden && a.status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	for _, approver := range approvers {
		if approver {
			t.Errorf("approvers = %v", approvers)
		}
	}
	if log := d.log.String(); strings.Contains(log, found[1]) || strings.Contains(log, cookie) || strings.Contains(log, "ABCDEF") {
		t.Errorf("the log has a secret:\n%s", log)
	}
}

var linked = regexp.MustCompile(`(?:href|src|from)(?:=| )"([^"]+)"`)

// TestDashboardFiles: the page loads only its own files, has no inline script or style in its
// HTML, and is small.
func TestDashboardFiles(t *testing.T) {
	d := newDesk(t, &fake{})
	b := d.open(t)
	page := b.get(t, b.path)
	policy := page.header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q lacks %s", policy, part)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(page.body, "<style") || regexp.MustCompile(`<script[^>]*>[^<]`).MatchString(page.body) || regexp.MustCompile(` (on\w+|style)=`).MatchString(page.body) {
		t.Errorf("inline code: %q\n%s", policy, page.body)
	}
	zipped := len(api.PageIndex().Gzip)
	seen := map[string]bool{}
	for next := []string{page.body}; len(next) > 0; next = next[1:] {
		for _, found := range linked.FindAllStringSubmatch(next[0], -1) {
			name := found[1][strings.LastIndexByte(found[1], '/')+1:]
			if seen[name] || strings.HasPrefix(found[1], "#") {
				continue
			}
			seen[name] = true
			file := b.get(t, "/dashboard/assets/"+name)
			if file.status != http.StatusOK || file.header.Get("Content-Security-Policy") == "" || file.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %d %v", found[1], file.status, file.header)
			}
			if again := b.get(t, "/dashboard/assets/"+name, header("If-None-Match", file.header.Get("ETag"))); again.status != http.StatusNotModified {
				t.Errorf("%s again: %d", name, again.status)
			}
			asset, _ := api.PageAsset(name)
			zipped += len(asset.Gzip)
			if strings.HasSuffix(name, ".mjs") {
				next = append(next, file.body)
			}
		}
	}
	t.Logf("%d files, %.1f KB gzip", len(seen)+1, float64(zipped)/1000)
	if len(seen) < 10 || zipped > 60_000 {
		t.Errorf("%d files with %d bytes gzip, want at most 60,000", len(seen)+1, zipped)
	}
	for _, name := range []string{"..%2findex.html", "index.html", "..%2f..%2fsessions.go", "nothing.mjs"} {
		if a := b.get(t, "/dashboard/assets/"+name); a.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}
