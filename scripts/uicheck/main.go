// Uicheck looks at what compiles cgo, ui/view and app, in seconds and without
// compiling it: it type-checks the packages and names every symbol of GTK or
// libadwaita in them that is deprecated there, or broken in the bindings.
//
//	go run ./scripts/uicheck [PACKAGE...]
//
// If there are no findings, it prints nothing and the status is 0. The status is 1
// if there are findings, one per line, and 2 if it could not check.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
)

const (
	exitOK    = 0
	exitFound = 1
	exitFault = 2
)

func main() {
	packages := os.Args[1:]
	if len(packages) == 0 {
		packages = []string{"./ui/view/...", "./app/..."}
	}
	os.Exit(run(packages, os.Stdout, os.Stderr))
}

func run(packages []string, stdout, stderr io.Writer) int {
	found, err := check(packages)
	if err != nil {
		fmt.Fprintln(stderr, "uicheck:", err)
		return exitFault
	}
	for _, line := range found {
		fmt.Fprintln(stdout, line)
	}
	if len(found) > 0 {
		return exitFound
	}
	return exitOK
}

// check returns what is wrong with the packages, a line each.
func check(packages []string) ([]string, error) {
	t, err := load(packages)
	if err != nil {
		return nil, err
	}
	wrong := t.typeErrors()
	old, err := t.deprecatedInUI()
	if err != nil {
		return nil, err
	}
	return slices.Concat(t.syntax, wrong, t.deprecatedInGo(), t.brokenInGo(), old), nil
}
