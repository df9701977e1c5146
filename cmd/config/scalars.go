package config

import "slices"

// textual are the fields in which people write numbers and booleans where a text is
// expected, such as a port in env. They are read as their text in the file.
var textual = [][]string{
	{serversKey, "*", "env", "*"}, {serversKey, "*", "args", "*"}, {serversKey, "*", "headers", "*"}, {serversKey, "*", "commands", "*", "run", "*"},
	{"telemetry", "otlp", "headers", "*"},
}

// numeric are the fields in which a number is read as a text, but not a boolean: true is no password.
var numeric = [][]string{
	{serversKey, "*", "auth", "token"}, {serversKey, "*", "auth", "value"}, {serversKey, "*", "auth", "username"}, {serversKey, "*", "auth", "password"},
	{serversKey, "*", "oauth", "clientId"}, {serversKey, "*", "oauth", "clientSecret"},
}

// convertScalars converts the scalars of these fields to texts.
func (d *document) convertScalars() {
	for _, path := range slices.Concat(textual, numeric) {
		d.root.each(path, func(_ []string, n *node) {
			switch n.value.(type) {
			case int64, float64:
				n.value = n.written
			}
		})
	}
	for _, path := range textual {
		d.root.each(path, func(_ []string, n *node) {
			if _, is := n.value.(bool); is {
				n.value = n.written
			}
		})
	}
}
