package fakeniri

import "encoding/json"

// answer returns the reply to a question, or nil if niri leaves it open.
func (d *desktop) answer(question string) object {
	s := d.snapshot()
	var value any
	switch question {
	case "EventStream":
		return object{"Ok": "Handled"}
	case "ReturnError":
		return object{"Err": "example compositor error"}
	case "PickWindow", "PickColor":
		return nil // until somebody clicks
	case "Version":
		value = Version
	case "Outputs":
		outputs := object{}
		for _, out := range d.outputs {
			outputs[out.Name] = out.describe()
		}
		value = outputs
	case "Workspaces":
		value = list(s.workspaces)
	case "Windows":
		value = list(s.windows)
	case "Layers", "Casts":
		value = []any{}
	case "KeyboardLayouts":
		value = s.keyboard
	case "FocusedOutput":
		value = d.output.describe()
	case "FocusedWindow":
		if w := d.focused(); w != nil {
			value = d.describe(w)
		}
	case "OverviewState":
		value = object{"is_open": s.overview}
	}
	return object{"Ok": object{question: value}}
}

// describe tells of an output what a nested niri tells of its window.
func (out *output) describe() object {
	width, height := out.logical()
	return object{
		"name": out.Name, "make": "Smithay", "model": "Winit", "serial": nil, "physical_size": nil,
		"modes":        []any{object{"width": out.Width, "height": out.Height, "refresh_rate": 60000, "is_preferred": true}},
		"current_mode": 0, "is_custom_mode": true, "vrr_supported": false, "vrr_enabled": false,
		"logical": object{
			"x": out.X, "y": out.Y, "width": int(width), "height": int(height),
			"scale": real(out.scale), "transform": "Flipped180",
		},
	}
}

// parseOutput reads a change of an output; of those the model plays the scale.
func parseOutput(raw json.RawMessage) (request, error) {
	var change struct {
		Output *string
		Action json.RawMessage
	}
	if json.Unmarshal(raw, &change) != nil || change.Output == nil || change.Action == nil {
		return request{}, errRequest
	}
	r := request{name: "Output", changes: *change.Output}
	if v, err := variant(change.Action); err == nil && v.name == "Scale" {
		scale, err := readScale(v.value)
		if err != nil {
			return request{}, err
		}
		r.play = func(d *desktop) {
			if out := d.outputCalled(r.changes); out != nil {
				out.scale = scale
			}
		}
	}
	return r, nil
}

func readScale(raw json.RawMessage) (float64, error) {
	var body struct{ Scale json.RawMessage }
	if json.Unmarshal(raw, &body) != nil {
		return 0, errRequest
	}
	var word string
	if json.Unmarshal(body.Scale, &word) == nil {
		return 1, only(nil, word, "Automatic")
	}
	v, err := variant(body.Scale)
	if err != nil || v.name != "Specific" {
		return 0, errRequest
	}
	return read[float64](v.value)
}

// outputChanged is the reply to a change of the output called name.
func (d *desktop) outputChanged(name string) object {
	what := "Applied"
	if d.outputCalled(name) == nil {
		what = "OutputWasMissing"
	}
	return object{"Ok": object{"OutputConfigChanged": what}}
}
