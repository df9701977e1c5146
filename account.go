package toolscript

import "strings"

// AccountSeparator separates server and account in the names of a server with several
// accounts: github@work. Each account is a server of its own, with its own connection, login
// and pins. No configured name has the separator after its first character.
const AccountSeparator = "@"

// CutAccount returns the server and the account in the name of a server; account is "" for a
// server without accounts. An account has only letters, digits, - and _.
func CutAccount(name string) (server, account string) {
	at := strings.LastIndex(name, AccountSeparator)
	if at < 1 || strings.ContainsFunc(name[at+len(AccountSeparator):], notInAccount) {
		return name, ""
	}
	return name[:at], name[at+len(AccountSeparator):]
}

func notInAccount(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// SeparatesAccount reports whether a name has the separator after its first character.
func SeparatesAccount(name string) bool { return strings.LastIndex(name, AccountSeparator) > 0 }

// WithoutAccount returns the name of a server or the id of a tool without the account:
// github__create_issue for github@work__create_issue.
func WithoutAccount(name string) string {
	if !SeparatesAccount(name) {
		return name
	}
	server, tool, isTool := strings.Cut(name, Separator)
	plain, _ := CutAccount(server)
	if !isTool {
		return plain
	}
	return plain + Separator + tool
}

// OtherAccount returns another account of the server of a tool, if an entry of f names one. For the tool
// id github@work__create_issue and the entry github@home, it returns home. It returns "" if there is none.
func (f Filter) OtherAccount(id string) string {
	server, _, _ := strings.Cut(id, Separator)
	plain, own := CutAccount(server)
	for _, entry := range f {
		server, _, _ := strings.Cut(entry, Separator)
		if base, account := CutAccount(server); own != "" && base == plain && account != "" && account != own {
			return account
		}
	}
	return ""
}

// matchAccount is like MatchName, for the name of a server or the id of a tool. A pattern
// without an account matches all accounts.
func matchAccount(pattern, name string) bool {
	if MatchName(pattern, name) {
		return true
	}
	plain := WithoutAccount(name)
	return plain != name && MatchName(pattern, plain)
}

// mayMatchAccount is like MayMatch. A pattern without an account matches all accounts.
func mayMatchAccount(pattern, prefix string) bool {
	return MayMatch(pattern, prefix) || MayMatch(pattern, WithoutAccount(prefix))
}
