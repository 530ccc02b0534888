// Po maintains the translations of the settings app. It runs in the repository's
// top folder and needs GNU gettext:
//
//	go run ./scripts/po update        data/po/utter.pot from the sources, and every language from that
//	go run ./scripts/po check         fails if the .pot is stale or a translation is missing or broken
//	go run ./scripts/po compile DIR   DIR/de/LC_MESSAGES/utter.mo, and so on
//	go run ./scripts/po pseudo DIR    the same for en_XA: English that shows what is not translated or
//	                                  not wide enough; LANG=de_DE.UTF-8 LANGUAGE=en_XA chooses it
//
// Translatable strings are, in Go, tr.T("…"), tr.C("context", "…"), tr.N("one", "many", n)
// and i18n.Mark("…"), in .ui files translatable="yes", and the texts of the desktop
// entry and the metainfo. A comment that begins with "Translators:", above or on the
// line, is extracted with the string.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	p := project{root: "."}
	var err error
	switch {
	case len(args) == 1 && args[0] == "update":
		err = p.update()
	case len(args) == 1 && args[0] == "check":
		err = p.check()
	case len(args) == 2 && args[0] == "compile":
		err = p.compile(args[1])
	case len(args) == 2 && args[0] == "pseudo":
		err = p.pseudo(args[1])
	default:
		err = errUsage
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(stderr, "po:", err)
	if errors.Is(err, errUsage) {
		return exitUsage
	}
	return exitFailed
}

var errUsage = errors.New("usage: go run ./scripts/po update|check|compile DIR|pseudo DIR")
