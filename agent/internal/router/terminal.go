package router

import (
	"path/filepath"
	"slices"
	"strings"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/terminal"
)

// terminal: commands for the focused terminal. Elsewhere not mine.
func (r *Router) terminal(q *request) answer {
	if !q.terminal {
		return answer{}
	}
	if command, ok := r.words.Shell[q.t]; ok {
		return mine(terminalStep(command))
	}
	command := unquote(q.Rest(begins(q.Words, r.words.Verbs.Terminal)))
	if command == "" {
		return answer{}
	}
	return mine(terminalStep(command))
}

func terminalStep(command string) plan.Step {
	return plan.Step{Args: op.Terminal{Command: command}, Description: "run a command in the terminal", Confirm: true}
}

// shellWords writes an argument list as a shell reads it.
func shellWords(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = w
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !strings.ContainsRune(plainInShell, r) }) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// plainInShell are the characters that mean nothing else to a shell.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+"

// cliAgent: programs that live in a terminal, by their spoken name.
func (r *Router) cliAgent(q *request) answer {
	name, ok := cutFront(q.t, r.words.Verbs.Agent)
	if !ok {
		return answer{}
	}
	argv := r.words.Agents[name]
	if argv == nil || r.resolve(q, name, true).IsOwn() {
		return answer{}
	}
	if q.terminal {
		return mine(terminalStep(shellWords(argv)))
	}
	app, all := r.words.Terminal[0], slices.Concat(r.words.Terminal, argv)
	if p := r.lib.Default(profile.Terminal); p != nil {
		if command := r.lib.Command(p); len(command) > 0 {
			app, all = p.ID, slices.Concat(command, terminal.Exec(filepath.Base(command[0])), argv)
		}
	}
	return mine(plan.Step{
		Args: op.LaunchApp{App: app, Argv: all}, Description: "start " + name + " in a terminal",
	})
}

// sayTerminal lists the commands for a terminal; elsewhere they mean nothing.
func (r *Router) sayTerminal() []phrase {
	return append(fixedAll(r.words.Shell), followed(r.words.Verbs.Terminal)...)
}

// sayAgents lists the CLI agents that are installed.
func (r *Router) sayAgents() (all []phrase) {
	for name, argv := range r.words.Agents {
		if r.lib.Startable(&profile.Profile{ID: name, Launch: argv}) {
			all = append(all, named(r.words.Verbs.Agent, name)...)
		}
	}
	return all
}
