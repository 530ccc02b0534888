package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"utter/shared/plan"
	"utter/shared/plugin"
	"utter/shared/plugin/rpc"
)

// The arguments of the operations, as the runner is told them; package plan has
// the last word. An optional one is a pointer: left out is not the same as false.
type (
	openURLArgs struct {
		URL    string `json:"url" doc:"http, https or mailto"`
		NewTab *bool  `json:"new_tab,omitempty"`
	}
	ensureURLArgs struct {
		URL       string  `json:"url" doc:"http or https"`
		Site      *string `json:"site,omitempty" doc:"what the window of a page that is open already is called"`
		MustExist *bool   `json:"must_exist,omitempty" doc:"open nothing"`
	}
	launchArgs struct {
		App  *string  `json:"app,omitempty"`
		Argv []string `json:"argv,omitempty"`
	}
	ensureAppArgs struct {
		App  string   `json:"app"`
		Argv []string `json:"argv,omitempty"`
	}
	appArgs struct {
		App string `json:"app" doc:"the id of an application"`
	}
	searchArgs struct {
		Query string `json:"query"`
	}
	keyArgs struct {
		Chord    string  `json:"chord" doc:"as in ctrl+shift+t"`
		App      *string `json:"app,omitempty"`
		WindowID *string `json:"window_id,omitempty"`
	}
	typeArgs struct {
		Text            string  `json:"text"`
		App             *string `json:"app,omitempty"`
		WindowID        *string `json:"window_id,omitempty"`
		RequireReadBack *bool   `json:"require_read_back,omitempty"`
	}
	terminalArgs struct {
		Command string `json:"command"`
		Enter   *bool  `json:"enter,omitempty" doc:"false leaves it to the user to press enter"`
	}
	niriArgs struct {
		Command  string  `json:"command"`
		Args     []any   `json:"args,omitempty"`
		WindowID *string `json:"window_id,omitempty"`
	}
	mediaArgs struct {
		Command string  `json:"command"`
		App     *string `json:"app,omitempty"`
	}
	pointArgs struct {
		X int `json:"x" doc:"in pixels of all screens together"`
		Y int `json:"y"`
	}
	scrollArgs struct {
		Direction string `json:"direction" enum:"up,down,left,right"`
		Amount    *int   `json:"amount,omitempty" doc:"steps of the wheel"`
	}
	waitArgs struct {
		MS *int `json:"ms,omitempty" doc:"milliseconds"`
	}
	speakArgs struct {
		Text string `json:"text"`
	}
)

// ops are all operations but click_element, which the agent cannot do yet.
func (a *agentPlugin) ops() []plugin.Op {
	return []plugin.Op{
		opOf[openURLArgs](a, plan.OpenURL, "shows a page"),
		opOf[ensureURLArgs](a, plan.EnsureURL, "goes to a page that is open, or opens it"),
		opOf[launchArgs](a, plan.LaunchApp, "starts an application, or a program"),
		opOf[ensureAppArgs](a, plan.EnsureApp, "goes to an application, or starts it"),
		opOf[appArgs](a, plan.FocusApp, "goes to an application that runs"),
		opOf[appArgs](a, plan.CloseApp, "closes an application"),
		opOf[searchArgs](a, plan.Search, "searches the web"),
		opOf[keyArgs](a, plan.Key, "presses keys"),
		opOf[typeArgs](a, plan.TypeText, "types text"),
		opOf[terminalArgs](a, plan.Terminal, "types a command into a terminal"),
		opOf[niriArgs](a, plan.Niri, "tells the compositor something, in the words of niri"),
		opOf[mediaArgs](a, plan.Media, "tells a media player something"),
		opOf[pointArgs](a, plan.ClickPoint, "clicks"),
		opOf[scrollArgs](a, plan.Scroll, "turns the wheel"),
		opOf[waitArgs](a, plan.Wait, "waits"),
		opOf[speakArgs](a, plan.Speak, "says something"),
		opOf[plugin.None](a, plan.Done, "does nothing"),
	}
}

// opOf makes an operation whose arguments are an A.
func opOf[A any](a *agentPlugin, op plan.Op, doc string) plugin.Op {
	return plugin.Op{
		Name: string(op), Doc: doc, Confirm: slices.Contains(a.confirmed, op),
		Do: plugin.Do(func(ctx context.Context, given A) (carriedOut, error) {
			args, err := planArgs(given)
			if err != nil {
				return carriedOut{}, fmt.Errorf("%s: %w", op, err)
			}
			return a.do(ctx, plan.Step{Op: op, Args: args})
		}),
	}
}

// planArgs writes arguments as package plan has them.
func planArgs(given any) (plan.Args, error) {
	text, err := rpc.Marshal(given)
	if err != nil {
		return nil, err
	}
	var args plan.Args
	if err := rpc.Unmarshal(text, &args); err != nil {
		return nil, err
	}
	for name, v := range args {
		args[name] = whole(v)
		list, _ := v.([]any)
		for i, item := range list {
			list[i] = whole(item)
		}
	}
	return args, nil
}

// whole makes an int of a whole number of JSON.
func whole(v any) any {
	if number, ok := v.(json.Number); ok {
		if n, err := number.Int64(); err == nil {
			return int(n)
		}
	}
	return v
}
