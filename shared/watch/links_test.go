package watch

import (
	"path/filepath"
	"testing"
)

// TestLinkedFiles are those of people who keep their files elsewhere.
func TestLinkedFiles(t *testing.T) {
	t.Parallel()
	w := watch(t, func(root string) {
		for _, dir := range []string{"d", "dots", "other"} {
			mkdir(t, filepath.Join(root, dir))
		}
		write(t, filepath.Join(root, "dots/a.yaml"), "id: a\n")
		write(t, filepath.Join(root, "other/b.yaml"), "id: b\n")
		link(t, filepath.Join(root, "dots/a.yaml"), filepath.Join(root, "d/a.yaml"))
	})
	write(t, w.path("dots/a.yaml"), "id: a2\n")
	w.tells("the target written in place")
	write(t, w.path("dots/a.yaml.new"), "id: a3\n")
	rename(t, w.path("dots/a.yaml.new"), w.path("dots/a.yaml"))
	w.tells("the target replaced")
	remove(t, w.path("d/a.yaml"))
	link(t, w.path("other/b.yaml"), w.path("d/a.yaml"))
	w.tells("the link pointed elsewhere")
	write(t, w.path("other/b.yaml"), "id: b2\n")
	w.tells("the new target")
	write(t, w.path("dots/a.yaml"), "id: a4\n")
	w.silent("the old target")
}

// TestALinkedFileOfItsOwn is a configuration in a folder of dot files, whose
// ending says nothing.
func TestALinkedFileOfItsOwn(t *testing.T) {
	t.Parallel()
	w := watch(t, func(root string) {
		mkdir(t, filepath.Join(root, "d"))
		mkdir(t, filepath.Join(root, "dots"))
		write(t, filepath.Join(root, "dots/settings"), "x")
		link(t, "../dots/settings", filepath.Join(root, "f/config.yaml"))
	})
	write(t, w.path("dots/settings.new"), "y")
	w.silent("a file beside the target")
	rename(t, w.path("dots/settings.new"), w.path("dots/settings"))
	w.tells("the target replaced")
	write(t, w.path("dots/settings"), "z")
	w.tells("the target written in place")
	remove(t, w.path("dots/settings"))
	w.tells("the target removed")
	write(t, w.path("dots/settings"), "z")
	w.tells("the target made again")
}

// TestALinkThatLeadsNowhereYet waits for its target.
func TestALinkThatLeadsNowhereYet(t *testing.T) {
	t.Parallel()
	w := watch(t, func(root string) {
		mkdir(t, filepath.Join(root, "e"))
		mkdir(t, filepath.Join(root, "dots"))
		link(t, filepath.Join(root, "dots/profiles"), filepath.Join(root, "d"))
	})
	mkdir(t, w.path("dots/profiles"))
	w.tells("the folder")
	link(t, w.path("dots/later/a"), w.path("dots/profiles/a.yaml"))
	w.tells("a link in it")
	mkdir(t, w.path("dots/later"))
	w.tells("the folder of its target")
	write(t, w.path("dots/later/a"), "id: a\n")
	w.tells("its target")
}

func TestALinkedFolder(t *testing.T) {
	t.Parallel()
	w := watch(t, func(root string) {
		for _, dir := range []string{"one", "two"} {
			mkdir(t, filepath.Join(root, dir))
			write(t, filepath.Join(root, dir, "a.yaml"), "id: a\n")
		}
		link(t, filepath.Join(root, "one"), filepath.Join(root, "d"))
	})
	write(t, w.path("one/a.yaml"), "id: a2\n")
	w.tells("a file behind the link")
	write(t, w.path("d/b.yaml"), "id: b\n")
	w.tells("a file through the link")
	link(t, w.path("two"), w.path("d.new")) // as stow and home-manager do
	rename(t, w.path("d.new"), w.dir)
	w.tells("the link pointed elsewhere")
	write(t, w.path("two/a.yaml"), "id: a3\n")
	w.tells("a file behind the new link")
	write(t, w.path("one/a.yaml"), "id: a4\n")
	w.silent("a file behind the old link")
	remove(t, w.dir)
	w.tells("removing the link")
	mkdir(t, w.dir)
	w.tells("a folder in its place")
	write(t, w.path("d/c.yaml"), "id: c\n")
	w.tells("a file in it")
}
