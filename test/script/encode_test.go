package script_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"unicode/utf16"
)

func init() { programs["encode"] = func() { os.Exit(encode(os.Args[1:])) } }

// encodings are the forms in which "encode" writes a text.
var encodings = map[string]func(text []byte) []byte{
	"mark": func(text []byte) []byte { return append([]byte("\ufeff"), text...) },
	"utf-16": func(text []byte) []byte { // as in PowerShell 5, with a byte order mark
		out := []byte("\xff\xfe")
		for _, unit := range utf16.Encode([]rune(string(text))) {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
		return out
	},
}

// encode is the program "encode mark|utf-16 FILE...". It gives the texts of the files a byte order mark, or encodes them
// as UTF-16. With "encode hex FILE", it prints the bytes of a file.
func encode(args []string) int {
	for _, name := range args[1:] {
		text, err := os.ReadFile(name)
		if err == nil && args[0] == "hex" {
			fmt.Println(hex.EncodeToString(text))
		} else if err == nil {
			err = os.WriteFile(name, encodings[args[0]](text), 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "encode:", err)
			return 2
		}
	}
	return 0
}
