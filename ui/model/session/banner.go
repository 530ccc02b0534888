package session

import (
	"slices"

	"utter/shared/profile"
	"utter/ui/model/tr"
)

// A BannerKind is what a banner is about, the most urgent first.
type BannerKind int

// The kinds.
const (
	NoBanner BannerKind = iota
	ConflictBanner
	FailureBanner
	ReadOnlyBanner
	ProblemBanner
	AgentBanner
)

// A Banner is the one thing that most needs the user.
type Banner struct {
	Kind   BannerKind
	Title  string
	Button string // "" for none
}

// Problems returns what is wrong with the user's files: what this process read,
// and what the agent says of others.
func (s *Session) Problems() []profile.Problem {
	var all []profile.Problem
	if s.lib != nil {
		all = append(all, s.lib.Problems...)
	}
	for _, p := range s.agent.Problems {
		if !contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// contains reports whether p is told already. Who has seen the file before it
// broke words the message in another way.
func contains(all []profile.Problem, p profile.Problem) bool {
	return slices.ContainsFunc(all, func(q profile.Problem) bool {
		return q.Origin.File == p.Origin.File && q.Origin.Line == p.Origin.Line &&
			q.Code == p.Code && slices.Equal(q.Args, p.Args)
	})
}

// Broken are the problems that keep a file out of force.
func (s *Session) Broken() []profile.Problem {
	var all []profile.Problem
	for _, p := range s.Problems() {
		if p.Severity == profile.Broken {
			all = append(all, p)
		}
	}
	return all
}

// Banner returns the banner to show now.
func (s *Session) Banner() Banner {
	switch broken := s.Broken(); {
	case s.Conflict() != nil:
		return Banner{ConflictBanner, tr.T("This was also changed outside this window"), tr.T("Review…")}
	case s.loadError != nil:
		return Banner{FailureBanner, tr.T("The applications could not be read"), tr.T("Review…")}
	case s.Failure() != nil:
		return Banner{FailureBanner, tr.T("Your change could not be saved"), tr.T("Review…")}
	case s.readOnly:
		return Banner{ReadOnlyBanner, tr.T("Your profile folder is read-only"), tr.T("Review…")}
	case len(broken) > 0:
		title := tr.N("A file has an error", "%d files have errors", len(broken), len(broken))
		return Banner{ProblemBanner, title, tr.T("Review…")}
	case s.agentKnown && !s.agent.Running:
		return Banner{AgentBanner, tr.T("The Utter agent is not running"), tr.T("Review…")}
	}
	return Banner{}
}
