package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"utter/shared/atomicfile"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/xdg"
)

// consent says what each permission means to the user.
var consent = map[string]string{
	protocol.PermissionMicrophone:      "listen through the sound server and devices; with PipeWire, possibly use cameras",
	protocol.PermissionScreenshot:      "see what is on the screen",
	protocol.PermissionAccessibility:   "read the titles and texts of all windows",
	protocol.PermissionInputInjection:  "type and click",
	protocol.PermissionProcessSpawn:    "start programs",
	protocol.PermissionNetwork:         "use the whole network, including local services and a browser's remote control",
	protocol.PermissionFilesystemRead:  "read the configured files",
	protocol.PermissionFilesystemWrite: "write the configured files",
	protocol.PermissionClipboard:       "read the clipboard",
	protocol.PermissionNotifications:   "show notifications",
	protocol.PermissionKeyring:         "use the keyring",
}

func (r *runnerCLI) installCommand() *cobra.Command {
	var yes bool
	var id string
	var read, write []string
	cmd := &cobra.Command{
		Use:   "install FOLDER",
		Short: "Add the plugin in a folder to the configuration",
		Long: "Install reads utter-plugin.toml in the folder, shows what the plugin requests, and adds a\n" +
			"[[plugin]] to the configuration. Nothing is copied: the plugin runs from its folder, so its program\n" +
			"must be built. A missing --write-path folder is created.",
		Example: "  utter runner install ~/plugins/note",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := filepath.Abs(args[0])
			if err != nil {
				return &exitError{exitUsage, "usage", err.Error()}
			}
			m, err := r.manifest(folder)
			if err != nil {
				return err
			}
			if err := r.followRunner(cmd.Context()); err != nil {
				return err
			}
			entry := entryOf(m, folder)
			if entry.ReadPaths, err = absolute(read); err == nil {
				entry.WritePaths, err = absolute(write)
			}
			if err != nil {
				return &exitError{exitUsage, "usage", err.Error()}
			}
			if id != "" {
				entry.ID = id
			}
			if err := r.mayInstall(entry); err != nil {
				return err
			}
			if err := r.agree(m, entry, yes); err != nil {
				return err
			}
			return r.install(cmd.Context(), m, entry, folder)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "grant what it requests without asking")
	cmd.Flags().StringVar(&id, "id", "", "the id of the plugin instead of the name in its manifest")
	cmd.Flags().StringSliceVar(&read, "read-path", nil,
		"a `FOLDER` or file that it may read in a sandbox, besides its own folder")
	cmd.Flags().StringSliceVar(&write, "write-path", nil, "a `FOLDER` that it may write to in a sandbox")
	return cmd
}

// mayInstall refuses what could not be added, or could not run.
func (r *runnerCLI) mayInstall(entry config.Plugin) error {
	cfg, err := config.Load(r.file)
	if err != nil {
		return &exitError{exitFailed, "config", err.Error()}
	}
	for _, other := range cfg.Plugin {
		if other.ID == entry.ID {
			return &exitError{exitFailed, "exists",
				fmt.Sprintf("%s is installed already (%s, line %d); utter runner remove %s first, or --id NAME",
					entry.ID, r.file, other.Line, entry.ID)}
		}
	}
	program := entry.Entrypoint[0]
	if entry.Env["PATH"] != "" && !strings.Contains(program, "/") {
		return nil // the runner looks for it there
	}
	_, err = exec.LookPath(program)
	switch {
	case err == nil:
		return nil
	case len(entry.Entrypoint) == 1 && strings.Contains(program, " "):
		_, line := filepath.Split(program)
		return &exitError{exitMissing, "missing",
			fmt.Sprintf(
				"the entrypoint is one program with a space in its name, %q, which does not exist; write a list, such as %s",
				program, config.EntrypointOf(line))}
	case errors.Is(err, fs.ErrPermission):
		return &exitError{exitMissing, "missing", fmt.Sprintf("%s is not executable; chmod +x fixes it", program)}
	}
	return &exitError{exitMissing, "missing",
		fmt.Sprintf("the program %s does not exist yet; build it first, then install", program)}
}

// warningsOf are what an entry may not be meant to say.
func (r *runnerCLI) warningsOf(entry config.Plugin) []string {
	cfg := r.configuration()
	cfg.Plugin = []config.Plugin{entry}
	return cfg.WarningsOf(entry.ID)
}

// makeFolders makes the folders that a plugin is to write to, and returns those
// that were not there.
func (r *runnerCLI) makeFolders(paths []string) (made []string, err error) {
	for _, path := range paths {
		path = xdg.ExpandHome(path, r.dirs.Home)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.MkdirAll(path, 0o700); err != nil {
			return made, &exitError{exitFailed, "failed", "create the folder: " + err.Error()}
		}
		made = append(made, path)
	}
	return made, nil
}

