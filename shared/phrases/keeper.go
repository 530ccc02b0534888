package phrases

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"utter/shared/profile"
)

// A Keeper holds the words with the user's own over them, and reads these again
// when they have changed. It is safe for concurrent use.
type Keeper struct {
	builtIn *Set
	dir     string

	mu       sync.Mutex
	stamp    string // of the files that now and problems come from
	now      *Set
	problems []profile.Problem
}

// NewKeeper returns a keeper of the built-in words and the data files in dir.
func NewKeeper(builtIn *Set, dir string) *Keeper { return &Keeper{builtIn: builtIn, dir: dir} }

// Load returns the words and what is wrong with the user's files. The Set is the
// same while no file has changed.
func (k *Keeper) Load() (*Set, []profile.Problem) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if stamp := stampFiles(k.dir); k.now == nil || stamp != k.stamp {
		k.stamp = stamp
		k.now, k.problems = k.builtIn.Extended(k.dir)
	}
	return k.now, k.problems
}

// Words returns the words that Load returns.
func (k *Keeper) Words() *Set {
	words, _ := k.Load()
	return words
}

// IsGeneric is the Set's.
func (k *Keeper) IsGeneric(word string) bool { return k.Words().IsGeneric(word) }

// IsPhrase is the Set's.
func (k *Keeper) IsPhrase(t string) bool { return k.Words().IsPhrase(t) }

// stampFiles sums up the names, sizes and times of the files in a folder.
func stampFiles(dir string) string {
	items, err := os.ReadDir(dir)
	if err != nil {
		return "" // there is none
	}
	var b strings.Builder
	for _, item := range items {
		if info, err := os.Stat(filepath.Join(dir, item.Name())); err == nil {
			fmt.Fprintln(&b, item.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
