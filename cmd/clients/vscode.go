package clients

import "github.com/toolscript/toolscript"

// vscode asks the user for the values of ${input:NAME}. Its files may have comments.
var vscode = Client{
	Name: "vscode", Title: "VS Code", entry: typedEntry, expand: editorVariable, set: editorMember,
	files: func(p Places) []File {
		return []File{
			p.settings("Code/User/mcp.json", "servers").connected(), p.settings("Code - Insiders/User/mcp.json", "servers"),
			p.settings("VSCodium/User/mcp.json", "servers"), p.project(".vscode/mcp.json", "servers").connected(),
		}
	},
	translate: func(t *translation) {
		t.drop("gallery", "version", "dev", "description")
		t.lose("envFile", "toolscript does not read files of environment variables")
		if t.fields["command"] == nil {
			t.drop("sandboxEnabled", "sandbox") // a sandbox is for programs
		}
		t.drop("sandbox")
		t.lose("sandboxEnabled", `"confine" confines a server: `+toolscript.Command("confine", "suggest", t.Name))
	},
}
