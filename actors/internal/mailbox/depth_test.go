package mailbox_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// slow waits for a value from next before it ends its work on a message.
type slow struct{ next chan struct{} }

func (s slow) Receive(c *actor.Context) {
	if _, own := c.Message().(string); own {
		<-s.next
	}
}

func TestMessagesThatWaitAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, err := actor.NewEngine(actor.NewEngineConfig())
		if err != nil {
			t.Fatal(err)
		}
		life, next := mailbox.NewLife(), make(chan struct{})
		pid := engine.Spawn(func() actor.Receiver { return slow{next} }, "slow", life.Options("1")...)
		for range 5 {
			mailbox.Send(engine, pid, "work")
		}
		for handled := 1; handled <= 5; handled++ {
			synctest.Wait()
			if got := life.Waiting(); got != 5-handled || life.Handled() != uint64(handled) {
				t.Errorf("%d messages wait, %d were taken; want %d and %d", got, life.Handled(), 5-handled, handled)
			}
			next <- struct{}{}
		}
		<-engine.Poison(pid).Done()
		mailbox.Send(engine, pid, "late") // the actor has ended: the message is not counted
		if got := life.Waiting(); got != 0 {
			t.Errorf("%d messages wait for an actor that has ended", got)
		}
	})
}

// A message that is not sent with Send would not be counted.
func TestAllMessagesAreCounted(t *testing.T) {
	direct := regexp.MustCompile(`[eE]ngine(\(\))?\.Send\(`)
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == "internal/mailbox/depth.go" {
			return err
		}
		text, err := fs.ReadFile(root, path)
		if found := direct.Find(text); found != nil {
			t.Errorf("%s has %s: use mailbox.Send", path, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
