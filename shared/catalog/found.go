package catalog

import (
	"os"
	"os/exec"
	"sync"
	"time"

	"utter/shared/xdg"
)

// FoundInPath says whether a program can be run, by the PATH of the process. It
// looks again after two seconds: programs come and go.
func FoundInPath(program string) bool { return inPath.found(program, time.Now()) }

// A finder remembers for a while which programs can be run. Its size is bounded
// by forgetting everything.
type finder struct {
	mu    sync.Mutex
	known map[string]finding
}

type finding struct {
	there bool
	at    time.Time
}

var inPath = &finder{known: map[string]finding{}}

func (f *finder) found(program string, now time.Time) bool {
	const fresh, most = 2 * time.Second, 1000
	f.mu.Lock()
	defer f.mu.Unlock()
	if k, ok := f.known[program]; ok && now.Sub(k.at) < fresh && !now.Before(k.at) {
		return k.there
	}
	if len(f.known) >= most {
		clear(f.known)
	}
	_, err := exec.LookPath(xdg.ExpandHome(program, os.Getenv("HOME")))
	f.known[program] = finding{err == nil, now}
	return err == nil
}
