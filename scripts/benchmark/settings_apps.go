package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
)

// writeApps makes n applications with icons of their own, every tenth with a
// profile of the user's, and has the settings app show them all.
func writeApps(n int) error {
	data, config := os.Getenv("XDG_DATA_HOME"), filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "utter", "profiles")
	state := filepath.Join(os.Getenv("XDG_STATE_HOME"), "utter")
	apps, icons := filepath.Join(data, "applications"), filepath.Join(data, "icons", "hicolor", "48x48", "apps")
	for _, dir := range []string{config, state, apps, icons} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	const layout = `{"width": 940, "height": 680, "page": "apps", "filter": "all"}`
	files := map[string][]byte{filepath.Join(state, "settings.json"): []byte(layout)}
	for i := range n {
		id, name := fmt.Sprintf("org.example.App%d", i), appName(i)
		files[filepath.Join(apps, id+".desktop")] = fmt.Appendf(nil,
			"[Desktop Entry]\nType=Application\nName=%s\nExec=sh -c true %%u\nIcon=%s\nCategories=Utility;\n", name, id)
		icon, err := drawIcon(i)
		if err != nil {
			return err
		}
		files[filepath.Join(icons, id+".png")] = icon
		if i%10 == 0 {
			files[filepath.Join(config, fmt.Sprintf("utility_app%d.yaml", i))] = fmt.Appendf(nil,
				"id: %s\naliases: [number %d]\nshortcuts:\n  new_tab: ctrl+t\n  find: ctrl+f\n", id, i)
		}
	}
	for file, content := range files {
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// appName gives names of which each letter of "harbor" leaves fewer, on every
// screen of the list.
func appName(i int) string {
	words := []string{"Harbor", "Harbour", "Harbinger", "Harp", "Hammer", "Hotel", "Lantern", "Garden", "Meadow", "Pebble"}
	return fmt.Sprintf("Tool %03d %s", i, words[i%len(words)])
}

func drawIcon(i int) ([]byte, error) {
	picture := image.NewNRGBA(image.Rect(0, 0, 48, 48))
	for y := range 48 {
		for x := range 48 {
			picture.Set(x, y, color.NRGBA{uint8(i * 7), uint8(x * 5), uint8(y * 5), 255})
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, picture)
	return b.Bytes(), err
}
