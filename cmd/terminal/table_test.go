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

// On a terminal a table fits: cells are wrapped between words, and nothing is cut.
func TestTableFits(t *testing.T) {
	servers := func() *Table {
		t := &Table{Header: []string{"Server", "State", "Note", "Error"}}
		t.Add("a-name-that-is-rather-long-for-a-table", "ready", "", "")
		t.Add("日本", "failed", "", "the program /usr/local/bin/a-server-that-does-not-exist was not found; install it")
		return t
	}
	for _, c := range []struct {
		what  string
		table *Table
		width int
		want  string
	}{
		{"wide enough", servers(), 200, "" +
			"Server                                  State   Note  Error\n" +
			"a-name-that-is-rather-long-for-a-table  ready\n" +
			"日本                                    failed        the program /usr/local/bin/a-server-that-does-not-exist was not found; install it\n"},
		{"a word of the last column in a line of its own, and a column without content left out", servers(), 80, "" +
			"Server                                  State   Note  Error\n" +
			"a-name-that-is-rather-long-for-a-table  ready\n" +
			"日本                                    failed        the program\n" +
			"  /usr/local/bin/a-server-that-does-not-exist\n" +
			"                                                      was not found; install it\n"},
		{"records", servers(), 60, "" +
			"Server: a-name-that-is-rather-long-for-a-table  State: ready\n" +
			"Server: 日本  State: failed\n" +
			"  Error: the program\n" +
			"    /usr/local/bin/a-server-that-does-not-exist was not\n" +
			"    found; install it\n"},
		{"a command, which is one word", tableOf(&Table{Header: []string{"URL", "To remove it"}, Command: "To remove it"},
			[]string{"http://127.0.0.1:39121", "toolscript gateway stop -g http://127.0.0.1:39121"}), 40, "" +
			"URL: http://127.0.0.1:39121\n" +
			"  To remove it:\n" +
			"    toolscript gateway stop -g http://127.0.0.1:39121\n"},
		{"columns that are left out", tableOf(&Table{Header: []string{"Call", "Hash", "Tool"}, Less: []string{"Hash"}},
			[]string{"1", "0123456789abcdef", "files__read"}), 30, "" +
			"Call  Tool\n" +
			"1     files__read\n"},
		{"numbers", tableOf(&Table{Header: []string{"Server", "Calls"}, Numbers: true}, []string{"files", "3"}, []string{"web", "12 345"}), 30, "" +
			"Server   Calls\n" +
			"files        3\n" +
			"web     12 345\n"},
		{"a script without spaces", tableOf(&Table{Header: []string{"Tool", "Text"}}, []string{"read", "ファイルの内容を読み込み、テキストとして返します"}), 32, "" +
			"Tool  Text\n" +
			"read  ファイルの内容を読み込み、\n" +
			"      テキストとして返します\n"},
		{"one column", tableOf(&Table{Header: []string{"URI"}}, []string{"file:///a/long/address"}), 10, "URI\nfile:///a/long/address\n"},
	} {
		var b strings.Builder
		if err := c.table.Write(&b, c.width, nil); err != nil || b.String() != c.want {
			t.Errorf("%s, %v:\n%s\nwant\n%s", c.what, err, b.String(), c.want)
		}
	}
}

func tableOf(t *Table, rows ...[]string) *Table {
	for _, row := range rows {
		t.Add(row...)
	}
	return t
}

// Break divides long words, because no line may be longer than the screen.
func TestBreak(t *testing.T) {
	if got := strings.Join(Break("see https://a.example/b", 10), "|"); got != "see|https://a.|example/b" {
		t.Errorf("Break: %s", got)
	}
}
