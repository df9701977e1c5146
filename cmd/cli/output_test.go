package cli

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	tbl := table{header: []string{"Name", "Empty", "Text"}}
	tbl.add("a", "", "two\nlines  and\ttabs")
	tbl.add("日本", "x", "\x1b[2Jcleared \u202Eturned")
	var b strings.Builder
	if err := tbl.write(&b, nil); err != nil {
		t.Fatal(err)
	}
	want := "Name  Empty  Text\n" +
		"a            two lines and tabs\n" +
		"日本    x      \uFFFD[2Jcleared \uFFFDturned\n"
	if b.String() != want {
		t.Errorf("table:\n%q\nwant\n%q", b.String(), want)
	}
}

func TestTableColoursAfterMeasuring(t *testing.T) {
	tbl := table{header: []string{"A", "B"}}
	tbl.add("x", "y")
	var b strings.Builder
	err := tbl.write(&b, func(column int, cell string) string {
		if column == 0 {
			return "<" + cell + ">"
		}
		return cell
	})
	if want := "A  B\n<x>  y\n"; err != nil || b.String() != want {
		t.Errorf("table %q, %v, want %q", b.String(), err, want)
	}
}
