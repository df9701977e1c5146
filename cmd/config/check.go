package config

import "slices"

// Check reads the text of a file without any other file. It returns what a user should
// know, and what is wrong, which is nil if nothing is. Variables are not expanded.
func Check(path string, text []byte) (warnings Mistakes, wrong error) {
	d, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	d.root.expand(nil, nil)
	v := d.validate()
	if len(v.mistakes) > 0 {
		return v.warnings, v.mistakes
	}
	return v.warnings, nil
}

// Variables are the names of the variables without a default that a text refers to.
func Variables(text string) []string {
	var names []string
	for _, found := range reference().FindAllStringSubmatch(text, -1) {
		if found[2] == "" && !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}
