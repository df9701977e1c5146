package date

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // a confined worker cannot read files

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
)

// Zone is a time zone.
type Zone struct {
	Name     string // name in resolvedOptions
	location *time.Location
}

// UTC is the zone of runs without a time zone.
var UTC = Zone{"UTC", time.UTC}

// canonical maps names of zones in lower case to their names in CLDR.
var canonical = sync.OnceValue(func() map[string]string {
	all := map[string]string{"utc": "UTC", "gmt": "UTC"}
	for name, of := range cldr.ZoneNames() {
		if _, known := all[strings.ToLower(name)]; !known {
			all[strings.ToLower(name)] = of
		}
	}
	for _, name := range []string{"Etc/UTC", "Etc/GMT", "Etc/UCT", "Etc/Zulu", "Etc/Universal", "UCT", "Zulu", "Universal", "Greenwich", "GMT0", "GMT+0", "GMT-0", "Etc/Greenwich", "Etc/GMT0", "Etc/GMT+0", "Etc/GMT-0"} {
		all[strings.ToLower(name)] = "UTC"
	}
	return all
})

// LoadZone returns the zone with an IANA name, in any case, or with an offset such as +05:30.
func LoadZone(name string) (Zone, error) {
	bad := fmt.Errorf("Invalid time zone specified: %.100s", name) //nolint:staticcheck // the text of the engines
	if name != "" && (name[0] == '+' || name[0] == '-') {
		return offsetZone(name, bad)
	}
	known := canonical()[strings.ToLower(name)]
	if known == "" || strings.HasPrefix(known, "Etc/Unknown") {
		return Zone{}, bad
	}
	location, err := time.LoadLocation(known)
	if err != nil {
		return Zone{}, bad
	}
	return Zone{known, location}, nil
}

func offsetZone(name string, bad error) (Zone, error) {
	digits := strings.Replace(name[1:], ":", "", 1)
	if len(name) == 3 {
		digits += "00"
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || len(digits) != 4 || len(name) == 6 && name[3] != ':' || n/100 > 23 || n%100 > 59 {
		return Zone{}, bad
	}
	seconds := int(n/100*3600 + n%100*60)
	sign := name[:1]
	if sign == "-" {
		seconds = -seconds
	}
	if seconds == 0 {
		sign = "+"
	}
	return Zone{sign + digits[:2] + ":" + digits[2:], time.FixedZone(name, seconds)}, nil
}

// NewZone returns the zone of a run, or UTC if the name is unknown and location is UTC.
func NewZone(name string, location *time.Location) Zone {
	if z, err := LoadZone(name); err == nil {
		return z
	}
	if location == time.UTC {
		return UTC
	}
	return Zone{name, location}
}

func (z Zone) at(milliseconds int64) time.Time { return time.UnixMilli(milliseconds).In(z.location) }

// negative lists the zones for which the IANA database treats winter time as daylight saving time.
var negative = []string{"Europe/Dublin", "Africa/Casablanca", "Africa/El_Aaiun", "Africa/Windhoek"}

// summer reports whether daylight saving time, as CLDR defines it, is in use.
func (z Zone) summer(t time.Time) bool {
	if !slices.Contains(negative, z.Name) {
		return t.IsDST()
	}
	_, offset := t.Zone()
	const halfYear = 182 * 24 * time.Hour
	for _, other := range []time.Time{t.Add(-halfYear), t.Add(halfYear), t.Add(-halfYear / 6), t.Add(halfYear / 6)} {
		if _, its := other.Zone(); other.IsDST() != t.IsDST() && its < offset {
			return true
		}
	}
	return false
}

// ZoneName returns the long name of the zone at a time.
func (f *Format) ZoneName(milliseconds int64) string {
	return f.zoneName(item{letter: 'z', length: 4}, f.Zone.at(milliseconds))
}

// zoneName returns the name of the zone or its offset.
func (f *Format) zoneName(i item, t time.Time) string {
	length := "short"
	if i.length == 4 {
		length = "long"
	}
	if i.letter != 'O' {
		if name := f.ownName(length, t); name != "" {
			return name
		}
	}
	return f.offset(length, t)
}

// ownName returns the name of the zone at a time, or "".
func (f *Format) ownName(length string, t time.Time) string {
	names := cldr.Of(f.Locale, cldr.Zones)
	kind := "standard"
	if f.Zone.summer(t) {
		kind = "daylight"
	}
	name := f.Zone.Name
	switch name {
	case "UTC":
		name = "Etc/UTC"
	case "+00:00":
		name = "Etc/GMT"
	}
	if text := names.At("zone", name, length, kind); text != "" {
		return text
	}
	if group := metazone(name, t); group != "" {
		return names.At("meta", group, length, kind)
	}
	return ""
}

// metazone returns the group of zones with common names to which a zone belongs at a time, or
// "".
func metazone(zone string, t time.Time) string {
	if year := t.UTC().Year(); year < 1970 || year > 9999 { // ICU has no names in these years
		return ""
	}
	now := t.UTC().Format("2006-01-02T15:04")
	for use := range strings.SplitSeq(cldr.Metazones()[zone], ";") {
		parts := append(strings.Split(use, ","), "", "")
		from, to := parts[1], parts[2]
		if (from == "" || now >= from) && (to == "" || now < to) {
			return parts[0]
		}
	}
	return ""
}

// offset returns the difference to UTC, such as GMT+1 or GMT+01:00.
func (f *Format) offset(length string, t time.Time) string {
	names := cldr.Of(f.Locale, cldr.Zones)
	_, seconds := t.Zone()
	pattern, behind, _ := strings.Cut(names["hourFormat"], ";")
	if seconds < 0 {
		pattern, seconds = behind, -seconds
	}
	digits := 1
	if length == "long" {
		digits = 2
	}
	before, after, _ := strings.Cut(pattern, "H")
	separator := strings.Trim(after, "Hm")
	text := before + padded(seconds/3600, digits)
	if length == "long" || seconds%3600 != 0 {
		text += separator + padded(seconds/60%60, 2)
	}
	if seconds%60 != 0 {
		text += separator + padded(seconds%60, 2)
	}
	return strings.Replace(names["gmtFormat"], "{0}", text, 1)
}
