package session

import (
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

func contains(all []profile.Problem, p profile.Problem) bool {
	for _, q := range all {
		if q.Origin.File == p.Origin.File && q.Origin.Line == p.Origin.Line && q.Message == p.Message {
			return true
		}
	}
	return false
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
	case s.conflict != nil:
		return Banner{ConflictBanner, tr.T("This was also changed outside this window"), tr.T("Review…")}
	case s.failure != nil:
		return Banner{FailureBanner, tr.T("Your change could not be saved"), tr.T("Review…")}
	case s.readOnly:
		return Banner{ReadOnlyBanner, tr.T("Your profiles are in a folder that cannot be written"), tr.T("Review…")}
	case len(broken) > 0:
		return Banner{ProblemBanner, tr.N("A file has a mistake and does not count", "%d files have mistakes and do not count", len(broken), len(broken)), tr.T("Review…")}
	case !s.agent.Running:
		return Banner{AgentBanner, tr.T("The Utter agent is not running"), tr.T("Review…")}
	}
	return Banner{}
}
