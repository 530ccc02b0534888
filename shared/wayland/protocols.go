package wayland

// An Interface is what the client must know of a kind of object.
type Interface struct {
	Name string
	// eventFDs counts the descriptors of the events that carry any.
	eventFDs map[uint16]int
}

// The interfaces, with the numbers of their requests and events as the protocol
// files give them. Request constants begin with the interface's short name;
// event constants have On in them.
var (
	display      = &Interface{Name: "wl_display"}
	registry     = &Interface{Name: "wl_registry"}
	callback     = &Interface{Name: "wl_callback"}
	Seat         = &Interface{Name: "wl_seat"}
	Keyboard     = &Interface{Name: "wl_keyboard", eventFDs: map[uint16]int{KeyboardOnKeymap: 1}}
	InputManager = &Interface{Name: "zwp_input_method_manager_v2"}
	InputMethod  = &Interface{Name: "zwp_input_method_v2"}

	VirtualKeyboardManager = &Interface{Name: "zwp_virtual_keyboard_manager_v1"}
	VirtualKeyboard        = &Interface{Name: "zwp_virtual_keyboard_v1"}
	VirtualPointerManager  = &Interface{Name: "zwlr_virtual_pointer_manager_v1"}
	VirtualPointer         = &Interface{Name: "zwlr_virtual_pointer_v1"}

	// The two data controls differ in name only.
	ExtDataControlManager = &Interface{Name: "ext_data_control_manager_v1"}
	WlrDataControlManager = &Interface{Name: "zwlr_data_control_manager_v1"}
	DataControlDevice     = &Interface{Name: "data_control_device"}
	DataControlSource     = &Interface{Name: "data_control_source", eventFDs: map[uint16]int{DataSourceOnSend: 1}}
	DataControlOffer      = &Interface{Name: "data_control_offer"}
	ActivationManager     = &Interface{Name: "xdg_activation_v1"}
	ActivationToken       = &Interface{Name: "xdg_activation_token_v1"}
)

// Requests of wl_display, wl_registry, wl_seat and wl_keyboard.
const (
	DisplaySync        = 0 // (new callback)
	DisplayGetRegistry = 1 // (new registry)
	RegistryBind       = 0 // (name, interface, version, new)
	SeatGetKeyboard    = 1 // (new keyboard)
	KeyboardRelease    = 0 // since version 3
)

// Events of the same, and wl_callback.
const (
	DisplayOnError        = 0 // (object, code, message)
	DisplayOnDeleteID     = 1 // (id)
	RegistryOnGlobal      = 0 // (name, interface, version)
	RegistryOnRemove      = 1 // (name)
	CallbackOnDone        = 0 // (data)
	SeatOnCapabilities    = 0 // (bits; 2 is a keyboard)
	SeatOnName            = 1
	KeyboardOnKeymap      = 0 // (format, descriptor, size in bytes)
	SeatHasKeyboard       = 2
	KeymapFormatXKB       = 1
	KeyStateReleased      = 0
	KeyStatePressed       = 1
	PointerAxisVertical   = 0
	PointerAxisHorizontal = 1
	PointerSourceWheel    = 0
)

// zwp_input_method_manager_v2 and zwp_input_method_v2.
const (
	InputManagerGetInputMethod = 0 // (seat, new)

	InputMethodCommitString      = 0 // (text)
	InputMethodDeleteSurrounding = 2 // (bytes before, bytes after)
	InputMethodCommit            = 3 // (number of done events so far)
	InputMethodDestroy           = 6

	InputMethodOnActivate        = 0
	InputMethodOnDeactivate      = 1
	InputMethodOnSurroundingText = 2 // (text, cursor, anchor: byte offsets)
	InputMethodOnTextChangeCause = 3
	InputMethodOnContentType     = 4 // (hint, purpose)
	InputMethodOnDone            = 5
	InputMethodOnUnavailable     = 6
)

// Content purposes and hints of text-input-v3 that matter here.
const (
	PurposePassword = 8
	PurposePIN      = 9
	PurposeTerminal = 13
	HintHiddenText  = 0x40
	HintSensitive   = 0x80
)

// zwp_virtual_keyboard_v1 and zwlr_virtual_pointer_v1.
const (
	VirtualKeyboardManagerCreate = 0 // (seat, new)
	VirtualKeyboardKeymap        = 0 // (format, descriptor, size)
	VirtualKeyboardKey           = 1 // (time ms, evdev code, state)
	VirtualKeyboardModifiers     = 2 // (depressed, latched, locked, group)

	VirtualPointerManagerCreate = 0 // (seat, new)
	VirtualPointerMotionTo      = 1 // (time ms, x, y, x extent, y extent)
	VirtualPointerButton        = 2 // (time ms, evdev button, state)
	VirtualPointerAxis          = 3 // (time ms, axis, fixed value)
	VirtualPointerFrame         = 4
	VirtualPointerAxisSource    = 5 // (source)
	VirtualPointerAxisDiscrete  = 7 // (time ms, axis, fixed value, steps)
)

// The data controls.
const (
	DataManagerCreateSource = 0 // (new source)
	DataManagerGetDevice    = 1 // (new device, seat)
	DataDeviceSetSelection  = 0 // (source or 0)
	DataDeviceDestroy       = 1
	DataSourceOffer         = 0 // (MIME type)
	DataSourceDestroy       = 1
	DataOfferReceive        = 0 // (MIME type, descriptor)
	DataOfferDestroy        = 1

	DataDeviceOnOffer     = 0 // (new offer)
	DataDeviceOnSelection = 1 // (offer or 0)
	DataDeviceOnFinished  = 2
	DataDeviceOnPrimary   = 3 // (offer or 0)
	DataSourceOnSend      = 0 // (MIME type, descriptor)
	DataSourceOnCancelled = 1
	DataOfferOnOffer      = 0 // (MIME type)
)

// xdg_activation_v1.
const (
	ActivationGetToken     = 1 // (new token)
	ActivationTokenAppID   = 1 // (app id)
	ActivationTokenCommit  = 3
	ActivationTokenDestroy = 4
	ActivationTokenOnDone  = 0 // (token)
)
