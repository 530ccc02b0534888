package apps

import (
	"context"
	"errors"
	"slices"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/launch"
	"utter/shared/catalog"
	"utter/shared/plan"
	"utter/shared/profile"
)

// startTime is how long a started application may take to show a window.
const startTime = 10 * time.Second

// A started is something that was asked to start.
type started struct {
	process *launch.Process // nil after D-Bus activation
	busName string
}

// start starts an application: argv where the plan names one that is here, else
// as its profile and desktop file say.
func (r *Resolver) start(ctx context.Context, id string, p *profile.Profile, argv, urls []string) (started, error) {
	env := r.environment(ctx, id)
	lib := r.library()
	if len(argv) == 0 || p != nil && !catalog.FoundInPath(argv[0]) && slices.Equal(argv, p.Launch) {
		if p == nil {
			return started{}, plan.Refuse(plan.Missing, "%s is not installed", id)
		}
		argv = lib.Command(p, urls...)
		if s, ok, err := r.activate(ctx, p, argv, urls, env["XDG_ACTIVATION_TOKEN"]); ok {
			return s, err
		}
	} else {
		argv = slices.Concat(argv, urls)
	}
	if len(argv) == 0 {
		return started{}, plan.Refuse(plan.Missing, "%s", p.WhyNot()) // without a profile the plan names the command
	}
	command := launch.Command{Argv: argv, Env: env, Name: id}
	if p != nil && p.Entry != nil {
		command.Dir = p.Entry.WorkDir
	}
	if inTerminal(p) {
		wrapped, err := r.terminal(argv)
		if err != nil {
			return started{}, err
		}
		command.Argv = wrapped
	}
	process, err := r.launcher.Start(ctx, command)
	switch {
	case errors.Is(err, launch.ErrNoProgram):
		return started{}, plan.Refuse(plan.Missing, "%s: the program %s is not installed", label(id, p), command.Argv[0])
	case err != nil:
		return started{}, plan.Fail("%v", err)
	}
	return started{process: process}, nil
}

// activate starts p by D-Bus where its desktop file says so and nobody set
// another command. ok is false where it must be started otherwise.
func (r *Resolver) activate(ctx context.Context, p *profile.Profile, argv, urls []string,
	token string) (s started, ok bool, err error) {
	if p.Entry == nil || p.Entry.BusName() == "" ||
		len(p.Launch) > 0 && len(argv) >= len(p.Launch) && slices.Equal(argv[:len(p.Launch)], p.Launch) {
		return started{}, false, nil
	}
	busName := p.Entry.BusName()
	asked, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	err = r.launcher.Activate(asked, busName, token, urls)
	switch {
	case err == nil, asked.Err() != nil && ctx.Err() == nil: // its window answers as well
		return started{busName: busName}, true, nil
	case errors.Is(err, launch.ErrNotActivatable) && len(argv) > 0:
		return started{}, false, nil
	case ctx.Err() != nil:
		return started{}, true, ctx.Err()
	}
	return started{}, true, plan.Fail("%s: %v", p.Name, err)
}

// environment is what a program needs to find this desktop and its focus.
func (r *Resolver) environment(ctx context.Context, id string) map[string]string {
	env := map[string]string{}
	if info, ok := r.desktop.Info(); ok {
		for name, value := range info.Env {
			env[name] = value
		}
	}
	if token := r.token(ctx, id); token != "" {
		env["XDG_ACTIVATION_TOKEN"] = token
		env["DESKTOP_STARTUP_ID"] = token
	}
	return env
}

// awaitWindow waits until a window of the application maps or gets the focus.
func (r *Resolver) awaitWindow(ctx context.Context, before *compositor.State, st started, id string,
	p *profile.Profile) (compositor.Window, error) {
	wait, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	failed := r.watchFailure(wait, cancel, st)
	pid := 0
	if st.process != nil {
		pid = st.process.PID
	}
	var shown compositor.Window
	_, err := r.desktop.Wait(wait, func(s *compositor.State) bool {
		if pid == 0 && st.busName != "" {
			pid = r.launcher.OwnerPID(wait, st.busName)
		}
		var ok bool
		shown, ok = r.appeared(before, s, pid, id, p)
		return ok
	})
	if err == nil {
		return shown, nil
	}
	name := label(id, p)
	switch {
	case ctx.Err() != nil:
		return compositor.Window{}, ctx.Err()
	case failed() != nil:
		return compositor.Window{}, plan.Fail("%s ended at once: %v", name, failed())
	case errors.Is(err, compositor.ErrGone):
		return compositor.Window{}, plan.Unsure(plan.Missing, "%s was started, but the compositor went away", name)
	}
	return compositor.Window{}, plan.Unsure(plan.Timeout,
		"%s was started, but none of its windows appeared within %v", name, startTime)
}

// watchFailure ends the waiting when the program ends without success. The
// function it returns tells how the program ended.
func (r *Resolver) watchFailure(wait context.Context, cancel func(), st started) func() error {
	if st.process == nil {
		return func() error { return nil }
	}
	go func() {
		select {
		case <-st.process.Done():
			if st.process.Failed() != nil {
				cancel()
			}
		case <-wait.Done():
		}
	}()
	return st.process.Failed
}

// appeared returns a window that shows that the application has come up: a new
// one of it or of its process, or one of it that has got the focus.
func (r *Resolver) appeared(before, now *compositor.State, pid int, id string,
	p *profile.Profile) (compositor.Window, bool) {
	focusedBefore, _ := before.Focused()
	for _, w := range now.Windows {
		_, old := before.Window(w.ID)
		ours := r.belongs(w, id, p)
		switch {
		case !old && pid > 0 && launch.Descends(w.PID, pid):
			r.learn(w, p)
			return w, true
		case ours && (!old || w.Focused && w.ID != focusedBefore.ID):
			return w, true
		}
	}
	return compositor.Window{}, false
}

// inTerminal reports whether p runs in a terminal, which it is not itself.
func inTerminal(p *profile.Profile) bool { return p != nil && p.Terminal && p.Kind != profile.Terminal }
