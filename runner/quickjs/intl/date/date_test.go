package date_test

import (
	"testing"

	"github.com/toolscript/toolscript/runner/quickjs/intl/date"
)

func TestLoadZone(t *testing.T) {
	for name, want := range map[string]string{
		"utc": "UTC", "Etc/UTC": "UTC", "GMT": "UTC", "asia/kolkata": "Asia/Calcutta", "US/Pacific": "America/Los_Angeles", "Europe/Berlin": "Europe/Berlin",
		"+05:30": "+05:30", "-0800": "-08:00", "+01": "+01:00", "-00:00": "+00:00",
	} {
		if z, err := date.LoadZone(name); err != nil || z.Name != want {
			t.Errorf("LoadZone(%s) = %s, %v, want %s", name, z.Name, err, want)
		}
	}
	for _, bad := range []string{"", "Mars/Olympus", "../etc/passwd", "/etc/localtime", "+24:00", "+1", "+5:30", "+05:60", "Etc/Unknown", "Local", "+05-30", "++0530"} {
		if z, err := date.LoadZone(bad); err == nil {
			t.Errorf("LoadZone(%q) = %+v, want an error", bad, z)
		}
	}
}

// FuzzLoadZone checks that the canonical name of a zone is its own canonical name.
func FuzzLoadZone(f *testing.F) {
	f.Add("Europe/London")
	f.Add("+05:30")
	f.Fuzz(func(t *testing.T, name string) {
		z, err := date.LoadZone(name)
		if err != nil {
			return
		}
		if again, err := date.LoadZone(z.Name); err != nil || again.Name != z.Name {
			t.Errorf("LoadZone(%q) = %s, and again %s, %v", name, z.Name, again.Name, err)
		}
	})
}
