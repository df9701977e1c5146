package quickjs_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDatesAsInNode compares dates in local time with those of Node.js (testdata/zones.mjs) in all zones
// of Go's database, and in the hours around each change of ten of them. It takes more than 10 s; -short
// checks a part of them.
func TestDatesAsInNode(t *testing.T) {
	program, err := os.ReadFile("testdata/zones.js")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/zones.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Zones map[string]string
		Hours map[string]map[string]string
	}
	if err := json.Unmarshal(text, &want); err != nil || len(want.Zones) < 590 || len(want.Hours) != 10 {
		t.Fatalf("%d and %d zones, %v", len(want.Zones), len(want.Hours), err)
	}
	vm := newVM(t)
	evaluate := func(zone, call string, into any) {
		job := script("export default " + string(program) + call)
		job.TZ = zone
		out := vm.Run(t.Context(), job, newHost())
		if out.Err != nil {
			t.Fatalf("%s: %s", zone, out.Err.Message)
		}
		if err := json.Unmarshal(out.Value, into); err != nil {
			t.Fatal(err)
		}
	}
	for zone, digest := range want.Zones {
		if testing.Short() && zone[len(zone)-1]%32 != 0 {
			continue
		}
		var got string
		if evaluate(zone, ".zone()", &got); got != digest {
			t.Errorf("%s: dates of 2020 to 2030 are not those of Node", zone)
		}
	}
	for zone, changes := range want.Hours {
		if testing.Short() && zone != "America/New_York" && zone != "Pacific/Auckland" {
			continue
		}
		var got map[string]string
		evaluate(zone, ".changes()", &got)
		if len(got) != len(changes) {
			t.Errorf("%s: %d changes, want %d", zone, len(got), len(changes))
		}
		for at, digest := range changes {
			if got[at] != digest {
				t.Errorf("%s: the hours around %s are not those of Node", zone, at)
			}
		}
	}
}

// TestDateTexts checks which texts Date parses, and that Date keeps its properties and subclasses.
func TestDateTexts(t *testing.T) {
	job := script(`class Day extends Date { get name() { return "day"; } }
const day = new Day(2024, 2, 10, 12);
const time = (text) => { const at = new Date(text); return Number.isNaN(at.getTime()) ? null : at.toISOString(); };
export default [
  time("2024-03-10t12:00:00z"), time("2024-067"), time("2024-03-10"), time("2024-03-10T12:00"), time("2024-03-10t12:00"), time("2024-03-10T12:00+02:00"),
  time("Mar 10 2024 12:00"), time("Sun, 10 Mar 2024 12:00:00 GMT"), time("nonsense"),
  day.name, day instanceof Date, day.constructor === Day, Object.prototype.toString.call(day), day.toISOString(),
  Date.length, Date.name, Date.prototype.constructor === Date, typeof Date(), Date.UTC.length, new Date(day).getTime() === day.getTime(),
  new Date(2024, 2, 10, 2, 30).getHours(), new Date(99, 0).getFullYear(), new Date(2024, NaN).getTime(), new Date(undefined).getTime(), new Date(null).getTime(),
  new Date({ valueOf: () => 5 }).getTime(), new Date({ [Symbol.toPrimitive]: () => "2024-03-10" }).getTime(), new Date(NaN).setDate(1), new Date(NaN).setFullYear(2024),
  new Date(2024, 0, 31).setHours.length, (() => { try { Date.prototype.setDate.call({}, 1); } catch (e) { return e.name; } })(),
]`)
	job.TZ = "America/New_York"
	want := `["2024-03-10T12:00:00.000Z",null,"2024-03-10T00:00:00.000Z","2024-03-10T16:00:00.000Z","2024-03-10T16:00:00.000Z","2024-03-10T10:00:00.000Z",` +
		`"2024-03-10T16:00:00.000Z","2024-03-10T12:00:00.000Z",null,"day",true,true,"[object Date]","2024-03-10T16:00:00.000Z",` +
		`7,"Date",true,"string",7,true,3,1999,null,null,0,5,1710028800000,null,1704085200000,4,"TypeError"]`
	if out := run(t, job, newHost()); string(out.Value) != want {
		t.Errorf("got  %s\nwant %s", out.Value, want)
	}
}

// TestTextsAsInNode compares how Date parses texts with Node.js (testdata/dates.mjs).
func TestTextsAsInNode(t *testing.T) {
	text, err := os.ReadFile("testdata/dates.json")
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]string
	if err := json.Unmarshal(text, &want); err != nil || len(want) < 200 {
		t.Fatalf("%d texts, %v", len(want), err)
	}
	job := script("export default Object.fromEntries(Object.keys(" + string(text) + ").map((text) => [text, new Date(text).toJSON()]))")
	job.TZ = "America/New_York"
	if err := json.Unmarshal(run(t, job, newHost()).Value, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOffsetsWithSeconds: Liberia was 44 minutes and 30 seconds west of UTC until 1972.
func TestOffsetsWithSeconds(t *testing.T) {
	job := script(`const day = new Date(1972, 0, 1);
const all = [day.getTime(), day.getHours(), day.getSeconds(), day.toTimeString().slice(0, 17), new Date(0).getMinutes()];
day.setHours(5);
let thrown;
try { new Date(5n) } catch (error) { thrown = error.name }
export default [...all, day.getTime(), day.getDate(), thrown]`)
	job.TZ = "Africa/Monrovia"
	want := `[63074670000,0,0,"00:00:00 GMT-0044",15,63092670000,1,"TypeError"]`
	if out := run(t, job, newHost()); string(out.Value) != want {
		t.Errorf("got %s, want %s (%v)", out.Value, want, out.Err)
	}
}
