package confirm

import (
	"context"
	"fmt"
	"html"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

const (
	notifications = "org.freedesktop.Notifications"
	busTime       = 5 * time.Second
	noticeTime    = time.Minute
)

// Bus returns the address of the session bus: the address in the environment, or the
// default address if an agent may have set the environment.
func Bus(lookupEnv func(string) (string, bool), agent bool) string {
	if address, _ := lookupEnv("DBUS_SESSION_BUS_ADDRESS"); address != "" && !agent {
		return address
	}
	return fmt.Sprintf("unix:path=/run/user/%d/bus", os.Getuid())
}

// Desktop shows requests as desktop notifications. The code goes over the session bus and
// not through the arguments of a program, which every process of the user can read.
func Desktop(address string) Show {
	shows := sync.OnceValue(func() bool { return notifies(address) })
	return func(a toolscript.Approval, code string) {
		if shows() {
			_ = notify(address, a, code) // a request that is not seen is not answered
		}
	}
}

// onBus calls a function with a connection to the session bus.
func onBus(address string, f func(context.Context, *dbus.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), busTime)
	defer cancel()
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // nothing is left to write
	return f(ctx, conn)
}

// notifies reports whether a desktop shows notifications, or would start a service that does.
func notifies(address string) (yes bool) {
	_ = onBus(address, func(ctx context.Context, conn *dbus.Conn) error { // an error means that it does not
		for _, list := range []string{"ListNames", "ListActivatableNames"} {
			var names []string
			if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus."+list, 0).Store(&names); err != nil {
				return err
			}
			yes = yes || slices.Contains(names, notifications)
		}
		return nil
	})
	return yes
}

func notify(address string, a toolscript.Approval, code string) error {
	return onBus(address, func(ctx context.Context, conn *dbus.Conn) error {
		body := fmt.Sprintf("Code: %s\n%s\n%s", code, command(a), shortArgs(a))
		if a.Changed != "" {
			body += "\nThe tool has changed since it was approved: " + a.Changed
		}
		return notification(ctx, conn, "toolscript: "+terminal.ApprovalTitle(a), body, left(a))
	})
}

func notification(ctx context.Context, conn *dbus.Conn, title, body string, shown time.Duration) error {
	const critical = byte(2)
	return conn.Object(notifications, "/org/freedesktop/Notifications").CallWithContext(ctx, notifications+".Notify", 0,
		"toolscript", uint32(0), "", title, html.EscapeString(body), []string{},
		map[string]dbus.Variant{"urgency": dbus.MakeVariant(critical), "transient": dbus.MakeVariant(true)}, int32(shown.Milliseconds())).Err
}

// Notify shows lines about approvals as desktop notifications.
func Notify(address string) func(text string) {
	shows := sync.OnceValue(func() bool { return notifies(address) })
	return func(text string) {
		if shows() {
			_ = onBus(address, func(ctx context.Context, conn *dbus.Conn) error { // the log has the line, too
				return notification(ctx, conn, "toolscript", text, noticeTime)
			})
		}
	}
}
