package mailbox_test

import (
	"testing"
	"time"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

func TestDelaysDoubleUpToTwentySecondsEachSpreadByHalf(t *testing.T) {
	for range 100 {
		s := mailbox.NewSchedule()
		for i := range 20 {
			middle := min(500*time.Millisecond<<min(i, 10), 20*time.Second)
			if d := s.Next(0); d < middle/2 || d > middle*3/2 {
				t.Fatalf("delay %d = %v, want %v ± half", i, d, middle)
			}
		}
	}
}

func TestFailuresAreResetAfterHalfAMinute(t *testing.T) {
	tests := []struct {
		name   string
		worked time.Duration
		most   time.Duration
		least  time.Duration
	}{
		{"never worked", 0, 30 * time.Second, 10 * time.Second},
		{"worked for too short a time", 30*time.Second - 1, 30 * time.Second, 10 * time.Second},
		{"worked for half a minute", 30 * time.Second, 750 * time.Millisecond, 250 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := mailbox.NewSchedule()
			for range 10 {
				s.Next(0)
			}
			if d := s.Next(tt.worked); d < tt.least || d > tt.most {
				t.Errorf("delay = %v, want between %v and %v", d, tt.least, tt.most)
			}
		})
	}
}
