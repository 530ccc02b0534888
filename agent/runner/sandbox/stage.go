package sandbox

import (
	"cmp"
	"crypto/rand"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A stage is what the probe is tried on: what the machine has of each thing, and
// a stand-in of our own beside it.
type stage struct {
	box       *Box
	exe       string
	folder    string // the plugin's
	temp      string // where it may write
	hidden    string // what it was not given
	runtime   string // a folder in the runtime directory
	nonce     string
	network   []attempt // tried with all but the network granted
	rest      []attempt // tried with the network granted
	controls  []attempt // succeed inside, or the probe is broken
	missing   map[string]string
	listeners []net.Listener
	folders   []string
}

// setStage prepares it. The caller strikes it.
func (b *Box) setStage() (s *stage, err error) {
	s = &stage{box: b, nonce: rand.Text(), missing: map[string]string{}}
	defer func() {
		if err != nil {
			s.strike()
		}
	}()
	if s.exe, err = os.Executable(); err != nil {
		return s, err
	}
	root, err := os.MkdirTemp("", "utter-probe-")
	if err != nil {
		return s, err
	}
	s.folders = append(s.folders, root)
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return s, err
	}
	s.folder, s.temp, s.hidden = filepath.Join(root, "plugin"), filepath.Join(root, "own"), filepath.Join(root, "hidden")
	for _, dir := range []string{s.folder, s.temp, s.hidden} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return s, err
		}
	}
	if s.runtime, err = os.MkdirTemp(cmp.Or(b.host.Runtime, root), "utter-probe-"); err != nil {
		if s.runtime, err = os.MkdirTemp(root, "runtime-"); err != nil {
			return s, err
		}
	}
	s.folders = append(s.folders, s.runtime)

	for _, set := range []func() error{s.setNetwork, s.setFiles, s.setSockets, s.setMicrophone, s.setProcess} {
		if err := set(); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s *stage) strike() {
	for _, l := range s.listeners {
		l.Close()
	}
	for _, dir := range s.folders {
		os.RemoveAll(dir)
	}
}

// try adds an attempt that is made with the network granted.
func (s *stage) try(claim, kind, path, want string) {
	s.rest = append(s.rest, attempt{claim, kind, path, want})
}

// listen opens a socket that accepts connections and says nothing.
func (s *stage) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	s.listeners = append(s.listeners, l)
	go func() { // ends when strike closes l
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	return l, nil
}

func (s *stage) setNetwork() error {
	for i, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := s.listen("tcp", address)
		if err != nil {
			if i > 0 {
				break // a machine without IPv6
			}
			return err
		}
		s.network = append(s.network, attempt{Network, tryConnect, "tcp:" + l.Addr().String(), ""})
		if i == 0 {
			s.controls = append(s.controls, attempt{Network, tryConnect, "tcp:" + l.Addr().String(), ""})
		}
	}
	// An abstract socket belongs to the network namespace.
	name := "@utter-probe-" + s.nonce
	if _, err := s.listen("unix", name); err != nil {
		return err
	}
	a := attempt{AbstractSockets, tryConnect, "unix:" + name, ""}
	s.network = append(s.network, a)
	s.rest = append(s.rest, a)
	return nil
}

func (s *stage) setFiles() error {
	given := filepath.Join(s.folder, "given")
	secrets := []string{filepath.Join(s.hidden, "secret"), filepath.Join(s.runtime, "secret")}
	for _, path := range append(secrets, given) {
		if err := os.WriteFile(path, []byte(s.nonce), 0o600); err != nil {
			return err
		}
	}
	for _, path := range secrets {
		s.try(FilesystemRead, tryRead, path, s.nonce)
	}
	s.controls = append(s.controls, attempt{FilesystemRead, tryRead, given, s.nonce})
	if path := readable(s.box.host.Home); path != "" {
		s.try(FilesystemRead, tryRead, path, "")
	}
	s.try(FilesystemWrite, tryWrite, filepath.Join(s.folder, "written"), s.nonce)
	s.try(FilesystemWrite, tryWrite, filepath.Join(s.hidden, "written"), s.nonce)
	s.controls = append(s.controls, attempt{FilesystemWrite, tryWrite, tempInside + "/written", s.nonce})
	return nil
}

