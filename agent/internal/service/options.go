package service

import (
	"errors"
	"fmt"
	"time"

	"utter/agent/internal/dialogue"
	"utter/agent/internal/router"
	"utter/shared/plan"
)

var errArgs = errors.New("invalid arguments")

// parseOptions reads an a{sv} of which only the keys known are allowed.
func parseOptions(options dict, known ...string) (dialogue.Options, error) {
	o := dialogue.Options{Provenance: plan.FromUser}
	for name, v := range options {
		ok := false
		for _, k := range known {
			ok = ok || k == name
		}
		if !ok {
			return o, fmt.Errorf("%w: unknown option %q; there are %v", errArgs, name, known)
		}
		if err := setOption(&o, name, v.Value()); err != nil {
			return o, fmt.Errorf("%w: option %q: %w", errArgs, name, err)
		}
	}
	if o.Context != nil && !o.DryRun {
		return o, fmt.Errorf("%w: a context is for dry runs only", errArgs)
	}
	if o.Window != 0 && (o.App != "" || o.Context != nil) {
		return o, fmt.Errorf("%w: a window, and an application or context, exclude each other", errArgs)
	}
	return o, nil
}

func setOption(o *dialogue.Options, name string, v any) (err error) {
	ok := false
	switch name {
	case "dry_run":
		o.DryRun, ok = v.(bool)
	case "explain":
		o.Explain, ok = v.(bool)
	case "app":
		o.App, ok = v.(string)
	case "window":
		if o.Window, ok = v.(uint64); ok && o.Window == 0 { // it would be the focused one
			err = errors.New("is 0, which no window is")
		}
	case "timeout_ms":
		var ms uint32
		ms, ok = v.(uint32)
		o.Timeout = time.Duration(ms) * time.Millisecond
	case "provenance":
		var s string
		if s, ok = v.(string); ok {
			o.Provenance, err = plan.ParseProvenance(s)
		}
	case "context":
		var d dict
		if d, ok = v.(dict); ok {
			o.Context, err = parseContext(d)
		}
	}
	if !ok {
		return fmt.Errorf("has the wrong type %T", v)
	}
	return err
}

// parseContext reads focused a{sv} and windows aa{sv}, each of app_id and title.
func parseContext(d dict) (*router.Context, error) {
	c := &router.Context{}
	for name := range d {
		if name != "focused" && name != "windows" {
			return nil, fmt.Errorf("unknown key %q; there are focused and windows", name)
		}
	}
	if v, ok := d["focused"]; ok {
		w, ok := v.Value().(dict)
		if !ok {
			return nil, fmt.Errorf("focused has the wrong type %T", v.Value())
		}
		focused, err := parseWindow(w)
		if err != nil {
			return nil, fmt.Errorf("focused: %w", err)
		}
		c.Focused = &focused
	}
	if v, ok := d["windows"]; ok {
		list, ok := v.Value().([]dict)
		if !ok {
			return nil, fmt.Errorf("windows has the wrong type %T", v.Value())
		}
		for _, w := range list {
			window, err := parseWindow(w)
			if err != nil {
				return nil, fmt.Errorf("windows: %w", err)
			}
			c.Windows = append(c.Windows, window)
		}
	}
	return c, nil
}

func parseWindow(d dict) (router.Window, error) {
	var w router.Window
	for name, v := range d {
		ok := false
		switch name {
		case "app_id":
			w.AppID, ok = v.Value().(string)
		case "title":
			w.Title, ok = v.Value().(string)
		default:
			return w, fmt.Errorf("unknown key %q; there are app_id and title", name)
		}
		if !ok {
			return w, fmt.Errorf("%s has the wrong type %T", name, v.Value())
		}
	}
	return w, nil
}
