package quickjs

import (
	"time"
	_ "time/tzdata" // a confined worker cannot read files
)

// zone is a time zone with its requested name.
type zone struct {
	name     string
	location *time.Location
}

// load sets z to the zone with the given name, or to UTC if there is none.
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

// localOffset returns the seconds east of UTC at a local time, given in seconds as if it were UTC. If
// the time occurs twice, its first occurrence counts; if it is skipped, the offset before the change.
func localOffset(local int64, zone *time.Location) int {
	at := func(unix int64) (offset int, start, end time.Time) {
		t := time.Unix(unix, 0).In(zone)
		_, offset = t.Zone()
		start, end = t.ZoneBounds()
		return offset, start, end
	}
	offset, start, end := at(local)
	before, after := offset, offset
	if !start.IsZero() {
		before, _, _ = at(start.Unix() - 1)
	}
	if !end.IsZero() {
		after, _, _ = at(end.Unix())
	}
	first, found := 0, false
	for _, candidate := range []int{before, offset, after} {
		if actual, _, _ := at(local - int64(candidate)); actual == candidate && (!found || candidate > first) {
			first, found = candidate, true
		}
	}
	if found {
		return first
	}
	if !start.IsZero() && local-int64(offset) < start.Unix() { // skipped at the start
		return before
	}
	return offset // skipped at the end
}

// localOffset(local time in seconds) → seconds east of UTC
func (r *run) localOffset(a arguments) handle {
	return r.integer(localOffset(int64(a.number(0)), r.zone))
}

// zoneOffset(time in seconds) → seconds east of UTC
func (r *run) zoneOffsetAt(a arguments) handle {
	return r.integer(r.zoneOffset(int64(a.number(0))))
}

// assumeZone(hours): all times are this number of hours east of UTC; -1: as in the zone
func (r *run) assumeZone(a arguments) handle {
	hours := a.integer(0)
	if r.assumed = nil; hours >= 0 {
		seconds := hours * 3600
		r.assumed = &seconds
	}
	return r.instance.undefined()
}
