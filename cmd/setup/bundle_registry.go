package setup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// downloadTime bounds the download of a bundle.
const downloadTime = 10 * time.Minute

// bundles returns the packages of a server that are bundles. There may be one for each system.
func (s Definition) bundles() []Package {
	return slices.DeleteFunc(slices.Clone(s.Packages), func(p Package) bool { return p.RegistryType != "mcpb" })
}

// takesBundle reports whether a server of the registry is added as a bundle, because --from says so or because the
// server has only bundles.
func (o *addOptions) takesBundle(s Definition) bool {
	n := len(s.bundles())
	return n > 0 && (o.from == "mcpb" || o.from == "" && n == len(s.Packages) && len(s.Remotes) == 0)
}

// addRegistryBundle adds the first bundle of a server of the registry that runs on this system.
func (o *addOptions) addRegistryBundle(ctx context.Context, e Entry, words []string) (err error) {
	o.name = cmp.Or(o.name, e.Server.LocalName())
	o.describeEntry(e)
	for _, p := range e.Server.bundles() {
		if err = o.addDownloaded(ctx, p, words); toolscript.KindOf(err) != toolscript.Unsupported {
			return err
		}
	}
	return err
}

func (o *addOptions) addDownloaded(ctx context.Context, p Package, words []string) error {
	folder := o.Host.Cache("downloads")
	if err := files.PrivateDir(folder); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, "*.mcpb")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // a file that stays is in the cache folder, which may be deleted
	over := o.Waiting("downloading the bundle")
	err = errors.Join((&Client{URL: o.registry}).download(ctx, p, f), f.Close())
	over()
	if err != nil {
		return err
	}
	return o.addBundle(ctx, f.Name(), p.Identifier, words)
}

// download writes a bundle, and fails if it does not have the hash of the registry.
func (c *Client) download(ctx context.Context, p Package, to io.Writer) error {
	if sum, err := hex.DecodeString(p.FileSHA256); err != nil || len(sum) != sha256.Size || strings.ToLower(p.FileSHA256) != p.FileSHA256 {
		return &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf("the registry does not give the SHA-256 of the bundle %.200q; download it yourself, and run: toolscript add FILE.mcpb", p.Identifier)}
	}
	if err := checkURL(p.Identifier); err != nil {
		return &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf("%.200q is not the address of a bundle: it must begin with https://", p.Identifier)}
	}
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	defer cancel()
	resp, done, err := c.request(ctx, p.Identifier) //nolint:bodyclose // done closes it
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the bundle at %.200q cannot be read: %w", p.Identifier, err)}
	}
	defer done()
	if resp.StatusCode != http.StatusOK {
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("%.200q answered with the status %d", p.Identifier, resp.StatusCode)}
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, hash), io.LimitReader(resp.Body, maxBundle+1))
	switch {
	case err != nil:
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the bundle at %.200q: %w", p.Identifier, err)}
	case n > maxBundle:
		return &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the bundle at %.200q has more than %d MB", p.Identifier, maxBundle>>20)}
	case hex.EncodeToString(hash.Sum(nil)) != p.FileSHA256:
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("the file at %.200q is not the bundle that the registry describes: its SHA-256 is %x, not %s", p.Identifier, hash.Sum(nil), p.FileSHA256)}
	}
	return nil
}
