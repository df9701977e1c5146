package confine_test

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/confine"
	"github.com/toolscript/toolscript/runner/observed"
)

// scene returns a server in /home/u/src/app, with its configuration there. The folders exist.
func scene(folders ...string) confine.Scene {
	return confine.Scene{
		Home: "/home/u", Data: "/home/u/.toolscript", Config: "/home/u/src/app",
		Resolve: path.Clean,
		Exists: func(path string) (bool, bool) {
			return slices.Contains(folders, path), slices.Contains(folders, path) && filepath.Base(path) != ".env"
		},
	}
}

type use struct {
	path string
	use  observed.Use
}

func record(uses ...use) *observed.Record {
	r := &observed.Record{}
	r.Begin(observed.Base{Dir: "/home/u/src/app", Read: []string{"/usr", "/etc/ssl"}, Write: []string{"/tmp/own", "/dev/null"}, Port: 4000})
	for _, u := range uses {
		r.File(u.path, u.use == observed.List, u.use)
	}
	return r
}

func TestFiles(t *testing.T) {
	const (
		read, run, list, write, change = observed.Read, observed.Run, observed.List, observed.Write, observed.Change
		app                            = "/home/u/src/app"
	)
	for name, c := range map[string]struct {
		uses     []use
		args     []string
		folders  []string
		want     string
		problems []string
	}{
		"nothing":                     {want: `{"net":false}`},
		"what every server may":       {uses: []use{{"/usr/lib/x", read}, {"/tmp/own/y", change}, {"/dev/null", write}}, want: `{"net":false}`},
		"its folder":                  {uses: []use{{app + "/a", read}, {app + "/b/c", read}}, want: `"readonly"`},
		"writes its folder":           {uses: []use{{app + "/a", change}, {app + "/b", read}}, want: `"project"`},
		"writes below its folder":     {uses: []use{{app + "/data/a", change}, {app + "/data/b", read}}, want: `{"write":["data"],"net":false}`},
		"changes one file":            {uses: []use{{app + "/data/a", write}}, want: `{"write":["data/a"],"net":false}`},
		"a folder of an argument":     {uses: []use{{"/srv/notes/2024/a", read}, {"/srv/notes/b", change}}, args: []string{"/srv/notes"}, folders: []string{"/srv/notes"}, want: `{"write":["/srv/notes"],"net":false}`},
		"an argument with a name":     {uses: []use{{"/srv/notes/2024/a", read}}, args: []string{"--dir=/srv/notes"}, folders: []string{"/srv/notes"}, want: `{"read":["/srv/notes"],"net":false}`},
		"another repository":          {uses: []use{{"/home/u/other/x/a", read}}, folders: []string{"/home/u/other/.git"}, want: `{"read":["~/other"],"net":false}`},
		"its cache":                   {uses: []use{{"/home/u/.cache/tool/x/a", change}, {"/home/u/.cache/tool/b", read}}, want: `{"write":["~/.cache/tool"],"net":false}`},
		"one file of the system":      {uses: []use{{"/etc/hostname", read}}, want: `{"read":["/etc/hostname"],"net":false}`},
		"many files of the system":    {uses: []use{{"/etc/a", read}, {"/etc/b", read}, {"/etc/c", read}}, want: `{"read":["/etc/a","/etc/b","/etc/c"],"net":false}`},
		"many files of a folder":      {uses: []use{{"/opt/x/a", read}, {"/opt/x/b", run}, {"/opt/x/c", read}}, want: `{"read":["/opt/x"],"net":false}`},
		"many folders of a folder":    {uses: []use{{"/opt/x/a", list}, {"/opt/x/b", list}, {"/opt/x/c", list}}, want: `{"read":["/opt/x"],"net":false}`},
		"files of the home folder":    {uses: []use{{"/home/u/a", read}, {"/home/u/b", read}, {"/home/u/c", read}}, want: `{"read":["~/a","~/b","~/c"],"net":false}`},
		"lists the home folder":       {uses: []use{{"/home/u", list}}, want: `{"net":false}`, problems: []string{"lists /home/u"}},
		"lists the root":              {uses: []use{{"/", list}}, want: `{"net":false}`, problems: []string{"lists /"}},
		"writes to the home folder":   {uses: []use{{"/home/u/x", change}}, want: `{"net":false}`, problems: []string{"writes ~/x"}},
		"a key":                       {uses: []use{{"/home/u/.ssh/id", read}}, want: `{"net":false}`, problems: []string{"reads ~/.ssh/id"}},
		"data of toolscript":          {uses: []use{{"/home/u/.toolscript/trust.json", read}}, want: `{"net":false}`, problems: []string{"reads ~/.toolscript/trust.json"}},
		"secrets of the project":      {uses: []use{{app + "/.env", read}, {app + "/a", read}}, want: `{"read":["a"],"net":false}`, problems: []string{"reads ~/src/app/.env"}},
		"a file beside secrets":       {uses: []use{{app + "/a", read}}, folders: []string{app + "/.env"}, want: `"readonly"`, problems: []string{"may read ~/src/app/.env"}},
		"an example is no secret":     {uses: []use{{app + "/.env.example", read}}, want: `"readonly"`},
		"an argument with secrets":    {uses: []use{{"/home/u/x", read}}, args: []string{"/home/u"}, folders: []string{"/home/u"}, want: `{"read":["~/x"],"net":false}`},
		"a variable in a path":        {uses: []use{{"/opt/${x}/a", read}}, want: `{"net":false}`, problems: []string{"reads /opt/${x}/a"}},
		"a name like the home folder": {uses: []use{{app + "/~/a", write}}, want: `{"write":["./~/a"],"net":false}`},
		"a folder and a longer name":  {uses: []use{{"/opt/a/x", list}, {"/opt/a-b", read}}, want: `{"read":["/opt/a-b","/opt/a/x"],"net":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene(c.folders...)
			s.Args = c.args
			got := confine.Suggest(record(c.uses...), s, confine.Profile{})
			if text, err := json.Marshal(got.Profile); err != nil || string(text) != c.want {
				t.Errorf("profile %s, %v; want %s", text, err, c.want)
			}
			var problems []string
			for _, p := range got.Problems {
				problems = append(problems, p.What)
			}
			if !slices.Equal(problems, c.problems) {
				t.Errorf("problems %q, want %q", problems, c.problems)
			}
		})
	}
}

// TestReasons: each entry of a profile has a reason, with the number of uses that it covers.
func TestReasons(t *testing.T) {
	r := record(use{"/home/u/src/app/data/a", observed.Change}, use{"/home/u/src/app/data/a", observed.Read}, use{"/etc/hostname", observed.Read})
	r.Act(observed.Proxied, "api.example.com:443")
	r.Act(observed.Proxied, "api.example.com:443")
	got := confine.Suggest(r, scene(), confine.Profile{})
	want := []confine.Reason{
		{Kind: "write", Entry: "data", Count: 2, Example: "~/src/app/data/a"},
		{Kind: "net", Entry: "api.example.com:443", Count: 2},
		{Kind: "read", Entry: "/etc/hostname", Count: 1},
	}
	if !slices.Equal(got.Reasons, want) {
		t.Errorf("reasons %+v, want %+v", got.Reasons, want)
	}
}

// TestKept: a profile is extended if necessary. Otherwise it stays as it is.
func TestKept(t *testing.T) {
	before := confine.Profile{
		Read: []confine.Entry{{Path: "/srv/x", Text: "${X}"}}, Net: []string{"a.example:1"},
	}
	text := func(r *observed.Record, before confine.Profile) string {
		out, err := json.Marshal(confine.Suggest(r, scene(), before).Profile)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	more := record(use{"/srv/x/y", observed.Read}, use{"/srv/z", observed.Read})
	more.Act(observed.Proxied, "a.example:1")
	more.Act(observed.Proxied, "b.example:2")
	if got, want := text(more, before), `{"read":["${X}","/srv/z"],"net":["a.example:1","b.example:2"]}`; got != want {
		t.Errorf("extended: %s, want %s", got, want)
	}
	project := confine.Profile{Name: "project", Write: []confine.Entry{{Path: "/home/u/src/app", Text: "."}}}
	if got, want := text(record(use{"/home/u/src/app/a", observed.Change}), project), `"project"`; got != want {
		t.Errorf("enough: %s, want %s", got, want)
	}
	if got, want := text(record(use{"/etc/hostname", observed.Read}), project), `{"read":["/etc/hostname"],"write":["."],"net":false}`; got != want {
		t.Errorf("not enough: %s, want %s", got, want)
	}
}

func TestActs(t *testing.T) {
	r := record()
	for kind, target := range map[string]string{
		observed.Connect: "192.0.2.1:443", observed.Datagram: "192.0.2.53:53", observed.Unix: "/run/docker.sock", observed.Listen: "TCP port 80",
		observed.Socket: "netlink", observed.Signal: "sshd", observed.Call: "ptrace", observed.Mode: "/opt/x", observed.Proxied: "no port",
	} {
		r.Act(kind, target)
	}
	r.Act(observed.Call, "listen") // Listen reports the address
	r.Act(observed.Attribute, "setxattr")
	r.Act(observed.Mode, "/tmp/own/x") // refused without a folder to write
	got := confine.Suggest(r, scene(), confine.Profile{}).Problems
	want := []string{
		"connects to the unix socket /run/docker.sock", "calls ptrace", "changes the mode of /opt/x", "changes the mode of /tmp/own/x", "connects to 192.0.2.1:443 without the proxy",
		"connects to no port", "creates a socket of the kind netlink", "listens on TCP port 80", "sends signals to sshd",
		"asks the DNS server 192.0.2.53", "calls setxattr",
	}
	for i, p := range got {
		if p.Why == "" || p.Count != 1 || p.Sensitive != (i == 0) || i < len(want) && p.What != want[i] {
			t.Errorf("%d: %+v", i, p)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d problems, want %d", len(got), len(want))
	}
}

// TestProbes: actions of libraries at their start, without which they work, are minor. If they were refused, that
// does not matter.
func TestProbes(t *testing.T) {
	r := record(use{"/dev/tty", observed.Write})
	r.Act(observed.Listen, "TCP port 0")
	got := confine.Suggest(r, scene(), confine.Profile{})
	if len(got.Profile.Write) > 0 || len(got.Profile.Read) > 0 {
		t.Errorf("the profile has %+v", got.Profile)
	}
	for _, found := range [][]confine.Problem{got.Problems, confine.Refused(r, "/home/u")} {
		if len(found) != 2 || !found[0].Minor || !found[1].Minor {
			t.Errorf("%+v", found)
		}
	}
	r.Act(observed.Call, "listen")
	if got := confine.Suggest(r, scene(), confine.Profile{}).Problems; got[0].What != "listens on TCP port 0" || got[0].Minor {
		t.Errorf("a server that listens: %+v", got)
	}
}

// secrets are places that no entry may contain.
var secrets = []string{"/home/u/.ssh", "/home/u/.aws", "/home/u/.gnupg", "/home/u/.mozilla", "/home/u/.toolscript", "/home/u/.local/share/keyrings", "/var/run/docker.sock", "/run/docker.sock", "/etc/shadow"}

// obeyed are places that no writable entry may contain.
var obeyed = []string{"/home/u/.bashrc", "/home/u/.toolscript.json", "/home/u/.config/autostart", "/home/u/.local/bin", "/home/u/.local/share/applications", "/etc", "/usr/bin"}

// FuzzPaths: no entry contains a place of secrets or lies in one, and an entry covers each file
// that is not reported as a problem.
func FuzzPaths(f *testing.F) {
	f.Add("/home/u/.ssh/id\n/home/u/a\n/home/u/b\n/home/u/c", "/home/u")
	f.Add("/home/u/.config/a/x\n/home/u/.config/b/x\n/home/u/.config/c/x", "/home/u/.config")
	f.Add("/run/a\n/run/b\n/run/c\n/a\n/b\n/c", "/")
	f.Add("/home/u/p/.env\n/home/u/p/a\n/home/u/p/q/.git\n/home/u/p/q/r", "/home/u/p")
	f.Add("/a\n/b\n/c\n/home/u/.local/share/applications\n/home/u/.local/share/x", "/home/u/.local")
	f.Fuzz(func(t *testing.T, paths, arg string) {
		var uses []use
		folders := []string{arg}
		for i, p := range strings.Split(paths, "\n") {
			if p = path.Clean("/" + p); strings.ContainsAny(p, "\x00") {
				return
			}
			uses = append(uses, use{p, observed.Use(i % 5)})
			folders = append(folders, path.Dir(p))
		}
		s := scene(folders...)
		s.Args = []string{arg}
		got := confine.Suggest(record(uses...), s, confine.Profile{})
		within := func(folder, p string) bool {
			return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
		}
		entries := slices.Concat(got.Profile.Read, got.Profile.Write)
		for _, e := range entries {
			for _, secret := range secrets {
				if within(e.Path, secret) || within(secret, e.Path) {
					t.Errorf("%q with the argument %q: the entry %s and the secrets in %s", paths, arg, e.Path, secret)
				}
			}
			if e.Path == "/" || e.Path == "/etc" || within(e.Path, "/home/u") {
				t.Errorf("%q with the argument %q: the entry %s is too much", paths, arg, e.Path)
			}
			for _, place := range obeyed {
				if write := slices.Contains(got.Profile.Write, e); write && (within(e.Path, place) || within(place, e.Path)) {
					t.Errorf("%q with the argument %q: the entry %s to write, and programs obey %s", paths, arg, e.Path, place)
				}
			}
			for _, u := range uses {
				if path.Base(u.path) == ".env" && within(e.Path, u.path) {
					t.Errorf("%q with the argument %q: the entry %s has %s", paths, arg, e.Path, u.path)
				}
			}
		}
		for _, u := range uses {
			covered := slices.ContainsFunc(entries, func(e confine.Entry) bool { return within(e.Path, u.path) })
			free := within("/usr", u.path) || within("/etc/ssl", u.path) || within("/tmp/own", u.path) || u.path == "/dev/null"
			if !covered && !free && len(got.Problems) == 0 {
				t.Errorf("%q with the argument %q: %s is in no entry, and no problem", paths, arg, u.path)
			}
		}
	})
}

// TestOwnFolders: the server's own folders cause no warning, wherever they are and whatever their files are called.
func TestOwnFolders(t *testing.T) {
	const cache = "/home/u/.toolscript/cache/confined/1"
	r := &observed.Record{}
	r.Begin(observed.Base{Dir: "/home/u/src/app", Write: []string{cache}, Own: []string{cache}})
	for _, name := range []string{"uv/archive/a", "uv/archive/.env", "npm/.git/config", "python/bin/python3"} {
		r.File(cache+"/"+name, false, observed.Read)
		r.File(cache+"/"+name, false, observed.Change)
	}
	r.File("/home/u/.toolscript/cache/confined/2/uv/archive/a", false, observed.Change)
	got := confine.Suggest(r, scene(), confine.Profile{})
	if len(got.Problems) != 1 || got.Problems[0].What != "writes ~/.toolscript/cache/confined/2/uv/archive/a" {
		t.Errorf("problems %+v", got.Problems)
	}
}

// TestOrderOfProblems: problems with secrets come first, one line for each place; then what fails, then
// what most programs work without.
func TestOrderOfProblems(t *testing.T) {
	r := record(use{"/", observed.List}, use{"/home/u/.aws/config", observed.Read})
	for range 3 {
		r.File("/", true, observed.List)
		r.Act(observed.Listen, "TCP port 80")
	}
	r.Act(observed.Connect, "192.0.2.1:443")
	for _, name := range []string{"a", "b", "deep/c"} {
		r.File("/home/u/.mozilla/"+name, false, observed.Read)
	}
	var got []string
	for _, p := range confine.Suggest(r, scene(), confine.Profile{}).Problems {
		got = append(got, p.What)
	}
	want := []string{
		"reads 3 files of ~/.mozilla, such as ~/.mozilla/a", "reads ~/.aws/config",
		"listens on TCP port 80", "connects to 192.0.2.1:443 without the proxy", "lists /",
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
}