// agree shows what the plugin asks for and lets the user decide.
func (r *runnerCLI) agree(m protocol.Manifest, entry config.Plugin, yes bool) error {
	if !r.json {
		fmt.Fprintf(r.stdout, "%s %s: %s\n", printable(m.Name), m.Version, printable(m.Description))
		fmt.Fprintf(r.stdout, "Command: %q in %s\n", entry.Entrypoint, entry.Dir)
		if len(entry.Permissions) > 0 {
			fmt.Fprintln(r.stdout, "It requests permission to:")
		}
		for _, p := range entry.Permissions {
			fmt.Fprintf(r.stdout, "  %s (%s)%s\n", consent[p], p, pathsOf(entry, p))
		}
		for _, w := range r.warningsOf(entry) {
			fmt.Fprintf(r.stdout, "WARNING: %s\n", printable(w))
		}
		fmt.Fprintln(r.stdout,
			"Without a sandbox, a program can do everything you can; utter runner doctor reports what is enforced here.")
	}
	if yes {
		return nil
	}
	if r.json {
		return &exitError{exitRefused, "needs_confirmation", "pass --yes to grant what the plugin requests"}
	}
	fmt.Fprint(r.stdout, "Install it? [y/N] ")
	answer, err := bufio.NewReader(r.stdin).ReadString('\n')
	if err != nil && answer == "" {
		fmt.Fprintln(r.stdout)
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return &exitError{exitRefused, "needs_confirmation", "not installed; --yes grants what it requests"}
	}
	return nil
}

// install writes the entry, tells the runner, and notes what was installed.
func (r *runnerCLI) install(ctx context.Context, m protocol.Manifest, entry config.Plugin, folder string) error {
	made, err := r.makeFolders(entry.WritePaths)
	if err != nil {
		return err
	}
	if err := r.edit(func(data []byte) ([]byte, error) { return config.AddPlugin(r.file, data, entry) }); err != nil {
		return err
	}
	if err := r.note(entry.ID, &installed{Version: m.Version, Folder: folder}); err != nil {
		return err
	}
	now, err := r.changed(ctx, entry.ID)
	if err != nil {
		return err
	}
	row := now.row
	if row.Status == statusOff {
		row.Reason = "utter runner enable " + entry.ID
	}
	data := map[string]any{
		"plugin": entry.ID, "file": r.file, "running": now.running, "status": row.Status, "reason": row.Reason,
		"warnings": r.warningsOf(entry), "made": made,
	}
	human := func() {
		for _, folder := range made {
			fmt.Fprintf(r.stdout, "Created the folder %s\n", printable(folder))
		}
		text := now.String()
		switch {
		case now.running:
			text = state(row.Status, row.Reason)
		case now.other == "":
			text += "; it will start the plugin with it"
		}
		fmt.Fprintf(r.stdout, "%s is installed (%s)\n", entry.ID, printable(text))
	}
	if now.running && row.Status == protocol.StatusError {
		return r.showFailed("runner install", data, &exitError{exitFailed, "failed", row.Reason}, human)
	}
	r.show("runner install", data, human)
	return nil
}

func (r *runnerCLI) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove PLUGIN",
		Short:   "Remove a plugin from the configuration; its folder stays",
		Example: "  utter runner remove note",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.followRunner(cmd.Context()); err != nil {
				return err
			}
			if err := r.edit(func(data []byte) ([]byte, error) {
				return config.RemovePlugin(r.file, data, args[0])
			}); err != nil {
				return err
			}
			if err := r.note(args[0], nil); err != nil {
				return err
			}
			now, err := r.changed(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r.show("runner remove", map[string]string{"plugin": args[0], "file": r.file}, func() {
				text := args[0] + " is removed"
				if now.other != "" {
					text += " (" + now.String() + ")"
				}
				fmt.Fprintln(r.stdout, printable(text))
			})
			return nil
		},
	}
}

// edit changes the configuration file.
func (r *runnerCLI) edit(change func([]byte) ([]byte, error)) error {
	data, err := os.ReadFile(r.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &exitError{exitFailed, "failed", "configuration: " + err.Error()}
	}
	data, err = change(data)
	if errors.Is(err, config.ErrNoPlugin) {
		return &exitError{exitUnknown, "not_found", err.Error()}
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.file), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(r.file, data, 0o600)
	}
	if err != nil {
		return &exitError{exitFailed, "failed", err.Error()}
	}
	r.read = nil
	return nil
}
