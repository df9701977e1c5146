package quickjs

import (
	"time"
	_ "time/tzdata" // a confined worker cannot read files
)

// zone is a time zone, and the name that was asked for.
type zone struct {
	name     string
	location *time.Location
}

// load sets z to the zone of that name, or UTC if there is none.
func (z *zone) load(name string) {
	if z.location != nil && z.name == name {
		return
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		location = time.UTC
	}
	z.name, z.location = name, location
}
