//go:build deps

package toolscript

import (
	_ "github.com/anthdm/hollywood/actor"
	_ "github.com/cenkalti/backoff/v4"
	_ "github.com/dlclark/regexp2"
	_ "github.com/evanw/esbuild/pkg/api"
	_ "github.com/gofiber/fiber/v2"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/mark3labs/mcp-go/client"
	_ "github.com/mark3labs/mcp-go/server"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "github.com/tetratelabs/wazero"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/text/unicode/norm"
)
