package confine

import "testing"

func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		abi     int
		signals bool
		want    string
	}{
		{1, false, "ABI 1: files; it lacks truncation (Linux 6.2), TCP (Linux 6.7), devices (Linux 6.10), signals and abstract sockets (Linux 6.12)"},
		{4, false, "ABI 4: files, truncation, TCP; it lacks devices (Linux 6.10), signals and abstract sockets (Linux 6.12)"},
		{6, false, "ABI 6: files, truncation, TCP, devices; it lacks signals and abstract sockets (this kernel has an erratum)"},
		{7, true, "ABI 7: files, truncation, TCP, devices, signals and abstract sockets"},
		{11, true, "ABI 11: files, truncation, TCP, devices, signals and abstract sockets, named sockets, UDP"},
	} {
		if got := describe(test.abi, test.signals); got != test.want {
			t.Errorf("describe(%d, %t) = %q, want %q", test.abi, test.signals, got, test.want)
		}
	}
}
