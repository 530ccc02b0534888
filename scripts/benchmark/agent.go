package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/shared/bus"
	"utter/shared/catalog"
	"utter/shared/xdg"
)

// agent measures an agent with n profiles. It writes the profiles first and
// lets the bus start the agent.
func agent(ctx context.Context, n int, out io.Writer) error {
	if err := writeProfiles(n); err != nil {
		return err
	}
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return err
	}
	defer conn.Close()
	client, err := bus.Dial(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	b := &agentBench{ctx: ctx, n: n, out: out, client: client, agent: conn.Object(bus.Agent, bus.Path), conn: conn}
	steps := []func() error{b.coldStart, b.planAgainstPing}
	if n >= 500 {
		steps = append(steps, b.reload)
	}
	if n == 500 {
		steps = append(steps, b.processes, b.idle, b.cancel, b.catalogue, b.typing)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("%d profiles: %w", n, err)
		}
	}
	return nil
}

// writeProfiles makes n applications, every tenth with a profile of the user's.
func writeProfiles(n int) error {
	apps := filepath.Join(os.Getenv("XDG_DATA_HOME"), "applications")
	user := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "utter", "profiles")
	for _, dir := range []string{apps, user} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for i := range n {
		entry := fmt.Sprintf(
			"[Desktop Entry]\nType=Application\nName=Sample Tool %d\nGenericName=Tool\nKeywords=sample;thing%d;\n"+
				"Exec=sh -c true %%u\nCategories=Utility;\nStartupWMClass=sample-%d\n", i, i%50, i)
		if err := os.WriteFile(filepath.Join(apps, fmt.Sprintf("org.example.Sample%d.desktop", i)),
			[]byte(entry), 0o644); err != nil {
			return err
		}
		if i%10 != 0 {
			continue
		}
		profile := fmt.Sprintf(
			"id: org.example.Sample%d\naliases: [sample %d, thing %d]\nshortcuts:\n  new_tab: ctrl+t\n  find: ctrl+f\n", i, i, i)
		if err := os.WriteFile(filepath.Join(user, fmt.Sprintf("other_%d.yaml", i)), []byte(profile), 0o644); err != nil {
			return err
		}
	}
	return nil
}

type agentBench struct {
	ctx    context.Context
	n      int
	out    io.Writer
	client *bus.Client
	agent  dbus.BusObject // for what is measured
	conn   *dbus.Conn
}

func (b *agentBench) row(what, value, against, target string, ok bool) {
	row{fmt.Sprintf("%s, %d profiles", what, b.n), value, against, target, ok}.print(b.out)
}

func (b *agentBench) ping() error {
	return b.agent.CallWithContext(b.ctx, bus.Interface+".Ping", 0).Err
}

func (b *agentBench) plan(utterance string) error {
	return b.agent.CallWithContext(b.ctx, bus.Interface+".Plan", 0, utterance).Err
}

// pid returns the agent's process.
func (b *agentBench) pid() (int, error) {
	var pid uint32
	err := b.conn.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, bus.Agent).Store(&pid)
	return int(pid), err
}

// stop ends the agent and waits until its name is free.
func (b *agentBench) stop() error {
	pid, err := b.pid()
	if err != nil {
		return nil // it does not run
	}
	if err := exec.Command("kill", strconv.Itoa(pid)).Run(); err != nil {
		return err
	}
	for range 200 {
		if _, err := b.pid(); err != nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("the agent %d does not end", pid)
}

// coldStart times the first answer of an agent that the bus must start.
func (b *agentBench) coldStart() error {
	if err := b.ping(); err != nil { // the files are in the cache of the system then
		return err
	}
	s := make(sample, 5)
	for i := range s {
		if err := b.stop(); err != nil {
			return err
		}
		began := time.Now()
		if err := b.plan("open the terminal"); err != nil {
			return err
		}
		s[i] = time.Since(began)
	}
	limit, target := 60*time.Millisecond, "≤ 60 ms"
	if b.n > 500 {
		limit, target = time.Second, "≤ 1 s"
	}
	b.row("activation to the first plan", fmt.Sprintf("%d ms", s.at(50).Milliseconds()), "", target, s.at(50) <= limit)
	return nil
}

// planAgainstPing holds Plan against Ping on the same bus, hits and misses.
func (b *agentBench) planAgainstPing() error {
	const calls = 1500
	pings, err := measure(calls, b.ping)
	if err != nil {
		return err
	}
	for _, c := range []struct{ what, utterance string }{
		{"hit", "open sample tool 7"}, {"miss", "the quick brown fox jumps over it"},
	} {
		plans, err := measure(calls, func() error { return b.plan(c.utterance) })
		if err != nil {
			return err
		}
		r50 := float64(plans.at(50)) / float64(pings.at(50))
		r99 := float64(plans.at(99)) / float64(pings.at(99))
		b.row("Plan over D-Bus, "+c.what, fmt.Sprintf("p50 %.2f ×, p99 %.2f ×", r50, r99),
			fmt.Sprintf("Ping: p50 %d µs, p99 %d µs", pings.at(50).Microseconds(), pings.at(99).Microseconds()),
			"≤ 1.5 ×", r50 <= 1.5 && r99 <= 1.5)
	}
	return nil
}

// reload times a saved profile until the agent plans by it.
func (b *agentBench) reload() error {
	file := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "utter", "profiles", "other_new.yaml")
	s := make(sample, 5)
	for i := range s {
		name := fmt.Sprintf("freshly taught %d", i)
		began := time.Now()
		if err := os.WriteFile(file, fmt.Appendf(nil, "id: org.example.Sample1\naliases: [%s]\n", name), 0o644); err != nil {
			return err
		}
		err := await(func() bool {
			plan, err := b.client.PlanWithOptions(b.ctx, "open "+name, bus.PlanOptions{})
			return err == nil && plan.Found
		})
		if err != nil {
			return fmt.Errorf("reload: %w", err)
		}
		s[i] = time.Since(began)
		time.Sleep(200 * time.Millisecond) // let it come to rest
	}
	b.row("saved profile takes effect", fmt.Sprintf("%d ms", s.at(50).Milliseconds()), "", "≤ 300 ms",
		s.at(100) <= 300*time.Millisecond)
	return nil
}

