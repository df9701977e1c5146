package terminal

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	tbl := Table{Header: []string{"Name", "Empty", "Text"}}
	tbl.Add("a", "", "two\nlines  and\ttabs")
	tbl.Add("日本", "x", "\x1b[2Jcleared \u202Eturned")
	var b strings.Builder
	if err := tbl.Write(&b, 0, nil); err != nil {
		t.Fatal(err)
	}
	want := "Name\tEmpty\tText\n" +
		"a\t\ttwo lines and tabs\n" +
		"日本\tx\t\\u{1B}[2Jcleared \\u{202E}turned\n"
	if b.String() != want {
		t.Errorf("table:\n%q\nwant\n%q", b.String(), want)
	}
}

func TestTableColoursAfterMeasuring(t *testing.T) {
	tbl := Table{Header: []string{"A", "B"}}
	tbl.Add("x", "y")
	var b strings.Builder
	err := tbl.Write(&b, 80, func(column int, cell string) string {
		if column == 0 {
			return "<" + cell + ">"
		}
		return cell
	})
	if want := "A  B\n<x>  y\n"; err != nil || b.String() != want {
		t.Errorf("table %q, %v, want %q", b.String(), err, want)
	}
}

// On a terminal a table fits: cells are wrapped, and nothing is cut.
func TestTableFits(t *testing.T) {
	tbl := Table{Header: []string{"Server", "State", "Error"}}
	tbl.Add("a-name-that-is-rather-long-for-a-table", "ready", "")
	tbl.Add("日本", "failed", "the program /usr/local/bin/a-server-that-does-not-exist was not found; install it")
	for width, want := range map[int]string{
		60: "Server                          State   Error\n" +
			"a-name-that-is-rather-long-for  ready\n" +
			"-a-table\n" +
			"日本                            failed  the program\n" +
			"                                        /usr/local/bin/a-ser\n" +
			"                                        ver-that-does-not-ex\n" +
			"                                        ist was not found;\n" +
			"                                        install it\n",
		200: "Server                                  State   Error\n" +
			"a-name-that-is-rather-long-for-a-table  ready\n" +
			"日本                                    failed  the program /usr/local/bin/a-server-that-does-not-exist was not found; install it\n",
	} {
		var b strings.Builder
		if err := tbl.Write(&b, width, nil); err != nil || b.String() != want {
			t.Errorf("%d columns, %v:\n%s\nwant\n%s", width, err, b.String(), want)
		}
	}
}