// readable returns a file of the folder that can be read, or "".
func readable(folder string) string {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if e.Type().IsRegular() && (attempt{Kind: tryRead, Path: path}).try() == nil {
			return path
		}
	}
	return ""
}

// setSockets tries what sockets the session has, and a stand-in of each.
func (s *stage) setSockets() error {
	host := s.box.host
	for _, of := range []struct {
		claim string
		paths []string
	}{
		{RunnerSocket, []string{host.Socket}},
		{SessionBus, busPaths(host.Bus)},
		{Display, append(xSockets(), host.Wayland)},
	} {
		stand := filepath.Join(s.runtime, of.claim)
		if _, err := s.listen("unix", stand); err != nil {
			return err
		}
		for _, path := range append(of.paths, stand) {
			if path != "" && (attempt{Kind: tryConnect, Path: "unix:" + path}).try() == nil {
				s.try(of.claim, tryConnect, "unix:"+path, "")
			}
		}
	}
	return nil
}

// busPaths returns the sockets in a D-Bus address.
func busPaths(address string) (paths []string) {
	for one := range strings.SplitSeq(address, ";") {
		options, ok := strings.CutPrefix(one, "unix:")
		if !ok {
			continue
		}
		for option := range strings.SplitSeq(options, ",") {
			switch name, value, _ := strings.Cut(option, "="); name {
			case "path":
				paths = append(paths, value)
			case "abstract":
				paths = append(paths, "@"+value)
			}
		}
	}
	return paths
}

// xSockets returns the sockets of the X servers, by both of their names.
func xSockets() (paths []string) {
	found, _ := filepath.Glob("/tmp/.X11-unix/X*")
	for _, path := range found {
		paths = append(paths, path, "@"+path)
	}
	return paths
}

// setMicrophone tries the sound devices and servers, or stand-ins: a device node
// in the plugin's own folder, or another device of this machine, and a socket in
// the runtime directory.
func (s *stage) setMicrophone() error {
	opens := func(path string) bool { return attempt{Kind: tryOpen, Path: path}.try() == nil }
	devices, _ := filepath.Glob("/dev/snd/*")
	stand := filepath.Join(s.folder, "device")
	if syscall.Mknod(stand, syscall.S_IFCHR|0o600, 1<<8|3) == nil { // the number of /dev/null
		devices = append(devices, stand)
	}
	devices = append(devices, "/dev/fuse", "/dev/kvm", "/dev/net/tun", "/dev/rfkill", "/dev/dri/renderD128")
	if i := slices.IndexFunc(devices, opens); i >= 0 {
		s.try(Microphone, tryOpen, devices[i], "")
	} else {
		s.missing[Microphone] = "no sound device here can be opened, and there is no substitute"
	}

	if s.box.host.Runtime != "" {
		for _, name := range []string{"pipewire-0", "pulse/native"} {
			a := attempt{Microphone, tryConnect, "unix:" + filepath.Join(s.box.host.Runtime, name), ""}
			if a.try() == nil {
				s.rest = append(s.rest, a)
			}
		}
	}
	path := filepath.Join(s.runtime, "sound")
	if _, err := s.listen("unix", path); err != nil {
		return err
	}
	s.try(Microphone, tryConnect, "unix:"+path, "")
	return nil
}

func (s *stage) setProcess() error {
	p, err := readProcess(os.Getpid())
	if err != nil {
		return err
	}
	s.try(Processes, tryProcess, strconv.Itoa(p.pid), strconv.FormatUint(p.began, 10))
	s.try(Capabilities, tryUserns, "a user namespace", "")
	return nil
}
