package confirm_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/toolscript/toolscript/cmd/confirm"
)

// bus starts a session bus with a desktop's notification service. notified receives the bodies of
// the notifications.
func bus(t *testing.T, names ...string) (address string, notified chan []any) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bus")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	notified = make(chan []any, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }() // the client sees the end
				if err := serveBus(conn, names, notified); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
					t.Error(err)
				}
			}()
		}
	}()
	return "unix:path=" + path, notified
}

func serveBus(conn net.Conn, names []string, notified chan<- []any) error {
	in := bufio.NewReader(conn)
	if _, err := in.ReadByte(); err != nil { // the zero byte before the login
		return err
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		reply := "ERROR\r\n"
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word {
		case "AUTH":
			reply = "REJECTED EXTERNAL\r\n"
			if strings.HasPrefix(line, "AUTH EXTERNAL") {
				reply = "OK 0123456789abcdef0123456789abcdef\r\n"
			}
		case "BEGIN":
			return serveCalls(in, conn, names, notified)
		}
		if _, err := io.WriteString(conn, reply); err != nil {
			return err
		}
	}
}

func serveCalls(in io.Reader, out io.Writer, names []string, notified chan<- []any) error {
	for serial := uint32(1); ; serial++ {
		call, err := dbus.DecodeMessage(in)
		if err != nil {
			return err
		}
		reply := &dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{}}
		switch member, _ := call.Headers[dbus.FieldMember].Value().(string); member {
		case "Hello":
			reply.Body = []any{":1.1"}
		case "ListNames":
			reply.Body = []any{names}
		case "ListActivatableNames":
			reply.Body = []any{[]string{"org.example.Other"}}
		case "Notify":
			notified <- call.Body
			reply.Body = []any{uint32(1)}
		}
		reply.Headers[dbus.FieldReplySerial] = dbus.MakeVariant(call.Serial())
		reply.Headers[dbus.FieldSender] = dbus.MakeVariant("org.freedesktop.DBus")
		reply.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(reply.Body...))
		if err := encode(reply, serial, out); err != nil {
			return err
		}
	}
}

// encode writes a message with a serial number. The library sets the number only for clients,
// so encode writes it into bytes 8 to 11.
func encode(m *dbus.Message, serial uint32, out io.Writer) error {
	var text bytes.Buffer
	if err := m.EncodeTo(&text, binary.LittleEndian); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(text.Bytes()[8:], serial)
	_, err := out.Write(text.Bytes())
	return err
}

// TestDesktop: the notification contains the call, the code and the command. Markup in arguments is escaped.
func TestDesktop(t *testing.T) {
	address, notified := bus(t, "org.freedesktop.Notifications")
	a := request
	a.Args = `{"path":"<b>a</b>"}`
	confirm.Desktop(address)(a, "ABCDEF")
	body := <-notified
	if title, text := body[3].(string), body[4].(string); title != "toolscript: run_1 wants to call files__write" ||
		text != "Code: ABCDEF\ntoolscript approvals allow apr_abc\n{&#34;path&#34;:&#34;&lt;b&gt;a&lt;/b&gt;&#34;}" || body[7] != int32(60_000) {
		t.Errorf("notification %q", body)
	}
}

// TestDesktopWithLongArguments: of long arguments, a notification shows the beginning, the end, and
// the command that shows all of them.
func TestDesktopWithLongArguments(t *testing.T) {
	for _, args := range []string{"first" + strings.Repeat("x", 1900) + "last", "first" + strings.Repeat("x", 1000) + "⟨9 bytes are not shown⟩" + strings.Repeat("y", 500) + "last"} {
		address, notified := bus(t, "org.freedesktop.Notifications")
		a := request
		a.Args, a.Cut = args, 9
		confirm.Desktop(address)(a, "ABCDEF")
		text := (<-notified)[4].(string)
		if len(text) > 600 || !strings.Contains(text, "\nfirst") || !strings.HasSuffix(text, "last\nAll arguments: toolscript approvals show apr_abc") {
			t.Errorf("notification %q", text)
		}
	}
}

// TestNotify: a line about approvals is shown as a notification.
func TestNotify(t *testing.T) {
	address, notified := bus(t, "org.freedesktop.Notifications")
	confirm.Notify(address)("5 wrong <codes>")
	if body := <-notified; body[3] != "toolscript" || body[4] != "5 wrong &lt;codes&gt;" {
		t.Errorf("notification %q", body)
	}
	confirm.Notify("unix:path=/nowhere")("nothing waits")
}

// TestNoDesktop: without a desktop, nothing is shown and no call blocks.
func TestNoDesktop(t *testing.T) {
	address, notified := bus(t, "org.example.Other")
	confirm.Desktop(address)(request, "ABCDEF")
	confirm.Desktop("unix:path=/nowhere")(request, "ABCDEF")
	if len(notified) > 0 {
		t.Errorf("notification %q", <-notified)
	}
}

// TestBusOfAnAgent: an agent cannot redirect notifications to its own bus.
func TestBusOfAnAgent(t *testing.T) {
	env := func(string) (string, bool) { return "unix:path=/tmp/mine", true }
	if got := confirm.Bus(env, false); got != "unix:path=/tmp/mine" {
		t.Errorf("bus of a person: %q", got)
	}
	if got := confirm.Bus(env, true); !strings.HasPrefix(got, "unix:path=/run/user/") {
		t.Errorf("bus of an agent: %q", got)
	}
}
