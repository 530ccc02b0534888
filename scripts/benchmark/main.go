// Benchmark measures a running agent, the settings app and the plugin runner for
// scripts/bench. It runs inside a private session, if it needs one, and prints rows
// that its table mode assembles.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A row is one measured thing: how it did, what it is held against, and the
// most that the target allows.
type row struct {
	what    string
	value   string
	against string
	target  string
	ok      bool
}

func (r row) print(w io.Writer) {
	fmt.Fprintln(w, strings.Join([]string{r.what, r.value, r.against, r.target, strconv.FormatBool(r.ok)}, "\t"))
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == "session":
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return agent(ctx, n, stdout)
	case len(args) == 1 && args[0] == "settings":
		return settings(ctx, stdout)
	case len(args) == 1 && args[0] == "routes":
		return routes(stdin, stdout)
	case len(args) == 2 && args[0] == "plugins":
		return plugins(ctx, args[1], stdout)
	case len(args) == 1 && args[0] == "echo": // a child of plugins
		return bareEcho(stdin, stdout)
	case len(args) == 2 && args[0] == "frames": // another
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return bareFrames(n, stdout)
	case len(args) == 1 && args[0] == "table":
		return table(stdin, stdout)
	}
	return fmt.Errorf("usage: benchmark session N | settings | routes | plugins BIN | table")
}

// table prints the rows for people.
func table(stdin io.Reader, stdout io.Writer) error {
	w := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "what\tmeasured\tagainst\ttarget\t")
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 5 {
			return fmt.Errorf("not a row: %q", lines.Text())
		}
		mark := "met"
		switch {
		case f[3] == "": // no target
			mark = ""
		case f[4] != "true":
			mark = "MISSED"
		}
		fmt.Fprintln(w, strings.Join(append(f[:4], mark), "\t"))
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return w.Flush()
}

// routes turns the output of go test -bench into rows. The benchmark reports
// its own percentiles.
func routes(stdin io.Reader, stdout io.Writer) error {
	const p50Most, p99Most = 20_000, 100_000 // ns
	seen := 0
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		name, rest, ok := strings.Cut(lines.Text(), "\t")
		if !ok || !strings.HasPrefix(name, "BenchmarkRoute/") {
			continue
		}
		units := map[string]float64{}
		f := strings.Fields(rest)
		for i := 1; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				return fmt.Errorf("%q: %w", lines.Text(), err)
			}
			units[f[i+1]] = v
		}
		seen++
		p50, p99 := units["p50-ns"], units["p99-ns"]
		row{
			"route, " + strings.TrimPrefix(strings.TrimSpace(name), "BenchmarkRoute/"),
			fmt.Sprintf("p50 %.1f µs, p99 %.1f µs, %.0f allocs", p50/1e3, p99/1e3, units["allocs/op"]),
			"", "p50 ≤ 20 µs, p99 ≤ 100 µs", p50 > 0 && p50 <= p50Most && p99 <= p99Most,
		}.print(stdout)
	}
	if seen == 0 {
		return fmt.Errorf("go test printed no BenchmarkRoute line")
	}
	return lines.Err()
}
