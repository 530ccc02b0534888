package main

import (
	"fmt"
	"strings"
)

// A config is the file a runner is started with. The zero config has no plugin
// and no [socket] table, and starts plugins without a sandbox.
type config struct {
	runner   string  // lines of [runner]
	policy   string  // lines of [policy]
	socket   *string // lines of [socket]; nil is not a such table
	security string  // lines of [security]; "" is enforce = false
	plugins  []entry
	more     string // at the end, as it is
}

// An entry is a [[plugin]] table.
type entry struct {
	id, kind                        string
	argv                            []string
	provides, requires, permissions []string
	more                            string // further lines
}

func (k config) toml() string {
	var b strings.Builder
	table := func(name, lines string) { fmt.Fprintf(&b, "[%s]\n%s\n", name, lines) }
	if k.runner != "" {
		table("runner", k.runner)
	}
	if k.policy != "" {
		table("policy", k.policy)
	}
	if k.socket != nil {
		table("socket", *k.socket)
	}
	if k.security == "" {
		k.security = "enforce = false"
	}
	table("security", k.security)
	for _, e := range k.plugins {
		b.WriteString(e.toml())
	}
	b.WriteString(k.more)
	return b.String()
}

func (e entry) toml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[[plugin]]\nid = %q\n", e.id)
	if e.kind != "" {
		fmt.Fprintf(&b, "kind = %q\n", e.kind)
	}
	fmt.Fprintf(&b, "entrypoint = %s\n", toJSON(e.argv))
	for _, l := range []struct {
		name  string
		items []string
	}{{"provides", e.provides}, {"requires", e.requires}, {"permissions", e.permissions}} {
		if l.items != nil {
			fmt.Fprintf(&b, "%s = %s\n", l.name, toJSON(l.items))
		}
	}
	b.WriteString(e.more + "\n")
	return b.String()
}

func (k config) withSocket(lines string) config { k.socket = &lines; return k }
