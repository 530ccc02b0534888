package e2e

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A look is how a desktop asks its programs to present themselves.
type look struct {
	dark, highContrast bool
	still              bool    // no animations
	textScale          float64 // 1 if 0
	locale             string  // "de_DE.UTF-8"; C.UTF-8 if ""
}

// newSession brings a desktop of this look up.
func (l look) newSession(t *testing.T, o Options) *Session {
	t.Helper()
	o.Env = l.environ()
	s := NewSession(t, o)
	s.setLook(l)
	return s
}

// environ returns what only the environment tells: libadwaita takes dark from
// no file.
func (l look) environ() map[string]string {
	env := map[string]string{"GSETTINGS_BACKEND": "keyfile"}
	if l.dark {
		env["ADW_DEBUG_COLOR_SCHEME"] = "prefer-dark"
	}
	if l.locale != "" {
		language, _, _ := strings.Cut(l.locale, "_")
		env["LC_ALL"], env["LANGUAGE"] = l.locale, language
	}
	return env
}

// setLook writes the desktop's settings, which programs follow while they run.
// It changes neither dark nor locale.
func (s *Session) setLook(l look) {
	s.t.Helper()
	s.write("c/glib-2.0/settings/keyfile", fmt.Sprintf("[org/gnome/desktop/interface]\n"+
		"text-scaling-factor=%v\nenable-animations=%v\n[org/gnome/desktop/a11y/interface]\nhigh-contrast=%v\n",
		cmp.Or(l.textScale, 1), !l.still, l.highContrast))
}

// size makes the output, and with it a window that is alone on it, so large.
// Resizing a floating window loses a size that comes while GTK takes the last.
func (a *app) size(width, height int) {
	a.s.t.Helper()
	a.s.sway().do("output HEADLESS-1 mode %dx%d@60Hz", width, height)
	a.await(fmt.Sprintf("a window of %d x %d", width, height), func(*widget) bool {
		var got struct{ X, Y, Width, Height int32 }
		a.call(a.window().place, "Component.GetExtents", uint32(1)).Store(&got)
		return int(got.Width) == width && int(got.Height) == height
	})
}

// shot keeps a picture of the screen, for a person to look at, and fails the
// test if nothing is on it.
func (a *app) shot(name string) image.Image {
	a.s.t.Helper()
	settle(a.pid)
	file, err := filepath.Abs(filepath.Join("..", "..", "build", "shots", name+".png"))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err != nil {
		a.s.t.Fatal(err)
	}
	if out, err := a.s.command("grim", file).CombinedOutput(); err != nil {
		a.s.t.Fatalf("grim: %v %s", err, out)
	}
	picture, err := png.Decode(strings.NewReader(contents(file)))
	if err != nil {
		a.s.t.Fatalf("%s: %v", file, err)
	}
	if blank(picture) {
		a.s.t.Errorf("nothing is on %s", file)
	}
	return picture
}

// blank reports whether a picture has hardly a colour.
func blank(picture image.Image) bool {
	found := map[color.Color]bool{}
	box := picture.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			found[picture.At(x, y)] = true
		}
		if len(found) >= 20 {
			return false
		}
	}
	return true
}

// colours counts the pixels of each colour.
func colours(picture image.Image) map[color.Color]int {
	count := map[color.Color]int{}
	box := picture.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			count[picture.At(x, y)]++
		}
	}
	return count
}

// brightness returns how bright a picture is on the whole, from 0 to 1.
func brightness(picture image.Image) float64 {
	var sum, pixels float64
	for c, n := range colours(picture) {
		sum += float64(color.Gray16Model.Convert(c).(color.Gray16).Y) * float64(n)
		pixels += float64(n)
	}
	return sum / pixels / 0xffff
}
