package bus

// The dictionaries of the interface. A json tag names the key, both on the bus and
// in the output of "utter --json". A key with omitzero is absent if its field is
// zero; all others are always sent. The Go type determines the D-Bus type: string
// is s, bool b, uint32 u, uint64 t, float64 d, []string as, a struct a{sv}, a list
// of structs aa{sv}. The XML documents what each key means.

// A Step is a step of a plan and, after it has ended, its result.
type Step struct {
	Action string `json:"action,omitzero"`
	// Args are the arguments of the operation. The client receives string, bool,
	// int64, []string and []any, and from a plugin also float64 and map[string]any.
	Args        map[string]any `json:"args,omitzero"`
	Author      string         `json:"author,omitzero"`
	Choices     []Choice       `json:"choices,omitzero"`
	Confirm     bool           `json:"confirm,omitzero"`
	Description string         `json:"description,omitzero"`
	Evidence    string         `json:"evidence,omitzero"`
	Expires     uint32         `json:"expires,omitzero"` // seconds
	Message     string         `json:"message,omitzero"`
	Outcome     string         `json:"outcome,omitzero"`
	Plugin      string         `json:"plugin,omitzero"`
	Reason      string         `json:"reason,omitzero"`
	Tier        string         `json:"tier,omitzero"`
	Token       string         `json:"token,omitzero"`
	Window      uint64         `json:"window,omitzero"`
}

// A Choice is a candidate of an ambiguous utterance.
type Choice struct {
	Label  string `json:"label"`
	Origin string `json:"origin"`
}

// RunOptions are the options of RunWithOptions.
type RunOptions struct {
	Context    *Context `json:"context,omitzero"`
	DryRun     bool     `json:"dry_run,omitzero"`
	Provenance string   `json:"provenance,omitzero"`
	TimeoutMS  uint32   `json:"timeout_ms,omitzero"`
	Window     *uint64  `json:"window,omitzero"` // never 0
}

// A Context is the windows to plan for.
type Context struct {
	Focused *ContextWindow  `json:"focused,omitzero"`
	Windows []ContextWindow `json:"windows,omitzero"`
}

// A ContextWindow is a window to plan for.
type ContextWindow struct {
	AppID string `json:"app_id,omitzero"`
	Title string `json:"title,omitzero"`
}

// A Plan is what an utterance means.
type Plan struct {
	Choices         []Choice `json:"choices,omitzero"`
	Claims          []Claim  `json:"claims,omitzero"`
	Confidence      float64  `json:"confidence,omitzero"`
	Found           bool     `json:"found"`
	Message         string   `json:"message,omitzero"`
	Micros          *uint64  `json:"micros,omitzero"` // nil if it was not measured
	Name            string   `json:"name,omitzero"`
	NeedsPerception *bool    `json:"needs_perception,omitzero"` // nil without a plan
	Passed          []string `json:"passed,omitzero"`
	Reason          string   `json:"reason,omitzero"`
	Refusal         string   `json:"refusal,omitzero"`
	Rule            string   `json:"rule,omitzero"`
	Source          string   `json:"source,omitzero"`
	Steps           []Step   `json:"steps,omitzero"`
	Utterance       string   `json:"utterance"`
}

// PlanOptions are the options of PlanWithOptions.
type PlanOptions struct {
	App     string  `json:"app,omitzero"`
	Explain bool    `json:"explain,omitzero"`
	Window  *uint64 `json:"window,omitzero"` // never 0
}

// A Claim is an application that a name could mean.
type Claim struct {
	App       string `json:"app,omitzero"`
	By        string `json:"by"`
	Installed bool   `json:"installed"`
	Layer     string `json:"layer"`
	Name      string `json:"name"`
	Origin    string `json:"origin"`
}

// A Suggestion is something that can be said.
type Suggestion struct {
	Text   string `json:"text"`
	Kind   string `json:"kind"`
	App    string `json:"app"`
	Group  string `json:"group"`
	Detail string `json:"detail"`
}

// An App is an application that responds to its name.
type App struct {
	Aliases   []string `json:"aliases"`
	AppIDs    []string `json:"app_ids"`
	ID        string   `json:"id"`
	Installed bool     `json:"installed"`
	Kind      string   `json:"kind"`
	Launch    []string `json:"launch"`
	Layer     string   `json:"layer"`
	Name      string   `json:"name"`
	Origin    string   `json:"origin"`
	Role      bool     `json:"role"`
	Running   bool     `json:"running"`
}

// A Window is an open window.
type Window struct {
	App        string `json:"app"`
	AppID      string `json:"app_id"`
	Floating   bool   `json:"floating"`
	Focused    bool   `json:"focused"`
	Fullscreen bool   `json:"fullscreen"`
	ID         uint64 `json:"id"`
	Output     string `json:"output"`
	PID        uint32 `json:"pid"`
	Title      string `json:"title"`
	Workspace  string `json:"workspace"`
}

// A LaunchCheck is what a command would start.
type LaunchCheck struct {
	Found      bool   `json:"found"`
	Executable bool   `json:"executable"`
	Path       string `json:"path"`
	State      string `json:"state"`
}

// A Part is a part of the desktop.
type Part struct {
	Detail string `json:"detail"`
	Name   string `json:"name"`
	State  string `json:"state"`
}

// A Problem is an error or warning in a file.
type Problem struct {
	Args     []string `json:"args,omitzero"`
	Code     string   `json:"code,omitzero"`
	Column   uint32   `json:"column"`
	File     string   `json:"file"`
	Line     uint32   `json:"line"`
	Message  string   `json:"message"`
	Severity string   `json:"severity"`
}

// A Status holds the agent's properties.
type Status struct {
	Version    string    `json:"Version"`
	State      string    `json:"State"`
	Compositor string    `json:"Compositor"`
	Head       string    `json:"Head"`
	Problems   []Problem `json:"Problems"`
}

// A Reply is the answer to Run, RunWithOptions, Choose and Confirm: three
// values, in this order.
type Reply struct {
	Outcome string `json:"outcome"`
	Message string `json:"message"`
	Steps   []Step `json:"steps"`
}

// Last returns the last step, which has the reason and the question of a plan
// that did not complete.
func (r Reply) Last() Step {
	if len(r.Steps) == 0 {
		return Step{}
	}
	return r.Steps[len(r.Steps)-1]
}

// PlanStarted is the signal that a plan has started. Signals never contain typed
// text.
type PlanStarted struct {
	Utterance string `json:"utterance"`
	Steps     []Step `json:"steps"`
}

// StepFinished is the signal that a step has ended.
type StepFinished struct {
	Index uint32 `json:"index"` // from 0
	Step  Step   `json:"step"`
}

// PlanFinished is the signal that a plan has ended.
type PlanFinished struct {
	Utterance string `json:"utterance"`
	Outcome   string `json:"outcome"`
	Message   string `json:"message"`
}

// ConfirmationRequested is the signal that asks whether a plan may run.
type ConfirmationRequested struct {
	Token   string `json:"token"`
	Text    string `json:"text"`
	Expires uint32 `json:"expires"` // seconds
}

// ChoiceRequested is the signal that asks which of several things is meant.
type ChoiceRequested struct {
	Token   string   `json:"token"`
	Text    string   `json:"text"`
	Choices []Choice `json:"choices"`
	Expires uint32   `json:"expires"` // seconds
}

// ProfilesChanged is the signal that the applications, their names or Problems
// have changed.
type ProfilesChanged struct{}
