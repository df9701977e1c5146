package script_test

import (
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Programs of Unix that servers and commands of scripts start.
func init() {
	programs["base64"] = func() { os.Exit(encode64()) }
	programs["curl"] = func() { os.Exit(curl(os.Args[1:])) }
	programs["find"] = func() { os.Exit(find(os.Args[1:])) }
	programs["ls"] = func() { os.Exit(ls(os.Args[1:])) }
	programs["pwd"] = func() { os.Exit(pwd()) }
}

// encode64 is the program "base64".
func encode64() int {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return failed("base64", err)
	}
	fmt.Println(base64.StdEncoding.EncodeToString(text))
	return 0
}

// curl is the program "curl -s|-sN [--retry N] [--retry-all-errors] [-H HEADER] [-d BODY] URL".
func curl(args []string) int {
	flags := flag.NewFlagSet("curl", flag.ContinueOnError)
	given := headers{}
	flags.Bool("s", false, "")
	flags.Bool("sN", false, "")
	flags.Int("retry", 0, "")
	flags.Bool("retry-all-errors", false, "")
	flags.Var(given, "H", "")
	body := flags.String("d", "", "")
	if flags.Parse(args) != nil {
		return 2
	}
	method := http.MethodGet
	if *body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequest(method, flags.Arg(0), strings.NewReader(*body))
	if err != nil {
		return failed("curl", err)
	}
	request.Header = http.Header(given)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return failed("curl", err)
	}
	_, err = io.Copy(os.Stdout, response.Body)
	if err != nil {
		return failed("curl", err)
	}
	_ = response.Body.Close() // it was read to its end
	return 0
}

// find is the program "find FOLDER [-name PATTERN]... [-printf '"%P"\n']". Without -printf, it prints nothing.
func find(args []string) int {
	folder, patterns, prints := args[0], []string{}, false
	for at := 1; at+1 < len(args); at += 2 {
		switch args[at] {
		case "-name":
			patterns = append(patterns, args[at+1])
		case "-printf":
			prints = true
		}
	}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		for _, pattern := range patterns {
			if is, _ := filepath.Match(pattern, d.Name()); !is {
				return err
			}
		}
		if prints {
			fmt.Printf("%q\n", filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		return failed("find", err)
	}
	return 0
}

// ls is the program "ls FOLDER".
func ls(args []string) int {
	entries, err := os.ReadDir(args[0])
	if err != nil {
		return failed("ls", err)
	}
	for _, e := range entries {
		fmt.Println(e.Name())
	}
	return 0
}

// pwd is the program "pwd", which prints the path with slashes.
func pwd() int {
	folder, err := os.Getwd()
	if err != nil {
		return failed("pwd", err)
	}
	fmt.Println(filepath.ToSlash(folder))
	return 0
}
