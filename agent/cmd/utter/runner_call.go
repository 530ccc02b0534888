package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"utter/shared/protocol"
)

func (r *runnerCLI) callCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "call METHOD [PARAMS]",
		Short: "Ask the runner by a method of its protocol",
		Long: "Call asks the runner one thing and prints the answer as JSON. PARAMS are a JSON object.\n" +
			"What the user would have to confirm is refused, unless a program that asks for it is connected.",
		Example: "  utter runner call runner.command '{\"utterance\":\"roll a die\"}'",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			params := json.RawMessage("{}")
			if len(args) == 2 {
				params = json.RawMessage(args[1])
			}
			if !json.Valid(params) {
				return &exitError{exitUsage, "usage", "the params are no JSON: " + args[1]}
			}
			conn, err := r.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer conn.Close()
			var result json.RawMessage
			err = conn.Call(cmd.Context(), args[0], params, &result)
			if said, ok := errors.AsType[*protocol.Error](err); ok {
				return r.refusedCall(said)
			}
			if err != nil {
				return runnerError(err)
			}
			r.show("runner call", result, func() { fmt.Fprintln(r.stdout, printable(string(result))) })
			return nil
		},
	}
}

// refusedCall prints an error that the runner answered: its message with the
// code, or all of it as JSON.
func (r *runnerCLI) refusedCall(said *protocol.Error) error {
	err := runnerError(said)
	if e, ok := errors.AsType[*exitError](err); ok && r.json {
		return r.showFailed("runner call", said, e, nil)
	}
	return err
}