// processes holds the CLI against busctl.
func (b *agentBench) processes() error {
	const calls = 40
	run := func(argv ...string) func() error {
		return func() error { return exec.Command(argv[0], argv[1:]...).Run() }
	}
	busctl, err := measure(calls, run("busctl", "--user", "call", bus.Agent, bus.Path, bus.Interface, "Ping"))
	if err != nil {
		return fmt.Errorf("busctl: %w", err)
	}
	utter, err := measure(calls, run("utter", "plan", "open the terminal"))
	if err != nil {
		return fmt.Errorf("utter plan: %w", err)
	}
	ratio := float64(utter.at(50)) / float64(busctl.at(50))
	b.row("`utter plan`, whole process", fmt.Sprintf("%.2f ×", ratio),
		fmt.Sprintf("busctl Ping: %.1f ms", busctl.at(50).Seconds()*1e3), "≤ 1.0 ×", ratio <= 1)
	return nil
}

// idle looks at an agent that has nothing to do.
func (b *agentBench) idle() error {
	const pause = 10 * time.Second
	if err := b.stop(); err != nil {
		return err
	}
	if err := b.plan("open the terminal"); err != nil {
		return err
	}
	pid, err := b.pid()
	if err != nil {
		return err
	}
	time.Sleep(pause / 2) // let it come to rest
	before, err := status(pid)
	if err != nil {
		return err
	}
	time.Sleep(pause)
	after, err := status(pid)
	if err != nil {
		return err
	}
	rss := float64(after["VmRSS"]) / 1024
	switches := after["voluntary_ctxt_switches"] - before["voluntary_ctxt_switches"]
	b.row("idle agent", fmt.Sprintf("%.1f MB", rss), "", "≤ 25 MB", rss <= 25)
	b.row("idle agent", fmt.Sprintf("%d voluntary context switches in 10 s", switches), "", "≤ 1", switches <= 1)
	return nil
}

// catalogue times the generator, from nothing and with nothing changed.
func (b *agentBench) catalogue() error {
	source := catalog.Source{
		Dirs: xdg.New(os.Getenv, os.Getuid()), Taken: func(string) bool { return false },
		Found: func(string) bool { return true },
	}
	for _, run := range []struct {
		what    string
		changed bool
		limit   time.Duration
	}{{"catalogue, built from scratch", true, 40 * time.Millisecond},
		{"catalogue, nothing to rebuild", false, 5 * time.Millisecond}} {
		began := time.Now()
		sum, err := catalog.Generate(source, nil, false)
		took := time.Since(began)
		if err != nil || sum.Changed != run.changed {
			return fmt.Errorf("%s: %+v, %v", run.what, sum, err)
		}
		b.row(run.what, fmt.Sprintf("%.1f ms", took.Seconds()*1e3),
			"", fmt.Sprintf("≤ %d ms", run.limit.Milliseconds()), took <= run.limit)
	}
	return nil
}

// cancel times Cancel while a plan waits for a window that never comes.
func (b *agentBench) cancel() error {
	done := b.agent.Go(bus.Interface+".Run", 0, nil, "open sample tool 3")
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	var n uint32
	if err := b.agent.Call(bus.Interface+".Cancel", 0).Store(&n); err != nil {
		return err
	}
	call := <-done.Done
	took := time.Since(began)
	if call.Err != nil || n != 1 {
		return fmt.Errorf("cancel: %d plans, %v", n, call.Err)
	}
	b.row("Cancel until Run returns", fmt.Sprintf("%.1f ms", took.Seconds()*1e3), "", "≤ 100 ms",
		took <= 100*time.Millisecond)
	return nil
}
