package service

import (
	"errors"
	"fmt"
	"time"

	"utter/agent/internal/dialogue"
	"utter/agent/internal/router"
	"utter/shared/bus"
	"utter/shared/plan"
)

var errArgs = errors.New("invalid arguments")

// decodeOptions reads options into v. Its errors are errArgs.
func decodeOptions(given bus.Dict, v any) error {
	if err := bus.DecodeOptions(given, v); err != nil {
		return fmt.Errorf("%w: %w", errArgs, err)
	}
	return nil
}

// runOptions reads the options of RunWithOptions.
func runOptions(given bus.Dict) (o dialogue.Options, err error) {
	said := bus.RunOptions{Provenance: plan.FromUser.String()}
	if err := decodeOptions(given, &said); err != nil {
		return o, err
	}
	o.DryRun, o.Timeout = said.DryRun, time.Duration(said.TimeoutMS)*time.Millisecond
	if o.Provenance, err = plan.ParseProvenance(said.Provenance); err != nil {
		return o, fmt.Errorf("%w: option \"provenance\": %w", errArgs, err)
	}
	if said.Context != nil {
		c := router.ContextOf(*said.Context)
		o.Context = &c
	}
	if o.Context != nil && !o.DryRun {
		return o, fmt.Errorf("%w: option \"context\" requires dry_run", errArgs)
	}
	o.Window, err = windowOption(said.Window, o.Context != nil)
	return o, err
}

// planOptions reads the options of PlanWithOptions.
func planOptions(given bus.Dict) (o dialogue.Options, err error) {
	var said bus.PlanOptions
	if err := decodeOptions(given, &said); err != nil {
		return o, err
	}
	o.Provenance, o.App, o.Explain = plan.FromUser, said.App, said.Explain
	o.Window, err = windowOption(said.Window, o.App != "")
	return o, err
}

// windowOption returns the window that an option names, or 0 without the option.
// otherwise reports whether another option already sets the focus.
func windowOption(id *uint64, otherwise bool) (uint64, error) {
	switch {
	case id == nil:
		return 0, nil
	case *id == 0: // it would be the focused one
		return 0, fmt.Errorf("%w: option \"window\": no window has the id 0", errArgs)
	case otherwise:
		return 0, fmt.Errorf("%w: option \"window\" excludes app and context", errArgs)
	}
	return *id, nil
}
