package fakewayland

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"utter/shared/wayland"
)

// A signature is one line of a protocol file: something that a client may send.
type signature struct {
	name  string
	args  []arg
	since uint32 // the version of the interface that brought it
}

// An arg is one argument of a request.
type arg struct {
	kind  string // uint, int, fixed, string, object, new or fd
	iface string // of an object, or of a new one; "" if the client says it
	null  bool   // whether there may be no object
}

// req reads a line: the name, and the arguments as "uint, object wl_seat".
func req(name, args string) signature {
	r := signature{name: name, since: 1}
	for a := range strings.SplitSeq(args, ", ") {
		if a == "" {
			continue
		}
		kind, iface, _ := strings.Cut(a, " ")
		kind, null := strings.CutSuffix(kind, "?")
		r.args = append(r.args, arg{kind, iface, null})
	}
	return r
}

func (r signature) from(version uint32) signature {
	r.since = version
	return r
}

// fds counts the descriptors that come with r.
func (r signature) fds() (n int) {
	for _, a := range r.args {
		if a.kind == "fd" {
			n++
		}
	}
	return n
}

// destroys reports whether r is the last request of its object.
func (r signature) destroys() bool { return r.name == "destroy" || r.name == "release" }

// protocol holds the requests of the interfaces in the order of their opcodes.
var protocol = func() map[string][]signature {
	all := map[string][]signature{
		"wl_display": {
			req("sync", "new wl_callback"),
			req("get_registry", "new wl_registry"),
		},
		"wl_registry": {req("bind", "uint, string, uint, new")},
		"wl_callback": {},
		"wl_seat": {
			req("get_pointer", "new wl_pointer"),
			req("get_keyboard", "new wl_keyboard"),
			req("get_touch", "new wl_touch"),
			req("release", "").from(5),
		},
		"wl_keyboard": {req("release", "").from(3)},
		"zwp_input_method_manager_v2": {
			req("get_input_method", "object wl_seat, new zwp_input_method_v2"),
			req("destroy", ""),
		},
		"zwp_input_method_v2": {
			req("commit_string", "string"),
			req("set_preedit_string", "string, int, int"),
			req("delete_surrounding_text", "uint, uint"),
			req("commit", "uint"),
			req("get_input_popup_surface", "new zwp_input_popup_surface_v2, object wl_surface"),
			req("grab_keyboard", "new zwp_input_method_keyboard_grab_v2"),
			req("destroy", ""),
		},
		"zwp_input_method_keyboard_grab_v2": {req("release", "")},
		"zwp_virtual_keyboard_manager_v1": {
			req("create_virtual_keyboard", "object wl_seat, new zwp_virtual_keyboard_v1"),
		},
		"zwp_virtual_keyboard_v1": {
			req("keymap", "uint, fd, uint"),
			req("key", "uint, uint, uint"),
			req("modifiers", "uint, uint, uint, uint"),
			req("destroy", ""),
		},
		"zwlr_virtual_pointer_manager_v1": {
			req("create_virtual_pointer", "object? wl_seat, new zwlr_virtual_pointer_v1"),
			req("destroy", ""),
		},
		"zwlr_virtual_pointer_v1": {
			req("motion", "uint, fixed, fixed"),
			req("motion_absolute", "uint, uint, uint, uint, uint"),
			req("button", "uint, uint, uint"),
			req("axis", "uint, uint, fixed"),
			req("frame", ""),
			req("axis_source", "uint"),
			req("axis_stop", "uint, uint"),
			req("axis_discrete", "uint, uint, fixed, int"),
			req("destroy", ""),
		},
		"xdg_activation_v1": {
			req("destroy", ""),
			req("get_activation_token", "new xdg_activation_token_v1"),
			req("activate", "string, object wl_surface"),
		},
		"xdg_activation_token_v1": {
			req("set_serial", "uint, object wl_seat"),
			req("set_app_id", "string"),
			req("set_surface", "object wl_surface"),
			req("commit", ""),
			req("destroy", ""),
		},
	}
	maps.Copy(all, dataControl("ext"))
	maps.Copy(all, dataControl("zwlr"))
	return all
}()

// dataControl returns the clipboard interfaces, which exist under two prefixes.
func dataControl(prefix string) map[string][]signature {
	name := func(kind string) string { return prefix + "_data_control_" + kind + "_v1" }
	primary := req("set_primary_selection", "object? "+name("source"))
	if prefix == "zwlr" {
		primary = primary.from(2)
	}
	return map[string][]signature{
		name("manager"): {
			req("create_data_source", "new "+name("source")),
			req("get_data_device", "new "+name("device")+", object wl_seat"),
			req("destroy", ""),
		},
		name("device"): {req("set_selection", "object? "+name("source")), req("destroy", ""), primary},
		name("source"): {req("offer", "string"), req("destroy", "")},
		name("offer"):  {req("receive", "string, fd"), req("destroy", "")},
	}
}

// known reports whether name is a request, written as "interface.request".
func known(name string) bool {
	iface, rest, _ := strings.Cut(name, ".")
	for _, r := range protocol[iface] {
		if r.name == rest {
			return true
		}
	}
	return false
}

// A Request is one request as it arrived. Args holds uint32, int32, string,
// wayland.ID and wayland.Fixed; descriptors are left out.
type Request struct {
	Client    int    // which connection: the first is 1
	Interface string // "zwp_input_method_v2"
	Name      string // "commit"
	Args      []any
}

// String returns r as "zwp_input_method_v2.commit(1)".
func (r Request) String() string {
	args := make([]string, len(r.Args))
	for i, a := range r.Args {
		switch a := a.(type) {
		case string:
			args[i] = strconv.Quote(a)
		case wayland.Fixed:
			args[i] = strconv.FormatFloat(float64(a)/256, 'g', -1, 64)
		default:
			args[i] = fmt.Sprint(a)
		}
	}
	return r.name() + "(" + strings.Join(args, ", ") + ")"
}

func (r Request) name() string { return r.Interface + "." + r.Name }

func (r Request) uint(i int) uint32   { return r.Args[i].(uint32) }
func (r Request) string(i int) string { return r.Args[i].(string) }
