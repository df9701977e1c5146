package lexical

import (
	"strings"
	"sync"
)

// alike has groups of words with the same meaning in names of tools.
const alike = `
add create insert make new
alter change edit modify set update
delete drop erase remove
display list show view
find lookup query search
fetch get read retrieve
exec execute invoke launch run
abort cancel halt kill stop
copy duplicate
persist put save store write
move rename
directory folder
repo repository
column field
record row
database db
configuration setting
environment env
image photo picture
email mail
login authenticate
documentation manual
message msg
calculate compute
`

// meant maps words of users to the words of tools.
const meant = `
bug defect ticket: issue
pr mr: pullrequest
bash cli cmd shell sh terminal: command exec shell
grep: search find
ls dir: directory list
cat: read
mkdir: directory
rm: delete remove
mv: move
cp: copy
curl wget: fetch url scrape
google: search web
internet online: web
capture: screenshot snapshot record
memorize remember: memory entity observation knowledge
recall: memory knowledge
fact: observation knowledge memory
forget wipe: delete remove
inbox: notification message
many: count
people person who: user member
download: fetch crawl
snippet: gist
teammate colleague: member
spreadsheet: table sheet
password credential: secret
schedule: cron
webpage website site: page url
k8s: kubernetes kubectl
js: javascript script
url: page
`

// synonyms maps a stem of a query to other stems that match it.
var synonyms = sync.OnceValue(readSynonyms)

func readSynonyms() map[string][]string {
	all := map[string][]string{}
	add := func(word, other string) {
		if from, to := normal(word), normal(other); from != to {
			all[from] = append(all[from], to)
		}
	}
	for group := range strings.Lines(alike) {
		for word := range strings.FieldsSeq(group) {
			for other := range strings.FieldsSeq(group) {
				add(word, other)
			}
		}
	}
	for line := range strings.Lines(meant) {
		words, others, _ := strings.Cut(line, ":")
		for word := range strings.FieldsSeq(words) {
			for other := range strings.FieldsSeq(others) {
				add(word, other)
			}
		}
	}
	return all
}
