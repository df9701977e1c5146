package quickjs

import (
	"time"
	_ "time/tzdata" // a worker that is locked down can read no file
)

// zone is a time zone and what it was asked for as.
type zone struct {
	name     string
	location *time.Location
}

// load makes z the zone of that name, or UTC when there is none.
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
